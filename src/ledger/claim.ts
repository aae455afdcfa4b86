// DISPATCH and SPREAD: waiting events are handed to holders with free places. Only for holders whose newest connection is on this
// replica, in one lane, so that counting what is in flight is exact without a counter column.
import type { ReedId, RequestId, UserId, UserKeyId } from '../wire/address.ts';
import {
  allocationRing,
  holdsWhole,
  inFlight,
  isAllocation,
  REQUESTER,
  REQUESTER_KEY,
  ringHalf,
  some,
  struckFor,
  wantsHolder,
} from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { Claim, SubjectKind } from './state.ts';

/** A claim together with what its requester is told if the request was explicit. */
export type ClaimRow = Claim & { readonly requestId: RequestId | null; readonly explicit: boolean; readonly onlineHolders: number };

type Row = {
  event_id: string;
  subject_kind: SubjectKind;
  subject_id: ReedId;
  requester_user_id: UserId;
  key_id: UserKeyId;
  holder: UserId;
  attempt: number;
  request_id: RequestId | null;
  explicit: boolean;
  online: number | null;
};

/** How many online holders `e` has besides its requester, 3 for three and more: what an explicit requester is told. */
const ONLINE_HOLDERS = `(select count(*)::int from (
    select from (${allocationRing('e.subject_id', "split_part(e.subject_id, '/', 1)", '0', '$4')}) a
    where a.holder <> e.requester_user_id and (select true from online_users o where o.user_id = a.holder) limit 3
  ) h)`;

/** Takes `picked (event_id, holder)` and makes each row dispatched. $1 is the time, $2 and $3 the deadlines of a reed and a thread, $4 half a ring. */
const CLAIM_PICKED = `
  update pending_events e set state = 2, holder = p.holder, dispatched_at = $1, attempt = e.attempt + 1, waits = 0,
    due_at = case e.subject_kind when 'thread' then $3::timestamptz else $2::timestamptz end
  from picked p
  where e.event_id = p.event_id
  returning e.event_id, e.subject_kind, e.subject_id, ${REQUESTER} as requester_user_id, ${REQUESTER_KEY} as key_id, e.holder, e.attempt, e.request_id,
    e.requested_at is not null as explicit, case when e.requested_at is not null then ${ONLINE_HOLDERS} end as online`;

const DISPATCH = `
with holders as materialized (
  select user_id as holder from online_users where user_id = any($5::text[]) and owner = $6 and not congested order by user_id for share skip locked
),
free as materialized (
  select h.holder, ${inFlight('h.holder')} as used from holders h
),
picked as materialized (
  select q.event_id, q.holder from (
    select f.holder, f.used, e.event_id, e.priority, row_number() over (partition by f.holder order by e.priority, e.seq) as nth
    from free f cross join lateral (
      select event_id, priority, seq from pending_events w
      where w.holder = f.holder and w.state = 1 order by w.priority, w.seq limit greatest(0, $7 - f.used) for update skip locked
    ) e
  ) q
  where q.used + q.nth <= case q.priority when 0 then $7 else $7 - $8::int end
),
claimed as (${CLAIM_PICKED})
select c.*, i.holder as of,
  f.holder is null and ${some('online_users o where o.user_id = i.holder and o.owner = $6 and not o.congested')} as locked,
  (select count(*) from (select from pending_events w where w.holder = f.holder and w.state = 1 limit $7 + 1) q)
    > (select count(*) from picked p where p.holder = f.holder) as more
from unnest($5::text[]) as i(holder) left join free f on f.holder = i.holder left join claimed c on c.holder = i.holder`;

/** Whether `c.holder` backs off for event `w`, or was given up for it. */
const BACKS_OFF = some(
  'pending_event_attempts t where t.event_id = w.event_id and t.holder = c.holder and (t.not_before > $1 or t.failures >= $10)',
);

