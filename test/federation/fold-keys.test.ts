// The keys of those who ask over a border: a real chain is proven and kept by the home server, and what does not hold is asked for by nobody.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { encodeFoldRequest } from '../../src/wire/fold.ts';
import { FoldPair } from '../support/fold-pair.ts';
import { makeMember } from '../support/members.ts';

const pair = new FoldPair();
let member: Member;
beforeAll(async () => {
  await pair.start({}, { signup: 'open' });
  member = await makeMember(pair.asking.server);
});
afterAll(async () => {
  await member.close();
  await pair.close();
});

/** As its peer calls it. */
const requestLeg = () => {
  const leg = pair.home.server.app.legs.get('request');
  if (leg === undefined) throw new Error('there is no such leg');
  return leg.handle.bind(leg);
};

const user = (): UserId => member.account?.user as UserId;
const kept = () => pair.home.community.rows<{ id: string; armor: string }>('select id, armor from keys where user_id = $1', [user()]);

/** What the server of the member says of it, with another chain. */
const request = (reedId: ReedId, keyChain: readonly unknown[], requesterId = user(), requesterKeyId = member.account?.key) =>
  encodeFoldRequest({
    ...{ peerRequestId: '01890000-0000-7000-8000-000000000001', reedId, isThread: false },
    ...{ requesterId, requesterKeyId: requesterKeyId as never, keyChain, slot: 1 },
  });

describe('a member of a peer whose key is not known', () => {
  it('is refused with a chain that does not prove it', async () => {
    const { reed } = await pair.reed();
    const handle = requestLeg();
    // Without one its home is asked, which does not answer.
    await expect(handle(pair.asking.id, request(reed, []))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(handle(pair.asking.id, request(reed, [{}]))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(handle(pair.asking.id, request(reed, [{ certificate: {} }]))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await kept()).toEqual([]);
  });

  it('is refused if it is another server’s', async () => {
    const { author, reed } = await pair.reed();
    const handle = requestLeg();
    await expect(
      handle(pair.asking.id, request(reed, [], author.userId, `${author.userId}/${'0'.repeat(40)}` as never)),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('is proven and kept, and holders seal to its key; a copy that it can’t open is struck at home', async () => {
    const { author, reed } = await pair.reed();
    const failed = member.request(reed).catch((error: unknown) => error);
    const asked = await author.next('relayRequest', ({ body }) => body.reedId === reed);
    expect(asked.body.requesterId).toBe(user());
    expect(await kept()).toEqual([{ id: asked.body.requesterKeyId, armor: expect.stringContaining('PGP PUBLIC KEY') }]);
    await expect.poll(() => pair.wire.legs.includes('cancel')).toBe(true);
    await member.close();
    await failed;
  });
});
