// Crossings as the asking server has them: what a request was answered, and the arrival of a copy. Everything may come twice, late or never;
// a crossing takes what is still open for it and nothing else.
import type { Database } from '../db/pool.ts';
import type { ReedId, RequestId, ServerId, UserId } from '../wire/address.ts';
import { blockedBy, homeOf, isRemovedAccount, lockedById, REQUESTER, some } from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { EventName, SubjectKind } from './state.ts';

/** Of crossing row `c`: it waits for its copy. */
const OPEN = 'c.owes is null and c.arrived_at is null';

/** Of its event `e`: it is still this crossing that it waits for. */
const OF_EVENT = '(e.state = 7 or (e.state = 5 and c.asleep))';

const ANSWERED = `
with c as materialized (select * from foreign_pending_events c where c.crossing_id = $1 and ${OPEN}),
taken as materialized (
  select e.event_id, e.requester_user_id, e.request_id, e.requested_at, e.subject_id, c.crossing_id, c.asleep as was_asleep,
    $2 and not ${some(`foreign_pending_events o where o.asked_server_id = c.asked_server_id and o.subject = c.subject and o.asleep and o.slot is not null
      and o.crossing_id <> c.crossing_id`)} as sleeps
  from c cross join lateral (${lockedById('c.event_id', OF_EVENT)}) e
),
noted as (
  update foreign_pending_events f set answered_at = $3, asleep = t.sleeps, owes = case when $2 and not t.sleeps then 'cancel' end,
    reason = case when $2 and not t.sleeps then 'gone' end,
    due_at = case when t.sleeps then 'infinity'::timestamptz when $2 then $3 else $4::timestamptz end
  from taken t where f.crossing_id = t.crossing_id
),
moved as (
  update pending_events e set state = case when $2 then 5 else 7 end, due_at = case when $2 then $5::timestamptz else 'infinity'::timestamptz end
  from taken t where e.event_id = t.event_id
)
select event_id as "eventId", requester_user_id as requester, case when requested_at is not null then request_id end as "requestId",
  subject_id as "subjectId", was_asleep as "wasAsleep", sleeps as "isAsleep", $2 and not sleeps as "isGivenUp" from taken`;

export type Answered = {
  readonly eventId: string;
  readonly requester: UserId;
  /** Of an explicit request. */
  readonly requestId: RequestId | null;
  readonly subjectId: ReedId;
  readonly wasAsleep: boolean;
  readonly isAsleep: boolean;
  readonly isGivenUp: boolean;
};

/**
 * The asked server took the request. With nobody online there one crossing of that subject sleeps; any other one is given up, its event back in line.
 * @returns null if it is open no more
 */
export const answered = async (context: LedgerContext, crossingId: string, isOnline: boolean, now: number): Promise<Answered | null> => {
  const { limits } = context;
  const at = (delayMs: number) => new Date(now + delayMs);
  const [row] = await context.db.query<Answered>({
    name: 'ledger_crossing_answered',
    text: ANSWERED,
    values: [crossingId, !isOnline, at(0), at(limits.crossingMs), at(limits.inLineLookMs)],
  });
  return row ?? null;
};

/**
 * Of the crossings of a subject that sleep, the oldest alone goes on: two that were answered at the same moment did not see each other sleep. To be called
 * after the commit of each. @returns whether one was given up, its event back in line
 */
export const oneSleeps = async (
  db: Database,
  of: { readonly server: ServerId; readonly subject: ReedId },
  now: number,
): Promise<boolean> => {
  const rows = await db.query({
    name: 'ledger_crossing_one_sleeps',
    text: `
with asleep as materialized (
  select crossing_id, event_id, row_number() over (order by crossing_id) as nth from foreign_pending_events
  where asked_server_id = $1 and subject = $2 and asleep and slot is not null and owes is null
),
taken as materialized (
  select e.event_id, a.crossing_id from (select * from asleep where nth > 1 order by event_id) a
  cross join lateral (${lockedById('a.event_id', 'e.state = 5')}) e
)
update foreign_pending_events f set owes = 'cancel', reason = 'gone', asleep = false, due_at = $3
from taken t where f.crossing_id = t.crossing_id and f.asleep and f.owes is null returning f.crossing_id`,
    values: [of.server, of.subject, new Date(now)],
  });
  return rows.length > 0;
};

export type InLine = { readonly eventId: string; readonly requester: UserId; readonly requestId: RequestId; readonly seq: number };

/** A page of the explicit requests that stand in line for a subject, after `seq` of the page before. */
export const requestsInLine = ({ db, limits }: LedgerContext, subject: ReedId, seq: number): Promise<InLine[]> =>
  db.query<InLine>({
    name: 'ledger_requests_in_line',
    text: `select event_id as "eventId", requester_user_id as requester, request_id as "requestId", seq::float8 as seq from pending_events
      where subject_id = $1 and state = 5 and priority = 0 and seq > $2 and requested_at is not null and not is_foreign order by seq limit $3`,
    values: [subject, seq, limits.fanoutItems],
  });