const SPREAD = `
with pairs as materialized (
  select p.holder, p.subject from (select distinct holder, subject from unnest($5::text[], $6::text[]) as u(holder, subject)) p
  -- Whoever answers for a copy may have given it up meanwhile.
  where ${some(`reed_allocations a where ${isAllocation('a', 'p.holder', 'p.subject')}`)}
),
holders as materialized (
  select user_id as holder from online_users where user_id in (select holder from pairs) and owner = $7 and not congested order by user_id for share skip locked
),
free as materialized (
  select h.holder, ${inFlight('h.holder')} as used from holders h
),
slots as materialized (
  select p.subject, f.holder, level, row_number() over (partition by p.subject order by level, f.holder) as k,
    count(*) over (partition by p.subject) as all_of
  from pairs p join free f on f.holder = p.holder cross join lateral generate_series(f.used + 1, $8) as level
),
waiting as materialized (
  select s.subject, e.event_id, e.requester_user_id, e.subject_kind, e.priority, row_number() over (partition by s.subject order by e.priority, e.seq) as k
  from (select subject, max(all_of) as n from slots group by subject) s cross join lateral (
    select w.event_id, w.requester_user_id, w.subject_kind, w.priority, w.seq from pending_events w
    where w.subject_id = s.subject and w.state in (0, 1, 4, 5) and w.state = 1
      and exists (select from slots c where c.subject = s.subject and c.holder <> w.requester_user_id
        and not ${BACKS_OFF}
        and not ${struckFor('w.subject_id', 'c.holder', 'w.requester_user_id')}
        and ${holdsWhole('w.subject_kind', 'w.subject_id', 'c.holder')})
    order by w.priority, w.seq limit s.n for update skip locked
  ) e
),
fit as materialized (
  select w.event_id, c.holder, row_number() over (partition by c.holder order by c.level, w.priority, w.event_id) as nth
  from waiting w join slots c on c.subject = w.subject and c.k = w.k
  where c.holder <> w.requester_user_id and (w.priority = 0 or c.level <= $8 - $9::int)
    and not ${BACKS_OFF}
    and not ${struckFor('w.subject', 'c.holder', 'w.requester_user_id')}
    and ${holdsWhole('w.subject_kind', 'w.subject', 'c.holder')}
),
picked as materialized (
  select t.event_id, t.holder from fit t join free f on f.holder = t.holder where t.nth + f.used <= $8
),
claimed as (${CLAIM_PICKED}),
roused as (
  update pending_events e set state = 4, due_at = $1 from (
    select w.event_id from (select distinct subject from pairs) s cross join lateral (
      select event_id from pending_events q where q.subject_id = s.subject and ${wantsHolder('q', '$1')}
      order by q.priority, q.seq limit $11 for update skip locked
    ) w
  ) d where e.event_id = d.event_id returning e.event_id
)
select c.*, exists (select from roused) as roused from (select) as one left join claimed c on true`;

const claimOf = (row: Row): ClaimRow => ({
  eventId: row.event_id,
  subjectKind: row.subject_kind,
  subjectId: row.subject_id,
  requester: row.requester_user_id,
  requesterKeyId: row.key_id,
  holder: row.holder,
  attempt: row.attempt,
  requestId: row.request_id,
  explicit: row.explicit,
  onlineHolders: row.online ?? 0,
});

/** $1 to $4 of both statements. */
const common = ({ limits }: LedgerContext, now: number): (Date | number)[] => [
  new Date(now),
  new Date(now + limits.dispatchDeadlineMs),
  new Date(now + limits.threadDeadlineMs),
  ringHalf(limits),
];

export type Dispatched = {
  readonly claims: readonly ClaimRow[];
  /** Holders whose queue is not empty yet. */
  readonly more: readonly UserId[];
  /** Holders that were signing in or out at this moment: not looked at. */
  readonly locked: readonly UserId[];
};

/** Hands each holder whose buffers are not full the oldest events of its own queue, by class then age, up to its free places; one place is kept for explicit ones. */
export const dispatch = async (context: LedgerContext, holders: readonly UserId[], now: number): Promise<Dispatched> => {
  const { limits } = context;
  const rows = await context.db.query<Row & { event_id: string | null; of: UserId; more: boolean; locked: boolean }>({
    name: 'ledger_dispatch',
    text: DISPATCH,
    values: [...common(context, now), [...holders].sort(), context.replicaId(), limits.holderWindow, limits.holderWindowExplicitReserve],
  });
  const claims = rows.flatMap((row) => (row.event_id === null ? [] : [claimOf(row)]));
  const which = (is: (row: (typeof rows)[number]) => boolean): UserId[] => [...new Set(rows.flatMap((row) => (is(row) ? [row.of] : [])))];
  return { claims, more: which((row) => row.more), locked: which((row) => row.locked) };
};

export type HolderOfSubject = { readonly holder: UserId; readonly subject: ReedId };

export type Spread = {
  readonly claims: readonly ClaimRow[];
  /** Events of the subjects that had nobody to ask are unassigned and due: only ASSIGN knows whether their requesters have places. */
  readonly roused: boolean;
};

/** Gives the oldest waiting events of each subject to the free places of those of the holders named for it that have it, rank by rank; wakes those that had nobody to ask. */
export const spread = async (context: LedgerContext, pairs: readonly HolderOfSubject[], now: number): Promise<Spread> => {
  const { limits } = context;
  const rows = await context.db.query<Row & { event_id: string | null; roused: boolean }>({
    name: 'ledger_spread',
    text: SPREAD,
    values: [
      ...common(context, now),
      pairs.map((pair) => pair.holder),
      pairs.map((pair) => pair.subject),
      context.replicaId(),
      limits.holderWindow,
      limits.holderWindowExplicitReserve,
      limits.holderFailuresPerEvent,
      limits.wakeEventsPerStep,
    ],
  });
  return { claims: rows.flatMap((row) => (row.event_id === null ? [] : [claimOf(row)])), roused: rows[0]?.roused ?? false };
};
