// Events of peers, as the asked server has them: opened under the peer's sentinel with a row that says for whom they really are, in one statement.
// They are given holders like any other; what ends them is the peer's ack, its cancel or its list.
import type { Database } from '../db/pool.ts';
import type { ReedId, ServerId, UserId } from '../wire/address.ts';
import { backoffSql } from './answer.ts';
import { allocationRing, blockedBy, holdsWhole, homeOf, isRemovedAccount, lockedById, some } from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { SubjectKind } from './state.ts';

export type ForeignItem = {
  readonly eventId: string;
  readonly server: ServerId;
  /** The peer's name for the request, the same however often it is sent. */
  readonly peerRequestId: string;
  readonly userId: UserId;
  readonly keyId: string;
  readonly kind: SubjectKind;
  readonly subject: ReedId;
  /** We are asked for what members here hold, as one of its holders' servers. */
  readonly isFallback: boolean;
  /** Its place at the peer: of a subject a peer has at most one event in each that was not passed on. */
  readonly slot: number;
};

export type ForeignVerdict =
  | 'opened'
  | 'no-peer'
  | 'cancelled'
  | 'not-found'
  | 'removed'
  | 'blocked'
  | 'not-held'
  | 'nobody-online'
  | 'taken'
  | 'stale'
  | 'full';

export type ForeignOpened = {
  readonly verdict: ForeignVerdict | 'locked';
  readonly eventId: string | null;
  readonly onlineHolders: number;
  /** What has its slot, by the peer's name for it. */
  readonly takenBy: string | null;
};

const OPEN_FOREIGN = `
with i as materialized (
  select $1::uuid as event_id, $2::text as server, $3::uuid as peer_request_id, $4::text as user_id, $5::text as key_id, $6::text as kind, $7::text as subject,
    $8::boolean as fallback, $13::smallint as slot, 'peer@' || $2 as sentinel, split_part($7, '/', 1) as author
),
facts as materialized (
  select i.*, k.event_id as known, n.online, s.event_id as place_of, s.peer_request_id as taken_by,
    case
      when ${some('cancelled_crossings c where c.server_id = i.server and c.crossing_id = i.peer_request_id and c.until > $9')} then 'cancelled'
      when q.user_id is null and ${some('online_users o where o.user_id = i.sentinel')} then 'locked'
      when q.user_id is null then 'no-peer'
      when k.event_id is not null then 'opened'
      when not i.fallback and (r.published_at is null or (i.kind = 'thread' and r.thread_head is distinct from r.id)) then 'not-found'
      when r.removed_at is not null then 'removed'
      when ${isRemovedAccount('i.author')} then 'not-found'
      when ${blockedBy('i.author', 'i.user_id')} or ${blockedBy('i.user_id', 'i.author')} then 'blocked'
      when not ${some('reed_allocations a where a.reed_id = i.subject')} and (i.fallback
        or not ${some('reed_server_allocations s where s.reed_id = i.subject and s.holding and s.server_id <> i.server')}) then 'not-held'
      when i.fallback and n.online = 0 then 'nobody-online'
      when s.open and s.peer_request_id > i.peer_request_id then 'stale'
      when s.open then 'taken'
      when (select count(*) from (select from pending_events e where e.is_foreign and e.requester_user_id = i.sentinel and e.state > 0 limit $10) e) >= $10
        or (select count(*) from (select from pending_events e where e.is_foreign and e.requester_user_id = i.sentinel and e.state >= 0 and e.state < 1 limit $11) e) >= $11
        then 'full'
      else 'opened'
    end as verdict
  from i
  left join lateral (select user_id from online_users o where o.user_id = i.sentinel for key share skip locked) q on true
  left join lateral (select f.event_id from foreign_relay_requests f
    where f.requesting_server_id = i.server and f.peer_request_id = i.peer_request_id and f.owes is null) k on true
  left join lateral (
    select f.event_id, f.peer_request_id, ${some('pending_events e where e.event_id = f.event_id and e.state <> 3')} as open from foreign_relay_requests f
    where f.requesting_server_id = i.server and f.subject = i.subject and f.slot = i.slot
  ) s on true
  left join lateral (select published_at, removed_at, thread_head, id from reeds where id = i.subject limit 1) r on true
  left join lateral (
    select count(*)::int as online from (
      select from (${allocationRing('i.subject', 'i.author', '0', '$12')}) a
      where (select true from online_users o where o.user_id = a.holder) and ${holdsWhole('i.kind', 'i.subject', 'a.holder')} limit 3
    ) h
  ) n on true
),
-- What was passed on, or is over, needs its place no more.
placeless as (
  update foreign_relay_requests f set slot = null from facts w where f.event_id = w.place_of and w.verdict = 'opened' and w.known is null returning f.event_id
),
named as (
  insert into foreign_relay_requests (event_id, requesting_server_id, requesting_user_id, requesting_key_id, peer_request_id, subject, slot, created_at)
  select event_id, server, user_id, key_id, peer_request_id, subject, slot, $9 from facts
  where verdict = 'opened' and known is null and (place_of is null or exists (select from placeless))
  on conflict do nothing returning event_id
),
opened as (
  insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, is_foreign, priority, state, due_at, created_at)
  select f.event_id, f.sentinel, 'DATA_RESPONSE', f.kind, f.subject, true, 0, 4, $9, $9 from facts f join named n on n.event_id = f.event_id
  returning event_id
)
select case when f.verdict = 'opened' and f.known is null and o.event_id is null then 'locked' else f.verdict end as verdict,
  coalesce(f.known, o.event_id) as event_id, f.online as "onlineHolders", f.taken_by as "takenBy"
from facts f left join opened o on true`;

