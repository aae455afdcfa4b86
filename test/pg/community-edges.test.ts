// Follows and likes: the newest statement is the state, what may not be followed or liked is refused, lists hide what is hidden.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading } from '../../src/wire/statements.ts';
import { identityStatement, makeWorld, type Person, publishReed, sign, signUp, type World } from '../support/people.ts';

let world: World;
let ann: Person;
let bob: Person;
let cid: Person;
beforeEach(async () => {
  world = await makeWorld();
  [ann, bob, cid] = [await signUp(world), await signUp(world), await signUp(world)];
});
afterEach(() => world.close());

const code = (value: string) => expect.objectContaining({ code: value });
const statementOf = <T extends 'follow' | 'unfollow' | 'like' | 'unlike'>(type: T, person: Person, target: string) => ({
  ...heading(type),
  user: person.user,
  key: person.keyId,
  target,
  createdAt: printTime(world.clock.now()),
});
const post = async (type: 'follow' | 'unfollow' | 'like' | 'unlike', person: Person, target: string) => {
  world.clock.advance(1);
  return sign(person, statementOf(type, person, target) as never, world.clock.now());
};
const follow = async (person: Person, target: Person, type: 'follow' | 'unfollow' = 'follow') =>
  world.identity.follows.set(person.member, target.user, type, await post(type, person, target.user));
const FIRST = { after: '', limit: 50 };
const followers = async (viewer: Person, of: Person) =>
  (await world.identity.follows.followers(viewer.user, of.user, FIRST)).map(({ id }) => id);
const following = async (viewer: Person, of: Person) =>
  (await world.identity.follows.following(viewer.user, of.user, FIRST)).map(({ id }) => id);
const hide = async (person: Person) => {
  const statement = { ...identityStatement(person, world.clock.now()), follows: 'hidden' as const };
  await world.identity.users.changeIdentity(person.member, await sign(person, statement, world.clock.now()));
};
const block = (author: Person, viewer: Person) =>
  world.db.query({
    text: `insert into blocks (user_id, target, active, seq, statement_hash) select id, $2, true, 1, identity_hash from users where id = $1`,
    values: [author.user, viewer.user],
  });

describe('following', () => {
  test('is seen by both until it is taken back', async () => {
    await follow(ann, bob);
    expect(await followers(cid, bob)).toEqual([ann.user]);
    expect(await following(cid, ann)).toEqual([bob.user]);
    await follow(ann, bob, 'unfollow');
    expect(await followers(cid, bob)).toEqual([]);
    expect(await following(cid, ann)).toEqual([]);
  });

  test('sent again changes nothing, not even after it was taken back', async () => {
    const first = await post('follow', ann, bob.user);
    const { certificate } = await world.identity.follows.set(ann.member, bob.user, 'follow', first);
    await follow(ann, bob, 'unfollow');
    expect(await world.identity.follows.set(ann.member, bob.user, 'follow', first)).toEqual({ isNew: false, certificate });
    expect(await following(ann, ann)).toEqual([]);
  });

  test('is refused of oneself, of nobody, of who blocks, of another server, in the name of another, under another address', async () => {
    await expect(follow(ann, ann)).rejects.toThrow(code('INVALID'));
    const nobody = `${'a'.repeat(16)}@${world.identity.server.id}` as UserId;
    await expect(world.identity.follows.set(ann.member, nobody, 'follow', await post('follow', ann, nobody))).rejects.toThrow(
      code('NOT_FOUND'),
    );
    const abroad = `${'a'.repeat(16)}@${'b'.repeat(16)}` as UserId;
    await expect(world.identity.follows.set(ann.member, abroad, 'follow', await post('follow', ann, abroad))).rejects.toThrow(
      code('INVALID'),
    );
    await expect(world.identity.follows.set(ann.member, cid.user, 'follow', await post('follow', bob, cid.user))).rejects.toThrow(
      code('FORBIDDEN'),
    );
    await expect(world.identity.follows.set(ann.member, cid.user, 'follow', await post('follow', ann, bob.user))).rejects.toThrow(
      code('INVALID'),
    );
    await block(bob, ann);
    await expect(follow(ann, bob)).rejects.toThrow(code('BLOCKED'));
  });

  test('of who blocks one since can be taken back', async () => {
    await follow(ann, bob);
    await block(bob, ann);
    await follow(ann, bob, 'unfollow');
    expect(await following(cid, ann)).toEqual([]);
  });
});

