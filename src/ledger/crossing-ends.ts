// How crossings end: of the carrier (its event moved on), of the reed (nobody has it), of the peer. A row stays until the ack or cancel that it owes
// is answered, and keeps its slot for as long as its copy can be on the wire. Each step is a look: what it finds, another look would find as well.
import type { Database } from '../db/pool.ts';
import type { ReedId, RequestId, ServerId, UserId } from '../wire/address.ts';
import { backoffSql } from './answer.ts';
import { homeOf, isAllocation, lockedById, noticeAfter, some } from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { Ended } from './ends.ts';
import type { SubjectKind } from './state.ts';

/** How an event left its crossing, where that is known. */
export type MovedReason = 'acked' | 'invalid' | 'silence' | 'gone';
export type MovedItem = { readonly eventId: string; readonly reason: MovedReason | null };

export type Settled = {
  /** Their heads of the line may have a slot now. */
  readonly subjects: readonly ReedId[];
  readonly owing: boolean;
  /** Where an audit goes on; null: it is through. */
  readonly next: string | null;
};

/** Whether crossing `f` is still what event `e` (null if gone) waits for. */
const STANDS = `((e.state = 7 or (e.state in (3, 6) and f.arrived_at is not null) or (e.state = 5 and f.asleep))
  and not ${some('foreign_pending_events n where n.event_id = f.event_id and n.owes is null and n.crossing_id > f.crossing_id')}) is true`;

const SETTLE = (of: string) => `
with named as materialized (${of}),
over as materialized (
  select n.*, e.event_id is null as gone,
    n.why = 'acked' or (n.why is null and e.event_id is null and n.arrived_at is not null
      and ${some(`reed_allocations a where ${isAllocation('a', 'n.requester', 'n.subject')}`)}) as acked
  from (select f.*, q.why from named q join foreign_pending_events f on f.crossing_id = q.crossing_id where f.owes is null) n
  left join lateral (select event_id, state from pending_events p where p.event_id = n.event_id) e on true
  where not (select ${STANDS} from (select n.*) f)
),
locked as materialized (
  select o.*, case when o.acked is true then null when o.why is not null and o.why <> 'gone' then o.why
      when o.why is null and not o.gone and o.arrived_at is not null then 'silence' end as fault
  from over o join lateral (
    select crossing_id from foreign_pending_events f where f.crossing_id = o.crossing_id and f.owes is null for update skip locked) l on true
),
faults as (
  insert into carrier_faults (subject, member, reason, at)
  select distinct on (subject, requester) subject, requester, fault, $2::timestamptz from locked
  where fault is not null and requester not like 'peer@%' order by subject, requester
  on conflict (subject, member) do update set reason = excluded.reason, at = excluded.at
),
owing as (
  update foreign_pending_events f set owes = case when l.acked is true then 'ack' else 'cancel' end, reason = coalesce(l.fault, 'gone'),
    slot = case when f.arrived_at is null then f.slot end, asleep = false, due_at = $2, failures = 0
  from locked l where f.crossing_id = l.crossing_id returning f.subject
)`;

const SELECTED = 'select distinct subject from owing';

/** What crossings of these events owe, if they are not what the events wait for any more. */
export const settleCrossings = async (context: LedgerContext, items: readonly MovedItem[], now: number): Promise<Settled> => {
  const named = `select f.crossing_id, i.reason as why from unnest($1::uuid[], $3::text[]) as i(event_id, reason)
    join foreign_pending_events f on f.event_id = i.event_id`;
  const rows = await context.db.query<{ subject: ReedId }>({
    name: 'ledger_crossings_settle',
    text: `${SETTLE(named)} ${SELECTED}`,
    values: [items.map((item) => item.eventId), new Date(now), items.map((item) => item.reason)],
  });
  return { subjects: rows.map((row) => row.subject), owing: rows.length > 0, next: null };
};