const RETURNED = `
with c as materialized (select * from foreign_pending_events c where c.crossing_id = $1 and c.owes is null and c.arrived_at is null),
taken as materialized (
  select e.event_id, e.requester_user_id, e.request_id, e.requested_at, c.crossing_id, c.asked_server_id, c.subject
  from c cross join lateral (${lockedById('c.event_id', OF_EVENT)}) e
),
-- While somebody has the event its crossing stays, and is asked for again: an event without one would wait for ever.
gone as (
  delete from foreign_pending_events f using c where f.crossing_id = c.crossing_id
    and (exists (select from taken) or not ${some(`pending_events e where e.event_id = c.event_id and ${OF_EVENT}`)})
),
tried as (
  insert into pending_event_attempts (event_id, holder, failures, outcome, not_before)
  select event_id, 'peer@' || asked_server_id, 1, 'fallback', $3 from taken where $2
  on conflict (event_id, holder) do update set failures = 1, outcome = 'fallback', not_before = excluded.not_before
),
-- What that server said or was sent since it was asked is newer than its answer.
unheld as (delete from reed_server_allocations s using c where s.reed_id = c.subject and s.server_id = c.asked_server_id and s.xmin::text = $4),
moved as (update pending_events e set state = 5, due_at = $5 from taken t where e.event_id = t.event_id)
select subject from c`;

/** unheldAs: it has no holder, to forget if it is known as it was when it was asked (`Sending`). */
export type Returned = { readonly wasTried: boolean; readonly unheldAs: string | null };

/** The asked server has no event for this crossing: it is gone, and its event in line again. `wasTried`: not to be asked for that event soon. */
export const returned = async (context: LedgerContext, crossingId: string, of: Returned, now: number): Promise<ReedId | null> => {
  const { limits } = context;
  const [row] = await context.db.query<{ subject: ReedId }>({
    name: 'ledger_crossing_returned',
    text: RETURNED,
    values: [crossingId, of.wasTried, new Date(now + limits.dormantLookMs), of.unheldAs, new Date(now + limits.inLineLookMs)],
  });
  return row?.subject ?? null;
};

export type Arrival = {
  readonly outcome: 'relayed' | 'repeated' | 'unknown' | 'busy';
  readonly eventId: string;
  readonly requester: UserId;
  readonly requestId: RequestId | null;
  readonly eventName: EventName;
  readonly subjectId: ReedId;
};

const ARRIVED = `
with c as materialized (select * from foreign_pending_events c where c.crossing_id = $1 and c.asked_server_id = $2),
open as materialized (select * from c where ${OPEN}),
taken as materialized (
  select e.event_id, e.requester_user_id, e.request_id, e.event_name, e.subject_id, e.subject_kind, e.is_foreign,
    split_part(e.subject_id, '/', 1) as author, ${REQUESTER} as viewer, c.crossing_id
  from open c cross join lateral (${lockedById('c.event_id', OF_EVENT)}) e
),
due as materialized (
  select t.* from taken t where not ${isRemovedAccount('t.author')} and not ${some('reeds r where r.id = t.subject_id and r.removed_at is not null')}
    and not ${blockedBy('t.author', 't.viewer')} and not ${blockedBy('t.viewer', 't.author')}
),
relayed as (
  update pending_events e set state = case when e.is_foreign then 6 else 3 end, relayed_at = $3, relays = e.relays + 1,
    due_at = case when e.is_foreign then $5::timestamptz else $4::timestamptz end
  from due t where e.event_id = t.event_id
),
arrived as (
  update foreign_pending_events f set arrived_at = $3, asleep = false, due_at = 'infinity' from due t where f.crossing_id = t.crossing_id
),
reeds_named as materialized (
  select subject_id as id, author from due union select p.id, due.author from due cross join unnest($6::text[]) as p(id)
),
authors as (
  insert into identities (id, server_id, first_seen_at) select author, ${homeOf('author')}, $3 from due on conflict do nothing
),
pointers as (
  insert into reed_identities (id, server_id, author_id) select id, ${homeOf('id')}, author from reeds_named order by id on conflict do nothing
),
parts as (
  insert into pending_thread_parts (event_id, reed_ids) select event_id, $6 from due where subject_kind = 'thread' and cardinality($6::text[]) > 0
  on conflict (event_id) do update set reed_ids = excluded.reed_ids
)
select case when d.event_id is not null then 'relayed' when c.arrived_at is not null then 'repeated'
    when c.owes is null and t.event_id is null and ${some(`pending_events e where e.event_id = c.event_id and ${OF_EVENT}`)} then 'busy' else 'unknown' end as outcome,
  d.event_id, d.requester_user_id, d.request_id, d.event_name, d.subject_id
from c left join taken t on true left join due d on true`;

