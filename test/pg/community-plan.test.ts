// Who gets a publication, as a property of any community: the facts as Postgres finds them and the plan made of them, against the same said plainly.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { audienceOf } from '../../src/relay/audience.ts';
import { type FanoutPlan, PATHS, type Path, planFanout } from '../../src/relay/fanout-plan.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

const MEMBERS = 6;
const TAGS = ['reeds', 'ponds'];
const NOW = Date.UTC(2026, 0, 1);
const PAUSE_MS = 1_000;
const RUNS = 80;
/** All that a run writes about the members themselves. */
const CLEAR = `with f as (delete from follows), o as (delete from online_users), r as (delete from reed_subscriptions),
  p as (delete from profile_subscriptions), t as (delete from pipe_subscriptions), b as (delete from broadcast_subscriptions)
  delete from pending_fanout`;

let world: World;
let members: UserId[];
beforeAll(async () => {
  world = await World.open();
  members = await world.cast(MEMBERS);
});
afterAll(() => world.close());

const who = fc.nat(MEMBERS - 1);
/** Pairs with whether they stand, or did once. */
const edges = (most: number) =>
  fc.uniqueArray(fc.tuple(who, who, fc.boolean()), { maxLength: most, selector: ([one, other]) => `${one} ${other}` });
const post = fc.record({
  author: who,
  /** Which of the posts before it answers, from the last; more than there are: none. */
  above: fc.nat(3),
  tags: fc.subarray(TAGS),
  mentions: fc.uniqueArray(fc.tuple(who, fc.boolean()), { maxLength: 3, selector: ([member]) => member }),
});
const community = fc.record({
  presence: fc.array(fc.constantFrom('away', 'here', 'synced', 'synced', 'synced'), { minLength: MEMBERS, maxLength: MEMBERS }),
  archivists: fc.subarray([...Array(MEMBERS).keys()], { maxLength: 2 }),
  archive: fc.boolean(),
  follows: edges(10),
  blocks: edges(4),
  /** The last is the publication; with `thread`, so is the one before, as its head. */
  posts: fc.array(post, { minLength: 2, maxLength: 5 }),
  thread: fc.boolean(),
  broadcast: fc.boolean(),
  watched: fc.uniqueArray(fc.tuple(who, fc.nat(4)), { maxLength: 6, selector: ([member, nth]) => `${member} ${nth}` }),
  profiles: fc.uniqueArray(who, { maxLength: 3 }),
  pipes: fc.uniqueArray(fc.tuple(who, fc.constantFrom(...TAGS)), { maxLength: 4, selector: ([member, tag]) => `${member} ${tag}` }),
  listening: fc.uniqueArray(fc.tuple(who, fc.constantFrom(null, 0, 500, 5_000)), { maxLength: MEMBERS, selector: ([member]) => member }),
  listeners: fc.nat(3),
});
type Community = typeof community extends fc.Arbitrary<infer T> ? T : never;

type Post = { readonly id: ReedId; readonly author: number; readonly parent: Post | null } & Pick<
  Community['posts'][number],
  'tags' | 'mentions'
>;

/** The posts with their ids, and which of them are the publication, its head first. */
const written = ({ posts, thread }: Community): { all: Post[]; parts: Post[] } => {
  const author = posts.at(-1)?.author ?? 0;
  const all: Post[] = [];
  for (const [at, { above, mentions, tags, author: by }] of posts.entries()) {
    const isPart = at >= posts.length - (thread ? 2 : 1);
    const own = isPart ? author : by;
    // A part answers nothing of its own thread.
    const parent = all.slice(0, posts.length - (thread ? 2 : 1)).at(-1 - above) ?? null;
    all.push({ id: `${members[own]}/${uuidv7(NOW, cryptoRandom)}` as ReedId, author: own, parent, tags, mentions });
  }
  return { all, parts: all.slice(thread ? -2 : -1) };
};

const ancestors = ({ parent }: Post): Post[] => (parent === null ? [] : [parent, ...ancestors(parent)]);