/** The same for a page of all crossings after `after`: what a step that was lost left behind. */
export const auditCrossings = async (context: LedgerContext, after: string, now: number): Promise<Settled> => {
  const page = context.limits.batchItems;
  const named =
    'select f.crossing_id, null::text as why from foreign_pending_events f where f.crossing_id > $1 order by f.crossing_id limit $3';
  const [row] = await context.db.query<{ subjects: ReedId[] | null; seen: number; last: string | null }>({
    name: 'ledger_crossings_audit',
    text: `${SETTLE(named)} select (select array_agg(distinct subject) from owing) as subjects, (select count(*)::int from named) as seen,
      (select crossing_id from named order by crossing_id desc limit 1) as last`,
    values: [after, new Date(now), page],
  });
  const subjects = row?.subjects ?? [];
  return { subjects, owing: subjects.length > 0, next: row !== undefined && row.seen === page ? row.last : null };
};

/** Events after `after` that cross, though no crossing is theirs: ASSIGN looks at them again. @returns where the audit goes on; null: it is through */
export const auditCrossingEvents = async (context: LedgerContext, after: string, now: number): Promise<string | null> => {
  const page = context.limits.batchItems;
  const [row] = await context.db.query<{ seen: number; last: string | null }>({
    name: 'ledger_crossing_events_audit',
    text: `
with page as materialized (select event_id from pending_events where state = 7 and event_id > $1 order by event_id limit $2),
taken as materialized (
  select e.event_id from (
    select p.event_id from page p where not ${some('foreign_pending_events f where f.event_id = p.event_id and f.owes is null')} order by p.event_id
  ) l cross join lateral (${lockedById('l.event_id', 'e.state = 7')}) e
),
moved as (update pending_events e set state = 4, due_at = $3 from taken t where e.event_id = t.event_id)
select (select count(*)::int from page) as seen, (select event_id from page order by event_id desc limit 1) as last`,
    values: [after, page, new Date(now)],
  });
  return row !== undefined && row.seen === page ? row.last : null;
};

export type OwedToPeer = {
  readonly crossingId: string;
  readonly server: ServerId;
  readonly owes: 'ack' | 'cancel';
  readonly reason: string;
};

const RETRY = (first: string, max: string) => backoffSql('f.failures + 1', first, max);

/** Acks and cancels that are due, each leased until it would be tried again. While a peer is away its are put off. */
export const owedToPeers = (context: LedgerContext, now: number): Promise<OwedToPeer[]> =>
  context.db
    .query<OwedToPeer>({
      name: 'ledger_crossings_owed',
      text: `
with due as materialized (
  select f.crossing_id, p.server_id is null as lost, p.away_until from (
    select crossing_id, asked_server_id from foreign_pending_events where due_at <= $1 and owes is not null order by due_at limit $2 for update skip locked
  ) f left join lateral (select server_id, away_until from fold_peers q where q.server_id = f.asked_server_id) p on true
),
lost as (delete from foreign_pending_events f using due d where f.crossing_id = d.crossing_id and d.lost)
update foreign_pending_events f set failures = case when d.away_until > $1 then f.failures else least(f.failures + 1, 30) end,
  due_at = case when d.away_until > $1 then d.away_until else $1 + $5::float8 * interval '1 millisecond' + ${RETRY('$3', '$4')} end
from due d where f.crossing_id = d.crossing_id and not d.lost
returning case when (d.away_until > $1) is not true then f.crossing_id end as "crossingId", f.asked_server_id as server, f.owes, coalesce(f.reason, 'gone') as reason`,
      values: [
        new Date(now),
        context.limits.foldItems,
        context.limits.owedRetryFirstMs,
        context.limits.owedRetryMaxMs,
        context.limits.crossingSendMs,
      ],
    })
    .then((rows) => rows.filter((row) => row.crossingId !== null));

/**
 * What a crossing owed was answered: it is over. `isTold`: an ack was taken, and with it the word that somebody here has it now, unless there is
 * another one, which may be on its way. Where nobody here has it any more the ack may have overtaken the word of that, which is owed anew. @returns its subject
 */