type ArrivedRow = {
  outcome: Arrival['outcome'];
  event_id: string;
  requester_user_id: UserId;
  request_id: RequestId | null;
  event_name: EventName;
  subject_id: ReedId;
};

export type ArrivalItem = { readonly crossingId: string; readonly server: ServerId; readonly parts: readonly ReedId[] };

/**
 * Licenses the delivery of a copy that came over the border: looks at removal and block, then sets relayed_at (of a peer's event: it is to be passed
 * on). Rows that point to its author and reed are there from then on. A copy that came before is told apart from one that nobody waits for.
 */
export const arrive = async (
  context: LedgerContext,
  item: ArrivalItem,
  now: number,
): Promise<Arrival | { readonly outcome: 'unknown' }> => {
  const { limits } = context;
  const [row] = await context.db.query<ArrivedRow>({
    name: 'ledger_crossing_arrived',
    text: ARRIVED,
    values: [
      ...[item.crossingId, item.server, new Date(now), new Date(now + limits.acknowledgeMs), new Date(now + limits.forwardMs)],
      item.parts,
    ],
  });
  if (row === undefined) return { outcome: 'unknown' };
  return {
    ...{ outcome: row.outcome, eventId: row.event_id, requester: row.requester_user_id, requestId: row.request_id },
    ...{ eventName: row.event_name, subjectId: row.subject_id },
  };
};

/** A copy that arrived could not be written to its requester, or passed on: it was not delivered, and may come again. */
export const unarrived = async (context: LedgerContext, crossingId: string, now: number): Promise<void> => {
  await context.db.query({
    name: 'ledger_crossing_unarrived',
    text: `
with c as materialized (select * from foreign_pending_events c where c.crossing_id = $1 and c.owes is null and c.arrived_at is not null),
taken as materialized (
  select e.event_id, c.crossing_id from c cross join lateral (${lockedById('c.event_id', 'e.state in (3, 6)')}) e
),
back as (update foreign_pending_events f set arrived_at = null, due_at = $2 from taken t where f.crossing_id = t.crossing_id)
update pending_events e set state = 7, relayed_at = null, relays = e.relays - 1, due_at = 'infinity' from taken t where e.event_id = t.event_id`,
    values: [crossingId, new Date(now + context.limits.crossingMs)],
  });
};

export type Sending = {
  readonly crossingId: string;
  readonly eventId: string;
  /** Of an explicit request. */
  readonly requestId: RequestId | null;
  readonly server: ServerId;
  readonly requester: UserId;
  readonly kind: SubjectKind;
  readonly subject: ReedId;
  readonly isFallback: boolean;
  readonly slot: number;
  /** The member who really asks, by which key. */
  readonly askedFor: UserId;
  readonly keyId: string;
  /** The version of what is known of the asked server's holders. */
  readonly knownAs: string | null;
};

/** What the request of an open crossing says; none of it has to be remembered. */
export const sendingOf = async (db: Database, crossingId: string): Promise<Sending | null> => {
  const [row] = await db.query<Sending>({
    name: 'ledger_crossing_sending',
    text: `select c.crossing_id as "crossingId", c.event_id as "eventId", case when e.requested_at is not null then e.request_id end as "requestId", c.asked_server_id as server, c.requester, c.kind, c.subject, c.is_fallback as "isFallback", c.slot,
        ${REQUESTER} as "askedFor",
        case when e.is_foreign then (select f.requesting_key_id from foreign_relay_requests f where f.event_id = e.event_id)
          else (select u.key_id from users u where u.id = e.requester_user_id) end as "keyId",
        (select s.xmin::text from reed_server_allocations s where s.reed_id = c.subject and s.server_id = c.asked_server_id) as "knownAs"
      from foreign_pending_events c join pending_events e on e.event_id = c.event_id where c.crossing_id = $1 and ${OPEN}`,
    values: [crossingId],
  });
  return row ?? null;
};

/** What a crossing of this server is for; null if there is none. */
export const subjectOf = async (
  db: Database,
  crossingId: string,
  server: ServerId,
): Promise<{ readonly subject: ReedId; readonly kind: SubjectKind } | null> => {
  const [row] = await db.query<{ subject: ReedId; kind: SubjectKind }>({
    name: 'ledger_crossing_subject',
    text: 'select subject, kind from foreign_pending_events where crossing_id = $1 and asked_server_id = $2',
    values: [crossingId, server],
  });
  return row ?? null;
};

/** Whose requests cross from this server and have no copy yet, each once. */
export const crossersOf = async ({ db }: LedgerContext, server: ServerId): Promise<UserId[]> => {
  const rows = await db.query<{ requester: UserId }>({
    name: 'ledger_crossers_of',
    text: `select distinct requester from foreign_pending_events where asked_server_id = $1 and owes is null and arrived_at is null order by 1`,
    values: [server],
  });
  return rows.map(({ requester }) => requester);
};