/** By which ways the publication reaches a member, block and presence apart. */
const waysTo = (member: number, of: Community, { all, parts }: ReturnType<typeof written>): Path[] => {
  const author = parts[0]?.author;
  const above = parts.flatMap(ancestors);
  const watches = of.watched.flatMap(([viewer, nth]) => (viewer === member ? (all[nth] ?? []) : []));
  const ways: Readonly<Record<Path, boolean>> = {
    mention: parts.some(({ mentions }) => mentions.some(([mentioned, accepted]) => accepted && mentioned === member)),
    reply: parts.some(({ parent }) => parent?.author === member) || watches.some((watched) => above.includes(watched)),
    pipe: parts.some(({ tags }) => tags.some((tag) => of.pipes.some(([viewer, listens]) => viewer === member && listens === tag))),
    follow: of.follows.some(([follower, followed, active]) => active && follower === member && followed === author),
    profile: of.profiles.includes(member),
    archive: of.archive && of.archivists.includes(member),
    broadcast: of.broadcast && of.listening.some(([viewer]) => viewer === member),
  };
  return PATHS.flatMap(({ path }) => (ways[path] ? [path] : []));
};

const isReachable = (member: number, of: Community, author: number): boolean =>
  member !== author &&
  of.presence[member] === 'synced' &&
  !of.blocks.some(([one, other, active]) => active && ((one === member && other === author) || (one === author && other === member)));

const write = async (of: Community, { all, parts }: ReturnType<typeof written>): Promise<void> => {
  const [head] = parts as [Post];
  const id = (member: number): UserId => members[member] as UserId;
  const rows = {
    online: of.presence.flatMap((is, at) => (is === 'away' ? [] : [{ u: id(at), s: is === 'synced' ? 'r' : null }])),
    archivists: of.archivists.map(id),
    follows: of.follows.map(([one, other, active]) => ({ u: id(one), t: id(other), a: active })),
    blocks: of.blocks.map(([one, other, active]) => ({ u: id(one), t: id(other), a: active })),
    posts: all.map((each) => ({
      ...{ i: each.id, u: id(each.author), p: each.parent?.id ?? null },
      ...{ h: parts.length > 1 && parts.includes(each) ? head.id : null, n: parts.indexOf(each) },
    })),
    tags: all.flatMap(({ id: i, tags }) => tags.map((t) => ({ i, t }))),
    mentions: all.flatMap(({ id: i, mentions }) => mentions.map(([m, a]) => ({ i, u: id(m), a }))),
    watched: of.watched.flatMap(([viewer, nth]) => (all[nth] ? [{ u: id(viewer), t: all[nth].id }] : [])),
    profiles: of.profiles.map((viewer) => ({ u: id(viewer), t: id(head.author) })),
    pipes: of.pipes.map(([viewer, t]) => ({ u: id(viewer), t })),
    listening: of.listening.map(([viewer, ago]) => ({ u: id(viewer), at: ago === null ? '-infinity' : new Date(NOW - ago).toISOString() })),
  };
  await world.clear();
  await world.db.query({ text: CLEAR });
  await world.db.query({
    text: `with j as materialized (select $1::jsonb as j), roles as (update users set role = case when (select j -> 'archivists' from j) ? id then 'archivist' else 'user' end),
      says as (update statements s set certificate = jsonb_build_object('statement', jsonb_build_object('archive', $2::boolean))
        where hash = (select identity_hash from users where id = $3)),
      online as (insert into online_users (user_id, owner, sync_request_id)
        select r.u, $4, r.s from j, jsonb_to_recordset(j -> 'online') as r(u text, s text)),
      ids as (insert into reed_identities (id, server_id, author_id) select r.i, split_part(r.u, '@', 2), r.u from j, jsonb_to_recordset(j -> 'posts') as r(i text, u text)),
      posts as (insert into reeds (id, author_id, statement_hash, registered_at, published_at, reply_to, thread_head, thread_index)
        select r.i, r.u, u.identity_hash, now(), now(), r.p, r.h, case when r.h is not null then r.n end
        from j, jsonb_to_recordset(j -> 'posts') as r(i text, u text, p text, h text, n smallint) join users u on u.id = r.u),
      tags as (insert into reed_tags (reed_id, tag) select r.i, r.t from j, jsonb_to_recordset(j -> 'tags') as r(i text, t text)),
      mentions as (insert into reed_mentions (reed_id, user_id, accepted) select r.i, r.u, r.a from j, jsonb_to_recordset(j -> 'mentions') as r(i text, u text, a boolean)),
      blocked as (insert into blocks (user_id, target, active, seq, statement_hash) select r.u, r.t, r.a, 1, u.identity_hash
        from j, jsonb_to_recordset(j -> 'blocks') as r(u text, t text, a boolean) join users u on u.id = r.u),
      followed as (insert into follows (user_id, target, active, seq, statement_hash) select r.u, r.t, r.a, 1, u.identity_hash
        from j, jsonb_to_recordset(j -> 'follows') as r(u text, t text, a boolean) join users u on u.id = r.u),
      watched as (insert into reed_subscriptions (viewer, target) select r.u, r.t from j, jsonb_to_recordset(j -> 'watched') as r(u text, t text)),
      profiles as (insert into profile_subscriptions (viewer, target) select r.u, r.t from j, jsonb_to_recordset(j -> 'profiles') as r(u text, t text)),
      pipes as (insert into pipe_subscriptions (viewer, target) select r.u, r.t from j, jsonb_to_recordset(j -> 'pipes') as r(u text, t text)),
      listening as (insert into broadcast_subscriptions (viewer, served_at) select r.u, r.at::timestamptz from j, jsonb_to_recordset(j -> 'listening') as r(u text, at text))
      insert into pending_fanout (kind, subject_id, broadcast, due_at) values ('publication', $5, $6, now())`,
    values: [JSON.stringify(rows), of.archive, id(head.author), world.replicaId, head.id, of.broadcast],
  });
};

