// What a home server knows of its peers' holders: readers at home come to have a reed of their own server that only a peer's members still have,
// whatever was forgotten of how those came to have it, and however they come and go. And how
// they wait at the peer while only somebody who is away has it.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { FoldPair, setPeer } from '../support/fold-pair.ts';
import type { Fate } from '../support/fold-wire.ts';
import type { LightMember } from '../support/light-member.ts';
import type { Side } from '../support/pair-stage.ts';

const pair = FoldPair.forEachTest();
/** The longest that nobody looks for a holder again: a dormant request, and a peer that was asked in vain. */
const LOOKS_MS = 2 * 600_000;

let reed: ReedId;
let author: LightMember;
let away: LightMember;

beforeEach(async () => {
  ({ reed, author } = await pair.reed());
  away = await pair.member(pair.asking);
});

const forget = async ({ community }: Side): Promise<void> => {
  for (const table of ['foreign_pending_events', 'foreign_relay_requests', 'pending_event_attempts', 'pending_events'])
    await community.rows(`truncate ${table}`);
};
/** Nobody has the reed there any more, nor is known to elsewhere. */
const forgetHolders = async ({ community }: Side): Promise<void> => {
  for (const table of ['reed_allocations', 'reed_server_allocations'])
    await community.rows(`delete from ${table} where reed_id = $1`, [reed]);
};
const known = () =>
  pair.home.community.rows<{ holding: boolean }>('select holding from reed_server_allocations where reed_id = $1', [reed]);
const holds = async (side: Side, member: LightMember) => (await pair.holders(side, reed)).includes(member.userId);

/** The peer's member comes to have it; the legs meet their fate. */
const crosses = async (fate: (leg: string) => Fate = () => 'pass', until = () => holds(pair.asking, away)): Promise<void> => {
  pair.wire.fate = ({ leg }) => fate(leg);
  away.request(reed);
  await expect.poll(until).toBe(true);
};

/** Somebody at home asks once the author is gone; time passes until it has the copy. */
const comesHome = async (reader: LightMember): Promise<void> => {
  pair.wire.fate = () => 'pass';
  await pair.passUntil(300_000, () => holds(pair.home, reader));
  expect(reader.frames.filter(({ type }) => type === 'dataResponse')).toHaveLength(1);
};

const asksAlone = async (): Promise<LightMember> => {
  await author.vanish();
  const reader = await pair.member(pair.home);
  reader.request(reed);
  await pair.settle();
  return reader;
};

describe('an acknowledgement that a holder there owed', () => {
  it('and that is forgotten with the ledger there is made up for by the word of that holder', async () => {
    await crosses((leg) => (leg === 'ack' ? 'lose-request' : 'pass'));
    await forget(pair.asking);
    await comesHome(await asksAlone());
    expect(await known()).toEqual([{ holding: true }]);
  });

  it('and that finds nothing at home, whose ledger was emptied, is made up for in the same way', async () => {
    await crosses((leg) => (leg === 'ack' ? 'hold' : 'pass'));
    await expect.poll(() => pair.wire.count('ack')).toBe(1);
    await forget(pair.home);
    pair.wire.release();
    await comesHome(await asksAlone());
    expect(await known()).toEqual([{ holding: true }]);
  });

  it('and that comes after its event ended by its age is made up for in the same way', async () => {
    await crosses((leg) => (leg === 'ack' ? 'lose-request' : 'pass'));
    await pair.home.community.rows("update pending_events set state = 3, due_at = '-infinity' where is_foreign");
    pair.wire.fate = ({ leg }) => (leg === 'ack' || leg === 'crossings' ? 'lose-request' : 'pass');
    await pair.pass(1_000);
    await comesHome(await asksAlone());
  });

  it('needs no further word where it was answered', async () => {
    await crosses();
    await pair.settle();
    await pair.pass(61_000);
    await pair.pass(61_000);
    expect([await known(), pair.wire.count('holder-notify')]).toEqual([[{ holding: true }], 0]);
  });
});

it('a copy that a peer refuses, or gives up, makes it no holder', async () => {
  away.behaviour.acknowledge = 'invalid';
  await crosses(
    () => 'pass',
    async () => pair.wire.count('cancel') > 0,
  );
  await pair.settle();
  await pair.pass(61_000);
  expect([await known(), pair.wire.count('holder-notify')]).toEqual([[{ holding: false }], 0]);
  await author.vanish();
  const reader = await pair.member(pair.home);
  reader.request(reed);
  await pair.pass(LOOKS_MS);
  expect(pair.wire.count('fallback')).toBe(0);
});

