// ASSIGN: unassigned (and, for a second look, dormant) events are each given the best holder for them, or told why there is none.
// Everything that was re-opened, woken or held back comes through here, so this is where exclusions are exact.
import type { ReedId, RequestId, UserId, UserKeyId } from '../wire/address.ts';
import {
  allocationRing,
  chosenLast,
  holdsWhole,
  inFlight,
  isAllocation,
  lockedById,
  mayCross,
  nextServer,
  RANDOM_PIVOT,
  REQUESTER,
  REQUESTER_KEY,
  ringHalf,
  sleepsThere,
  some,
  struckFor,
} from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { EventState, SubjectKind } from './state.ts';

export type Assigned = {
  readonly eventId: string;
  readonly requestId: RequestId | null;
  readonly explicit: boolean;
  readonly requester: UserId;
  /** The member it is really for: the requester, but of a peer's event. */
  readonly askedFor: UserId;
  readonly requesterKeyId: UserKeyId;
  readonly subjectKind: SubjectKind;
  readonly subjectId: ReedId;
  readonly wasDormant: boolean;
  readonly state: EventState;
  readonly holder: UserId | null;
  readonly owner: string | null;
  readonly attempt: number;
  readonly onlineHolders: number;
  readonly failing: boolean;
  /** The requester had no free place. */
  readonly full: boolean;
  /** In line behind one that sleeps at its home, where nobody online has it. */
  readonly asleepThere: boolean;
};

export type Assignment = {
  /** Every event that was looked at. */
  readonly events: readonly Assigned[];
  /** Somebody had an event that is due, or its requester's presence, at that moment. Whoever it was may have left it as it is. */
  readonly isDueLocked: boolean;
  /** The named requesters of whom that is so. */
  readonly lockedRequesters: readonly UserId[];
};

export type AssignTargets = {
  /** Events to look at whatever their date (unassigned or dormant), with holders that an exact search found for them. */
  readonly events: readonly { readonly eventId: string; readonly holders?: readonly UserId[] }[];
  /** Requesters with a free place: their unassigned events by class, then age. */
  readonly requesters: readonly UserId[];
};

/** Online holders for the event row `e` (with author and pivot), and what they are: in flight, backing off, chosen last. $7 is since when strikes count. */
const CANDIDATES = `
  select o.holder, o.owner, case when o.congested then $6 else ${inFlight('o.holder')} end as used,
    ${chosenLast('e.subject_id', 'o.holder', 'e.author', '$7')} as last, t.failures, t.not_before, t.failures is null as untried
  from (
    select a.holder, (select o.owner from online_users o where o.user_id = a.holder) as owner,
      (select o.congested from online_users o where o.user_id = a.holder) as congested
    from (
      ${allocationRing('e.subject_id', 'e.author', 'e.pivot', '$18')}
      union all
      select x.holder from unnest($19::uuid[], $20::text[]) as x(event_id, holder)
        where x.event_id = e.event_id and ${some(`reed_allocations a where ${isAllocation('a', 'x.holder', 'e.subject_id')}`)}
    ) a where a.holder <> e.requester_user_id
  ) o
  left join pending_event_attempts t on t.event_id = e.event_id and t.holder = o.holder
  where o.owner is not null and ${holdsWhole('e.subject_kind', 'e.subject_id', 'o.holder')}`;

/** Whether a holder is not struck for event row `e`. All members of a peer are one viewer: for them a struck holder is chosen last, never out. */
const notStruck = (holder: string): string => `(e.is_foreign or not ${struckFor('e.subject_id', holder, 'e.requester_user_id')})`;

/** Whether holder `t.holder` is online and has what event row `e` is for: a failure of somebody else says nothing. */
const STILL_THERE = `${some('online_users o where o.user_id = t.holder')}
        and ${some(`reed_allocations a where ${isAllocation('a', 't.holder', 'e.subject_id')}`)}
        and ${holdsWhole('e.subject_kind', 'e.subject_id', 't.holder')}`;

