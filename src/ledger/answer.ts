// What holders answer: RELAYED (ciphertext), RE-OPEN (miss, error, deadline) and UNDELIVERED (a frame that could not be written).
// An answer counts only from the holder that the event is dispatched to; who answers late or for another changes nothing.
import { LOCKED, type Locked } from '../db/batch.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId, RequestId, UserId } from '../wire/address.ts';
import { blockedBy, isAllocation, isRemovedAccount, isThere, lockedById, noticeOf, REQUESTER } from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { EventName, SubjectKind } from './state.ts';

export type AnswerItem = { readonly eventId: string; readonly holder: UserId };

export type Relayed = {
  /** 'removed' and 'blocked': the event ended instead, its requester is told if it asked. */
  readonly verdict: 'relayed' | 'removed' | 'blocked';
  readonly requester: UserId;
  readonly requestId: RequestId | null;
  readonly explicit: boolean;
  readonly eventName: EventName;
  readonly subjectId: ReedId;
  /** Which relay of this event this is; a frame that can't be written names it. */
  readonly relays: number;
  /** Of the community stream, whose events end with their relay: who wrote it, and how many this listener was not sent since the last. */
  readonly stream: { readonly username: string; readonly skipped: number } | null;
};

const OF_HOLDER = 'e.holder = i.holder and e.state = 2';

const RELAYED = `
with input as materialized (
  select * from unnest($1::uuid[], $2::text[]) with ordinality as i(event_id, holder, ord)
),
taken as materialized (
  select e.event_id, i.ord, e.requester_user_id, e.event_name, e.subject_id, split_part(e.subject_id, '/', 1) as author, ${REQUESTER} as viewer
  from (select * from input order by event_id) i cross join lateral (
    ${lockedById('i.event_id', OF_HOLDER)}
  ) e
),
judged as materialized (
  select t.*,
    case
      when (select r.removed_at from reeds r where r.id = t.subject_id) is not null or ${isRemovedAccount('t.author')} then 'removed'
      when ${blockedBy('t.author', 't.viewer')} or ${blockedBy('t.viewer', 't.author')} then 'blocked'
      else 'relayed'
    end as verdict
  from taken t
),
ended as (
  delete from pending_events e using judged j where e.event_id = j.event_id and (j.verdict <> 'relayed' or j.event_name = 'BROADCAST_REED')
  returning j.ord, j.verdict, e.requester_user_id, e.request_id, e.requested_at, e.event_name, e.subject_id, e.relays
),
unattempted as (
  delete from pending_event_attempts a using judged j where a.event_id = j.event_id and (j.verdict <> 'relayed' or j.event_name = 'BROADCAST_REED')
),
listeners as materialized (
  select viewer from broadcast_subscriptions
  where viewer in (select requester_user_id from judged where event_name = 'BROADCAST_REED' and verdict = 'relayed')
  order by viewer for no key update skip locked
),
told as (
  update broadcast_subscriptions b set skipped = 0 from listeners l where b.viewer = l.viewer returning b.viewer, old.skipped
),
relayed as (
  update pending_events e set state = case when e.is_foreign then 6 else 3 end, relayed_at = $3, relays = e.relays + 1,
    due_at = case when e.is_foreign then $5::timestamptz else $4::timestamptz end
  from judged j where e.event_id = j.event_id and j.verdict = 'relayed' and j.event_name <> 'BROADCAST_REED'
  returning j.ord, j.verdict, e.requester_user_id, e.request_id, e.requested_at, e.event_name, e.subject_id, e.relays
)
select i.ord, case when r.ord is null then ${isThere('i.event_id', OF_HOLDER)} end as locked,
  r.verdict, r.requester_user_id, r.request_id, r.requested_at is not null as explicit, r.event_name, r.subject_id, r.relays,
  case when r.event_name = 'BROADCAST_REED' then (select username from users where id = split_part(r.subject_id, '/', 1)) end as username,
  case when r.event_name = 'BROADCAST_REED' then coalesce((select skipped from told where viewer = r.requester_user_id), 0) end as skipped
from input i left join (select * from relayed union all select * from ended) r on r.ord = i.ord
order by i.ord`;

type RelayedRow = {
  locked: boolean | null;
  verdict: Relayed['verdict'] | null;
  requester_user_id: UserId;
  request_id: RequestId | null;
  explicit: boolean;
  event_name: EventName;
  subject_id: ReedId;
  relays: number;
  username: string | null;
  skipped: number | null;
};

