// OPEN: explicit requests become events, choose a holder and claim it, in one statement for a whole batch.
// Inserts only for requesters, and claims only holders, whose presence rows it holds a lock on: a key-share lock keeps a requester from leaving,
// a share lock also keeps a holder from moving to another replica, which would count its places for itself.

import { LOCKED, type Locked } from '../db/batch.ts';
import type { ReedId, RequestId, UserId, UserKeyId } from '../wire/address.ts';
import {
  allocationRing,
  blockedBy,
  COUNTED_ONCE,
  chosenLast,
  holdsWhole,
  homeOf,
  inFlight,
  isAllocation,
  isRemovedAccount,
  lockedById,
  mayCross,
  noticeOf,
  OWED_ONCE,
  RANDOM_PIVOT,
  ringHalf,
  sleepsThere,
  some,
  struckFor,
} from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { EventState, Refusal, SubjectKind } from './state.ts';

export type OpenItem = {
  /** The id that the event gets if it is new. */
  readonly eventId: string;
  readonly requestId: RequestId;
  readonly requester: UserId;
  readonly kind: SubjectKind;
  readonly subject: ReedId;
};

export type Opened = {
  readonly refusal: null;
  readonly eventId: string;
  /** False: the request joined an event that was open already. */
  readonly fresh: boolean;
  readonly state: EventState;
  readonly holder: UserId | null;
  /** The replica that may claim for `holder`. */
  readonly owner: string | null;
  readonly requesterKeyId: UserKeyId;
  readonly onlineHolders: number;
  /** Somebody online has it, but was struck by this requester. */
  readonly failing: boolean;
  /** The requester had no free place. */
  readonly full: boolean;
  /** In line behind one that sleeps at its home, where nobody online has it. */
  readonly asleepThere: boolean;
};

export type OpenOutcome = Opened | { readonly refusal: Refusal };

