// A publication on its way to whoever it concerns: each path, who gets it, who does not, and by which message when several match.
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { DELIVERY_TYPES } from '../../src/wire/frames.ts';
import type { LightAccount, LightMember, RegisteredFields } from '../support/light-member.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();

const publish = async (author: LightMember, fields: RegisteredFields = {}, broadcast?: boolean): Promise<ReedId> => {
  const reedId = await stage.community.registered(author.userId, fields);
  author.send({ id: '', type: 'publishReady', body: broadcast === undefined ? { reedId } : { reedId, broadcast } });
  await author.next('publishReadyAck', (frame) => frame.body.reedId === reedId);
  await stage.server.settle();
  return reedId;
};
/** Signed in and caught up, so that publications reach it. */
const synced = async (account: LightAccount): Promise<LightMember> => {
  const member = await stage.join(account);
  member.sync();
  await stage.quiet();
  return member;
};
/** Every delivery that a member got for a reed, by its message. */
const deliveries = async (member: LightMember, reedId: ReedId): Promise<string[]> => {
  await stage.quiet();
  const types: readonly string[] = [...DELIVERY_TYPES, 'broadcastReed'];
  return member.frames
    .filter((frame) => types.includes(frame.type) && 'reedId' in frame.body && frame.body.reedId === reedId)
    .map(({ type }) => type);
};
const watch = async (member: LightMember, frame: Parameters<LightMember['send']>[0]): Promise<void> => {
  member.send(frame);
  await stage.quiet();
};

