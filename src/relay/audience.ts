// The facts of a fan-out: who could be reached by a publication, and by which paths, as of a statement that starts after its commit.
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import { type Candidate, PATHS } from './fanout-plan.ts';

export type Audience = { readonly kind: 'reed' | 'thread'; readonly author: UserId; readonly candidates: readonly Candidate[] };

/** Numbers paths by their place in PATHS. Reeds above are looked up by their keys (`limit 1`): joined, a plan of when there were few reads them all. */
const AUDIENCE = `
with recursive published as materialized (
  select r.id, r.author_id as author, f.broadcast, case when r.thread_head = r.id then 'thread' else 'reed' end as kind
  from pending_fanout f join reeds r on r.id = f.subject_id
  where f.kind = 'publication' and f.subject_id = $1 and r.published_at is not null and r.removed_at is null
),
parts as materialized (
  select id from published union select r.id from published p join reeds r on r.thread_head = p.id
),
ancestors (id, depth) as (
  select r.reply_to, 1 from parts cross join lateral (select reply_to from reeds where id = parts.id limit 1) r where r.reply_to is not null
  union
  select r.reply_to, a.depth + 1 from ancestors a cross join lateral (select reply_to from reeds where id = a.id limit 1) r
  where r.reply_to is not null and a.depth < $2
),
reached (member, path) as (
  select m.user_id, 0 from parts join reed_mentions m on m.reed_id = parts.id where m.accepted
  union all
  select s.viewer, 1 from ancestors a join reed_subscriptions s on s.target = a.id
  union all
  select r.author_id, 1 from ancestors a cross join lateral (select author_id from reeds where id = a.id limit 1) r where a.depth = 1
  union all
  select s.viewer, 2 from parts join reed_tags t on t.reed_id = parts.id join pipe_subscriptions s on s.target = t.tag
  union all
  select f.user_id, 3 from published p join follows f on f.target = p.author and f.active
  union all
  select s.viewer, 4 from published p join profile_subscriptions s on s.target = p.author
  union all
  select u.id, 5 from published p join users a on a.id = p.author join statements s on s.hash = a.identity_hash
    join users u on u.role = 'archivist' where (s.certificate -> 'statement' ->> 'archive')::boolean
  union all
  select s.viewer, 6 from published p join broadcast_subscriptions s on p.broadcast
)
select p.kind, p.author, c.member, c.paths, c.served_at
from published p left join lateral (
  select d.member, array_agg(distinct d.path) as paths, max(b.served_at) as served_at
  from reached d
  join online_users o on o.user_id = d.member and o.sync_request_id is not null
  left join broadcast_subscriptions b on b.viewer = d.member
  where d.member <> p.author
    and not exists (select from blocks x where x.active and x.user_id = p.author and x.target = d.member)
    and not exists (select from blocks x where x.active and x.user_id = d.member and x.target = p.author)
  group by d.member
) c on true`;

type Row = {
  kind: Audience['kind'];
  author: UserId;
  member: UserId | null;
  paths: number[];
  /** -Infinity for never. */
  served_at: Date | number | null;
};

/** @returns null if the fan-out is done already, or the reed was removed before it began */
export async function audienceOf(db: Database, reed: ReedId, ancestors: number): Promise<Audience | null> {
  const rows = await db.query<Row>({ name: 'relay_audience', text: AUDIENCE, values: [reed, ancestors] });
  const [first] = rows;
  if (first === undefined) return null;
  const candidates = rows.flatMap(({ member, paths, served_at }) =>
    member === null ? [] : [{ member, paths: paths.flatMap((place) => PATHS[place]?.path ?? []), servedAtMs: msOf(served_at) }],
  );
  return { kind: first.kind, author: first.author, candidates };
}

const msOf = (time: Date | number | null): number => (time === null ? Number.NEGATIVE_INFINITY : Number(time));