/**
 * Opens an event for a peer's member, unassigned: ASSIGN gives it a holder like any other. The same request again is the same event.
 * 'locked': the same request, its slot, or the peer's presence, is being written at this moment. 'taken': something has its slot that has to end first;
 * 'stale': something that was asked for later.
 */
export const openForeign = async (context: LedgerContext, item: ForeignItem, now: number): Promise<ForeignOpened> => {
  const { limits } = context;
  const [row] = await context.db.query<ForeignOpened & { event_id: string | null }>({
    name: 'ledger_foreign_open',
    text: OPEN_FOREIGN,
    values: [
      ...[item.eventId, item.server, item.peerRequestId, item.userId, item.keyId, item.kind, item.subject, item.isFallback, new Date(now)],
      ...[limits.peerAwakeEvents, limits.peerDormantEvents, Math.max(1, limits.allocationsSampled >> 1), item.slot],
    ],
  });
  const { verdict = 'locked', event_id: eventId = null, onlineHolders = 0, takenBy = null } = row ?? {};
  return { verdict, eventId, onlineHolders, takenBy };
};

/** Whether there is anything that a peer can ask for here: of ours what was published; of others' what somebody here may hold. */
export const isThere = async (db: Database, subject: ReedId, isFallback: boolean): Promise<boolean> => {
  const [row] = await db.query<{ is: boolean }>({
    name: 'ledger_foreign_is_there',
    text: `select case when $2 then ${some('reed_allocations a where a.reed_id = $1')}
      else ${some('reeds r where r.id = $1 and r.published_at is not null')} end as is`,
    values: [subject, isFallback],
  });
  return row?.is ?? false;
};

/** A reed, or the parts of a thread of ours. */
const PARTS = (kind: string, subject: string): string =>
  `select ${subject} as id union select r.id from reeds r where ${kind} = 'thread' and r.thread_head = ${subject}`;

export type Forwarding = {
  readonly server: ServerId;
  readonly peerRequestId: string;
  readonly kind: SubjectKind;
  readonly subject: ReedId;
  readonly relays: number;
  /** From when on others take it for dropped. */
  readonly dueAt: Date;
  /** Of a thread: the certificate of its record, which names its parts. */
  readonly record: object | null;
};

/**
 * Where the copy for a peer's event goes; null if it is not to be passed on any more. From then on that peer may have a holder of what is ours, whose ack
 * may find no event: it is taken at its later word.
 */