// Rows are carried from step to step, in arrays where they are grouped, and tables are looked into by lateral subqueries: the planner takes every
// step for one row, so that steps joined with each other would be nested loops, quadratic in the batch.
const TEXT = `
with input as materialized (
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
    with ordinality as i(event_id, request_id, requester, kind, subject, ord)
),
facts as materialized (
  select i.*, coalesce(r.author_id, split_part(i.subject, '/', 1)) as author, q.congested, x.event_id as open_id, m.explicit,
    case
      when q.user_id is null and ${some('online_users o where o.user_id = i.requester')} then 'locked'
      when q.user_id is null then 'gone'
      when r.id is null and not ${some(`fold_peers p where p.server_id = ${homeOf('i.subject')}`)}
        and not ${some('reed_allocations a where a.reed_id = i.subject')} then 'not-found'
      when r.id is not null and (r.published_at is null or (i.kind = 'thread' and r.thread_head is distinct from r.id)) then 'not-found'
      when r.removed_at is not null then 'removed'
      when ${isRemovedAccount('r.author_id')} then 'not-found'
      when ${blockedBy('r.author_id', 'i.requester')} or ${blockedBy('i.requester', 'r.author_id')} then 'blocked'
      when m.conflict then 'conflict'
    end as refusal
  from (select * from input order by requester, ord) i
  left join lateral (select user_id, congested from online_users o where o.user_id = i.requester for key share skip locked) q on true
  left join lateral (select id, author_id, published_at, removed_at, thread_head from reeds where id = i.subject limit 1) r on true
  left join lateral (select event_id from pending_events p where p.requester_user_id = i.requester
    and p.subject_kind = i.kind and p.subject_id = i.subject and not p.is_foreign limit 1) x on true
  left join lateral (
    select count(*) as explicit, bool_or(p.request_id = i.request_id and (p.subject_kind <> i.kind or p.subject_id <> i.subject)) as conflict
    from pending_events p where p.requester_user_id = i.requester and p.requested_at is not null
  ) m on true
),
existing as materialized (
  select e.event_id, f.ord, f.request_id, f.requester, f.kind, f.subject, f.author
  from (select * from facts where refusal is null and open_id is not null order by open_id) f cross join lateral (
    ${lockedById('f.open_id', 'true')}
  ) e
),
joined as (
  update pending_events e set request_id = x.request_id, priority = 0, event_name = 'DATA_RESPONSE', 
    requested_at = case when e.request_id = x.request_id then coalesce(e.requested_at, $6) else $6 end
  from existing x where e.event_id = x.event_id
  returning x.ord, e.event_id, e.state, e.holder
),
fresh as materialized (
  select c.*, nth + explicit > $8 or nth + max(owed) over same > $9 as too_many,
    not congested and nth + max(awake) over same <= $10 as room
  from (
    select f.*, u.*
    from (select *, row_number() over (partition by requester order by ord) as nth from facts where refusal is null and open_id is null) f
    left join lateral (${COUNTED_ONCE}) u on true
  ) c window same as (partition by requester)
),
subjects as materialized (
  -- Those with room come first: their places in the arrays are those among the slots.
  select subject, kind, author, count(*) filter (where room) as n, ${RANDOM_PIVOT} as pivot,
    array_agg(ord order by room desc, ord) as ords, array_agg(event_id order by room desc, ord) as event_ids,
    array_agg(request_id order by room desc, ord) as request_ids, array_agg(requester order by room desc, ord) as requesters,
    array_agg(room order by room desc, ord) as rooms, array_agg(is_fresh order by room desc, ord) as freshes,
    ${some('holder_strikes t where t.reed_id = subject')} as has_strikes
  from (
    select ord, event_id, request_id, requester, subject, kind, author, room, true as is_fresh from fresh where not too_many
    union all
    select ord, event_id, request_id, requester, subject, kind, author, false, false from existing
  ) a group by subject, kind, author
),
near as materialized (
  -- All who hold it, if no more than are looked at; the ring is for subjects with more.
  select s.*, array(select a.holder_user_id from reed_allocations a where a.reed_id = s.subject order by a.pivot limit $11 + 1) as near from subjects s
),
candidates as materialized (
  select s.*, c.holders, c.used,
    case when s.n > 1 then array(
      select h.nth from unnest(c.used) with ordinality as h(used, nth) cross join lateral generate_series(h.used, $12 - 1) as level
      order by level, h.nth limit s.n
    ) end as slots
  from near s cross join lateral (
    select coalesce((array_agg(holder order by used >= $12, last, used, chance))[1:greatest($13, s.n)], '{}') as holders,
      coalesce((array_agg(used order by used >= $12, last, used, chance))[1:greatest($13, s.n)], '{}') as used
    from (
      select l.*, random() as chance, case when s.has_strikes then ${chosenLast('s.subject', 'l.holder', 's.author', '$7')} else false end as last from (
        select a.holder, case when o.congested then $12 else ${inFlight('a.holder')} end as used
        from (
          select unnest(s.near) as holder where cardinality(s.near) <= $11
          union all
          select r.holder from (${allocationRing('s.subject', 's.author', 's.pivot', '$20')}) r where cardinality(s.near) > $11
        ) a
        cross join lateral (select congested from online_users o where o.user_id = a.holder limit 1) o
        where ${holdsWhole('s.kind', 's.subject', 'a.holder')}
        limit greatest($11, s.n)
      ) l
    ) k
  ) c
),
-- What is asked for is not there, or not confirmed; of a thread some of the parts may be.
parts as materialized (
  select u.requester, s.subject as reed_id, true as is_lacked from near s cross join lateral unnest(s.requesters, s.freshes) as u(requester, is_fresh)
    where u.is_fresh and s.kind = 'reed' and (cardinality(s.near) > $11 or u.requester = any(s.near))
  union
  select f.requester, p.id, false from fresh f join reeds p on p.thread_head = f.subject where not f.too_many and f.kind = 'thread'
),
dropped as (
  delete from reed_allocations a using (select * from parts where is_lacked order by requester, reed_id) p where ${isAllocation('a', 'p.requester', 'p.reed_id')}
  returning a.holder_user_id, a.reed_id
),
noticed as (${noticeOf('dropped')}),
undeclined as (
  delete from reed_declines d using (
    select requester, subject as reed_id from fresh where not too_many and kind = 'reed' union all select requester, reed_id from parts
  ) p where d.user_id = p.requester and d.reed_id = p.reed_id
),
placed as materialized (
  select p.*, p.holders[p.place] as holder, p.used_of[p.place] as used,
    case when p.has_strikes then (select count(*) from unnest(p.holders) as h(id)
      where h.id <> p.requester and not ${struckFor('p.subject', 'h.id', 'p.requester')})
      else cardinality(p.holders) - (p.requester = any(p.holders))::int end as online,
    case when p.has_strikes then exists (select from unnest(p.holders) as h(id)
      where h.id <> p.requester and ${struckFor('p.subject', 'h.id', 'p.requester')}) else false end as failing
  from (
    select u.*, s.subject, s.kind, s.has_strikes, s.holders, s.used as used_of,
      case when s.n > 1 then u.k <= cardinality(s.slots) else s.used[1] < $12 end as slotted,
      case when not u.room then null
        when s.n > 1 and u.k <= cardinality(s.slots) then s.slots[u.k]
        when cardinality(s.holders) > 0 then 1 + (u.k - 1) % cardinality(s.holders) end as place
    from candidates s cross join lateral unnest(s.ords, s.event_ids, s.request_ids, s.requesters, s.rooms, s.freshes)
      with ordinality as u(ord, event_id, request_id, requester, room, is_fresh, k)
  ) p
),
decided as materialized (
  select p.*, h.owner,
    case
      when not p.is_fresh then null
      when p.online = 0 and ${mayCross('p.subject', 'false')} then 5
      when p.online = 0 and not ${some('reed_allocations a where a.reed_id = p.subject and a.holder_user_id <> p.requester')} then null
      when p.online = 0 then 0
      when not p.room then 4
      when h.user_id is null or p.holder = p.requester or (p.has_strikes and ${struckFor('p.subject', 'p.holder', 'p.requester')}) then 4
      when p.slotted and h.owner = $14 and p.used + p.rank <= $12 then 2
      else 1
    end as state
  from (
    select *, row_number() over (partition by holder order by slotted desc, ord) as rank from placed order by holder, slotted desc, ord
  ) p
  left join lateral (select user_id, owner from online_users o where o.user_id = p.holder for share skip locked) h on true
),
inserted as (
  insert into pending_events (event_id, request_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at,
    holder, dispatched_at, attempt, requested_at, created_at)
  select event_id, request_id, requester, 'DATA_RESPONSE', kind, subject, 0, state,
    case state when 0 then $18::timestamptz when 5 then $21::timestamptz when 1 then $17::timestamptz
      when 2 then case kind when 'thread' then $16::timestamptz else $15::timestamptz end
      else case when room then $6::timestamptz else $19::timestamptz end end,
    case when state in (1, 2) then holder end, case when state = 2 then $6 end, case when state = 2 then 1 else 0 end, $6, $6
  from decided where state is not null order by requester, kind, subject
  on conflict ${OWED_ONCE} do nothing
  returning event_id, state, holder
)
select f.ord::int as ord,
  case when f.refusal is not null then f.refusal when w.too_many then 'too-many'
    when d.ord is not null and d.is_fresh and d.state is null then 'not-held' end as refusal,
  coalesce(j.event_id, n.event_id) as event_id, n.event_id is not null as fresh,
  coalesce(j.state, n.state)::int as state, coalesce(j.holder, n.holder) as holder, d.owner,
  (select u.key_id from users u where u.id = f.requester) as requester_key_id,
  least(3, d.online)::int as online, d.failing, coalesce(not w.room, false) as full,
  case when coalesce(j.state, n.state) = 5 then ${sleepsThere('f.subject')} else false end as asleep_there,
  case when f.ord = 1 then array(select distinct reed_id from dropped) else '{}' end as dropped
from facts f
left join fresh w on w.ord = f.ord
left join decided d on d.ord = f.ord
left join joined j on j.ord = f.ord
left join inserted n on n.event_id = f.event_id
order by f.ord`;

