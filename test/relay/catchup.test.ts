// Catching up: what a member is owed for the time it was away comes page by page, once, whatever fails on the way.
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { DELIVERY_TYPES } from '../../src/wire/frames.ts';
import type { LightAccount, LightMember, RegisteredFields } from '../support/light-member.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();

/** Published while nobody but its author looked. */
const published = async (author: LightAccount, fields: RegisteredFields = {}): Promise<ReedId> => {
  const reedId = await stage.community.registered(author.userId, fields);
  await stage.community.publishNow(reedId);
  return reedId;
};
const deliveries = (member: LightMember): { type: string; reedId: ReedId }[] =>
  member.frames.flatMap((frame) =>
    (DELIVERY_TYPES as readonly string[]).includes(frame.type) && 'reedId' in frame.body
      ? [{ type: frame.type, reedId: frame.body.reedId as ReedId }]
      : [],
  );
const arrived = async (member: LightMember, count: number): Promise<void> => {
  await stage.passUntil(100, () => deliveries(member).length >= count);
  await stage.quiet();
};
const open = async (): Promise<number> =>
  (await stage.community.rows<{ n: number }>('select count(*)::int as n from pending_events'))[0]?.n ?? 0;

describe('a member who was away', () => {
  it('is given what mentions it, what answers it and what those wrote whom it follows, each once, by the strongest message', async () => {
    const [away, author, other] = await stage.accounts(3);
    await stage.community.follows([[away.userId, author.userId]]);
    const own = await published(away);
    const mention = await published(author, { mentions: [away.userId] });
    const reply = await published(author, { replyTo: own });
    const post = await published(author);
    const answer = await published(other, { replyTo: own });
    await published(other);
    await stage.join(author);
    await stage.join(other);
    const member = await stage.join(away);
    member.sync();
    await arrived(member, 4);
    const byReed = new Map(deliveries(member).map(({ reedId, type }) => [reedId, type]));
    expect(deliveries(member)).toHaveLength(4);
    expect(Object.fromEntries(byReed)).toEqual({ [mention]: 'mention', [reply]: 'reedReply', [answer]: 'reedReply', [post]: 'followReed' });
    expect(await stage.community.rows('select stage from catchup_positions')).toEqual([]);
  });

  it('is given the newest of whom it follows first', async () => {
    await stage.again({ awakeEventsPerMember: 1 });
    const [away, author, second] = await stage.accounts(3);
    await stage.community.follows([
      [away.userId, author.userId],
      [away.userId, second.userId],
    ]);
    const reeds: ReedId[] = [];
    for (let count = 0; count < 6; count++) reeds.unshift(await published(count % 2 === 0 ? author : second));
    await stage.join(author);
    await stage.join(second);
    const member = await stage.join(away);
    member.sync();
    await arrived(member, 6);
    expect(deliveries(member).map(({ reedId }) => reedId)).toEqual(reeds);
  });

  it('is owed nothing twice, however often it syncs (F18)', async () => {
    await stage.again({ syncIntervalMs: 0, costBurst: 100_000 });
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    for (let count = 0; count < 5; count++) await published(author);
    const holder = await stage.join(author, { answer: 'nothing' });
    const member = await stage.join(away);
    for (let count = 0; count < 4; count++) member.sync();
    await stage.quiet();
    expect(await open()).toBe(5);
    holder.behaviour.answer = 'bytes';
    holder.answerAll();
    await arrived(member, 5);
    member.sync();
    await stage.quiet();
    expect(deliveries(member)).toHaveLength(5);
    expect(await open()).toBe(0);
  });

  it('is owed neither what it holds, declined or wrote, nor what was removed, is held by nobody, or is behind a block', async () => {
    const [away, author, blocker, blocked] = await stage.accounts(4);
    await stage.community.follows([author, blocker, blocked].map(({ userId }) => [away.userId, userId] as const));
    await stage.community.blocks(blocker.userId, away.userId);
    await stage.community.blocks(away.userId, blocked.userId);
    const [held, declined, removed, unheld] = [
      await published(author),
      await published(author),
      await published(author),
      await published(author),
    ];
    await stage.community.rows(
      `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)`,
      [away.userId, held],
    );
    await stage.community.rows('insert into reed_declines (user_id, reed_id) values ($1, $2)', [away.userId, declined]);
    await stage.community.rows('update reeds set removed_at = now() where id = $1', [removed]);
    await stage.community.rows('delete from reed_allocations where reed_id = $1', [unheld]);
    await published(away, { mentions: [away.userId] });
    await published(blocker);
    await published(blocked, { mentions: [away.userId] });
    for (const account of [author, blocker, blocked]) await stage.join(account);
    const member = await stage.join(away);
    member.sync();
    await stage.quiet();
    expect(deliveries(member)).toEqual([]);
    expect(await open()).toBe(0);
  });

  it('has no more than so many being served at once, and is given all in the end (F18)', async () => {
    await stage.again({ catchupServed: 20, catchupBelow: 10, catchupRows: 7 });
    const REEDS = 90;
    const [away, author, second] = await stage.accounts(3);
    await stage.community.follows([
      [away.userId, author.userId],
      [away.userId, second.userId],
    ]);
    for (const each of [author, second]) await stage.community.reeds(each.userId, REEDS / 2);
    const holders = [await stage.join(author, { answer: 'nothing' }), await stage.join(second, { answer: 'nothing' })];
    const member = await stage.join(away);
    member.sync();
    await stage.quiet();
    // Two pages: after the first there is room for another, after the second there is none.
    expect(await open()).toBe(14);
    await stage.passUntil(500, async () => {
      for (const holder of holders) holder.answerAll();
      await stage.quiet();
      expect(await open()).toBeLessThanOrEqual(20);
      return deliveries(member).length >= REEDS;
    });
    await stage.quiet();
    expect(new Set(deliveries(member).map(({ reedId }) => reedId)).size).toBe(REEDS);
    expect(deliveries(member)).toHaveLength(REEDS);
  });

  it('that has no room and has followed many since keeps nobody else waiting', async () => {
    await stage.again({ catchupServed: 4, catchupBelow: 2, catchupMembers: 4 });
    const [full, other, author, ...followed] = await stage.accounts(10);
    await stage.community.follows([full, other].map(({ userId }) => [userId, author.userId] as const));
    await stage.community.reeds(author.userId, 5);
    const holder = await stage.join(author, { answer: 'nothing' });
    const newcomer = await stage.join(full);
    newcomer.sync();
    await stage.quiet();
    await stage.community.rows(
      `insert into catchup_positions (user_id, stage, due_at) select $1, 'author ' || unnest($2::text[]), '-infinity'`,
      [full.userId, followed.map(({ userId }) => userId)],
    );
    await stage.pass(1_000);
    const member = await stage.join(other);
    member.sync();
    await stage.quiet();
    const owedTo = (userId: string) => stage.community.rows('select from pending_events where requester_user_id = $1', [userId]);
    await stage.pass(1_000);
    await stage.pass(1_000);
    expect(await owedTo(full.userId)).toHaveLength(4);
    expect(await owedTo(other.userId)).toHaveLength(4);
    holder.behaviour.answer = 'bytes';
    holder.answerAll();
    await stage.passUntil(500, () => deliveries(newcomer).length >= 5 && deliveries(member).length >= 5);
  });

  it('that is being caught up elsewhere keeps nobody else waiting, whatever else it is owed', async () => {
    await stage.again({ catchupMembers: 1 });
    const [busy, other, author] = await stage.accounts(3);
    await stage.community.follows([[other.userId, author.userId]]);
    const post = await published(author);
    await stage.join(author);
    await stage.join(busy);
    const leased = new Date(stage.time() + 10_000);
    await stage.community.rows(
      `insert into catchup_positions (user_id, stage, due_at, lease_until) values ($1, 'mentions', $2, $2), ($1, 'follows', '-infinity', null)`,
      [busy.userId, leased],
    );
    const member = await stage.join(other);
    member.sync();
    await stage.quiet();
    expect(deliveries(member)).toEqual([{ type: 'followReed', reedId: post }]);
  });

  it('that has no room keeps nobody else waiting for another round', async () => {
    await stage.again({ catchupServed: 2, catchupBelow: 1, catchupMembers: 1 });
    const [full, more, other, author] = await stage.accounts(4);
    const [second] = await stage.accounts(1);
    await stage.community.follows([
      [full.userId, author.userId],
      [more.userId, author.userId],
      [other.userId, second.userId],
    ]);
    await stage.community.reeds(author.userId, 5);
    const post = await published(second);
    await stage.join(author, { answer: 'nothing' });
    await stage.join(second);
    for (const each of [full, more]) {
      (await stage.join(each)).sync();
      await stage.quiet();
    }
    await stage.community.rows(`update catchup_positions set due_at = '-infinity'`);
    const member = await stage.join(other);
    member.sync();
    await stage.quiet();
    expect(deliveries(member)).toEqual([{ type: 'followReed', reedId: post }]);
  });

  it('with more owed than it may have open, nobody being online who has it, is given the rest when somebody comes', async () => {
    await stage.again({ eventsPerMember: 10 });
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    await stage.community.reeds(author.userId, 25);
    const member = await stage.join(away);
    member.sync();
    await stage.quiet();
    expect(await open()).toBe(10);
    expect(await stage.community.rows('select user_id from online_users where behind')).toHaveLength(1);
    await stage.join(author);
    await stage.passUntil(60_000, () => deliveries(member).length >= 25);
    expect(new Set(deliveries(member).map(({ reedId }) => reedId)).size).toBe(25);
  });

  it('that had as much open as it may when more was published is given that as well, without asking again', async () => {
    await stage.again({ eventsPerMember: 2 });
    const [reader, author] = await stage.accounts(2);
    await stage.community.follows([[reader.userId, author.userId]]);
    const a = await stage.join(author, { answer: 'nothing' });
    const member = await stage.join(reader);
    member.sync();
    await stage.quiet();
    for (let count = 0; count < 4; count++) {
      const reedId = await stage.community.registered(author.userId);
      a.send({ id: '', type: 'publishReady', body: { reedId } });
      await stage.quiet();
    }
    expect(await open()).toBe(2);
    a.behaviour.answer = 'bytes';
    a.answerAll();
    await stage.passUntil(60_000, () => deliveries(member).length >= 4);
    await stage.passUntil(60_000, async () => (await stage.community.rows('select stage from catchup_positions')).length === 0);
    expect(deliveries(member)).toHaveLength(4);
  });

  it('that had as much open as it may, far on in what it was owed, when more was published is given that as well, without asking again', async () => {
    await stage.again({ eventsPerMember: 10, catchupRows: 5 });
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    await stage.community.reeds(author.userId, 25);
    const a = await stage.join(author, { answer: 'nothing' });
    const member = await stage.join(away);
    member.sync();
    await stage.quiet();
    expect(await open()).toBe(10);
    const reedId = await stage.community.registered(author.userId);
    a.send({ id: '', type: 'publishReady', body: { reedId } });
    await stage.quiet();
    a.behaviour.answer = 'bytes';
    a.answerAll();
    await stage.passUntil(60_000, async () => (await stage.community.rows('select stage from catchup_positions')).length === 0);
    for (let passes = 0; passes < 3; passes++) await stage.pass(60_000);
    expect(new Set(deliveries(member).map((each) => each.reedId))).toContain(reedId);
    expect(deliveries(member)).toHaveLength(26);
  });

  it('is not owed a later stage while another replica is at an earlier one, so that the strongest message stays the strongest', async () => {
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    const mention = await published(author, { mentions: [away.userId] });
    await stage.join(author);
    const member = await stage.join(away);
    await stage.community.rows(`update online_users set sync_request_id = 'x' where user_id = $1`, [away.userId]);
    const leased = new Date(stage.time() + 10_000);
    await stage.community.rows(
      `insert into catchup_positions (user_id, stage, due_at, lease_until) values ($1, 'mentions', $2, $2), ($1, 'follows', '-infinity', null)`,
      [away.userId, leased],
    );
    await stage.pass(5_000);
    expect(deliveries(member)).toEqual([]);
    await stage.pass(10_000);
    await arrived(member, 1);
    expect(deliveries(member)).toEqual([{ type: 'mention', reedId: mention }]);
  });

  it('is owed a later stage while an earlier one that failed waits to be tried again', async () => {
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    const post = await published(author);
    await stage.join(author);
    const member = await stage.join(away);
    await stage.community.rows(`update online_users set sync_request_id = 'x' where user_id = $1`, [away.userId]);
    await stage.community.rows(
      `insert into catchup_positions (user_id, stage, due_at, failures) values ($1, 'mentions', $2, 1), ($1, 'follows', '-infinity', 0)`,
      [away.userId, new Date(stage.time() + 60_000)],
    );
    await arrived(member, 1);
    expect(deliveries(member)).toEqual([{ type: 'followReed', reedId: post }]);
  });

  it('and was coming or going at every look is owed the same at a later one', async () => {
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    const post = await published(author);
    const [gone] = (await stage.community.reeds(author.userId, 1, [away.userId])) as [ReedId];
    await stage.community.removed('reed-removal', gone);
    await stage.community.rows('delete from pending_fanout');
    await stage.join(author);
    const member = await stage.join(away);
    await stage.community.rows(`update online_users set sync_request_id = 'x' where user_id = $1`, [away.userId]);
    await stage.community.holding('select from online_users where user_id = $1 for update', [away.userId], async () => {
      await stage.community.rows(
        `insert into catchup_positions (user_id, stage, due_at) select $1, unnest('{removals,follows}'::text[]), '-infinity'`,
        [away.userId],
      );
      await stage.server.settle();
    });
    expect(deliveries(member)).toEqual([]);
    await stage.pass(2_000);
    await arrived(member, 1);
    expect(deliveries(member)).toEqual([{ type: 'followReed', reedId: post }]);
    expect(member.frames.filter(({ type }) => type === 'reedRemoved')).toHaveLength(1);
  });

  it('is given what its other stages owe while one fails, and what that one owes when it works again (F18)', async () => {
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    const mention = await published(author, { mentions: [away.userId] });
    const post = await published(author);
    await stage.community.rows('alter table reed_mentions rename column accepted to broken');
    await stage.join(author);
    const member = await stage.join(away);
    member.sync();
    await arrived(member, 2);
    await stage.community.rows('alter table reed_mentions rename column broken to accepted');
    expect(
      deliveries(member)
        .map(({ reedId }) => reedId)
        .sort(),
    ).toEqual([mention, post].sort());
    await stage.passUntil(1_000, async () => (await stage.community.rows('select stage from catchup_positions')).length === 0);
    expect(stage.server.logged()).toContain('a page of a catch-up failed');
    expect(deliveries(member)).toHaveLength(2);
  });

  it('leaves no place behind when it goes', async () => {
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    await stage.again({ catchupServed: 1, catchupBelow: 1 });
    const [member] = await stage.accounts(1);
    const light = await stage.join(member);
    light.sync();
    await stage.quiet();
    await light.leave();
    await stage.server.settle();
    expect(await stage.community.rows('select stage from catchup_positions')).toEqual([]);
  });

  it('is given a thread once, whole, though a part of it mentions it', async () => {
    const [away, author] = await stage.accounts(2);
    await stage.community.follows([[away.userId, author.userId]]);
    const parts = await stage.community.reeds(author.userId, 3);
    await stage.community.thread(parts);
    await stage.community.rows('insert into reed_mentions (reed_id, user_id, accepted) values ($1, $2, true)', [parts[1], away.userId]);
    await stage.join(author);
    const member = await stage.join(away);
    member.sync();
    await arrived(member, 1);
    expect(deliveries(member)).toEqual([{ type: 'mention', reedId: parts[0] }]);
    for (const part of parts) expect(await stage.allocations(part)).toContain(away.userId);
  });
});

describe('publishing and catching up at the same time', () => {
  it('gives each follower each reed, whichever comes first', async () => {
    const [author, ...followers] = await stage.accounts(9);
    await stage.community.follows(followers.map(({ userId }) => [userId, author.userId] as const));
    const a = await stage.join(author);
    const members = await Promise.all(followers.map((account) => stage.join(account)));
    const reeds = await Promise.all(Array.from({ length: 6 }, () => stage.community.registered(author.userId)));
    for (const [index, reedId] of reeds.entries()) {
      a.send({ id: '', type: 'publishReady', body: { reedId } });
      members[index]?.sync();
    }
    for (const member of members.slice(reeds.length)) member.sync();
    await stage.passUntil(500, () =>
      members.every((member) => new Set(deliveries(member).map(({ reedId }) => reedId)).size === reeds.length),
    );
    for (const member of members) expect(deliveries(member)).toHaveLength(reeds.length);
  });
});
