// The fold between two servers: what one crossing costs, how each end of it comes out, on a wire that loses nothing.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { FoldPair, setPeer } from '../support/fold-pair.ts';
import type { LightMember } from '../support/light-member.ts';

const pair = FoldPair.forEachTest();

const readers = async <N extends number>(
  count: N,
  behaviour = {},
): Promise<[LightMember, LightMember, LightMember, LightMember, ...LightMember[]]> =>
  (await pair.members(pair.asking, count, behaviour)) as [LightMember, LightMember, LightMember, LightMember];

const states = (side = pair.asking) =>
  side.community
    .rows<{ state: number }>("select state from pending_events where requester_user_id not like 'peer@%' order by seq")
    .then((rows) => rows.map(({ state }) => state));

const slots = async () =>
  (await pair.asking.community.rows<{ slot: number }>('select slot from foreign_pending_events where slot is not null')).length;

describe('a reed of another server', () => {
  it('crosses for whoever asks first, makes a holder here, and is known at home to be held here', async () => {
    const { reed } = await pair.reed();
    const [reader] = await readers(1);
    const requestId = reader.request(reed);
    const delivery = await reader.next('dataResponse');
    expect(delivery.body).toMatchObject({ requestId, reedId: reed });
    await pair.settle();
    expect(await pair.holders(pair.asking, reed)).toEqual([reader.userId]);
    expect(await pair.home.community.rows('select server_id, holding from reed_server_allocations where reed_id = $1', [reed])).toEqual([
      { server_id: pair.asking.id, holding: true },
    ]);
    expect(pair.wire.legs).toEqual(['request', 'deliver', 'ack']);
  });

  it('is asked of a holder at home by the name and key of the member it is for', async () => {
    const { author, reed } = await pair.reed();
    const [reader] = await readers(1);
    reader.request(reed);
    const asked = await author.next('relayRequest');
    expect(asked.body).toMatchObject({ reedId: reed, requesterId: reader.userId });
    expect(asked.body.requesterKeyId.startsWith(`${reader.userId}/`)).toBe(true);
    await pair.settle();
  });

  it('crosses no more once somebody here has it', async () => {
    const { reed } = await pair.reed();
    const [first, second] = await readers(2);
    first.request(reed);
    await first.next('dataResponse');
    await pair.settle();
    second.request(reed);
    await second.next('dataResponse');
    await pair.settle();
    expect(pair.wire.count('deliver')).toBe(1);
  });

  it('crosses for three at most at any instant; the others wait in line and are served by those three', async () => {
    const { author, reed } = await pair.reed({ answer: 'nothing' });
    const all = await readers(12);
    for (const reader of all) reader.request(reed);
    await pair.settle();
    expect((await states()).sort()).toEqual([...Array(9).fill(5), 7, 7, 7]);
    expect(pair.wire.count('request')).toBe(3);
    author.behaviour.answer = 'bytes';
    for (const [eventId, attempt] of author.asked) author.answer(eventId, attempt);
    await Promise.all(all.map((reader) => reader.next('dataResponse')));
    await pair.settle();
    expect(await pair.holders(pair.asking, reed)).toHaveLength(12);
    expect([pair.wire.count('deliver'), pair.wire.mostCopies <= 3]).toEqual([3, true]);
  });

  it('is asked for as a thread whole, and every part is held here', async () => {
    const { author, reed } = await pair.reed();
    const parts = [reed, ...(await pair.home.community.reeds(author.userId, 2))];
    await pair.home.community.thread(parts);
    const [reader] = await readers(1);
    reader.requestThread(reed);
    const delivery = await reader.next('dataResponse');
    expect(delivery.body.reedId).toBe(reed);
    await pair.settle();
    expect(await pair.home.community.rows('select reed_id from reed_server_allocations where reed_id = any($1)', [parts])).toHaveLength(3);
  });
});