export const forwardingOf = async (context: LedgerContext, eventId: string): Promise<Forwarding | null> => {
  const [row] = await context.db.query<Forwarding>({
    name: 'ledger_forwarding_of',
    text: `
with f as materialized (
  select f.requesting_server_id as server, f.peer_request_id as "peerRequestId", e.subject_kind as kind, e.subject_id as subject, e.relays, e.due_at as "dueAt",
    case when e.subject_kind = 'thread' then (select s.certificate from threads t join statements s on s.hash = t.statement_hash where t.id = e.subject_id) end as record
  from pending_events e join foreign_relay_requests f on f.event_id = e.event_id where e.event_id = $1 and (e.state = 6) is true
),
given as (
  insert into reed_server_allocations as r (reed_id, server_id, holding)
  select p.id, f.server, false from f cross join lateral (${PARTS('f.kind', 'f.subject')}) p
  where not ${some(`fold_peers fp where fp.server_id = ${homeOf('f.subject')}`)} order by p.id
  -- A word that it has none, on its way here, is of before this copy.
  on conflict (reed_id, server_id) do update set holding = r.holding
)
select * from f`,
    values: [eventId],
  });
  return row ?? null;
};

/** relayed: the peer has the copy. gone: it wants it no more. failed: it could not take it; asked for again, a while later, at nobody's charge. */
export type ForwardOutcome = 'relayed' | 'gone' | 'failed';

/** What passing a copy on came to, if it is still the try that counts. */
export const forwarded = async (
  context: LedgerContext,
  of: { readonly eventId: string; readonly relays: number; readonly outcome: ForwardOutcome },
  now: number,
): Promise<void> => {
  const { limits } = context;
  await context.db.query({
    name: 'ledger_forwarded',
    text: `
with taken as materialized (
  select e.event_id, e.relays from (select $1::uuid as id) i cross join lateral (${lockedById('i.id', 'e.state = 6 and e.relays = $2')}) e
),
kept as (
  update pending_events e set state = case $3::text when 'relayed' then 3 else 4 end, holder = case $3::text when 'relayed' then e.holder end,
    due_at = case $3::text when 'relayed' then $4::timestamptz else $5::timestamptz + ${backoffSql('t.relays', '$6', '$7')} end
  from taken t where e.event_id = t.event_id and $3::text <> 'gone'
),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id and $3::text = 'gone'),
unnamed as (delete from foreign_relay_requests f using taken t where f.event_id = t.event_id and $3::text = 'gone')
delete from pending_events e using taken t where e.event_id = t.event_id and $3::text = 'gone'`,
    values: [
      ...[of.eventId, of.relays, of.outcome, new Date(now + limits.foreignAcknowledgeMs), new Date(now)],
      ...[limits.failureBackoffFirstMs, limits.failureBackoffMaxMs],
    ],
  });
};

export type ForeignEnded = {
  /** busy: somebody has it just now; try again. unknown: there is nothing to end. */
  readonly outcome: 'ended' | 'unknown' | 'busy';
  readonly eventId: string | null;
  readonly subject: ReedId | null;
  /** Whose place is free now, and the replica that has that holder. */
  readonly freed: UserId | null;
  readonly owner: string | null;
};

const END_FOREIGN = (condition: string) => `
named as materialized (
  select f.event_id from foreign_relay_requests f where f.requesting_server_id = $1 and f.peer_request_id = $2
),
taken as materialized (
  select e.event_id, e.subject_id, e.subject_kind, e.state, e.holder, e.requester_user_id, split_part(e.subject_id, '/', 1) as author
  from named n cross join lateral (${lockedById('n.event_id', condition)}) e
),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id),
unnamed as (delete from foreign_relay_requests f using taken t where f.event_id = t.event_id),
ended as (delete from pending_events e using taken t where e.event_id = t.event_id)`;

/** What ending an event came to; `more` of `taken t`. */
export const ENDED = (more = ''): string => `
select case when t.event_id is not null then 'ended' when n.event_id is not null and ${some('pending_events e where e.event_id = n.event_id')} then 'busy' else 'unknown' end as outcome,
  t.event_id as "eventId", t.subject_id as subject, case when t.state = 2 then t.holder end as freed,
  case when t.state = 2 then (select o.owner from online_users o where o.user_id = t.holder) end as owner${more}
from (values (1)) as one left join named n on true left join taken t on true`;

