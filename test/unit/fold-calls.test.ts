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
  for (const call of calls) expect(await call).toEqual({ kind: 'transport', reason: 'closed', isOurs: true });
});

test('who waits in vain leaves the line, which has an end', async () => {
  const open: ((called: Called) => void)[] = [];
  const { clock, fold } = setUp(() => new Promise((answer) => open.push(answer)));
  const stop = new AbortController();
  const ack = (options = {}) => fold.call(PEER, 'ack', NOTHING, options);
  const running = Array.from({ length: AT_ONCE }, () => ack());
  const timed = ack({ timeoutMs: 1_000 });
  const stopped = ack({ signal: stop.signal });
  const waiting = Array.from({ length: DEFAULT_LIMITS.foldCallsWaiting - 2 }, () => ack());
  expect(await ack()).toEqual({ kind: 'transport', reason: 'busy', isOurs: true });
  clock.advance(1_000);
  stop.abort();
  for (const gone of [timed, stopped]) expect(await gone).toEqual({ kind: 'transport', reason: 'closed', isOurs: true });
  const late = ack();
  for (let at = 0; at < AT_ONCE + waiting.length + 1; at += 1) {
    open[at]?.({ kind: 'answer', status: 204, body: NOTHING });
    await turns();
  }
  expect(open).toHaveLength(AT_ONCE + waiting.length + 1);
  for (const call of [...running, ...waiting, late]) expect(await call).toMatchObject({ status: 204 });
  expect(clock.timers).toBe(0);
});

test.each<[Called, object]>([
  [
    { kind: 'held', untilMs: 1_005_000 },
    { kind: 'transport', reason: 'held', retryAfterMs: 5_000 },
  ],
  [
    { kind: 'held', untilMs: null },
    { kind: 'transport', reason: 'held' },
  ],
  [
    { kind: 'transport', reason: 'unreachable', untilMs: 1_008_000 },
    { kind: 'transport', reason: 'unreachable', retryAfterMs: 8_000 },
  ],
  [
    { kind: 'transport', reason: 'busy' },
    { kind: 'transport', reason: 'busy', isOurs: true },
  ],
  [
    { kind: 'answer', status: 403, body: NOTHING, refusal: { code: 'FORBIDDEN', retryAfterMs: 0 } },
    { kind: 'answer', status: 403, body: NOTHING, epoch: '', code: 'FORBIDDEN', retryAfterMs: 0 },
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

test('what waits for its turn has no body yet, and one for which there is nothing to say by then is not made', async () => {
  const open: ((called: Called) => void)[] = [];
  const { fold } = setUp(() => new Promise((answer) => open.push(answer)));
  let made = 0;
  let body: Uint8Array | null = NOTHING;
  const making = async (): Promise<Uint8Array | null> => {
    made += 1;
    return body;
  };
  const calls = Array.from({ length: AT_ONCE + 2 }, () => fold.call(PEER, 'request', making));
  await turns();
  expect([made, open.length]).toEqual([AT_ONCE, AT_ONCE]);
  body = null;
  for (const answer of open) answer({ kind: 'answer', status: 200, body: NOTHING, epoch: 'e' });
  await Promise.all(calls);
  expect([made, open.length]).toEqual([AT_ONCE + 2, AT_ONCE]);
  expect(await calls.at(-1)).toEqual({ kind: 'transport', reason: 'closed', isOurs: true });
});
