// A peer that uses the names by which another one knows its requests: what it says is of its own requests only.
import { describe, expect, it } from 'vitest';
import type { ServerId } from '../../src/wire/address.ts';
import { decodeFoldRequest, encodeFoldCrossings, encodeFoldWord } from '../../src/wire/fold.ts';
import { FoldPair } from '../support/fold-pair.ts';

const pair = FoldPair.forEachTest();

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
    pair.wire.fate = () => 'pass';
    pair.wire.release();
    await reader.next('dataResponse', ({ body }) => body.reedId === reed);
    expect(pair.wire.count('deliver')).toBe(1);
  });
});