/**
 * Licenses the delivery of a batch of answers, at most one per event: looks again at removal and block, then sets relayed_at.
 * @returns null for an item whose event is not dispatched to that holder
 */
export const relayed = async (context: LedgerContext, items: readonly AnswerItem[], now: number): Promise<(Relayed | null | Locked)[]> => {
  const rows = await context.db.query<RelayedRow>({
    name: 'ledger_relayed',
    text: RELAYED,
    values: [
      items.map((item) => item.eventId),
      items.map((item) => item.holder),
      new Date(now),
      new Date(now + context.limits.acknowledgeMs),
      // Later than its replica gives it up, which begins to pass it on after this.
      new Date(now + context.limits.forwardMs + context.limits.forwardAgainMs),
    ],
  });
  return rows.map((row) =>
    row.verdict === null
      ? noneOr(row.locked)
      : {
          verdict: row.verdict,
          requester: row.requester_user_id,
          requestId: row.request_id,
          explicit: row.explicit,
          eventName: row.event_name,
          subjectId: row.subject_id,
          relays: row.relays,
          stream: row.skipped === null ? null : { username: row.username ?? '', skipped: row.skipped },
        },
  );
};

/** Why there is no outcome. */
const noneOr = (locked: boolean | null): Locked | null => (locked ? LOCKED : null);

/** busy is no failure: the holder's own limits. */
export type FailureOutcome = 'miss' | 'error' | 'busy';

export type FailureItem = AnswerItem & {
  readonly attempt: number;
  readonly outcome: FailureOutcome;
  /** Of a miss: what is missing, a reed or the part of a thread. */
  readonly missing: ReedId | null;
};

export type Reopened = { readonly subjectId: ReedId; readonly subjectKind: SubjectKind };

/** The back-off after failure number `failures` (1 and up), as SQL: first, 2·first, 4·first … up to the cap, in ms. */
export const backoffSql = (failures: string, firstMs: string, maxMs: string): string =>
  `least(${maxMs}::float8, ${firstMs}::float8 * power(2, least(${failures}, 20) - 1)) * interval '1 millisecond'`;

const OF_ATTEMPT = `${OF_HOLDER} and e.attempt = i.attempt`;

const REOPEN = `
with input as materialized (
  select * from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[]) with ordinality as i(event_id, holder, attempt, outcome, missing, ord)
),
taken as materialized (
  select e.event_id, i.ord, i.holder, i.outcome, i.missing, e.subject_id, e.subject_kind
  from (select * from input order by event_id) i cross join lateral (
    ${lockedById('i.event_id', OF_ATTEMPT)}
  ) e
),
reopened as (
  update pending_events e set state = 4, holder = null, dispatched_at = null, due_at = $6
  from taken t where e.event_id = t.event_id
),
missed as (
  delete from reed_allocations a using (
    select holder, case subject_kind when 'reed' then subject_id
      else (select p.id from reeds p where p.thread_head = t.subject_id and p.id = t.missing) end as reed_id
    from taken t where outcome = 'miss'
  ) m where ${isAllocation('a', 'm.holder', 'm.reed_id')} returning a.holder_user_id, a.reed_id
),
noticed as (${noticeOf('missed')}),
attempted as (
  insert into pending_event_attempts as a (event_id, holder, failures, busy, outcome, not_before)
  select event_id, holder, (outcome <> 'busy')::int, (outcome = 'busy')::int, outcome, $6::timestamptz + ${backoffSql('1', '$7', '$8')}
  from taken where outcome <> 'miss' or subject_kind = 'thread' order by event_id, holder
  on conflict (event_id, holder) do update set outcome = excluded.outcome, failures = a.failures + excluded.failures,
    -- Busy in a row waits longer each time, and starts anew after any other outcome.
    busy = case when excluded.busy > 0 then least(a.busy + 1, 20) else 0 end,
    not_before = $6::timestamptz + ${backoffSql('case when excluded.busy > 0 then a.busy + 1 else a.failures + excluded.failures end', '$7', '$8')}
)
select i.ord, t.subject_id, t.subject_kind, case when t.ord is null then ${isThere('i.event_id', OF_ATTEMPT)} end as locked
from input i left join taken t on t.ord = i.ord order by i.ord`;