export const paid = async (db: Database, crossingId: string, isTold: boolean, now: number): Promise<ReedId | null> => {
  const [row] = await db.query<{ subject: ReedId }>({
    name: 'ledger_crossing_paid',
    text: `
with over as (delete from foreign_pending_events where crossing_id = $1 and owes is not null returning event_id, asked_server_id, subject, owes),
acked as materialized (
  select o.asked_server_id, r.id, ${some('reed_allocations a where a.reed_id = r.id')} as held from over o cross join lateral (
    select o.subject as id union select unnest(p.reed_ids) from pending_thread_parts p where p.event_id = o.event_id
  ) r where o.owes = 'ack' and ${homeOf('o.subject')} = o.asked_server_id
),
told as (
  delete from holder_notices n using acked a where $2 and a.held and n.server_id = a.asked_server_id and n.reed_id = a.id
    and n.version = 0 and n.failures = 0 and n.due_at > $3
),
unheld as (${noticeAfter('(select id from acked where not held)', '$3::timestamptz')})
select subject from over`,
    values: [crossingId, isTold, new Date(now)],
  });
  return row?.subject ?? null;
};

export type DueCrossing = {
  readonly crossingId: string;
  readonly subject: ReedId;
  /** again: to be asked for once more. given-up: its event is in line. freed: its server is a peer no more, its event unassigned. */
  readonly outcome: 'again' | 'given-up' | 'freed';
};

/**
 * Open crossings that are due: one whose request has no answer is sent again, one that was answered and brought nothing is asserted once, then
 * given up: its event stands in line again, at the end. One that was committed while the peering ended has nobody to ask: ASSIGN looks further.
 */
export const dueCrossings = async (context: LedgerContext, now: number): Promise<DueCrossing[]> => {
  const { limits } = context;
  const rows = await context.db.query<DueCrossing>({
    name: 'ledger_crossings_due',
    text: `
with due as materialized (
  select c.crossing_id, c.event_id, c.subject, c.answered_at, c.asserts, p.away_until, p.server_id is null as lost from (
    select * from foreign_pending_events where due_at <= $1 and owes is null and arrived_at is null order by due_at limit $2
  ) c left join lateral (select server_id, away_until from fold_peers q where q.server_id = c.asked_server_id) p on true
),
events as materialized (
  select e.event_id, d.crossing_id, d.lost from (
    select * from due where lost or (answered_at is not null and asserts > 0 and (away_until > $1) is not true) order by event_id) d
  cross join lateral (${lockedById('d.event_id', 'e.state = 7')}) e
),
freed as (
  delete from foreign_pending_events f using events g
  where f.crossing_id = g.crossing_id and g.lost and f.owes is null and f.arrived_at is null returning f.crossing_id, f.event_id, f.subject
),
roused as (update pending_events e set state = 4, due_at = $1 from freed g where e.event_id = g.event_id),
put_off as (
  update foreign_pending_events f set due_at = d.away_until from due d where f.crossing_id = d.crossing_id and d.away_until > $1 and f.owes is null
),
given_up as (
  update foreign_pending_events f set owes = 'cancel', reason = 'expired', due_at = $1 from events g
  where f.crossing_id = g.crossing_id and not g.lost and f.owes is null and f.arrived_at is null returning f.crossing_id, f.event_id, f.subject
),
behind as (
  update pending_events e set state = 5, due_at = $4, seq = default from given_up g where e.event_id = g.event_id
),
again as (
  update foreign_pending_events f set asserts = f.asserts + (f.answered_at is not null)::int, due_at = $3
  from due d where f.crossing_id = d.crossing_id and not d.lost and (d.away_until > $1) is not true and (d.answered_at is null or d.asserts = 0)
    and f.owes is null and f.arrived_at is null returning f.crossing_id, f.subject
)
select crossing_id as "crossingId", subject, 'given-up' as outcome from given_up
union all select crossing_id, subject, 'freed' from freed union all select crossing_id, subject, 'again' from again`,
    values: [new Date(now), limits.foldItems, new Date(now + limits.crossingSendMs), new Date(now + limits.inLineLookMs)],
  });
  return rows;
};

