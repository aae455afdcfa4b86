// What members of a peer get of what is published elsewhere: the same messages as of what is published at home, by the same plan; what they missed by
// catch-up; and word of whatever is taken back. Copies cross elsewhere: here it is looked at who is owed what, and by which message.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { heading } from '../../src/wire/statements.ts';
import { type LightAccount, LightCommunity, LightMember } from '../support/light-member.ts';
import { flush, type Home, openHome } from '../support/peer-stage.ts';
import { approve, PeerWire } from '../support/peer-wire.ts';
import { type Person, publishReed, type ReedFields, sign, signUp } from '../support/people.ts';
import { removalOf } from '../support/rotations.ts';
import { startServer, type TestServer } from '../support/server.ts';

const DAY = 86_400_000;

const wire = new PeerWire();
let home: Home;
let there: TestServer;
let community: LightCommunity;
const members: LightMember[] = [];
beforeAll(async () => {
  home = await openHome(wire);
  there = await startServer({ overrides: { peerCalls: wire.callsOf(() => there.app.serverId) } });
  wire.join(there.app.serverId, there.app);
  community = new LightCommunity(there.database.url, there.app.serverId);
  await approve(home.databaseUrl, there.database.url);
  await approve(there.database.url, home.databaseUrl);
});
afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.vanish()));
  await there.settle();
});
afterAll(async () => {
  await there.close();
  await home.close();
});

const join = async (account: LightAccount): Promise<LightMember> => {
  const member = await LightMember.connect(there.url, account, { acknowledge: 'nothing' });
  members.push(member);
  return member;
};
const newAccount = async (): Promise<LightAccount> => (await community.accounts(1))[0] as LightAccount;
const online = async (): Promise<LightMember> => join(await newAccount());
const synced = async (): Promise<LightMember> => {
  const member = await online();
  member.sync();
  await member.ping();
  await there.settle();
  return member;
};
const publish = async (author: Person, fields: ReedFields = {}): Promise<ReedId> => {
  const id = await publishReed(home, author, fields);
  await flush(home);
  await there.settle();
  return id;
};
const owed = async (reed: ReedId): Promise<Record<UserId, string>> => {
  const rows = await community.rows<{ who: UserId; name: string }>(
    'select requester_user_id as who, event_name as name from pending_events where subject_id = $1',
    [reed],
  );
  return Object.fromEntries(rows.map(({ name, who }) => [who, name]));
};
/** A follow of somebody elsewhere, as a row. */
const follow = (member: LightMember, author: Person) => community.follows([[member.userId, author.user]]);

describe('a publication of a peer’s member', () => {
  test('is owed by the same plan as one of home', async () => {
    const ann = await signUp(home);
    const [mentioned, answered, listening, following, watching, archivist, stranger, streaming] = (await Promise.all(
      Array.from({ length: 8 }, () => synced()),
    )) as [LightMember, LightMember, LightMember, LightMember, LightMember, LightMember, LightMember, LightMember];
    await follow(following, ann);
    await follow(mentioned, ann);
    await community.rows(`update users set role = 'archivist' where id = $1`, [archivist.userId]);
    const [parent] = await community.reeds(answered.userId, 1);
    listening.send({ id: '', type: 'subscribePipe', body: { tag: 'marsh' } });
    watching.send({ id: '', type: 'subscribeProfile', body: { userId: ann.user } });
    streaming.send({ id: '', type: 'subscribeBroadcast', body: {} });
    await Promise.all([listening, watching, streaming].map((member) => member.ping()));
    await there.settle();
    const reed = await publish(ann, { tags: ['marsh'], mentions: [mentioned.userId], replyTo: parent as ReedId, root: parent as ReedId });
    expect(await owed(reed)).toEqual({
      [mentioned.userId]: 'MENTION',
      [answered.userId]: 'REED_REPLY',
      [listening.userId]: 'PIPE_REED',
      [following.userId]: 'FOLLOW_REED',
      [watching.userId]: 'DATA_RESPONSE',
      [streaming.userId]: 'BROADCAST_REED',
    });
    expect(stranger.frames.filter(({ type }) => type !== 'hello' && type !== 'welcome')).toEqual([]);
    expect(await community.rows('select replies from reed_stats where reed_id = $1', [parent])).toEqual([{ replies: 1 }]);
  });

  test('is owed to nobody whom its author blocks, or who blocks its author', async () => {
    const ann = await signUp(home);
    await publish(ann);
    const [blocker, other] = [await synced(), await synced()];
    await Promise.all([follow(blocker, ann), follow(other, ann)]);
    await community.blocks(blocker.userId, ann.user);
    const reed = await publish(ann);
    expect(await owed(reed)).toEqual({ [other.userId]: 'FOLLOW_REED' });
  });

  test('that comes again is owed once', async () => {
    const ann = await signUp(home);
    const member = await synced();
    await publish(ann);
    await follow(member, ann);
    wire.fate = () => 'repeat';
    const reed = await publish(ann);
    wire.fate = () => 'deliver';
    await home.rows('update peer_cursors set cursor = 0 where author_id = $1', ann.user);
    await flush(home);
    await there.settle();
    expect(await owed(reed)).toEqual({ [member.userId]: 'FOLLOW_REED' });
  });
});