describe('the limit of follows', () => {
  const AT_MOST = 2;
  let small: World;
  let everybody: Person[];
  beforeEach(async () => {
    small = await makeWorld({ limits: { followsPerMember: AT_MOST } });
    everybody = [await signUp(small), await signUp(small), await signUp(small), await signUp(small), await signUp(small)];
  });
  afterEach(() => small.close());

  const act = async (type: 'follow' | 'unfollow', who: number, whom: number) => {
    const [person, target] = [everybody[who] as Person, everybody[whom] as Person];
    small.clock.advance(1);
    const signed = await sign(
      person,
      { ...statementOf(type, person, target.user), createdAt: printTime(small.clock.now()) } as never,
      small.clock.now(),
    );
    return () => small.identity.follows.set(person.member, target.user, type, signed);
  };
  const count = async () => {
    const [row] = await small.db.query<{ count: number }>({
      text: 'select count(*)::int as count from follows where user_id = $1 and active',
      values: [everybody[0]?.user],
    });
    return row?.count;
  };

  test('refuses one more and says what helps; one less makes room, and who is followed already may be followed again', async () => {
    for (const whom of [1, 2]) await (await act('follow', 0, whom))();
    await expect((await act('follow', 0, 3))()).rejects.toThrow(
      expect.objectContaining({ code: 'CONFLICT', detail: expect.stringContaining('unfollow') }),
    );
    await (await act('follow', 0, 2))();
    await (await act('follow', 3, 0))();
    await (await act('unfollow', 0, 1))();
    await (await act('follow', 0, 3))();
    expect(await count()).toBe(AT_MOST);
  });

  test('holds of follows that come at the same time', async () => {
    const acts = await Promise.all([1, 2, 3, 4].map((whom) => act('follow', 0, whom)));
    const outcomes = await Promise.allSettled(acts.map((set) => set()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(AT_MOST);
    expect(await count()).toBe(AT_MOST);
  });
});

describe('lists of follows', () => {
  test('leave out who keeps theirs hidden, but for themselves', async () => {
    await follow(ann, bob);
    await follow(cid, bob);
    await hide(ann);
    expect(await followers(bob, bob)).toEqual([cid.user]);
    expect(await followers(ann, bob)).toEqual([ann.user, cid.user].sort());
    await expect(following(bob, ann)).rejects.toThrow(code('FORBIDDEN'));
    expect(await following(ann, ann)).toEqual([bob.user]);
  });

  test('are not shown of or to the blocked', async () => {
    await follow(ann, bob);
    await follow(ann, cid);
    await block(bob, cid);
    await expect(followers(cid, bob)).rejects.toThrow(code('BLOCKED'));
    expect(await following(cid, ann)).toEqual([cid.user]);
  });

  test('page by id without skips or repeats while others come and go', async () => {
    const fans: Person[] = [];
    for (let count = 0; count < 6; count++) fans.push(await signUp(world));
    for (const fan of fans) await follow(fan, bob);
    const sorted = [...fans].sort((a, b) => (a.user < b.user ? -1 : 1)) as [Person, Person, Person, Person, Person, Person];
    const page = (after: string) => world.identity.follows.followers(ann.user, bob.user, { after, limit: 2 });
    const first = await page('');
    await follow(sorted[0], bob, 'unfollow');
    await follow(sorted[3], bob, 'unfollow');
    const second = await page(first.at(-1)?.id ?? '');
    const third = await page(second.at(-1)?.id ?? '');
    expect([first, second, third].flat().map(({ id }) => id)).toEqual([0, 1, 2, 4, 5].map((index) => sorted[index]?.user));
  });
});

describe('likes and what is counted', () => {
  const stats = async (reed: string) =>
    (
      await world.db.query<{ echoes: number; replies: number; likes: number; holders: number }>({
        text: 'select echoes, replies, likes, holders from reed_stats where reed_id = $1',
        values: [reed],
      })
    )[0];
  const like = async (person: Person, reed: Awaited<ReturnType<typeof publishReed>>, type: 'like' | 'unlike' = 'like') =>
    world.reeds.likes.set(person.member, reed, type, await post(type, person, reed));

  test('a like counts once, however often it is said, until it is taken back', async () => {
    const reed = await publishReed(world, ann);
    await like(bob, reed);
    await like(bob, reed);
    await like(cid, reed);
    expect(await stats(reed)).toMatchObject({ likes: 2 });
    await like(bob, reed, 'unlike');
    await like(bob, reed, 'unlike');
    expect(await stats(reed)).toMatchObject({ likes: 1 });
  });

  test('likes are refused of what is not published, and of who blocks', async () => {
    const hidden = await publishReed(world, ann, {}, false);
    await expect(like(bob, hidden)).rejects.toThrow(code('NOT_FOUND'));
    const reed = await publishReed(world, bob);
    await block(bob, cid);
    await expect(like(cid, reed)).rejects.toThrow(code('BLOCKED'));
  });

  test('replies count for everything above them, echoes for what they echo, once published and until removed', async () => {
    const root = await publishReed(world, ann);
    const reply = await publishReed(world, bob, { replyTo: root, root });
    const deeper = await publishReed(world, cid, { replyTo: reply, root }, false);
    const echo = await publishReed(world, cid, { echoOf: root, previous: deeper });
    expect(await stats(root)).toMatchObject({ replies: 1, echoes: 1 });
    await world.reeds.publish.publishReady(cid.member, deeper, undefined);
    expect(await stats(root)).toMatchObject({ replies: 2, echoes: 1 });
    expect(await stats(reply)).toMatchObject({ replies: 1 });
    await world.db.query({ text: 'update reeds set removed_at = now() where id = any($1)', values: [[deeper, echo]] });
    expect(await stats(root)).toMatchObject({ replies: 1, echoes: 0 });
    expect(await stats(reply)).toMatchObject({ replies: 0 });
  });

  test('of who is blocked nothing more counts for the blocker’s reed: a like, echo or reply is refused with the block; what was before stays', async () => {
    const root = await publishReed(world, ann);
    await like(bob, root);
    const reply = await publishReed(world, bob, { replyTo: root, root });
    const echo = await publishReed(world, bob, { echoOf: root, previous: reply });
    const late = await publishReed(world, bob, { replyTo: root, root, previous: echo }, false);
    const others = await publishReed(world, cid, { replyTo: root, root });
    const before = await stats(root);
    expect(before).toMatchObject({ likes: 1, replies: 2, echoes: 1 });
    await block(ann, bob);
    const refused = expect.objectContaining({
      code: 'BLOCKED',
      certificate: expect.objectContaining({ countersignature: expect.anything() }),
    });
    await expect(like(bob, root)).rejects.toThrow(refused);
    await expect(publishReed(world, bob, { replyTo: root, root, previous: late })).rejects.toThrow(refused);
    await expect(publishReed(world, bob, { echoOf: root, previous: late })).rejects.toThrow(refused);
    expect(await world.reeds.publish.publishReady(bob.member, late, undefined)).toMatchObject({ ok: false, reason: 'other-blocks' });
    expect(await stats(root)).toEqual(before);
    // What answers somebody else is theirs to count, and the whole conversation's: one number for everybody.
    const deeper = await publishReed(world, bob, { replyTo: others, root, previous: late });
    expect(await stats(others)).toMatchObject({ replies: 1 });
    expect(await stats(root)).toMatchObject({ likes: 1, replies: 3, echoes: 1 });
    // It can be taken back, and counts no more then.
    await world.db.query({ text: 'update reeds set removed_at = now() where id = any($1)', values: [[deeper, reply, echo]] });
    await like(bob, root, 'unlike');
    expect(await stats(root)).toMatchObject({ likes: 0, replies: 1, echoes: 0 });
  });

  test('a reply counts for a thousand reeds above it, as many as have their watchers told, and can be published however many there are', async () => {
    const { replyAncestors } = world.limits;
    const root = await publishReed(world, ann);
    const chain = `
      with c as (select n, $1 || '/' || uuidv7() as id from generate_series(1, 10000) n),
        i as (insert into reed_identities (id, server_id, author_id) select id, split_part($1, '@', 2), $1 from c)
      insert into reeds (id, author_id, statement_hash, registered_at, published_at, reply_to, root)
      select c.id, u.id, u.identity_hash, now(), now(), coalesce(lag(c.id) over (order by n), $2), $2 from c, users u where u.id = $1
      returning id`;
    const ids = (await world.db.query<{ id: ReedId }>({ text: chain, values: [bob.user, root] })).map(({ id }) => id).sort();
    const replyTo = ids.at(-1) as ReedId;
    const reply = await publishReed(world, cid, { replyTo, root });
    const counted = async () =>
      (await world.db.query<{ id: string }>({ text: 'select reed_id as id from reed_stats where replies > 0' })).length;
    expect(await counted()).toBe(replyAncestors);
    expect(await stats(replyTo)).toMatchObject({ replies: 1 });
    expect(await stats(ids.at(-replyAncestors) as ReedId)).toMatchObject({ replies: 1 });
    await world.db.query({ text: 'update reeds set removed_at = now() where id = $1', values: [reply] });
    expect(await counted()).toBe(0);
  });

  test('holders are counted as copies come and go', async () => {
    const reed = await publishReed(world, ann);
    expect(await stats(reed)).toMatchObject({ holders: 1 });
    await world.db.query({
      text: `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select unnest($1::text[]), $2, 'd', current_date`,
      values: [[bob.user, cid.user], reed],
    });
    expect(await stats(reed)).toMatchObject({ holders: 3 });
    await world.db.query({ text: 'delete from reed_allocations where reed_id = $1', values: [reed] });
    expect(await stats(reed)).toMatchObject({ holders: 0 });
  });
});