describe('a crossing whose carrier', () => {
  it('cancels gives its slot back when the home server has answered, and the next in line crosses', async () => {
    const { reed } = await pair.reed({ answer: 'nothing' });
    const all = await readers(4);
    for (const reader of all) reader.request(reed);
    await pair.settle();
    const crossed = (await pair.asking.community.rows<{ requester: string }>('select requester from foreign_pending_events')).map(
      (row) => row.requester,
    );
    const carrier = all.find((reader) => crossed.includes(reader.userId));
    pair.wire.fate = ({ leg }) => (leg === 'cancel' ? 'hold' : 'pass');
    for (const requestId of carrier?.requests ?? []) carrier?.cancel(requestId);
    await expect.poll(() => pair.wire.held).toBe(1);
    expect(await slots()).toBe(3);
    expect(pair.wire.count('request')).toBe(3);
    pair.wire.mend();
    await pair.settle();
    expect([await slots(), pair.wire.count('request')]).toEqual([3, 4]);
  });

  it('vanishes is cancelled at home', async () => {
    const { reed } = await pair.reed({ answer: 'nothing' });
    const [reader] = await readers(1);
    reader.request(reed);
    await pair.settle();
    await reader.vanish();
    await pair.settle();
    expect(pair.wire.legs).toEqual(['request', 'cancel']);
    expect(await pair.home.community.rows('select * from pending_events')).toEqual([]);
  });

  it('finds its copy false carries that reed no more; the next one does', async () => {
    const { reed } = await pair.reed();
    const [liar] = await readers(1, { acknowledge: 'invalid' });
    liar.request(reed);
    await liar.next('dataResponse');
    await pair.settle();
    liar.request(reed);
    await pair.settle();
    expect([pair.wire.count('deliver'), await states()]).toEqual([1, [5]]);
    const [reader] = await readers(1);
    reader.request(reed);
    await reader.next('dataResponse');
    await pair.settle();
    expect(pair.wire.count('deliver')).toBe(2);
    expect(await states(), 'the liar was served by the new holder').toEqual([]);
  });

  it('never acknowledges loses its slot after 30 seconds', async () => {
    const { reed } = await pair.reed();
    const [silent] = await readers(1, { acknowledge: 'nothing' });
    silent.request(reed);
    await silent.next('dataResponse');
    const [reader] = await readers(1);
    await pair.pass(31_000);
    reader.request(reed);
    await reader.next('dataResponse');
    await pair.settle();
    expect(pair.wire.legs.filter((leg) => leg === 'cancel')).toHaveLength(1);
    expect(await pair.home.community.rows('select * from foreign_relay_requests')).toEqual([]);
  });

  it('is blocked by the author is told so with the certificate; others cross', async () => {
    const { author, reed } = await pair.reed();
    const [blocked, other] = await readers(2);
    await pair.home.community.blocks(author.userId, blocked.userId);
    const requestId = blocked.request(reed);
    expect((await blocked.next('userBlocked')).body.requestId).toBe(requestId);
    other.request(reed);
    await other.next('dataResponse');
    await pair.settle();
  });
});

describe('a reed that its home', () => {
  it('does not know is not found here either', async () => {
    const { author } = await pair.reed();
    const [reader] = await readers(1);
    reader.request(`${author.userId}/01890000-0000-7000-8000-000000000000` as never);
    await reader.next('reedNotFound');
    await pair.settle();
  });

  it('does not know as a thread is still the reed that others wait for', async () => {
    const { author, reed } = await pair.reed({ answer: 'nothing' });
    const [reader, confused] = await readers(2);
    reader.request(reed);
    await pair.settle();
    confused.requestThread(reed);
    await confused.next('reedNotFound');
    author.behaviour.answer = 'bytes';
    for (const [eventId, attempt] of author.asked) author.answer(eventId, attempt);
    await reader.next('dataResponse');
    await pair.settle();
  });

  it('has no copy of is answered as not held to all who wait for it', async () => {
    const { author, reed } = await pair.reed({ answer: 'nothing' });
    const all = await readers(5);
    await author.leave();
    for (const reader of all) reader.request(reed);
    await pair.settle();
    const again = await pair.join(pair.home, await pair.accountOf(author), { answer: 'miss' });
    await Promise.all(all.map((reader) => reader.next('reedNotHeld')));
    expect(again.isOpen).toBe(true);
    await pair.settle();
  });

  it('has nobody online for sleeps in one crossing, and comes when its holder does', async () => {
    const { author, reed } = await pair.reed();
    const account = await pair.accountOf(author);
    await author.leave();
    await pair.settle();
    const all = await readers(6);
    for (const reader of all) reader.request(reed);
    await pair.settle();
    expect(await pair.asking.community.rows('select slot from foreign_pending_events where asleep')).toHaveLength(1);
    expect(await states()).toEqual(Array(6).fill(5));
    await pair.pass(300_000);
    expect(await slots()).toBe(1);
    await pair.join(pair.home, account);
    await Promise.all(all.map((reader) => reader.next('dataResponse')));
    await pair.settle();
    expect(pair.wire.count('deliver')).toBe(1);
  });
});