describe('who was away', () => {
  test('is owed what they missed, though nobody here has it', async () => {
    const ann = await signUp(home);
    const member = await online();
    await publish(ann);
    await follow(member, ann);
    const reeds = [await publish(ann), await publish(ann, { mentions: [member.userId] })];
    expect(await owed(reeds[0] as ReedId)).toEqual({});
    member.sync();
    await member.ping();
    await there.settle();
    expect(await owed(reeds[0] as ReedId)).toEqual({ [member.userId]: 'FOLLOW_REED' });
    expect(await owed(reeds[1] as ReedId)).toEqual({ [member.userId]: 'MENTION' });
  });

  test('is owed nothing that only a home that is away has, until that is back', async () => {
    const ann = await signUp(home);
    const member = await online();
    await publish(ann);
    await follow(member, ann);
    const reed = await publish(ann);
    await community.rows('update peers set away = true where server_id = $1', [home.id]);
    member.sync();
    await member.ping();
    await there.settle();
    expect(await owed(reed)).toEqual({});
    await community.rows('update peers set away = false where server_id = $1', [home.id]);
    there.app.peerChanged(home.id, 'back');
    await there.settle();
    expect(await owed(reed)).toEqual({ [member.userId]: 'FOLLOW_REED' });
  });
});

describe('what is taken back', () => {
  const remove = async (author: Person, id: ReedId): Promise<void> => {
    const statement = { ...heading('reed-removal'), id, author: author.user, key: author.keyId };
    await home.reeds.removal.remove(author.member, 'reed-removal', id, await sign(author, statement, home.clock.now()));
    await flush(home);
    await there.settle();
  };
  const holds = (member: LightMember, reed: ReedId) =>
    community.rows('insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, $3, current_date)', [
      member.userId,
      reed,
      'd',
    ]);
  const held = async (member: LightMember): Promise<number> =>
    (await community.rows('select from reed_allocations where holder_user_id = $1', [member.userId])).length;

  test('is told to who has it and follows nobody, at once or at the next sync (F16)', async () => {
    const ann = await signUp(home);
    const account = await newAccount();
    const [here, away] = [await synced(), await join(account)];
    const reed = await publish(ann);
    await Promise.all([holds(here, reed), holds(away, reed)]);
    await away.vanish();
    await there.settle();
    await remove(ann, reed);
    const told = await here.next('reedRemoved');
    expect(JSON.parse(Buffer.from(told.body.certificate).toString()).statement).toMatchObject({ id: reed, author: ann.user });
    here.send({ id: told.id, type: 'dataAck', body: {} });
    await here.next('settled');
    expect([await held(here), await held(away)]).toEqual([0, 1]);
    const back = await join(account);
    back.sync();
    const missed = await back.next('reedRemoved');
    back.send({ id: missed.id, type: 'dataAck', body: {} });
    await back.next('settled');
    expect(await held(back)).toBe(0);
  });

  test('is told of a reed that came before the peering, too', async () => {
    const ann = await signUp(home);
    const holder = await synced();
    const reed = await publish(ann);
    // What is left of one that was never told of: the pointer of a copy.
    await community.rows('delete from reeds where id = $1', [reed]);
    await holds(holder, reed);
    await remove(ann, reed);
    expect((await holder.next('reedRemoved')).id).not.toBe('');
  });

  test('is told of a removed account to who follows it and who has something of it (F14, F37)', async () => {
    const ann = await signUp(home);
    const [follower, holder] = [await synced(), await synced()];
    const reed = await publish(ann);
    await follow(follower, ann);
    await holds(holder, reed);
    await home.identity.accountRemovals.request(ann.member, await removalOf(home, ann));
    home.clock.advance(2 * DAY);
    await home.identity.accountRemovals.finish();
    await home.reeds.voiding.account(ann.user, '');
    await flush(home);
    await there.settle();
    for (const member of [follower, holder]) {
      const told = await member.next('accountRemoved');
      member.send({ id: told.id, type: 'dataAck', body: {} });
      await member.next('settled');
    }
    expect(await held(holder)).toBe(0);
    expect(await community.rows('select active from follows where target = $1', [ann.user])).toEqual([{ active: false }]);
  });
});

test('mentions of a peer’s people are accepted, those of people of no peer are refused by name (F38)', async () => {
  const ann = await signUp(home);
  const peers = `${'b'.repeat(16)}@${there.app.serverId}` as UserId;
  const nobodys = `${'b'.repeat(16)}@${'c'.repeat(16)}` as UserId;
  const unknown = `${'b'.repeat(16)}@${home.id}` as UserId;
  const reed = await publishReed(home, ann, { mentions: [peers, nobodys, unknown] }, false);
  expect(await home.rows('select user_id, accepted, reason from reed_mentions where reed_id = $1', reed)).toEqual(
    expect.arrayContaining([
      { user_id: peers, accepted: true, reason: null },
      { user_id: nobodys, accepted: false, reason: 'no-peer' },
      { user_id: unknown, accepted: false, reason: 'unknown' },
    ]),
  );
});
