// The fold's calls over those of the federation: how many are on the wire, when they end, and what a call that was not made comes to.
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { CallsOfFold } from '../../src/federation/fold-calls.ts';
import type { Called, PeerCalls } from '../../src/federation/stream-ports.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { turns } from '../support/sdk-parts.ts';

const PEER = 'aaaaaaaaaaaaaaaa' as ServerId;
const NOTHING = new Uint8Array();
const AT_ONCE = DEFAULT_LIMITS.peerCallsAtOnce;

const setUp = (made: PeerCalls['call']) => {
  const clock = new ManualClock(1_000_000);
  return { clock, fold: new CallsOfFold({ calls: () => ({ call: made }), clock, limits: DEFAULT_LIMITS }) };
};

test('no more than so many are on the wire to a peer, and each that ends lets the next one go', async () => {
  const open: ((called: Called) => void)[] = [];
  const { fold } = setUp(() => new Promise((answer) => open.push(answer)));
  const calls = Array.from({ length: AT_ONCE + 2 }, () => fold.call(PEER, 'ack', NOTHING));
  await turns();
  expect(open).toHaveLength(AT_ONCE);
  for (let at = 0; at < AT_ONCE + 2; at += 1) {
    open[at]?.({ kind: 'answer', status: 200, body: NOTHING, epoch: 'e' });
    await turns();
  }
  for (const call of calls) expect(await call).toEqual({ kind: 'answer', status: 200, body: NOTHING, epoch: 'e' });
});

test('one that has its own time is ended by it, also while it waits for its turn', async () => {
  const { clock, fold } = setUp(
    (_peer, _leg, _body, options) =>
      new Promise((answer) => options?.signal?.addEventListener('abort', () => answer({ kind: 'transport', reason: 'closed' }))),
  );
  const calls = Array.from({ length: AT_ONCE + 1 }, () => fold.call(PEER, 'deliver', NOTHING, { timeoutMs: 1_000 }));
  await turns();
  clock.advance(1_000);
  for (const call of calls) expect(await call).toEqual({ kind: 'transport', reason: 'closed' });
});

test.each<[Called, object]>([
  [
    { kind: 'held', untilMs: 1_005_000 },
    { kind: 'transport', reason: 'held', retryAfterMs: 5_000 },
  ],
  [
    { kind: 'held', untilMs: null },
    { kind: 'transport', reason: 'held', retryAfterMs: 0 },
  ],
  [
    { kind: 'transport', reason: 'timeout' },
    { kind: 'transport', reason: 'timeout' },
  ],
  [
    { kind: 'answer', status: 429, body: NOTHING, refusal: { retryAfterMs: 70 } },
    { kind: 'answer', status: 429, body: NOTHING, epoch: '', retryAfterMs: 70 },
  ],
])('%o is for the fold %o', async (called, answer) => {
  expect(await setUp(async () => called).fold.call(PEER, 'request', NOTHING)).toEqual(answer);
});