const TEXT = `
with due as materialized (
  select event_id from pending_events where state = 4 and due_at <= $1
    and ${some('online_users r where r.user_id = requester_user_id')} order by due_at limit $4
),
held as materialized (
  select r.requester, w.event_id from unnest($3::text[]) as r(requester)
  cross join lateral (select count(*) as awake from pending_events p where p.requester_user_id = r.requester and p.state in (1, 2, 3, 7)) a
  -- One more than there is room for tells whether something is still held back.
  cross join lateral (
    select event_id from pending_events q where q.requester_user_id = r.requester and q.state = 4
    order by q.priority, q.seq limit greatest(0, $5 - a.awake) + 1
  ) w
),
targets as materialized (select event_id from due union select unnest($2::uuid[]) union select event_id from held),
taken as materialized (
  select e.event_id, e.requester_user_id, e.subject_kind, e.subject_id, e.priority, e.seq, e.state, e.waits, e.requested_at, e.is_foreign, e.event_name, e.created_at, split_part(e.subject_id, '/', 1) as author,
    ${RANDOM_PIVOT} as pivot
  from (select event_id from targets order by event_id) t cross join lateral (
    ${lockedById('t.event_id', 'e.state in (0, 4)')}
  ) e
),
requesters as materialized (
  select user_id, congested, (select count(*) from pending_events p where p.requester_user_id = user_id and p.state in (1, 2, 3, 7)) as awake
  from online_users where user_id in (select requester_user_id from taken) order by user_id for key share skip locked
),
ranked as materialized (
  select t.*, not r.congested and (t.is_foreign or r.awake + row_number() over (partition by t.requester_user_id order by t.priority, t.seq) <= $5) as room
  from taken t join requesters r on r.user_id = t.requester_user_id
),
chosen as materialized (
  select e.*, c.holder, c.owner, c.used, n.online, n.earliest,
    ${some(`pending_event_attempts t where t.event_id = e.event_id and ${STILL_THERE}`)}
      or ${some(`holder_strikes t where t.reed_id = e.subject_id and t.viewer = e.requester_user_id and ${STILL_THERE}`)} as failing
  from ranked e
  left join lateral (
    select f.* from (select * from (${CANDIDATES}) f
      where (f.failures is null or (f.failures < $9 and f.not_before <= $1)) and ${notStruck('f.holder')}
      limit $8) f
    order by f.last, e.is_foreign and ${struckFor('e.subject_id', 'f.holder', 'e.requester_user_id')}, (f.used >= $6), not f.untried, f.used, random() limit 1
  ) c on e.room
  left join lateral (
    -- The same who-may-be-asked as RECHECK's, or an event could go back and forth between the two.
    select count(*) as online, min(not_before) as earliest from (
      select f.not_before from (${CANDIDATES}) f
      where (f.failures is null or f.failures < $9) and ${notStruck('f.holder')}
      -- Only who gets no holder, or is told how many there are, needs the second count.
      limit case when c.holder is null or e.requested_at is not null then $8::int else 0 end
    ) f
  ) n on true
),
holders as materialized (
  select user_id, owner from online_users where user_id in (select holder from chosen) order by user_id for share skip locked
),
decided as materialized (
  select c.*, h.owner as live_owner,
    case
      -- Over its time, whoever could serve it: dormant and due, it is the sweep's to end.
      when c.event_name = 'BROADCAST_REED' and c.created_at <= $1::timestamptz - $22 * interval '1 millisecond' then 0
      when not c.room and c.online > 0 then 4
      when c.holder is null and c.event_name <> 'BROADCAST_REED' and exists (${nextServer('c', '$1::timestamptz', '$24')}) then 5
      when c.holder is null then case when c.earliest is not null and (c.requested_at is null or c.requested_at > $21) then 4 else 0 end
      when h.user_id is null then 4
      when h.owner = $10 and c.used + row_number() over (partition by c.holder order by c.priority, c.seq)
        <= case c.priority when 0 then $6 else $6 - $16::int end then 2
      else 1
    end as next
  from chosen c left join holders h on h.user_id = c.holder
),
updated as (
  update pending_events e set state = d.next, attempt = e.attempt + (d.next = 2)::int,
    holder = case when d.next in (1, 2) then d.holder end,
    dispatched_at = case when d.next = 2 then $1 end,
    waits = case when d.next = 2 then 0 else e.waits end,
    due_at = case d.next
      when 2 then case e.subject_kind when 'thread' then $12::timestamptz else $11::timestamptz end
      when 1 then $1::timestamptz + least($14::float8, $13::float8 * power(2, least(e.waits, 10))) * interval '1 millisecond'
      when 5 then least($23::timestamptz, greatest($1::timestamptz + interval '1 second', d.earliest))
      when 0 then case when d.requested_at <= $21 then $1::timestamptz
        when e.event_name = 'BROADCAST_REED' then e.created_at + $22 * interval '1 millisecond' else $15::timestamptz end
      else case when not d.room then $17::timestamptz else greatest($1::timestamptz + interval '50 milliseconds', coalesce(d.earliest, $1)) end
    end
  from decided d where e.event_id = d.event_id
  returning e.event_id, e.request_id, e.requested_at is not null as explicit, e.requester_user_id, e.subject_kind, e.subject_id, d.state as was,
    e.state, e.holder, d.live_owner as owner, e.attempt, ${REQUESTER} as for_user, ${REQUESTER_KEY} as key_id, least(3, coalesce(d.online, 0))::int as online, d.failing, d.room
)
select m.*, u.*, case when u.state = 5 then ${sleepsThere('u.subject_id')} else false end as asleep_there
from (
  select exists (select from due d where not exists (select from updated u where u.event_id = d.event_id)) as due_locked,
    (select array_agg(distinct h.requester) from held h where not exists (select from updated u where u.event_id = h.event_id)
      and ${some('online_users o where o.user_id = h.requester')}) as locked_requesters
) m left join updated u on true`;

