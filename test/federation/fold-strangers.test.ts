// A peer that uses the names by which another one knows its requests: what it says is of its own requests only. One that does not take its copies, and
// one that has enough for now, which is no failure of it.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { STATE } from '../../src/ledger/state.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { decodeFoldRequest, encodeFoldCrossings, encodeFoldWord } from '../../src/wire/fold.ts';
import { FoldPair } from '../support/fold-pair.ts';

/** Room for three copies of light members: as they came, and as they are sent. */
const pair = FoldPair.forEachTest({ forwardBytesPerPeer: 13_000 });

/** A call of that server's, verified, at the home server. */
const call = async (from: ServerId, leg: string, body: Uint8Array): Promise<number | undefined> =>
  (await pair.home.server.app.legs.get(leg)?.handle(from, body))?.status;

describe('a copy on its way to a peer', () => {
  it('is ended by nobody else who knows its name', async () => {
    const third = await pair.third();
    const { author, reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    pair.wire.fate = ({ leg }) => (leg === 'deliver' ? 'hold' : 'pass');
    reader.request(reed);
    await author.next('relayRequest', ({ body }) => body.reedId === reed);
    await expect.poll(() => pair.wire.held).toBe(1);
    const asked = pair.wire.calls.find(({ leg }) => leg === 'request');
    const peerRequestId = (asked && decodeFoldRequest(asked.body)?.peerRequestId) ?? '';
    expect(await call(third.id, 'cancel', encodeFoldWord({ peerRequestId, reason: 'gone' }))).toBe(404);
    expect(await call(third.id, 'ack', encodeFoldWord({ peerRequestId, reason: '' }))).toBe(404);
    expect(await call(third.id, 'crossings', encodeFoldCrossings([]))).toBe(200);
    // Forwarding, as before.
    expect(await pair.home.community.rows('select state from pending_events where is_foreign')).toEqual([{ state: 6 }]);
    pair.wire.mend();
    await reader.next('dataResponse', ({ body }) => body.reedId === reed);
    expect(pair.wire.count('deliver')).toBe(1);
  });
});

it('copies that a peer does not take are so many bytes at once; others are dropped, and asked for again', async () => {
  const reeds = await Promise.all(Array.from({ length: 5 }, () => pair.reed()));
  const reader = await pair.member(pair.asking);
  pair.wire.fate = ({ leg }) => (leg === 'deliver' ? 'hold' : 'pass');
  for (const { reed } of reeds) reader.request(reed);
  for (const { author, reed } of reeds) await author.next('relayRequest', ({ body }) => body.reedId === reed);
  const states = 'select state, count(*)::int as events from pending_events where is_foreign group by 1 order by 1';
  const held = { state: STATE.forwarding, events: 3 };
  await expect.poll(() => pair.home.community.rows(states)).toEqual([{ state: STATE.unassigned, events: 2 }, held]);
  expect(pair.wire.held).toBe(3);
  pair.wire.mend();
  await pair.passUntil(1_000, () => reader.frames.filter(({ type }) => type === 'dataResponse').length === reeds.length);
});

describe('a home server that', () => {
  it.each([
    ['has enough for now', 'TOO_MANY_OPEN', false],
    ['can not answer', 'UNAVAILABLE', true],
  ] as const)('%s is asked again in its time; only one that fails is said to be lost', async (_what, code, isLost) => {
    const { reed } = await pair.reed();
    const { legs } = pair.home.server.app;
    const handle = () => Promise.reject(new AppError(code, 'not now', { retryAfterMs: 5_000 }));
    pair.wire.attach(pair.home.id, new Map([...legs, ['request', { limitBytes: 100_000, handle }]]));
    const [reader, waiting] = [await pair.member(pair.asking), await pair.member(pair.asking, { answer: 'nothing' })];
    waiting.request(reed);
    reader.request(reed);
    await pair.settle();
    const waits = 'select away_until is not null as waits from fold_peers where server_id = $1';
    expect(await pair.asking.community.rows(waits, [pair.home.id])).toEqual([{ waits: true }]);
    // Told to those who wait in line; each of these crosses.
    const others = await pair.members(pair.asking, 3);
    for (const other of others) other.request(reed);
    await pair.pass(16_000);
    const told = [reader, waiting, ...others].some(({ frames }) => frames.some(({ type }) => type === 'peerServerLost'));
    expect(told).toBe(isLost);
    pair.wire.attach(pair.home.id, legs);
    await pair.passUntil(2_000, () => reader.frames.some(({ type }) => type === 'dataResponse'));
  });

  it('says of everything that it was cancelled is asked now and then, not without an end', async () => {
    const { reed } = await pair.reed();
    const { legs } = pair.home.server.app;
    pair.wire.attach(pair.home.id, new Map([...legs, ['request', { limitBytes: 100_000, handle: async () => ({ status: 410 }) }]]));
    const reader = await pair.member(pair.asking);
    reader.request(reed);
    for (let round = 0; round < 10; round += 1) await pair.settle();
    expect(pair.wire.count('request')).toBe(1);
    await pair.pass(61_000);
    expect(pair.wire.count('request')).toBe(2);
    pair.wire.attach(pair.home.id, legs);
    await pair.passUntil(2_000, () => reader.frames.some(({ type }) => type === 'dataResponse'));
  });
});