const judge = (of: Community, posts: ReturnType<typeof written>, { deliveries, skipped }: FanoutPlan): void => {
  const author = posts.parts[0]?.author as number;
  const given = new Map(deliveries.map(({ eventName, member }) => [members.indexOf(member), eventName]));
  expect(given.size, 'at most one delivery a member').toBe(deliveries.length);
  expect([...given.keys()].filter((member) => !isReachable(member, of, author))).toEqual([]);
  const listeners: number[] = [];
  for (const member of members.keys()) {
    const [strongest] = isReachable(member, of, author) ? waysTo(member, of, posts) : [];
    if (strongest === 'broadcast') listeners.push(member);
    else expect(given.get(member), `member ${member}`).toBe(PATHS.find(({ path }) => path === strongest)?.eventName);
  }
  const restedFor = (member: number): number => of.listening.find(([viewer]) => viewer === member)?.[1] ?? Number.POSITIVE_INFINITY;
  const rested = listeners.filter((member) => restedFor(member) >= PAUSE_MS);
  const served = listeners.filter((member) => given.get(member) === 'BROADCAST_REED');
  expect(served.length).toBe(Math.min(of.listeners, rested.length));
  for (const member of served) expect(rested).toContain(member);
  for (const left of rested.filter((member) => !served.includes(member)))
    for (const member of served) expect(restedFor(member)).toBeGreaterThanOrEqual(restedFor(left));
  expect(skipped.map((member) => members.indexOf(member)).sort()).toEqual(listeners.filter((member) => !served.includes(member)));
};

it('in any community a publication reaches every reachable member that it concerns once, by the strongest way, and nobody else', async () => {
  await fc.assert(
    fc.asyncProperty(community, async (of) => {
      const posts = written(of);
      await write(of, posts);
      const [head] = posts.parts as [Post];
      const audience = await audienceOf(world.db, head.id, world.limits.replyAncestors);
      expect(audience).toMatchObject({ author: members[head.author], kind: of.thread ? 'thread' : 'reed' });
      const { candidates } = audience ?? { candidates: [] };
      judge(of, posts, planFanout({ candidates, now: NOW, listeners: of.listeners, listenerPauseMs: PAUSE_MS }));
    }),
    { numRuns: RUNS },
  );
});