describe('a publication', () => {
  it('reaches followers who are online and synced, and nobody else (F35)', async () => {
    const [author, follower, unsynced, stranger] = await stage.accounts(4);
    await stage.community.follows([
      [follower.userId, author.userId],
      [unsynced.userId, author.userId],
    ]);
    const [a, f, s] = [await synced(author), await synced(follower), await synced(stranger)];
    const u = await stage.join(unsynced);
    const reed = await publish(a);
    expect(await deliveries(f, reed)).toEqual(['followReed']);
    expect(await deliveries(s, reed)).toEqual([]);
    expect(await deliveries(u, reed)).toEqual([]);
    expect(await stage.allocations(reed)).toEqual([author.userId, follower.userId].sort());
  });

  it('reaches by no path whom nothing was synced with, and by the same one who synced since (F35)', async () => {
    const [author, watcher] = await stage.accounts(2);
    await stage.community.follows([[watcher.userId, author.userId]]);
    const [a, w] = [await synced(author), await stage.join(watcher)];
    await watch(w, { id: '', type: 'subscribeProfile', body: { userId: author.userId } });
    await watch(w, { id: '', type: 'subscribePipe', body: { tag: 'pool' } });
    await watch(w, { id: '', type: 'subscribeBroadcast', body: {} });
    const fields = { tags: ['pool'], mentions: [watcher.userId] };
    const [followed, early] = [await publish(a), await publish(a, fields)];
    expect([...(await deliveries(w, followed)), ...(await deliveries(w, early))]).toEqual([]);
    w.sync();
    await stage.quiet();
    expect(await deliveries(w, early)).toEqual(['mention']);
    expect(await deliveries(w, await publish(a, fields))).toEqual(['mention']);
  });

  it('reaches whom it mentions', async () => {
    const [author, mentioned] = await stage.accounts(2);
    const [a, m] = [await synced(author), await synced(mentioned)];
    expect(await deliveries(m, await publish(a, { mentions: [mentioned.userId] }))).toEqual(['mention']);
  });

  it('reaches as a reply the author of what it answers, and whoever watches anything above it', async () => {
    const [author, parentAuthor, rootWatcher, other] = await stage.accounts(4);
    const [a, p, w, o] = [await synced(author), await synced(parentAuthor), await synced(rootWatcher), await synced(other)];
    const root = await publish(o);
    const parent = await publish(p, { replyTo: root });
    await watch(w, { id: '', type: 'subscribeReed', body: { reedId: root } });
    const reply = await publish(a, { replyTo: parent });
    expect(await deliveries(p, reply)).toEqual(['reedReply']);
    expect(await deliveries(w, reply)).toEqual(['reedReply']);
    expect(await deliveries(o, reply)).toEqual([]);
  });

  it('reaches the listeners of its tags, as they are when it is published (F28)', async () => {
    const [author, listener, former] = await stage.accounts(3);
    const [a, l, f] = [await synced(author), await synced(listener), await synced(former)];
    const reedId = await stage.community.registered(author.userId, { tags: ['heron', 'marsh'] });
    await watch(f, { id: '', type: 'subscribePipe', body: { tag: 'marsh' } });
    await watch(f, { id: '', type: 'unsubscribePipe', body: { tag: 'marsh' } });
    await watch(l, { id: '', type: 'subscribePipe', body: { tag: 'marsh' } });
    a.send({ id: '', type: 'publishReady', body: { reedId } });
    await a.next('publishReadyAck');
    expect(await deliveries(l, reedId)).toEqual(['pipeReed']);
    expect(await deliveries(f, reedId)).toEqual([]);
  });

  it('reaches who has the profile of its author before them', async () => {
    const [author, watcher] = await stage.accounts(2);
    const [a, w] = [await synced(author), await synced(watcher)];
    await watch(w, { id: '', type: 'subscribeProfile', body: { userId: author.userId } });
    expect(await deliveries(w, await publish(a))).toEqual(['dataResponse']);
  });

  it('reaches archivists, unless its author wants no archive', async () => {
    const [author, private_, archivist] = await stage.accounts(3);
    await stage.community.rows(`update users set role = 'archivist' where id = $1`, [archivist.userId]);
    await stage.community.says(author.userId, { archive: true });
    await stage.community.says(private_.userId, { archive: false });
    const [a, p, k] = [await synced(author), await synced(private_), await synced(archivist)];
    expect(await deliveries(k, await publish(a))).toEqual(['archiveReed']);
    expect(await deliveries(k, await publish(p))).toEqual([]);
  });

  it('reaches listeners of the community stream with the name of its author, unless it is not for them, and makes them no holders', async () => {
    const [author, listener] = await stage.accounts(2);
    const [a, l] = [await synced(author), await synced(listener)];
    await watch(l, { id: '', type: 'subscribeBroadcast', body: {} });
    const reed = await publish(a);
    expect(await deliveries(l, reed)).toEqual(['broadcastReed']);
    expect(l.frames.find((frame) => frame.type === 'broadcastReed')).toMatchObject({
      id: '',
      body: { username: author.userId, skipped: 0 },
    });
    expect(await stage.allocations(reed)).toEqual([author.userId]);
    expect(await stage.community.rows('select event_id from pending_events')).toEqual([]);
    await stage.pass(2_000);
    expect(await deliveries(l, await publish(a, {}, false))).toEqual([]);
  });

  it('goes once to whom it concerns in several ways, by the strongest (F26)', async () => {
    const [author, everything, some] = await stage.accounts(3);
    const [a, e, s] = [await synced(author), await synced(everything), await synced(some)];
    await stage.community.follows([
      [everything.userId, author.userId],
      [some.userId, author.userId],
    ]);
    for (const member of [e, s]) {
      await watch(member, { id: '', type: 'subscribePipe', body: { tag: 'heron' } });
      await watch(member, { id: '', type: 'subscribeProfile', body: { userId: author.userId } });
      await watch(member, { id: '', type: 'subscribeBroadcast', body: {} });
    }
    const reed = await publish(a, { tags: ['heron'], mentions: [everything.userId] });
    expect(await deliveries(e, reed)).toEqual(['mention']);
    expect(await deliveries(s, reed)).toEqual(['pipeReed']);
  });

  it('reaches nobody who is in a block with its author, either way, by no path', async () => {
    const [author, blocked, blocker] = await stage.accounts(3);
    const [a, b, c] = [await synced(author), await synced(blocked), await synced(blocker)];
    for (const [member, account] of [
      [b, blocked],
      [c, blocker],
    ] as const) {
      await stage.community.follows([[account.userId, author.userId]]);
      await watch(member, { id: '', type: 'subscribePipe', body: { tag: 'heron' } });
      await watch(member, { id: '', type: 'subscribeBroadcast', body: {} });
    }
    await stage.community.blocks(author.userId, blocked.userId);
    await stage.community.blocks(blocker.userId, author.userId);
    const reed = await publish(a, { tags: ['heron'], mentions: [blocked.userId, blocker.userId] });
    expect(await deliveries(b, reed)).toEqual([]);
    expect(await deliveries(c, reed)).toEqual([]);
    expect(await stage.community.rows('select event_id from pending_events')).toEqual([]);
  });

  it('announces nothing a second time', async () => {
    const [author, follower] = await stage.accounts(2);
    await stage.community.follows([[follower.userId, author.userId]]);
    const [a, f] = [await synced(author), await synced(follower)];
    const reed = await publish(a);
    a.send({ id: '', type: 'publishReady', body: { reedId: reed } });
    expect(await deliveries(f, reed)).toEqual(['followReed']);
    expect(await stage.community.rows('select subject_id from pending_fanout')).toEqual([]);
  });

  it('whose fan-out was lost with its process is taken up by another when its time is over', async () => {
    const [author, follower] = await stage.accounts(2);
    await stage.community.follows([[follower.userId, author.userId]]);
    const [, f] = [await synced(author), await synced(follower)];
    const [reed] = await stage.community.reeds(author.userId, 1);
    await stage.community.rows(`insert into pending_fanout (kind, subject_id, broadcast, due_at) values ('publication', $1, true, $2)`, [
      reed,
      new Date(stage.time() + 30_000),
    ]);
    await stage.pass(29_000);
    expect(await deliveries(f, reed as ReedId)).toEqual([]);
    await stage.pass(2_000);
    expect(await deliveries(f, reed as ReedId)).toEqual(['followReed']);
  });

  it('reaches who was coming or going just then when its time is over', async () => {
    const [author, follower] = await stage.accounts(2);
    await stage.community.follows([[follower.userId, author.userId]]);
    const [, f] = [await synced(author), await synced(follower)];
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    await stage.community.holding('select from online_users where user_id = $1 for update', [follower.userId], async () => {
      await stage.community.rows(`insert into pending_fanout (kind, subject_id, broadcast, due_at) values ('publication', $1, true, $2)`, [
        reed,
        new Date(stage.time()),
      ]);
      await stage.server.settle();
    });
    expect(await deliveries(f, reed)).toEqual([]);
    await stage.pass(31_000);
    expect(await deliveries(f, reed)).toEqual(['followReed']);
    expect(await stage.community.rows('select subject_id from pending_fanout')).toEqual([]);
  });

  it('to 1,000 followers costs a handful of statements', async () => {
    await stage.again({ fanoutItems: 1_024 });
    const FOLLOWERS = 1_000;
    const [author, ...followers] = await stage.accounts(FOLLOWERS + 1);
    await stage.community.follows(followers.map(({ userId }) => [userId, author.userId] as const));
    const a = await synced(author);
    // Online by their rows: what is counted is planning and owing, not serving.
    await stage.community.rows(
      `insert into online_users (user_id, owner, sync_request_id) select unnest($1::text[]), owner, 'x' from online_users where user_id = $2`,
      [followers.map(({ userId }) => userId), author.userId],
    );
    a.behaviour.answer = 'nothing';
    const reedId = await stage.community.registered(author.userId);
    const before = stage.server.app.statements();
    a.send({ id: '', type: 'publishReady', body: { reedId } });
    await a.next('publishReadyAck');
    await expect
      .poll(async () => (await stage.community.rows<{ n: number }>('select count(*)::int as n from pending_events'))[0]?.n)
      .toBe(FOLLOWERS);
    await expect.poll(() => stage.community.rows('select event_id from pending_events where state = 2')).toHaveLength(3);
    const after = stage.server.app.statements();
    // The publication's own transaction, the audience, the debt's end; one OWE, one DISPATCH; and what the sweeper does meanwhile, longer on a loaded machine.
    expect(after.application + after.ledger - before.application - before.ledger).toBeLessThan(FOLLOWERS / 10);
    await stage.community.rows('delete from pending_events');
    await stage.community.rows('delete from online_users where user_id <> $1', [author.userId]);
  });
});

