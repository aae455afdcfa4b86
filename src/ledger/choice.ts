// How a holder is chosen: SQL fragments that OPEN and ASSIGN share. One look at the reed's pivot ring from a random point,
// as many allocations as the limits say; the author's own copy is always among them, first.

import type { Limits } from '../base/limits.ts';

/**
 * Whether there is a row of `rows` (a from clause with its condition), by an index look-up for each row that asks. `exists` may be planned as a
 * scan of the whole table, kept as a hash for the batch.
 */
export const some = (rows: string): string => `((select true from ${rows} limit 1) is true)`;

/**
 * Whether `row` is the allocation of `reed` to `holder`. Written as a range so that only the primary key can find it: by the ring's index, which the
 * planner may take for as good, all holders of the reed would be read.
 */
export const isAllocation = (row: string, holder: string, reed: string): string =>
  `(${row}.holder_user_id, ${row}.reed_id) >= (${holder}, ${reed}) and (${row}.holder_user_id, ${row}.reed_id) <= (${holder}, ${reed})`;

/** How many allocations are looked at on each side of the pivot. */
export const ringHalf = (limits: Limits): number => Math.max(1, limits.allocationsSampled >> 1);

/**
 * Rows (holder) of allocations of `subject`, the author's first, then up to `half` on each side of `pivot` on the ring.
 * All arguments are SQL expressions.
 */
export const allocationRing = (subject: string, author: string, pivot: string, half: string): string => `
  select a.holder_user_id as holder from reed_allocations a where ${isAllocation('a', author, subject)}
  union all
  (select a.holder_user_id from reed_allocations a
    where a.reed_id = ${subject} and a.pivot >= ${pivot} and a.holder_user_id <> ${author} order by a.pivot limit ${half}::int)
  union all
  (select a.holder_user_id from reed_allocations a
    where a.reed_id = ${subject} and a.pivot < ${pivot} and a.holder_user_id <> ${author} order by a.pivot limit ${half}::int)`;

/**
 * Whether event row `event` could use a holder that was not there before: it is dormant or in line, or waits only for those to come back
 * who failed it. `now` is an SQL expression. Found by subject through pending_events_subject.
 */
export const wantsHolder = (event: string, now: string): string => `
  ${event}.state in (0, 1, 4, 5) and (${event}.state in (0, 5) or (${event}.state = 4 and ${event}.due_at > ${now}
    and ${some(`pending_event_attempts v where v.event_id = ${event}.event_id`)}))`;

/**
 * For a lateral join: the event row `e` with this id if `condition` holds and nobody else has it, locked. By primary key whatever the
 * statistics say: `is true` hides the condition from all other indexes, in which a busy member has many dead entries. Rows come to be locked in
 * the order of the ids joined with.
 */
export const lockedById = (id: string, condition: string): string =>
  `select e.* from pending_events e where e.event_id = ${id} and (${condition}) is true for update skip locked`;

/**
 * Whether event `id` meets `condition` (of row `e`) as this statement's snapshot has it, whoever has it locked: then a step that could not take it
 * is to be tried again, else there is nothing to try. By primary key, as above.
 */
export const isThere = (id: string, condition: string): string =>
  some(`pending_events e where e.event_id = ${id} and (${condition}) is true`);

/** For `on conflict`: a member is owed a subject once. Named, so that nothing is looked up for an event id too, which is always a new one. */
export const OWED_ONCE = '(requester_user_id, subject_kind, subject_id) where not is_foreign';

/** Whether the account `user` is hidden or removed. */
export const isRemovedAccount = (user: string): string => some(`account_removals z where z.user_id = ${user}`);

/** A point of the ring: pivots are int4, the point is compared as bigint. */
export const RANDOM_PIVOT = '(floor(random() * 4294967296)::bigint - 2147483648)::int';

/**
 * For a lateral join: how many events of requester `f.requester` are awake, and how many there are in all, counted in the first row (`f.nth`) of each
 * requester alone.
 */
export const COUNTED_ONCE = `
  select (select count(*) from pending_events e where e.requester_user_id = f.requester and e.state in (1, 2, 3, 7)) as awake,
    (select count(*) from pending_events e where e.requester_user_id = f.requester and not e.is_foreign) as owed
  where f.nth = 1`;

/** How many relay requests are with `holder` now, from the partial index of dispatched events. */
export const inFlight = (holder: string): string =>
  `(select count(*)::int from pending_events f where f.holder = ${holder} and f.state = 2)`;

/** Whether `holder` has every part of thread `subject`; true for a reed. */
export const holdsWhole = (kind: string, subject: string, holder: string): string => `
  (${kind} = 'reed' or not exists (select from reeds p where p.thread_head = ${subject}
    and not exists (select from reed_allocations x where ${isAllocation('x', holder, 'p.id')})))`;

/** Whether `viewer` found a copy of `subject` from `holder` false: never served by that holder again. */
export const struckFor = (subject: string, holder: string, viewer: string): string => `
  ${some(`holder_strikes t where t.reed_id = ${subject} and t.holder = ${holder} and t.viewer = ${viewer}`)}`;

/** Whether `holder` has a counted strike for `subject` since `since`: chosen last. The author's own copy is exempt. */
export const chosenLast = (subject: string, holder: string, author: string, since: string): string => `
  (${holder} <> ${author} and ${some(`holder_strikes t
    where t.reed_id = ${subject} and t.holder = ${holder} and t.counted_at > ${since}`)})`;

