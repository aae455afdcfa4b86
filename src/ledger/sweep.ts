// What is due, and what presence changes: SWEEP, HOLDERS-GONE and WAKE. Any replica may sweep; two share the work by skipping locks.
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId, RequestId, UserId } from '../wire/address.ts';
import { backoffSql } from './answer.ts';
import { holdsWhole, some, struckFor, wantsHolder } from './choice.ts';
import type { NoticeAbout, Served } from './serve.ts';
import type { NoticeKind, NoticeName } from './state.ts';

export type Swept = {
  readonly eventId: string;
  readonly requester: UserId;
  readonly requestId: RequestId | null;
  readonly explicit: boolean;
  readonly subjectId: ReedId;
  /** 'reopened' events are unassigned now; the others ended. */
  readonly outcome: 'reopened' | 'expired' | 'not-acknowledged' | 'sent-again';
  /** Of a notice of the server's own: it is to be sent again now. */
  readonly again: (Served & NoticeAbout) | null;
  /** A holder whose place is free now, and the replica that has it. */
  readonly freed: UserId | null;
  readonly owner: string | null;
};

const COLUMNS = 'event_id, state, holder, relays, requested_at, event_name, subject_kind, created_at, is_foreign';

const SWEEP = `
with moving as materialized (
  select ${COLUMNS} from pending_events where state not in (0, 4, 5) and due_at <= $1 order by due_at limit $2 for update skip locked
),
dormant as materialized (
  select ${COLUMNS} from pending_events where state = 0 and due_at <= $1 order by due_at limit $2 - (select count(*) from moving) for update skip locked
),
taken as materialized (select * from moving union all select * from dormant),
judged as materialized (
  select t.*, case
      when t.state = 0 and t.requested_at <= $3 then 'expired'
      when t.event_name = 'BROADCAST_REED' and t.created_at <= $7 then 'expired'
      when t.state = 3 and t.is_foreign then 'not-acknowledged'
      when t.state = 3 and t.relays >= case when t.subject_kind in ('reed', 'thread') then $4 else $8::int end then 'not-acknowledged'
      when t.subject_kind not in ('reed', 'thread') then 'sent-again'
      else 'reopened'
    end as outcome
  from taken t
),
attempted as (
  insert into pending_event_attempts as a (event_id, holder, failures, outcome, not_before)
  select event_id, holder, 1, 'deadline', $1::timestamptz + ${backoffSql('1', '$5', '$6')} from judged where state = 2 and outcome = 'reopened' order by 1, 2
  on conflict (event_id, holder) do update set outcome = excluded.outcome, failures = a.failures + 1, busy = 0,
    not_before = $1::timestamptz + ${backoffSql('a.failures + 1', '$5', '$6')}
),
reopened as (
  update pending_events e set state = 4, due_at = $1, dispatched_at = null, relayed_at = null, holder = null,
    waits = case when j.state = 1 then least(e.waits + 1, 10) else e.waits end
  from judged j where e.event_id = j.event_id and j.outcome = 'reopened'
  returning e.event_id, e.requester_user_id, e.request_id, e.requested_at, e.subject_id
),
again as (
  update pending_events e set due_at = $9, relayed_at = $1, relays = e.relays + 1
  from judged j where e.event_id = j.event_id and j.outcome = 'sent-again'
  returning e.event_id, e.requester_user_id, e.request_id, e.requested_at, e.subject_id
),
ended as (
  delete from pending_events e using judged j where e.event_id = j.event_id and j.outcome in ('expired', 'not-acknowledged')
  returning e.event_id, e.requester_user_id, e.request_id, e.requested_at, e.subject_id
),
unattempted as (
  delete from pending_event_attempts a using judged j where a.event_id = j.event_id and j.outcome in ('expired', 'not-acknowledged')
)
select r.event_id, r.requester_user_id, r.request_id, r.requested_at is not null as explicit, r.subject_id, j.outcome, j.event_name, j.subject_kind, j.relays + 1 as relays,
  case when j.state = 2 then j.holder end as freed,
  case when j.state = 2 then (select o.owner from online_users o where o.user_id = j.holder) end as owner
from (select * from reopened union all select * from ended union all select * from again) r join judged j on j.event_id = r.event_id`;

type SweptRow = {
  event_id: string;
  requester_user_id: UserId;
  request_id: RequestId | null;
  explicit: boolean;
  subject_id: ReedId;
  outcome: Swept['outcome'];
  event_name: string;
  subject_kind: string;
  relays: number;
  freed: UserId | null;
  owner: string | null;
};