describe('a peer whose holders come and go', () => {
  it('is asked again when it had none online, and serves all who ask once they are back', async () => {
    await crosses();
    await pair.settle();
    const account = await pair.accountOf(away);
    await away.vanish();
    const first = await asksAlone();
    const others = await pair.members(pair.home, 4);
    for (const reader of others) reader.request(reed);
    await pair.settle();
    expect(pair.wire.count('fallback')).toBeGreaterThan(0);
    expect(await known()).toEqual([{ holding: true }]);
    const asked = pair.wire.count('fallback');
    const back = await pair.join(pair.asking, account);
    for (const reader of [first, ...others]) await comesHome(reader);
    expect(pair.wire.count('fallback')).toBeGreaterThan(asked);
    expect(back.frames.some(({ type }) => type === 'relayRequest')).toBe(true);
  });

  it('is asked no more after it said that it has none, until one of its members has it again', async () => {
    await crosses();
    await pair.settle();
    await pair.asking.community.rows('delete from reed_allocations where reed_id = $1', [reed]);
    const account = await pair.accountOf(author);
    const reader = await asksAlone();
    await pair.pass(LOOKS_MS);
    expect([await known(), pair.wire.count('fallback')]).toEqual([[], 1]);
    reader.requests.length = 0;
    author = await pair.join(pair.home, account, { answer: 'nothing' });
    await pair.settle();
    author.behaviour.answer = 'bytes';
    const other = await pair.member(pair.asking);
    other.request(reed);
    author.answerAll();
    await pair.passUntil(5_000, () => holds(pair.asking, other));
    await pair.settle();
    expect(await known()).toEqual([{ holding: true }]);
  });
});

it('the word that a peer has none forgets no holder that it told of while that word was on its way', async () => {
  await crosses();
  await pair.settle();
  await author.vanish();
  await pair.asking.community.rows('delete from reed_allocations where reed_id = $1', [reed]);
  pair.wire.fate = ({ leg }) => (leg === 'fallback' ? 'hold-answer' : 'pass');
  const reader = await pair.member(pair.home);
  reader.request(reed);
  await expect.poll(() => pair.wire.count('fallback')).toBe(1);
  await pair.asking.community.rows(
    `with a as (insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date))
      insert into holder_notices (server_id, reed_id, due_at) values ($3, $2, '-infinity')`,
    [away.userId, reed, pair.home.id],
  );
  await pair.asking.server.settle();
  expect([pair.wire.count('holder-notify'), await known()]).toEqual([1, [{ holding: true }]]);
  pair.wire.release();
  await comesHome(reader);
  expect(await known()).toEqual([{ holding: true }]);
});

describe('what a home was not told when a peering', () => {
  const evicts = async (member: LightMember): Promise<void> => {
    member.send({ id: '', type: 'eviction', body: { reedId: reed } });
    await member.next('evictionAck');
    await pair.settle();
  };
  const both = async (set: string): Promise<void> => {
    await setPeer(pair.home, pair.asking, set);
    await setPeer(pair.asking, pair.home, set);
  };

  it.each([
    ['paused', "state = 'suspended'"],
    ['ended', "state = 'revoked'"],
  ])('was %s, of before that and of meanwhile, it is told once they are peers again', async (_how, set) => {
    const second = await pair.member(pair.asking);
    await crosses();
    second.request(reed);
    await expect.poll(() => holds(pair.asking, second)).toBe(true);
    await pair.settle();
    const [other] = await pair.home.community.reeds(author.userId, 1);
    second.request(other as ReedId);
    await expect.poll(async () => (await pair.holders(pair.asking, other as ReedId)).length).toBe(1);
    await pair.settle();
    pair.wire.fate = ({ leg }) => (leg === 'holder-notify' ? 'lose-request' : 'pass');
    second.send({ id: '', type: 'eviction', body: { reedId: other as ReedId } });
    await second.next('evictionAck');
    await pair.settle();
    await both(set);
    pair.wire.fate = () => 'pass';
    await evicts(second);
    await evicts(away);
    const believed = () => pair.home.community.rows('select holding from reed_server_allocations where reed_id = any($1)', [[reed, other]]);
    expect(await believed()).toEqual([{ holding: true }, { holding: true }]);
    await both("state = 'live'");
    await pair.pass(61_000);
    expect([await believed(), await pair.asking.community.rows('select from holder_notices')]).toEqual([
      [{ holding: false }, { holding: false }],
      [],
    ]);
  });
});

it('requests that sleep on both sides are served when who has it comes back, each by its own', async () => {
  await author.vanish();
  const there = await pair.member(pair.asking);
  const [theirs] = await pair.asking.community.reeds(there.userId, 1);
  const [account, thereAccount] = [await pair.accountOf(author), await pair.accountOf(there)];
  await there.vanish();
  const [here] = (await pair.members(pair.home, 1)) as [LightMember];
  here.request(theirs as ReedId);
  away.request(reed);
  await pair.settle();
  for (const { community } of [pair.home, pair.asking])
    expect(await community.rows('select slot, asleep from foreign_pending_events')).toEqual([{ slot: 1, asleep: true }]);
  await pair.pass(61_000);
  await pair.join(pair.home, account);
  await pair.join(pair.asking, thereAccount);
  await Promise.all([here.next('dataResponse'), away.next('dataResponse')]);
  await pair.settle();
  expect([pair.wire.count('deliver'), pair.wire.mostCopies]).toEqual([2, 1]);
});

describe('a reed that its home has no more, and a member here who is away has', () => {
  it('is waited for here, which all who asked are told', async () => {
    await crosses();
    await pair.settle();
    await away.leave();
    await forgetHolders(pair.home);
    const readers = await pair.members(pair.asking, 5);
    for (const reader of readers) reader.request(reed);
    await pair.settle();
    expect(await pair.asking.community.rows('select state from pending_events')).toEqual(Array(5).fill({ state: 0 }));
    const told = (reader: LightMember) => reader.frames.flatMap((frame) => (frame.type === 'requestAck' ? [frame.body.state] : []));
    expect(readers.map((reader) => told(reader).at(-1))).toEqual(Array(5).fill('NOBODY_ONLINE'));
  });
});