describe('who stands in line', () => {
  const told = (reader: LightMember) => reader.frames.flatMap((frame) => (frame.type === 'requestAck' ? [frame.body.state] : []));

  it('hears that nobody online has it while one sleeps, and that it is in turn once somebody has', async () => {
    const { author, reed } = await pair.reed();
    const account = await pair.accountOf(author);
    await author.leave();
    await pair.settle();
    const all = await readers(6);
    for (const reader of all) reader.request(reed);
    await pair.settle();
    expect(all.map((reader) => told(reader).at(-1))).toEqual(Array(6).fill('NOBODY_ONLINE'));
    const [newcomer] = await readers(1);
    newcomer.request(reed);
    await pair.settle();
    expect(told(newcomer)).toEqual(['NOBODY_ONLINE']);
    await pair.join(pair.home, account, { answer: 'nothing' });
    const asleep = await pair.asking.community.rows<{ requester: string }>('select requester from foreign_pending_events where asleep');
    await all.find(({ userId }) => userId === asleep[0]?.requester)?.vanish();
    await pair.settle();
    const there = [...all, newcomer].filter(({ isOpen }) => isOpen);
    expect(there.map((reader) => told(reader).at(-1)).sort()).toEqual([...Array(3).fill('ASKING'), ...Array(3).fill('IN_TURN')]);
  });
});

describe('a request that its home server does not take', () => {
  it.each([
    ['TOO_LARGE', 'TOO_LARGE'],
    ['INVALID', 'INVALID'],
  ] as const)('(%s) ends, and its member hears why; the server is not said to be away', async (code, heard) => {
    const { reed } = await pair.reed();
    const [reader] = await readers(1);
    const { legs } = pair.home.server.app;
    const refuse = async () => Promise.reject(new AppError(code, 'not this one'));
    pair.wire.attach(pair.home.id, new Map([...legs, ['request', { limitBytes: 1, handle: refuse }]]));
    const requestId = reader.request(reed);
    expect((await reader.next('error')).body).toMatchObject({ code: heard, requestId });
    pair.wire.attach(pair.home.id, legs);
    expect(reader.frames.filter(({ type }) => type === 'peerServerLost')).toEqual([]);
    expect(await pair.asking.community.rows('select from foreign_pending_events')).toEqual([]);
    expect(await states()).toEqual([]);
  });
});

describe('when the last holder here', () => {
  it.each(['leaves', 'has lost it', 'fails', 'keeps silent'] as const)('%s, who waits for it crosses', async (fault) => {
    const { reed } = await pair.reed();
    const [holder, reader] = await readers(2);
    holder.request(reed);
    await holder.next('dataResponse');
    await pair.settle();
    holder.behaviour.answer = fault === 'has lost it' ? 'miss' : fault === 'fails' ? 'error' : 'nothing';
    reader.request(reed);
    await holder.next('relayRequest');
    if (fault === 'leaves') await holder.vanish();
    // A holder may fail by chance: it takes a while until it counts as none.
    if (fault === 'fails' || fault === 'keeps silent')
      await pair.passUntil(5_000, () => reader.frames.some(({ type }) => type === 'dataResponse'));
    else await reader.next('dataResponse');
    await pair.settle();
    expect(pair.wire.count('deliver')).toBe(2);
  });

  it('leaves, its home is told that the last copy here is gone, not before, and asks here no more', async () => {
    const { author, reed } = await pair.reed();
    const [first, second] = await readers(2);
    for (const reader of [first, second]) {
      reader.request(reed);
      await reader.next('dataResponse');
      await pair.settle();
    }
    const holding = () => pair.home.community.rows('select holding from reed_server_allocations where reed_id = $1', [reed]);
    for (const [reader, isHeld] of [
      [first, true],
      [second, false],
    ] as const) {
      reader.send({ id: '', type: 'eviction', body: { reedId: reed } });
      await reader.next('evictionAck');
      await pair.settle();
      expect([await holding(), pair.wire.count('holder-notify')]).toEqual([[{ holding: isHeld }], isHeld ? 0 : 1]);
    }
    await author.leave();
    const late = await pair.member(pair.home);
    late.request(reed);
    await late.next('requestAck', ({ body }) => body.state === 'NOBODY_ONLINE');
    await pair.settle();
    expect(pair.wire.count('fallback')).toBe(0);
  });
});