/** Moves up to `limits.batchItems` due events on. Unassigned ones are ASSIGN's. */
export const sweep = async (db: Database, limits: Limits, now: number): Promise<Swept[]> => {
  const rows = await db.query<SweptRow>({
    name: 'ledger_sweep',
    text: SWEEP,
    values: [
      new Date(now),
      limits.batchItems,
      new Date(now - limits.explicitLifeMs),
      limits.relaysPerEvent,
      limits.failureBackoffFirstMs,
      limits.failureBackoffMaxMs,
      new Date(now - limits.broadcastLifeMs),
      limits.noticesPerEvent,
      new Date(now + limits.acknowledgeMs),
    ],
  });
  return rows.map((row) => ({
    eventId: row.event_id,
    requester: row.requester_user_id,
    requestId: row.request_id,
    explicit: row.explicit,
    subjectId: row.subject_id,
    outcome: row.outcome,
    again:
      row.outcome === 'sent-again'
        ? {
            ...{ eventId: row.event_id, requester: row.requester_user_id, relays: row.relays, subject: row.subject_id },
            ...{ kind: row.subject_kind as NoticeKind, eventName: row.event_name as NoticeName },
          }
        : null,
    freed: row.freed,
    owner: row.owner,
  }));
};

export type Left = {
  /** Present again. */
  readonly present: ReadonlySet<UserId>;
  /** Not present, and something of theirs is still there: somebody had it when it was to be cleared up. */
  readonly remaining: ReadonlySet<UserId>;
};

/** What became of members who left. */
export const leftOf = async (db: Database, members: readonly UserId[]): Promise<Left> => {
  const rows = await db.query<{ id: UserId; present: boolean; remains: boolean }>({
    name: 'ledger_left_of',
    text: `
select m.id, ${some('online_users o where o.user_id = m.id')} as present,
  ${some('pending_events e where e.requester_user_id = m.id and not e.is_foreign')}
  or ${some('pending_events e where e.holder = m.id and e.state = 1')} or ${some('pending_events e where e.holder = m.id and e.state = 2')} as remains
from unnest($1::text[]) as m(id)`,
    values: [members],
  });
  const which = (is: (row: (typeof rows)[number]) => boolean) => new Set(rows.flatMap((row) => (is(row) ? [row.id] : [])));
  return { present: which((row) => row.present), remaining: which((row) => !row.present && row.remains) };
};

/** Re-opens a page of what is queued with or dispatched to members whose presence has ended. Returns how many. */
export const holdersGone = async (db: Database, holders: readonly UserId[], page: number, now: number): Promise<number> => {
  const rows = await db.query<{ event_id: string }>({
    name: 'ledger_holders_gone',
    text: `
with taken as materialized (
  select e.event_id from pending_events e where e.holder = any($1::text[]) and e.state = 1
    and not ${some('online_users o where o.user_id = e.holder')}
  union all
  select e.event_id from pending_events e where e.holder = any($1::text[]) and e.state = 2
    and not ${some('online_users o where o.user_id = e.holder')}
  limit $2
),
locked as materialized (
  select e.event_id from pending_events e join taken t on t.event_id = e.event_id
  where e.state in (1, 2) and e.holder = any($1::text[]) order by e.event_id for update of e skip locked
)
update pending_events e set state = 4, holder = null, dispatched_at = null, due_at = $3
from locked l where e.event_id = l.event_id returning e.event_id`,
    values: [holders, page, new Date(now)],
  });
  return rows.length;
};

/** Holders that events wait for or are with, though they have no presence: what a lost replica or a lost step left behind. */
export const absentHolders = async (db: Database): Promise<UserId[]> => {
  const rows = await db.query<{ holder: UserId }>({
    name: 'ledger_absent_holders',
    text: `
select holder from (select distinct holder from pending_events where state = 1 union select distinct holder from pending_events where state = 2) h
where not ${some('online_users o where o.user_id = h.holder')} limit 256`,
    values: [],
  });
  return rows.map((row) => row.holder);
};

/** Requesters without presence to whom something is still owed, for the same reason. */
export const absentRequesters = async (db: Database): Promise<UserId[]> => {
  const rows = await db.query<{ requester_user_id: UserId }>({
    name: 'ledger_absent_requesters',
    text: `
select distinct requester_user_id from pending_events e
where not e.is_foreign and not ${some('online_users o where o.user_id = e.requester_user_id')} limit 256`,
    values: [],
  });
  return rows.map((row) => row.requester_user_id);
};

/** A place in a holder's reeds and in the events for one of them: each step goes on strictly after it. */
export type WakeCursor = { readonly reed: ReedId; readonly seq: number };
/** `cursor`: null: from the first reed. */
export type WakeItem = { readonly holder: UserId; readonly cursor: WakeCursor | null };

