// What requesters answer to a delivery: ACK makes a holder, INVALID does not. Both count only from the requester of a relayed event.
import { LOCKED, type Locked } from '../db/batch.ts';
import type { Database } from '../db/pool.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import { ACCUSING_REASONS } from '../wire/frames.ts';
import { firstNoticeOf, isThere, lockedById, noticeOf, some, wantsHolder } from './choice.ts';
import type { LedgerContext } from './context.ts';
import { DECLINING_REASONS } from './state.ts';

export type AckItem = { readonly eventId: string; readonly requester: UserId; readonly deviceId: string };

/** What the answer was about; of content that was acknowledged: what the requester holds from now on. */
export type Acked = { readonly subjectId: ReedId; readonly isContent: boolean };

/** The event is relayed to whoever answers. */
const RELAYED_TO = 'e.requester_user_id = i.requester and e.state = 3';
const CONTENT_RELAYED_TO = `${RELAYED_TO} and e.subject_kind in ('reed', 'thread')`;

const ACK = `
with input as materialized (
  select * from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as i(event_id, requester, device, ord)
),
taken as materialized (
  select e.event_id, i.ord, i.device, e.requester_user_id, e.holder, e.subject_kind, e.subject_id
  from (select * from input order by event_id) i cross join lateral (
    ${lockedById('i.event_id', RELAYED_TO)}
  ) e
),
ended as (delete from pending_events e using taken t where e.event_id = t.event_id),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id),
parts as materialized (
  select requester_user_id, device, subject_id as reed_id from taken where subject_kind = 'reed'
  union
  select t.requester_user_id, t.device, p.id from taken t join reeds p on p.thread_head = t.subject_id where t.subject_kind = 'thread'
  union
  select t.requester_user_id, t.device, unnest(p.reed_ids) from taken t join pending_thread_parts p on p.event_id = t.event_id where t.subject_kind = 'thread'
),
gone as materialized (
  select requester_user_id, subject_id as reed_id from taken where subject_kind = 'reed_removal'
  union
  select t.requester_user_id, p.id from taken t join reeds p on p.thread_head = t.subject_id where t.subject_kind = 'thread_removal'
  union
  select t.requester_user_id, a.reed_id from taken t join reed_allocations a on a.holder_user_id = t.requester_user_id
    and a.reed_id > t.subject_id || '/' and a.reed_id < t.subject_id || '0' where t.subject_kind = 'account_removal'
),
-- Who acknowledges that an account is gone follows it no more; that a key ended, has it no more.
unfollowed as (
  update follows f set active = false from taken t
  where t.subject_kind = 'account_removal' and f.user_id = t.requester_user_id and f.target = t.subject_id
),
unread as (
  delete from key_allocations k using taken t where t.subject_kind = 'key' and k.user_id = t.requester_user_id and k.key_id = t.subject_id
),
dropped as (
  delete from reed_allocations a using gone g where a.holder_user_id = g.requester_user_id and a.reed_id = g.reed_id
  returning a.holder_user_id, a.reed_id
),
unheld as (${noticeOf('dropped')}),
allocated as (
  insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on)
  select requester_user_id, reed_id, device, $4 from parts order by 1, 2
  on conflict (holder_user_id, reed_id) do update set device_id = excluded.device_id
),
noticed as (${firstNoticeOf('parts', '$7')}),
counted as (
  update holder_strikes s set counted_at = $5 from taken t
  where s.reed_id = t.subject_id and s.viewer = t.requester_user_id and s.holder is distinct from t.holder and s.counted_at is null
)
select i.ord, t.subject_id, t.subject_kind in ('reed', 'thread') as content, false as wanted, case when t.ord is null then ${isThere('i.event_id', RELAYED_TO)} end as locked
from input i left join taken t on t.ord = i.ord
union all
select 0, p.subject, false, true, false from unnest($6::text[]) as p(subject)
  where ${some(`pending_events w where w.subject_id = p.subject and w.state in (0, 1, 4, 5) and (w.state = 1 or ${wantsHolder('w', '$5')})`)}
order by 1`;

/** For each item what its requester holds now, null where the event is not relayed to that requester; and which probes are waited for. */
export type Acknowledged = { readonly outcomes: readonly (Acked | null | Locked)[]; readonly wanted: readonly ReedId[] };

/**
 * Ends acknowledged events and writes the requesters' allocations.
 * @param probes subjects to look at on the way: has anybody been waiting for them since before this statement?
 */
export const acknowledge = async (
  { db, limits }: Pick<LedgerContext, 'db' | 'limits'>,
  items: readonly AckItem[],
  probes: readonly ReedId[],
  now: number,
): Promise<Acknowledged> => {
  const at = new Date(now);
  const rows = await db.query<SettledRow & { wanted: boolean }>({
    name: 'ledger_ack',
    text: ACK,
    values: [
      items.map((item) => item.eventId),
      items.map((item) => item.requester),
      items.map((item) => item.deviceId),
      at.toISOString().slice(0, 10),
      at,
      probes,
      new Date(now + limits.inLineLookMs),
    ],
  });
  return {
    outcomes: rows.flatMap((row) => (row.wanted ? [] : [settledOf(row)])),
    wanted: rows.flatMap((row) => (row.wanted && row.subject_id !== null ? [row.subject_id] : [])),
  };
};

type SettledRow = { subject_id: ReedId | null; content: boolean; locked: boolean | null };
const settledOf = (row: SettledRow): Acked | null | Locked =>
  row.subject_id === null ? (row.locked ? LOCKED : null) : { subjectId: row.subject_id, isContent: row.content };

export type InvalidItem = { readonly eventId: string; readonly requester: UserId; readonly reason: string };

const INVALID = `
with input as materialized (
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[], $5::boolean[]) with ordinality as i(event_id, requester, reason, accuses, declines, ord)
),
taken as materialized (
  select e.event_id, i.ord, i.reason, i.accuses, i.declines, e.requester_user_id, e.holder, e.subject_id, split_part(e.subject_id, '/', 1) as author
  from (select * from input order by event_id) i cross join lateral (
    ${lockedById('i.event_id', CONTENT_RELAYED_TO)}
  ) e
),
ended as (delete from pending_events e using taken t where e.event_id = t.event_id),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id),
struck as (
  insert into holder_strikes (reed_id, holder, viewer, reason, at)
  select subject_id, holder, requester_user_id, reason, $6 from taken where accuses and holder <> author order by 1, 2, 3
  on conflict (reed_id, holder, viewer) do nothing
),
declined as (
  insert into reed_declines (user_id, reed_id) select requester_user_id, subject_id from taken where declines order by 1, 2 on conflict do nothing
)
select i.ord, t.subject_id, case when t.ord is null then ${isThere('i.event_id', CONTENT_RELAYED_TO)} end as locked,
  true as content
from input i left join taken t on t.ord = i.ord order by i.ord`;

/** Ends events whose copy the requester found false or can't keep; nobody becomes a holder. An accusing reason strikes the holder, never the author. */
export const invalidate = async (db: Database, items: readonly InvalidItem[], now: number): Promise<(Acked | null | Locked)[]> => {
  const rows = await db.query<SettledRow>({
    name: 'ledger_invalid',
    text: INVALID,
    values: [
      items.map((item) => item.eventId),
      items.map((item) => item.requester),
      items.map((item) => item.reason),
      items.map((item) => ACCUSING_REASONS.has(item.reason)),
      items.map((item) => DECLINING_REASONS.has(item.reason)),
      new Date(now),
    ],
  });
  return rows.map(settledOf);
};