/** The home server of a subject: what follows the @ in its author's id. */
export const homeOf = (subject: string): string => `split_part(split_part(${subject}, '/', 1), '@', 2)`;

/**
 * Whether another server may be asked for `subject`: its home, for who is here; for what is ours, a peer that has a holder of it. We are no peer of
 * our own, so that a home among the peers is another server's. For nobody's sake is a peer's member served from a third server's home.
 */
export const mayCross = (subject: string, isForeign: string): string => `
  ((not ${isForeign} and ${some(`fold_peers fp where fp.server_id = ${homeOf(subject)}`)})
    or ${some(`reed_server_allocations sa where sa.reed_id = ${subject} and sa.holding`)})`;

/**
 * The server that event `e` is to be asked of next: its home; of what is ours a peer with a holder, none twice until $now says so, not the one that asks,
 * and of `most` at most. ASSIGN and PROMOTE have to mean the same by it: what the one puts in line and the other finds nobody to ask for goes round.
 */
export const nextServer = (e: string, now: string, most: string): string => `
  select c.server_id, c.is_fallback, fp.away_until from (
    select ${homeOf(`${e}.subject_id`)} as server_id, false as is_fallback where not ${e}.is_foreign
    union all
    (select s.server_id, true from (
        select server_id from reed_server_allocations where reed_id = ${e}.subject_id and holding order by server_id limit ${most}::int + 1) s
      where not ${some(`pending_event_attempts t where t.event_id = ${e}.event_id and t.holder = 'peer@' || s.server_id and t.not_before > ${now}`)}
        and 'peer@' || s.server_id <> ${e}.requester_user_id limit ${most}::int)
  ) c join fold_peers fp on fp.server_id = c.server_id order by c.is_fallback, fp.away_until > ${now}, c.server_id limit 1`;

/**
 * Whether `subject` is another server's, one that this server met. A peer or not: what a home was told, or was not, outlives the peering, as copies do.
 */
const isElsewhere = (subject: string): string => some(`servers w where w.id = ${homeOf(subject)} and not w.is_self`);

/** Whether a crossing of `subject`, of another server, sleeps there since nobody who has it is online. */
export const sleepsThere = (subject: string): string =>
  some(
    `foreign_pending_events c where c.asked_server_id = ${homeOf(subject)} and c.subject = ${subject} and c.slot is not null and c.asleep`,
  );

/** Who asks for event `e`, and by which key: of a peer's event the member it is really for. */
export const REQUESTER = `case when e.is_foreign then (select f.requesting_user_id from foreign_relay_requests f where f.event_id = e.event_id)
  else e.requester_user_id end`;
export const REQUESTER_KEY = `case when e.is_foreign then (select f.requesting_key_id from foreign_relay_requests f where f.event_id = e.event_id)
  else (select u.key_id from users u where u.id = e.requester_user_id) end`;

/** Whether `user` blocks `target`. */
export const blockedBy = (user: string, target: string): string =>
  some(`blocks b where b.active and b.user_id = ${user} and b.target = ${target}`);

const OWED_ANEW =
  'on conflict (server_id, reed_id) do update set due_at = excluded.due_at, failures = 0, version = holder_notices.version + 1';

/**
 * Where the allocations that CTE `gone` (holder_user_id, reed_id) deletes were the last ones here of other servers' reeds, their homes are owed a word, in
 * the same statement. Two that drop the last two at once each see the other's: who looks afterwards finds it.
 */
export const noticeOf = (gone: string): string => `insert into holder_notices (server_id, reed_id, due_at)
  select distinct ${homeOf('g.reed_id')}, g.reed_id, '-infinity'::timestamptz from ${gone} g
  where ${isElsewhere('g.reed_id')} and not ${some(
    `reed_allocations a where a.reed_id = g.reed_id and a.holder_user_id <> all (array(select holder_user_id from ${gone} h where h.reed_id = g.reed_id))`,
  )} order by 1, 2
  ${OWED_ANEW}`;

/**
 * Where the allocations of CTE `parts` (reed_id) are the first ones here of other servers' reeds, their homes are owed that word at `due`, in the same
 * statement. The ack of what crossed says the same sooner, and lets go of it; but that is forgotten with the ledger, at either side.
 */
export const firstNoticeOf = (parts: string, due: string): string => `insert into holder_notices (server_id, reed_id, due_at)
  select distinct ${homeOf('p.reed_id')}, p.reed_id, ${due}::timestamptz from ${parts} p
  where ${isElsewhere('p.reed_id')} and not ${some('reed_allocations a where a.reed_id = p.reed_id')} order by 1, 2
  on conflict (server_id, reed_id) do update set failures = 0, version = holder_notices.version + 1`;

/** The same after the commit, for `reeds` (id): where the last copies were dropped at once by two who saw each other's. */
export const noticeAfter = (reeds: string, due: string): string => `insert into holder_notices (server_id, reed_id, due_at)
  select ${homeOf('i.id')}, i.id, ${due} from ${reeds} i
  where ${isElsewhere('i.id')} and not ${some('reed_allocations a where a.reed_id = i.id')} order by 1, 2
  ${OWED_ANEW}`;