export type WakeStep = {
  readonly woken: number;
  /** Where the next step starts; null: that was the last. */
  readonly cursor: WakeCursor | null;
};

const WAKE = `
with input as materialized (
  select * from unnest($1::text[], $2::text[], $7::bigint[]) with ordinality as i(holder, reed, seq, ord)
),
held as materialized (
  select i.ord, i.holder, a.reed_id, case when a.reed_id = i.reed then i.seq else 0 end as after from input i cross join lateral (
    select reed_id from reed_allocations where holder_user_id = i.holder and reed_id >= i.reed order by reed_id limit $3
  ) a
  where ${some('online_users o where o.user_id = i.holder')}
),
found as materialized (
  select f.ord, f.event_id, f.subject_id, f.seq from (
    select r.ord, e.*, row_number() over (partition by r.ord order by r.reed_id, e.seq) as nth
    from held r cross join lateral (
      select w.event_id, w.subject_id, w.seq from pending_events w
      where w.subject_id = r.reed_id and ${wantsHolder('w', '$5')} and w.seq > r.after and w.requester_user_id <> r.holder
        -- One that backs off already set the date at which it is asked again; one that was given up or has not every part is no help.
        and not exists (select from pending_event_attempts t where t.event_id = w.event_id and t.holder = r.holder
          and (t.failures >= $6 or (w.state = 4 and t.not_before > $5)))
        and (w.is_foreign or not ${struckFor('w.subject_id', 'r.holder', 'w.requester_user_id')})
        and ${holdsWhole('w.subject_kind', 'w.subject_id', 'r.holder')}
      order by w.seq limit $4 for update skip locked
    ) e
  ) f where f.nth <= $4
),
woken as (
  update pending_events e set state = 4, due_at = $5 from found f where e.event_id = f.event_id
)
select i.ord,
  (select count(*)::int from found f where f.ord = i.ord) as woken,
  (select f.subject_id from found f where f.ord = i.ord order by f.subject_id desc, f.seq desc limit 1) as woken_reed,
  (select f.seq from found f where f.ord = i.ord order by f.subject_id desc, f.seq desc limit 1) as woken_seq,
  (select count(*)::int from held r where r.ord = i.ord) as reeds,
  (select max(r.reed_id) from held r where r.ord = i.ord) as last
from input i order by i.ord`;

type WakeRow = { woken: number; woken_reed: ReedId | null; woken_seq: number | null; reeds: number; last: ReedId | null };

/**
 * Makes events for the next reeds of each holder (at most once in `items`) that had nobody to ask unassigned and due, as long as it is
 * online; whether their requesters have places is ASSIGN's to see.
 */
export const wake = async (db: Database, limits: Limits, items: readonly WakeItem[], now: number): Promise<WakeStep[]> => {
  const rows = await db.query<WakeRow>({
    name: 'ledger_wake',
    text: WAKE,
    values: [
      items.map((item) => item.holder),
      items.map((item) => item.cursor?.reed ?? ''),
      limits.wakeReedsPerStep,
      limits.wakeEventsPerStep,
      new Date(now),
      limits.holderFailuresPerEvent,
      items.map((item) => item.cursor?.seq ?? 0),
    ],
  });
  return rows.map((row) => stepOf(row, limits));
};

const stepOf = ({ woken, woken_reed, woken_seq, reeds, last }: WakeRow, limits: Limits): WakeStep => {
  if (woken >= limits.wakeEventsPerStep && woken_reed !== null && woken_seq !== null)
    return { woken, cursor: { reed: woken_reed, seq: woken_seq } };
  // Ids are of one length: with a character more, this one sorts right after the last.
  return { woken, cursor: reeds >= limits.wakeReedsPerStep && last !== null ? { reed: `${last}!` as ReedId, seq: 0 } : null };
};

/** A holder that signs in anew may be asked again for events that it failed too often. */
export const forgive = async (db: Database, holders: readonly UserId[], minimum: number): Promise<void> => {
  await db.query({
    name: 'ledger_forgive',
    text: `delete from pending_event_attempts where holder = any($1::text[]) and failures >= $2`,
    values: [holders, minimum],
  });
};

/** Strikes older than `limits.strikeKeptMs` are forgotten. */
export const forgetStrikes = async (db: Database, limits: Limits, now: number): Promise<void> => {
  await db.query({
    name: 'ledger_forget_strikes',
    text: 'delete from holder_strikes where at < $1',
    values: [new Date(now - limits.strikeKeptMs)],
  });
};