export const NOTHING: ForeignEnded = { outcome: 'unknown', eventId: null, subject: null, freed: null, owner: null };

/** The peer's member has the copy: its event ends, and that peer has a holder of what is ours. Counts once the copy was passed on. */
export const acknowledgeForeign = async (
  context: LedgerContext,
  server: ServerId,
  peerRequestId: string,
  now: number,
): Promise<ForeignEnded> => {
  const [row] = await context.db.query<ForeignEnded>({
    name: 'ledger_foreign_ack',
    text: `with ${END_FOREIGN('e.relays > 0')},
held as (
  insert into reed_server_allocations (reed_id, server_id, holding)
  select p.id, $1, true from taken t cross join lateral (${PARTS('t.subject_kind', 't.subject_id')}) p where not ${some("fold_peers fp where fp.server_id = split_part(t.author, '@', 2)")} order by p.id
  on conflict (reed_id, server_id) do update set holding = true
),
counted as (
  update holder_strikes s set counted_at = $3 from taken t
  where s.reed_id = t.subject_id and s.viewer = t.requester_user_id and s.holder is distinct from t.holder and s.counted_at is null
)${ENDED()}`,
    values: [server, peerRequestId, new Date(now)],
  });
  return row ?? NOTHING;
};

/** The peer gives a crossing up. One that is not known yet is remembered for a while. An invalid copy strikes its holder. */
export const cancelForeign = async (
  context: LedgerContext,
  of: { readonly server: ServerId; readonly peerRequestId: string; readonly isInvalid: boolean },
  now: number,
): Promise<ForeignEnded> => {
  const [row] = await context.db.query<ForeignEnded>({
    name: 'ledger_foreign_cancel',
    // One that is being passed on ends first: the peer's slot is free once this is answered.
    text: `with ${END_FOREIGN('e.state <> 6')},
remembered as (
  insert into cancelled_crossings (server_id, crossing_id, until) select $1, $2, $3 where not exists (select from named)
  on conflict (server_id, crossing_id) do update set until = excluded.until
),
struck as (
  insert into holder_strikes (reed_id, holder, viewer, reason, at)
  select subject_id, holder, requester_user_id, 'PEER', $4 from taken where $5 and state = 3 and holder <> author
  on conflict (reed_id, holder, viewer) do nothing
)${ENDED()}`,
    values: [of.server, of.peerRequestId, new Date(now + context.limits.cancelRememberedMs), new Date(now), of.isInvalid],
  });
  return row ?? NOTHING;
};

export type Compared = {
  readonly unknown: readonly string[];
  readonly ended: readonly { readonly eventId: string; readonly freed: UserId | null; readonly owner: string | null }[];
};

/** Compares what a peer has open with what is open for it: a page of the events that it does not name, made a while ago, ends. Call until that comes back short. */
export const compareForeign = async (context: LedgerContext, server: ServerId, open: readonly string[], now: number): Promise<Compared> => {
  const rows = await context.db.query<{ unknown: string | null; event_id: string | null; freed: UserId | null; owner: string | null }>({
    name: 'ledger_foreign_compare',
    text: `
with theirs as materialized (select distinct id from unnest($2::uuid[]) as u(id)),
unknown as materialized (
  select t.id from theirs t
  where not ${some('foreign_relay_requests f where f.requesting_server_id = $1 and f.peer_request_id = t.id')}
),
orphans as materialized (
  select f.event_id from (select event_id, peer_request_id from foreign_relay_requests where requesting_server_id = $1 and owes is null and created_at < $3) f
  left join theirs t on t.id = f.peer_request_id where t.id is null and ${some('pending_events e where e.event_id = f.event_id')}
  order by f.event_id limit $4
),
taken as materialized (
  -- One that is being passed on keeps its slot until that is through, by the peer's answer that it is unknown if not before.
  select e.event_id, e.state, e.holder from (select event_id from orphans order by event_id) o cross join lateral (${lockedById('o.event_id', 'e.state <> 6')}) e
),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id),
unnamed as (delete from foreign_relay_requests f using taken t where f.event_id = t.event_id),
ended as (delete from pending_events e using taken t where e.event_id = t.event_id)
select id as unknown, null::uuid as event_id, null as freed, null as owner from unknown
union all
select null, event_id, case when state = 2 then holder end, case when state = 2 then (select o.owner::text from online_users o where o.user_id = holder) end from taken`,
    values: [server, open, new Date(now - context.limits.crossingGraceMs), context.limits.batchItems],
  });
  return {
    unknown: rows.flatMap((row) => row.unknown ?? []),
    ended: rows.flatMap((row) => (row.event_id === null ? [] : [{ eventId: row.event_id, freed: row.freed, owner: row.owner }])),
  };
};

