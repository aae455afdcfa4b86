// OPEN: explicit requests become events, choose a holder and claim it, in one statement for a whole batch.
// Inserts only for requesters, and claims only holders, whose presence rows it holds a lock on: a key-share lock keeps a requester from leaving,
// a share lock also keeps a holder from moving to another replica, which would count its places for itself.

import type { ReedId, RequestId, UserId, UserKeyId } from '../wire/address.ts';
import { allocationRing, chosenLast, holdsWhole, inFlight, RANDOM_PIVOT, ringHalf, struckFor } from './choice.ts';
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
};

export type OpenOutcome = Opened | { readonly refusal: Refusal };

const TEXT = `
with input as materialized (
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
    with ordinality as i(event_id, request_id, requester, kind, subject, ord)
),
requesters as materialized (
  select user_id, congested from online_users where user_id in (select requester from input)
  order by user_id for key share skip locked
),
facts as materialized (
  select i.*, r.author_id as author, q.congested, x.event_id as open_id,
    case
      when q.user_id is null and exists (select from online_users o where o.user_id = i.requester) then 'locked'
      when q.user_id is null then 'gone'
      when r.published_at is null or (i.kind = 'thread' and r.thread_head is distinct from r.id) then 'not-found'
      when r.removed_at is not null then 'removed'
      when exists (select from blocks b where b.active and b.user_id = r.author_id and b.target = i.requester)
        or exists (select from blocks b where b.active and b.user_id = i.requester and b.target = r.author_id) then 'blocked'
      when exists (select from pending_events e where e.requester_user_id = i.requester and e.request_id = i.request_id
        and e.requested_at is not null and (e.subject_kind <> i.kind or e.subject_id <> i.subject)) then 'conflict'
    end as refusal
  from input i
  left join requesters q on q.user_id = i.requester
  left join reeds r on r.id = i.subject
  left join pending_events x on x.requester_user_id = i.requester and x.subject_kind = i.kind and x.subject_id = i.subject and not x.is_foreign
),
existing as materialized (
  select e.event_id, f.ord, f.request_id from facts f join pending_events e on e.event_id = f.open_id
  where f.refusal is null order by e.event_id for update of e skip locked
),
joined as (
  update pending_events e set request_id = x.request_id, priority = 0, event_name = 'DATA_RESPONSE', 
    requested_at = case when e.request_id = x.request_id then coalesce(e.requested_at, $6) else $6 end
  from existing x where e.event_id = x.event_id
  returning x.ord, e.event_id, e.state, e.holder
),
usage as materialized (
  select f.requester,
    (select count(*) from pending_events e where e.requester_user_id = f.requester and e.requested_at is not null) as explicit,
    (select count(*) from pending_events e where e.requester_user_id = f.requester and e.state in (1, 2, 3, 7)) as awake,
    (select count(*) from pending_events e where e.requester_user_id = f.requester and not e.is_foreign) as owed
  from (select distinct requester from facts where refusal is null and open_id is null) f
),
fresh as materialized (
  select f.ord, f.event_id, f.request_id, f.requester, f.kind, f.subject, f.author, f.nth,
    f.nth + u.explicit > $8 or f.nth + u.owed > $9 as too_many,
    not f.congested and f.nth + u.awake <= $10 as room
  from (select *, row_number() over (partition by requester order by ord) as nth from facts where refusal is null and open_id is null) f
  join usage u on u.requester = f.requester
),
parts as materialized (
  select requester, subject as reed_id from fresh where not too_many and kind = 'reed'
  union
  select f.requester, p.id from fresh f join reeds p on p.thread_head = f.subject where not f.too_many and f.kind = 'thread'
),
dropped as (
  delete from reed_allocations a using parts p where a.holder_user_id = p.requester and a.reed_id = p.reed_id returning a.reed_id
),
undeclined as (
  delete from reed_declines d using parts p where d.user_id = p.requester and d.reed_id = p.reed_id
),
subjects as materialized (
  select subject, kind, author, count(*) filter (where wanted) as n, ${RANDOM_PIVOT} as pivot
  from (
    select subject, kind, author, room as wanted from fresh where not too_many
    union all
    select f.subject, f.kind, f.author, false from existing x join facts f on f.ord = x.ord
  ) s group by subject, kind, author
),
candidates as materialized (
  select s.subject, s.kind, c.holder, c.owner, c.used,
    row_number() over (partition by s.subject, s.kind order by c.last, c.used, random()) as nth,
    count(*) over (partition by s.subject, s.kind) as all_of
  from subjects s cross join lateral (
    select l.*, ${chosenLast('s.subject', 'l.holder', 's.author', '$7')} as last from (
      select o.holder, o.owner, case when o.congested then $12 else ${inFlight('o.holder')} end as used from (
        select a.holder, (select o.owner from online_users o where o.user_id = a.holder) as owner,
          (select o.congested from online_users o where o.user_id = a.holder) as congested
        from (${allocationRing('s.subject', 's.author', 's.pivot', '$20')}) a
      ) o
      where o.owner is not null and ${holdsWhole('s.kind', 's.subject', 'o.holder')}
      limit greatest($11, s.n)
    ) l
    order by (l.used >= $12) limit greatest($13, s.n)
  ) c
),
slots as materialized (
  select c.*, row_number() over (partition by subject, kind order by level, nth) as k
  from candidates c cross join lateral generate_series(c.used, $12 - 1) as level
),
placed as materialized (
  select f.*, coalesce(s.holder, q.holder) as holder, coalesce(s.used, q.used) as used, s.holder is not null as slotted
  from (select *, row_number() over (partition by subject, kind order by ord) as k from fresh where not too_many and room) f
  left join slots s on s.subject = f.subject and s.kind = f.kind and s.k = f.k
  left join candidates q on s.holder is null and q.subject = f.subject and q.kind = f.kind and q.nth = 1 + (f.k - 1) % q.all_of
),
holders as materialized (
  select user_id, owner from online_users where user_id in (select holder from placed) order by user_id for share skip locked
),
counted as materialized (
  select f.ord, least(3, count(c.holder) filter (where not c.struck))::int as online, coalesce(bool_or(c.struck), false) as failing
  from (select ord, requester, subject, kind from fresh union all select f.ord, f.requester, f.subject, f.kind from existing x join facts f on f.ord = x.ord) f
  left join lateral (
    select c.holder, ${struckFor('c.subject', 'c.holder', 'f.requester')} as struck from candidates c
    where c.subject = f.subject and c.kind = f.kind and c.holder <> f.requester
  ) c on true
  group by f.ord
),
decided as materialized (
  select f.*, p.holder, h.owner, n.online,
    case
      when n.online = 0 and not exists (select from reed_allocations a where a.reed_id = f.subject and a.holder_user_id <> f.requester) then null
      when n.online = 0 then 0
      when not f.room then 4
      when h.user_id is null or p.holder = f.requester or ${struckFor('f.subject', 'p.holder', 'f.requester')} then 4
      when p.slotted and h.owner = $14
        and p.used + row_number() over (partition by p.holder order by p.slotted desc, f.ord) <= $12 then 2
      else 1
    end as state
  from fresh f
  join counted n on n.ord = f.ord
  left join placed p on p.ord = f.ord
  left join holders h on h.user_id = p.holder
  where not f.too_many
),
inserted as (
  insert into pending_events (event_id, request_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at,
    holder, dispatched_at, attempt, requested_at, created_at)
  select event_id, request_id, requester, 'DATA_RESPONSE', kind, subject, 0, state,
    case state when 0 then $18::timestamptz when 1 then $17::timestamptz
      when 2 then case kind when 'thread' then $16::timestamptz else $15::timestamptz end
      else case when room then $6::timestamptz else $19::timestamptz end end,
    case when state in (1, 2) then holder end, case when state = 2 then $6 end, case when state = 2 then 1 else 0 end, $6, $6
  from decided where state is not null order by requester, kind, subject
  on conflict do nothing
  returning event_id, state, holder
)
select i.ord::int as ord,
  case when f.refusal is not null then f.refusal when w.too_many then 'too-many' when d.ord is not null and d.state is null then 'not-held' end as refusal,
  coalesce(j.event_id, n.event_id) as event_id, n.event_id is not null as fresh,
  coalesce(j.state, n.state)::int as state, coalesce(j.holder, n.holder) as holder, d.owner, u.key_id as requester_key_id,
  c.online, c.failing, coalesce(not w.room, false) as full,
  exists (select from dropped) as dropped
from input i
join facts f on f.ord = i.ord
left join fresh w on w.ord = i.ord
left join decided d on d.ord = i.ord
left join joined j on j.ord = i.ord
left join inserted n on n.event_id = i.event_id
left join counted c on c.ord = i.ord
left join users u on u.id = i.requester
order by i.ord`;

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
  dropped: boolean;
};

/**
 * Opens a batch of explicit requests; at most one item per (requester, subject).
 * @returns for each item its outcome, or null if its event or its requester's presence was locked, or the event inserted, at the same moment; and whether a requester's own
 *   allocation was dropped on the way (then the subject may have lost its last copy)
 */
export const open = async (
  context: LedgerContext,
  items: readonly OpenItem[],
  now: number,
): Promise<{ outcomes: (OpenOutcome | null)[]; dropped: boolean }> => {
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
    ],
  });
  return { outcomes: rows.map(outcomeOf), dropped: rows[0]?.dropped ?? false };
};

const outcomeOf = (row: Row): OpenOutcome | null => {
  if (row.refusal === 'locked') return null;
  if (row.refusal) return { refusal: row.refusal };
  if (row.event_id === null) return null;
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
  };
};