/** All crossings that are open with a server, and what is acknowledged and not yet told. */
export const crossingsOf = async (db: Database, server: ServerId): Promise<string[]> => {
  const rows = await db.query<{ crossing_id: string }>({
    name: 'ledger_crossings_of',
    text: `select crossing_id from foreign_pending_events where asked_server_id = $1 and (owes is null or owes = 'ack') order by crossing_id`,
    values: [server],
  });
  return rows.map((row) => row.crossing_id);
};

/**
 * Crossings that the asked server took once and does not know any more: their events stand in line again. A request that is still on its way there
 * is to find its cancel. @returns their subjects
 */
export const unknownThere = async (
  context: LedgerContext,
  server: ServerId,
  crossingIds: readonly string[],
  now: number,
): Promise<ReedId[]> => {
  const rows = await context.db.query<{ subject: ReedId }>({
    name: 'ledger_crossings_unknown',
    text: `
with c as materialized (
  select c.* from unnest($2::uuid[]) as u(id) join foreign_pending_events c on c.crossing_id = u.id
  where c.asked_server_id = $1 and c.owes is null and c.arrived_at is null and c.answered_at is not null
),
taken as materialized (
  select e.event_id, c.crossing_id from (select * from c order by event_id) c
  cross join lateral (${lockedById('c.event_id', '(e.state = 7 or (e.state = 5 and c.asleep))')}) e
),
gone as (
  update foreign_pending_events f set owes = 'cancel', reason = 'gone', asleep = false, due_at = $4 from taken t
  where f.crossing_id = t.crossing_id and f.arrived_at is null returning f.subject
),
moved as (update pending_events e set state = 5, due_at = $3 from taken t where e.event_id = t.event_id)
select distinct subject from gone`,
    values: [server, crossingIds, new Date(now + context.limits.inLineLookMs), new Date(now)],
  });
  return rows.map((row) => row.subject);
};

type EndedRow = { event_id: string; requester_user_id: UserId; request_id: RequestId | null; explicit: boolean; subject_id: ReedId };

const endedOf = (row: EndedRow): Ended => ({
  ...{ eventId: row.event_id, requester: row.requester_user_id, requestId: row.request_id, explicit: row.explicit },
  ...{ subjectId: row.subject_id, freed: null, owner: null },
});

/** The event of one crossing ends with it. */
export const carrierEnds = async (db: Database, crossingId: string): Promise<Ended[]> => {
  const rows = await db.query<EndedRow>({
    name: 'ledger_crossing_carrier_ends',
    text: `
with c as materialized (select * from foreign_pending_events where crossing_id = $1 and owes is null and arrived_at is null),
taken as materialized (
  select e.event_id, c.crossing_id from c cross join lateral (${lockedById('c.event_id', '(e.state = 7 or (e.state = 5 and c.asleep))')}) e
),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id),
gone as (delete from foreign_pending_events f using taken t where f.crossing_id = t.crossing_id)
delete from pending_events e using taken t where e.event_id = t.event_id
returning e.event_id, e.requester_user_id, e.request_id, e.requested_at is not null as explicit, e.subject_id`,
    values: [crossingId],
  });
  return rows.map(endedOf);
};

/**
 * Its home has no copy of a subject, a reed or a whole thread, or knows of none: a page of what waits for it here ends, unless somebody here has an allocation; then it is
 * dormant (`slept`). Call until both together come back short.
 */