type Row = {
  /** 'locked': the requester's presence is being changed at this moment. */
  refusal: Refusal | 'locked' | null;
  event_id: string | null;
  fresh: boolean;
  state: EventState;
  holder: UserId | null;
  owner: string | null;
  requester_key_id: UserKeyId;
  online: number;
  failing: boolean;
  full: boolean;
  asleep_there: boolean;
  /** By the whole batch, in its first row. */
  dropped: ReedId[];
};

/**
 * Opens a batch of explicit requests; at most one item per (requester, subject).
 * @returns for each item its outcome, or LOCKED if its event or its requester's presence was locked, or the event inserted, at the same moment; and the reeds of which a requester's
 *   own allocation was dropped on the way (they may have lost their last copy)
 */
export const open = async (
  context: LedgerContext,
  items: readonly OpenItem[],
  now: number,
): Promise<{ outcomes: (OpenOutcome | Locked)[]; dropped: readonly ReedId[] }> => {
  const { limits } = context;
  const at = (delayMs: number) => new Date(now + delayMs);
  const rows = await context.db.query<Row>({
    name: 'ledger_open',
    text: TEXT,
    values: [
      items.map((item) => item.eventId),
      items.map((item) => item.requestId),
      items.map((item) => item.requester),
      items.map((item) => item.kind),
      items.map((item) => item.subject),
      at(0),
      at(-limits.strikeLifeMs),
      limits.openRequests,
      limits.eventsPerMember,
      limits.awakeEventsPerMember,
      limits.candidatesLookedAt,
      limits.holderWindow,
      limits.candidates,
      context.replicaId(),
      at(limits.dispatchDeadlineMs),
      at(limits.threadDeadlineMs),
      at(limits.waitingFirstMs),
      at(limits.dormantLookMs),
      at(limits.requesterFullMs),
      ringHalf(limits),
      at(limits.inLineLookMs),
    ],
  });
  return { outcomes: rows.map(outcomeOf), dropped: rows[0]?.dropped ?? [] };
};

const outcomeOf = (row: Row): OpenOutcome | Locked => {
  if (row.refusal === 'locked') return LOCKED;
  if (row.refusal) return { refusal: row.refusal };
  if (row.event_id === null) return LOCKED;
  return {
    refusal: null,
    eventId: row.event_id,
    fresh: row.fresh,
    state: row.state,
    holder: row.holder,
    owner: row.owner,
    requesterKeyId: row.requester_key_id,
    onlineHolders: row.online,
    failing: row.failing,
    full: row.full,
    asleepThere: row.asleep_there,
  };
};