export type OwedNotHeld = { readonly eventId: string; readonly server: ServerId; readonly peerRequestId: string };

/** Rows after `after` whose events have ended by themselves: where nobody has the subject any more the peer is owed that word. */
export const auditForeign = async (
  context: LedgerContext,
  after: string,
  now: number,
): Promise<{ owing: boolean; next: string | null }> => {
  const page = context.limits.batchItems;
  const [row] = await context.db.query<{ owing: boolean; seen: number; last: string | null }>({
    name: 'ledger_foreign_audit',
    text: `
with page as materialized (select event_id, owes, subject from foreign_relay_requests where event_id > $1 order by event_id limit $2),
over as materialized (
  select p.event_id, ${some('reeds r where r.id = p.subject and r.removed_at is not null')} or not ${some('reed_allocations a where a.reed_id = p.subject')} as unheld
  from page p where p.owes is null and not ${some('pending_events e where e.event_id = p.event_id')}
),
forgotten as (delete from foreign_relay_requests f using over o where f.event_id = o.event_id and not o.unheld),
owing as (
  update foreign_relay_requests f set owes = 'not-held', due_at = $3 from over o where f.event_id = o.event_id and o.unheld returning f.event_id
)
select exists (select from owing) as owing, (select count(*)::int from page) as seen, (select event_id from page order by event_id desc limit 1) as last`,
    values: [after, page, new Date(now)],
  });
  return { owing: row?.owing ?? false, next: row !== undefined && row.seen === page ? row.last : null };
};

/** These events ended because nobody has their subject any more: their peers are to be told. */
export const oweNotHeld = async (context: LedgerContext, eventIds: readonly string[], now: number): Promise<void> => {
  await context.db.query({
    name: 'ledger_foreign_owe_not_held',
    text: `update foreign_relay_requests f set owes = 'not-held', due_at = $2 from unnest($1::uuid[]) as i(event_id)
      where f.event_id = i.event_id and f.owes is null and not ${some('pending_events e where e.event_id = f.event_id')}`,
    values: [eventIds, new Date(now)],
  });
};

/** What peers are to be told and is due, each leased until it would be tried again. */
export const owedNotHeld = (context: LedgerContext, now: number): Promise<OwedNotHeld[]> =>
  context.db.query<OwedNotHeld>({
    name: 'ledger_foreign_owed',
    text: `
with due as materialized (
  select event_id from foreign_relay_requests where owes is not null and due_at <= $1 order by due_at limit $2 for update skip locked
)
update foreign_relay_requests f set failures = least(f.failures + 1, 30),
  due_at = $1 + $5::float8 * interval '1 millisecond' + ${backoffSql('f.failures + 1', '$3', '$4')}
from due d where f.event_id = d.event_id
returning f.event_id as "eventId", f.requesting_server_id as server, f.peer_request_id as "peerRequestId"`,
    values: [
      ...[new Date(now), context.limits.foldItems, context.limits.owedRetryFirstMs, context.limits.owedRetryMaxMs],
      context.limits.crossingSendMs,
    ],
  });

/** The peer was told, or has ended. */
export const notHeldTold = async (context: LedgerContext, eventId: string): Promise<void> => {
  await context.db.query({
    name: 'ledger_foreign_told',
    text: 'delete from foreign_relay_requests where event_id = $1 and owes is not null',
    values: [eventId],
  });
};