export const reedEnds = async (
  context: LedgerContext,
  of: { readonly subject: ReedId; readonly kind: SubjectKind },
  now: number,
): Promise<{ ended: Ended[]; slept: Ended[] }> => {
  const rows = await context.db.query<EndedRow & { held: boolean }>({
    name: 'ledger_crossings_reed_ends',
    text: `
with taken as materialized (
  select e.event_id, e.requester_user_id, e.request_id, e.requested_at is not null as explicit, e.subject_id,
    ${some('reed_allocations a where a.reed_id = e.subject_id and a.holder_user_id <> e.requester_user_id')} as held
  from (
    (select event_id from pending_events where subject_id = $1 and state = 5 and subject_kind = $5 limit $2)
    union
    select event_id from foreign_pending_events where subject = $1 and kind = $5 and owes is null and arrived_at is null and not is_fallback
  ) p cross join lateral (${lockedById('p.event_id', 'e.state in (5, 7)')}) e
),
slept as (update pending_events e set state = 0, due_at = $4 from taken t where e.event_id = t.event_id and t.held),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id and not t.held),
owing as (
  update foreign_pending_events f set owes = 'cancel', reason = 'gone', asleep = false, due_at = $3 from taken t
  where f.event_id = t.event_id and f.owes is null and f.arrived_at is null
),
ended as (delete from pending_events e using taken t where e.event_id = t.event_id and not t.held)
select * from taken`,
    values: [of.subject, context.limits.batchItems, new Date(now), new Date(now + context.limits.dormantLookMs), of.kind],
  });
  return { ended: rows.filter((row) => !row.held).map(endedOf), slept: rows.filter((row) => row.held).map(endedOf) };
};

export type LineSwept = { readonly expired: readonly Ended[]; readonly subjects: readonly ReedId[]; readonly isFull: boolean };

/** The regular look at what stands in line: what was asked for a day ago ends. */
export const sweepLine = async (context: LedgerContext, now: number): Promise<LineSwept> => {
  const { limits } = context;
  const rows = await context.db.query<EndedRow & { expired: boolean }>({
    name: 'ledger_sweep_line',
    text: `
with taken as materialized (
  select event_id, requester_user_id, request_id, subject_id, requested_at is not null as explicit, (requested_at <= $3) is true as expired
  from pending_events where state = 5 and due_at <= $1 order by due_at limit $2 for update skip locked
),
later as (update pending_events e set due_at = $4 from taken t where e.event_id = t.event_id and not t.expired),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id and t.expired),
ended as (delete from pending_events e using taken t where e.event_id = t.event_id and t.expired)
select * from taken`,
    values: [new Date(now), limits.inLinePerLook, new Date(now - limits.explicitLifeMs), new Date(now + limits.inLineLookMs)],
  });
  return {
    expired: rows.filter((row) => row.expired).map(endedOf),
    subjects: [...new Set(rows.filter((row) => !row.expired).map((row) => row.subject_id))],
    isFull: rows.length === limits.inLinePerLook,
  };
};

/**
 * A page of who stands in line for what this server may be asked for: its own, or ours that it may have.
 * @param after where the page before ended, as it said; empty: from the beginning
 */
export const linesOf = async (
  context: LedgerContext,
  server: ServerId,
  after: string,
): Promise<{ subjects: ReedId[]; requesters: UserId[]; next: string | null }> => {
  const [subject = '', priority = '0', seq = '0'] = after.split(' ');
  const rows = await context.db.query<{ subject_id: ReedId; requester_user_id: UserId; concerned: boolean; place: string }>({
    name: 'ledger_lines_of',
    text: `select subject_id, requester_user_id, ${homeOf('subject_id')} = $1
        or ${some('reed_server_allocations s where s.reed_id = subject_id and s.server_id = $1')} as concerned, concat_ws(' ', subject_id, priority, seq) as place
      from (select subject_id, requester_user_id, priority, seq from pending_events where state = 5 and (subject_id, priority, seq) > ($2, $3, $4)
        order by subject_id, priority, seq limit $5) l`,
    values: [server, subject, Number(priority), seq, context.limits.fanoutItems],
  });
  const own = rows.filter((row) => row.concerned);
  return {
    subjects: [...new Set(own.map((row) => row.subject_id))],
    requesters: [...new Set(own.map((row) => row.requester_user_id))],
    next: rows.length < context.limits.fanoutItems ? null : (rows.at(-1)?.place ?? null),
  };
};