describe('a home server that does not answer', () => {
  it('leaves requests waiting, marked so, and everything crosses when it is back', async () => {
    const { reed } = await pair.reed();
    const all = await readers(5);
    pair.wire.fate = () => 'lose-request';
    for (const reader of all) reader.request(reed);
    await all[3].next('requestAck', (frame) => frame.body.state === 'PEER_AWAY');
    await pair.settle();
    expect(await slots()).toBeLessThanOrEqual(3);
    pair.wire.fate = () => 'pass';
    await pair.pass(20_000);
    await pair.pass(60_000);
    await Promise.all(all.map((reader) => reader.next('dataResponse')));
    await pair.settle();
    expect(pair.wire.mostCopies).toBeLessThanOrEqual(3);
  });

  it('is said to be lost to those who wait for it, in line or crossing', async () => {
    const { reed } = await pair.reed();
    const all = await readers(5);
    pair.wire.fate = () => 'lose-request';
    for (const reader of all) reader.request(reed);
    await Promise.all(all.map((reader) => reader.next('peerServerLost')));
    pair.wire.fate = () => 'pass';
    await pair.pass(20_000);
    await pair.pass(60_000);
    await pair.settle();
  });
});

describe('a home server whose holder is not online', () => {
  it('asks a peer that has one, for a member of its own', async () => {
    const { author, reed } = await pair.reed();
    const [holder] = await readers(1);
    holder.request(reed);
    await holder.next('dataResponse');
    await pair.settle();
    await author.leave();
    await pair.settle();
    const local = await pair.member(pair.home);
    local.request(reed);
    await local.next('dataResponse');
    await pair.settle();
    expect(pair.wire.count('fallback')).toBe(1);
    expect(await pair.holders(pair.home, reed)).toContain(local.userId);
  });

  it('asks a peer that has one, for a member of a third, and holds the copy for no longer than its way on', async () => {
    const third = await pair.third();
    const { author, reed } = await pair.reed();
    const [holder] = await readers(1);
    holder.request(reed);
    await holder.next('dataResponse');
    await pair.settle();
    await author.leave();
    await pair.settle();
    const reader = await pair.member(third);
    reader.request(reed);
    await reader.next('dataResponse');
    await pair.settle();
    expect(await pair.holders(third, reed)).toEqual([reader.userId]);
    expect(pair.wire.count('fallback')).toBe(1);
  });
});

describe('a peering that ends', () => {
  it('ends what was asked for on both sides', async () => {
    const { reed } = await pair.reed({ answer: 'nothing' });
    const all = await readers(5);
    for (const reader of all) reader.request(reed);
    await pair.settle();
    await setPeer(pair.home, pair.asking, "state = 'suspended'");
    await setPeer(pair.asking, pair.home, "state = 'suspended'");
    await Promise.all(all.map((reader) => reader.next('reedNotHeld')));
    await pair.settle();
    expect(await pair.home.community.rows('select * from pending_events')).toEqual([]);
    expect(await pair.home.community.rows("select user_id from online_users where user_id like 'peer@%'")).not.toContainEqual({
      user_id: `peer@${pair.asking.id}`,
    });
    await setPeer(pair.home, pair.asking, "state = 'live'");
    await setPeer(pair.asking, pair.home, "state = 'live'");
  });
});