describe('a listener of the community stream', () => {
  it('is left alone for a second, and told how many it was not sent (F33)', async () => {
    const [author, listener] = await stage.accounts(2);
    const [a, l] = [await synced(author), await synced(listener)];
    await watch(l, { id: '', type: 'subscribeBroadcast', body: {} });
    const reeds = [await publish(a), await publish(a), await publish(a)] as const;
    expect(await deliveries(l, reeds[0])).toEqual(['broadcastReed']);
    expect(await deliveries(l, reeds[1])).toEqual([]);
    await stage.pass(1_500);
    const last = await publish(a);
    expect(await deliveries(l, last)).toEqual(['broadcastReed']);
    expect(
      l.frames.filter((frame) => frame.type === 'broadcastReed').map((frame) => frame.type === 'broadcastReed' && frame.body.skipped),
    ).toEqual([0, 2]);
  });

  it('gets nothing a minute late', async () => {
    const [author, listener] = await stage.accounts(2);
    const [a, l] = [await synced(author), await synced(listener)];
    await watch(l, { id: '', type: 'subscribeBroadcast', body: {} });
    a.behaviour.answer = 'nothing';
    const reed = await publish(a);
    await stage.passUntil(5_000, async () => (await stage.community.rows('select event_id from pending_events')).length === 0);
    a.behaviour.answer = 'bytes';
    expect(await deliveries(l, reed)).toEqual([]);
  });
});