type Locks = { due_locked: boolean; locked_requesters: UserId[] | null };

type Row = Locks & {
  event_id: string;
  request_id: RequestId | null;
  explicit: boolean;
  requester_user_id: UserId;
  for_user: UserId;
  subject_kind: SubjectKind;
  subject_id: ReedId;
  was: EventState;
  state: EventState;
  holder: UserId | null;
  owner: string | null;
  attempt: number;
  online: number;
  failing: boolean;
  room: boolean;
  key_id: UserKeyId;
  asleep_there: boolean;
};

/** Looks at what is due, at the named events and at the events of the named requesters. */
export const assign = async (context: LedgerContext, targets: AssignTargets, now: number): Promise<Assignment> => {
  const { limits } = context;
  const at = (delayMs: number) => new Date(now + delayMs);
  const extra = targets.events.flatMap(({ eventId, holders = [] }) => holders.map((holder) => ({ eventId, holder })));
  const rows = await context.db.query<Row | (Locks & { event_id: null })>({
    name: 'ledger_assign',
    text: TEXT,
    values: [
      at(0),
      targets.events.map((event) => event.eventId),
      targets.requesters,
      limits.assignItems,
      limits.awakeEventsPerMember,
      limits.holderWindow,
      at(-limits.strikeLifeMs),
      limits.candidatesLookedAt,
      limits.holderFailuresPerEvent,
      context.replicaId(),
      at(limits.dispatchDeadlineMs),
      at(limits.threadDeadlineMs),
      limits.waitingFirstMs,
      limits.waitingMaxMs,
      at(limits.dormantLookMs),
      limits.holderWindowExplicitReserve,
      at(limits.requesterFullMs),
      ringHalf(limits),
      extra.map((each) => each.eventId),
      extra.map((each) => each.holder),
      at(-limits.explicitLifeMs),
      limits.broadcastLifeMs,
      at(limits.inLineLookMs),
      limits.fallbackServers,
    ],
  });
  return {
    events: rows.flatMap((row) => (row.event_id === null ? [] : [assignedOf(row)])),
    isDueLocked: rows[0]?.due_locked ?? false,
    lockedRequesters: rows[0]?.locked_requesters ?? [],
  };
};

