// The fold between two servers: what one crossing costs, how each end of it comes out, on a wire that loses nothing.
import { describe, expect, it } from 'vitest';
import { FoldPair } from '../support/fold-pair.ts';

const pair = FoldPair.forEachTest();

describe('a reed of another server', () => {
  it('crosses for whoever asks first, makes a holder here, and is known at home to be held here', async () => {
    const { reed } = await pair.reed();
    const [reader] = await pair.members(pair.asking, 1);
    const requestId = reader!.request(reed);
    const delivery = await reader!.next('dataResponse');
    expect(delivery.body).toMatchObject({ requestId, reedId: reed });
    await pair.settle();
    expect(await pair.holders(pair.asking, reed)).toEqual([reader!.userId]);
    expect(await pair.home.community.rows('select reed_id, server_id, holding from reed_server_allocations')).toEqual([
      { reed_id: reed, server_id: pair.asking.id, holding: true },
    ]);
    expect(pair.wire.calls.map((call) => call.leg)).toEqual(['request', 'deliver', 'ack']);
  });

  it('is asked of a holder at home by the name and key of the member it is for', async () => {
    const { author, reed } = await pair.reed();
    const [reader] = await pair.members(pair.asking, 1);
    reader!.request(reed);
    const asked = await author.next('relayRequest');
    expect(asked.body).toMatchObject({ reedId: reed, requesterId: reader!.userId });
    expect(asked.body.requesterKeyId.startsWith(`${reader!.userId}/`)).toBe(true);
    await pair.settle();
  });

  it('crosses no more once somebody here has it', async () => {
    const { reed } = await pair.reed();
    const [first, second] = await pair.members(pair.asking, 2);
    first!.request(reed);
    await first!.next('dataResponse');
    await pair.settle();
    second!.request(reed);
    await second!.next('dataResponse');
    await pair.settle();
    expect(pair.wire.count('deliver')).toBe(1);
  });
});