describe('a listener of the community stream whose buffers stay full', () => {
  it('is owed nothing of it after a minute', async () => {
    const [author, listener] = await stage.accounts(2);
    const [a, l] = [await synced(author), await synced(listener)];
    await watch(l, { id: '', type: 'subscribeBroadcast', body: {} });
    const full = (is: boolean) => stage.community.rows('update online_users set congested = $2 where user_id = $1', [listener.userId, is]);
    await full(true);
    const reed = await publish(a);
    await stage.quiet();
    const owed = () => stage.community.rows('select state from pending_events');
    expect(await owed()).toEqual([{ state: 4 }]);
    for (let passedMs = 0; passedMs < 70_000; passedMs += 5_000) await stage.pass(5_000);
    expect(await owed()).toEqual([]);
    await full(false);
    expect(await deliveries(l, reed)).toEqual([]);
  });
});

describe('a subscription', () => {
  it('ends with presence', async () => {
    const [author, listener] = await stage.accounts(2);
    await synced(author);
    const l = await synced(listener);
    await watch(l, { id: '', type: 'subscribePipe', body: { tag: 'heron' } });
    await watch(l, { id: '', type: 'subscribeProfile', body: { userId: author.userId } });
    await watch(l, { id: '', type: 'subscribeBroadcast', body: {} });
    await l.leave();
    await stage.server.settle();
    for (const table of ['pipe', 'profile', 'broadcast', 'reed'])
      expect(await stage.community.rows(`select viewer from ${table}_subscriptions`), table).toEqual([]);
  });

  it('over the limit is refused, and one ended makes room', async () => {
    await stage.again({ subscriptions: 2 });
    const [listener] = await stage.accounts(1);
    const l = await synced(listener);
    for (const tag of ['a', 'b', 'b', 'c']) await watch(l, { id: '', type: 'subscribePipe', body: { tag } });
    expect(l.frames.filter((frame) => frame.type === 'error').map((frame) => frame.body)).toMatchObject([
      { code: 'TOO_MANY_OPEN', requestId: 'c' },
    ]);
    await watch(l, { id: '', type: 'unsubscribePipe', body: { tag: 'a' } });
    await watch(l, { id: '', type: 'subscribePipe', body: { tag: 'c' } });
    expect(await stage.community.rows('select target from pipe_subscriptions order by target')).toEqual([{ target: 'b' }, { target: 'c' }]);
  });

  it('to what is no id is refused', async () => {
    const [listener] = await stage.accounts(1);
    const l = await synced(listener);
    await watch(l, { id: '', type: 'subscribeReed', body: { reedId: 'x' } });
    await watch(l, { id: '', type: 'subscribeProfile', body: { userId: 'x' } });
    await watch(l, { id: '', type: 'subscribePipe', body: { tag: '' } });
    expect(l.frames.filter((frame) => frame.type === 'error').map((frame) => frame.body.code)).toEqual(['INVALID', 'INVALID', 'INVALID']);
  });

  it('to one who blocks is refused with the certificate', async () => {
    const [author, viewer] = await stage.accounts(2);
    const v = await synced(viewer);
    await stage.community.blocks(author.userId, viewer.userId);
    await watch(v, { id: '', type: 'subscribeProfile', body: { userId: author.userId } });
    expect(v.frames.map(({ type }) => type)).toContain('userBlocked');
    expect(await stage.community.rows('select viewer from profile_subscriptions')).toEqual([]);
  });
});