/** The named events that could not be had: still to be assigned, though not among what was looked at. */
export const missedBy = async (
  { db }: LedgerContext,
  { events }: AssignTargets,
  seen: readonly Assigned[],
): Promise<ReadonlySet<string>> => {
  const known = new Set(seen.map((event) => event.eventId));
  const unseen = events.flatMap(({ eventId }) => (known.has(eventId) ? [] : [eventId]));
  if (unseen.length === 0) return new Set();
  const rows = await db.query<{ event_id: string }>({
    name: 'ledger_assign_missed',
    text: `select e.event_id from unnest($1::uuid[]) as i(event_id) cross join lateral (
      select event_id from pending_events e where e.event_id = i.event_id and (e.state in (0, 4)) is true
        and ${some('online_users o where o.user_id = e.requester_user_id')}
    ) e`,
    values: [unseen],
  });
  return new Set(rows.map((row) => row.event_id));
};

const assignedOf = (row: Row): Assigned => ({
  eventId: row.event_id,
  requestId: row.request_id,
  explicit: row.explicit,
  requester: row.requester_user_id,
  askedFor: row.for_user,
  requesterKeyId: row.key_id,
  subjectKind: row.subject_kind,
  subjectId: row.subject_id,
  wasDormant: row.was === 0,
  state: row.state,
  holder: row.holder,
  owner: row.owner,
  attempt: row.attempt,
  onlineHolders: row.online,
  failing: row.failing,
  full: !row.room,
  asleepThere: row.asleep_there,
});

export type Recheck = {
  /** Somebody online could be asked, or could be once it no longer backs off. */
  readonly found: boolean;
  /** Somebody besides the requester has an allocation, or another server may have one. */
  readonly held: boolean;
  /** There are more allocations than one side of the ring shows: some may not have been looked at. */
  readonly sampled: boolean;
};

const RECHECK = `
select e.event_id,
  exists (
    select from (${allocationRing('e.subject_id', 'e.author', 'e.pivot', '$3 / 2')}) a
    where a.holder <> e.requester_user_id and (select true from online_users o where o.user_id = a.holder)
      and not ${some('pending_event_attempts t where t.event_id = e.event_id and t.holder = a.holder and t.failures >= $2')}
      and ${notStruck('a.holder')} and ${holdsWhole('e.subject_kind', 'e.subject_id', 'a.holder')}
  ) as found,
  ${some('reed_allocations a where a.reed_id = e.subject_id and a.holder_user_id <> e.requester_user_id')}
    or ${mayCross('e.subject_id', 'e.is_foreign')} as held,
  (select count(*) from (select from reed_allocations a where a.reed_id = e.subject_id limit $3 / 2 + 1) a) > $3 / 2 as sampled
from (
  select p.*, split_part(p.subject_id, '/', 1) as author, ${RANDOM_PIVOT} as pivot from (select distinct id from unnest($1::uuid[]) as u(id)) w
  cross join lateral (
    select * from pending_events where event_id = w.id offset 0
  ) p where p.state = 0 and (p.requested_at is null or p.requested_at > $4)
    and (p.event_name <> 'BROADCAST_REED' or p.created_at > $5) offset 0
) e`;

/**
 * The second look at events that went dormant, after that commit. It takes no lock: a holder that comes online meanwhile must not
 * skip the event as taken. Null for an event that is not dormant any more, or over its time.
 */
export const recheck = async (context: LedgerContext, eventIds: readonly string[], now: number): Promise<(Recheck | null)[]> => {
  const { limits } = context;
  const rows = await context.db.query<Recheck & { event_id: string }>({
    name: 'ledger_recheck',
    text: RECHECK,
    values: [
      ...[eventIds, limits.holderFailuresPerEvent, limits.allocationsSampled],
      ...[new Date(now - limits.explicitLifeMs), new Date(now - limits.broadcastLifeMs)],
    ],
  });
  const found = new Map(rows.map((row) => [row.event_id, row]));
  return eventIds.map((eventId) => found.get(eventId) ?? null);
};