/**
 * Takes back a batch of claims that their holders failed. A miss drops the allocation, an error counts and backs off, busy backs off without counting.
 * A thread's miss counts too: the part it names may not be one of the thread's.
 */
export const reopen = async (context: LedgerContext, items: readonly FailureItem[], now: number): Promise<(Reopened | null | Locked)[]> => {
  const { limits } = context;
  const rows = await context.db.query<{ subject_id: ReedId | null; subject_kind: SubjectKind; locked: boolean | null }>({
    name: 'ledger_reopen',
    text: REOPEN,
    values: [
      items.map((item) => item.eventId),
      items.map((item) => item.holder),
      items.map((item) => item.attempt),
      items.map((item) => item.outcome),
      items.map((item) => item.missing),
      new Date(now),
      limits.failureBackoffFirstMs,
      limits.failureBackoffMaxMs,
    ],
  });
  return rows.map((row) => (row.subject_id === null ? noneOr(row.locked) : { subjectId: row.subject_id, subjectKind: row.subject_kind }));
};

export type UndeliveredItem = {
  readonly eventId: string;
  /** The claim (state dispatched) or the relay (state relayed) whose frame could not be written. */
  readonly attempt: number | null;
  readonly relays: number | null;
};

const OF_FRAME = '((e.state = 2 and e.attempt = i.attempt) or (e.state = 3 and e.relays = i.relays))';

const UNDELIVERED = `
with input as materialized (
  select * from unnest($1::uuid[], $2::int[], $3::int[]) with ordinality as i(event_id, attempt, relays, ord)
),
taken as materialized (
  select e.event_id, e.state, i.ord
  from (select * from input order by event_id) i cross join lateral (
    ${lockedById('i.event_id', OF_FRAME)}
  ) e
),
reopened as (
  update pending_events e set state = 4, holder = null, dispatched_at = null, relayed_at = null, relays = e.relays - (t.state = 3)::int, due_at = $4
  from taken t where e.event_id = t.event_id
)
select t.ord is not null as done, case when t.ord is null then ${isThere('i.event_id', OF_FRAME)} end as locked
from input i left join taken t on t.ord = i.ord order by i.ord`;

/** Re-opens, a moment later and at nobody's charge, events whose RELAY_REQUEST or delivery could not be written; null: moved on. */
export const undelivered = async (
  context: LedgerContext,
  items: readonly UndeliveredItem[],
  now: number,
): Promise<(true | null | Locked)[]> => {
  const rows = await context.db.query<{ done: boolean; locked: boolean | null }>({
    name: 'ledger_undelivered',
    text: UNDELIVERED,
    values: [
      items.map((item) => item.eventId),
      items.map((item) => item.attempt),
      items.map((item) => item.relays),
      new Date(now + context.limits.undeliverableRetryMs),
    ],
  });
  return rows.map((row) => row.done || noneOr(row.locked));
};

/** Takes what waits for a member whose send buffer is full out of the queues, for a while. */
export const park = async (context: LedgerContext, requester: UserId, now: number): Promise<void> => {
  await context.db.query({
    name: 'ledger_park',
    text: `
with taken as materialized (
  select event_id from pending_events where requester_user_id = $1 and state = 1 order by event_id for update skip locked
)
update pending_events e set state = 4, holder = null, due_at = $2 from taken t where e.event_id = t.event_id`,
    values: [requester, new Date(now + context.limits.requesterFullMs)],
  });
};

/** Pushes the deadline of what is with `holders` on, while bytes of an answer arrive, and of what is still in a requester's send buffer. */
export const postpone = async (
  db: Database,
  members: readonly UserId[],
  by: { now: number; state: 2 | 3; byMs: number; atMostMs: number },
): Promise<void> => {
  const [column, since] = by.state === 2 ? ['holder', 'dispatched_at'] : ['requester_user_id', 'relayed_at'];
  await db.query({
    name: `ledger_postpone_${by.state}`,
    text: `
with taken as materialized (
  select event_id from pending_events where ${column} = any($1::text[]) and state = ${by.state} order by event_id for update skip locked
)
update pending_events e set due_at = greatest(e.due_at, least($2::timestamptz, e.${since} + $3::float8 * interval '1 millisecond'))
from taken t where e.event_id = t.event_id`,
    values: [members, new Date(by.now + by.byMs), by.atMostMs],
  });
};
