// OWE: what members are to be given without having asked becomes events, many in one statement. At most one for each (requester, subject):
// one that is open already is raised to the stronger message. With a holder named it goes into that holder's queue, else ASSIGN finds one.
import type { ReedId, UserId } from '../wire/address.ts';
import { blockedBy, COUNTED_ONCE, homeOf, isAllocation, isRemovedAccount, lockedById, OWED_ONCE, some, struckFor } from './choice.ts';
import type { LedgerContext } from './context.ts';
import { EVENT_NAMES, type EventName, type SubjectKind } from './state.ts';

export type OweItem = {
  /** The id that the event gets if it is new. */
  readonly eventId: string;
  readonly requester: UserId;
  readonly eventName: EventName;
  readonly kind: SubjectKind;
  readonly subject: ReedId;
  /** 1 for what is live, 2 for catch-up and pages. */
  readonly priority: 1 | 2;
  /** Who has it for sure, if anybody. */
  readonly holder: UserId | null;
};

export type Owed = {
  readonly requester: UserId;
  /**
   * opened: a new event. raised: there was one, which now says more. kept: there was one, or nothing is to be owed. behind: the member has as many
   * events as it may. locked: the member or the event was being changed at that moment; try again.
   */
  readonly outcome: 'opened' | 'raised' | 'kept' | 'behind' | 'locked';
  readonly eventId: string;
  /** In this holder's queue; null where ASSIGN is to find one. */
  readonly holder: UserId | null;
  /** The replica that may claim for the holder. */
  readonly owner: string | null;
  /** The requester had no free place. */
  readonly full: boolean;
};

/** What a peer's page names need not be known here. */
const UNKNOWN_OF_A_PEER = `(not ${some('reeds r where r.id = i.subject')} and ${some(`fold_peers p where p.server_id = ${homeOf('i.subject')}`)})`;

const RANK = (name: string): string => `array_position($13::text[], ${name})`;

// Rows are carried from step to step and tables are looked into by lateral subqueries, as in OPEN: joins of steps would be quadratic in the batch.
const TEXT = `
with input as materialized (
  select *, split_part(subject, '/', 1) as author
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[])
    with ordinality as i(event_id, requester, event_name, kind, subject, priority, wanted, ord)
),
facts as materialized (
  select i.*, q.user_id is not null as here, q.congested, x.event_id as open_id,
    (${some('reeds r where r.id = i.subject and r.published_at is not null and r.removed_at is null')} or ${UNKNOWN_OF_A_PEER}) and not ${isRemovedAccount('i.author')}
      and not ${blockedBy('i.author', 'i.requester')} and not ${blockedBy('i.requester', 'i.author')}
      and not ${some(`reed_allocations a where ${isAllocation('a', 'i.requester', 'i.subject')}`)}
      and not ${some('reed_declines d where d.user_id = i.requester and d.reed_id = i.subject')} as due
  from (select * from input order by requester, ord) i
  left join lateral (select user_id, congested from online_users o where o.user_id = i.requester for key share skip locked) q on true
  left join lateral (select event_id from pending_events p where p.requester_user_id = i.requester
    and p.subject_kind = i.kind and p.subject_id = i.subject and not p.is_foreign limit 1) x on true
),
existing as materialized (
  select e.event_id, f.ord, f.event_name, f.priority from (select * from facts where here and due and open_id is not null order by open_id) f
  cross join lateral (${lockedById('f.open_id', `e.requested_at is null and ${RANK('f.event_name')} < ${RANK('e.event_name')}`)}) e
),
raised as (
  update pending_events e set event_name = x.event_name, priority = least(e.priority, x.priority)
  from existing x where e.event_id = x.event_id returning x.ord
),
decided as materialized (
  select c.*, h.owner,
    room and h.user_id is not null and h.user_id <> c.requester and not ${struckFor('c.subject', 'c.wanted', 'c.requester')} as queued
  from (
    select f.*, nth + max(owed) over same > $8 as behind, not congested and nth + max(awake) over same <= $9 as room
    from (
      select f.*, u.*
      from (select *, row_number() over (partition by requester order by ord) as nth from facts where here and due and open_id is null) f
      left join lateral (${COUNTED_ONCE}) u on true
    ) f window same as (partition by requester)
  ) c
  left join lateral (select user_id, owner from online_users o where o.user_id = c.wanted for share skip locked) h on true
),
-- Numbered in the order given, which is the order of delivery; inserted in the order of the keys, which is the order of locks.
numbered as materialized (
  select d.*, nextval(pg_get_serial_sequence('pending_events', 'seq')) as seq from (select * from decided where not behind order by ord) d
),
inserted as (
  insert into pending_events (event_id, seq, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, holder, created_at)
  overriding system value
  select event_id, seq, requester, event_name, kind, subject, priority, case when queued then 1 else 4 end,
    case when queued then $11::timestamptz when room then $10::timestamptz else $12::timestamptz end, case when queued then wanted end, $10
  from numbered order by requester, kind, subject
  on conflict ${OWED_ONCE} do nothing
  returning event_id
)
select d.ord, d.requester, case when d.behind then 'behind' when d.event_id in (select event_id from inserted) then 'opened' else 'locked' end as outcome,
  d.event_id, case when d.queued and not d.behind then d.wanted end as holder, d.owner, not d.room as full
from decided d
union all
select f.ord, f.requester,
  case
    when not f.here and ${some('online_users o where o.user_id = f.requester')} then 'locked'
    when f.ord in (select ord from raised) then 'raised'
    else 'kept'
  end, f.event_id, null, null, false
from facts f where (f.here and f.due and f.open_id is null) is not true
order by 1`;

type Row = {
  requester: UserId;
  outcome: Owed['outcome'];
  event_id: string;
  holder: UserId | null;
  owner: string | null;
  full: boolean;
};

/** Owes a batch; at most one item per (requester, subject). Who is not online is owed nothing here. */
export const owe = async (context: LedgerContext, items: readonly OweItem[], now: number): Promise<Owed[]> => {
  const { limits } = context;
  const rows = await context.db.query<Row>({
    name: 'ledger_owe',
    text: TEXT,
    values: [
      items.map((item) => item.eventId),
      items.map((item) => item.requester),
      items.map((item) => item.eventName),
      items.map((item) => item.kind),
      items.map((item) => item.subject),
      items.map((item) => item.priority),
      items.map((item) => item.holder),
      limits.eventsPerMember,
      limits.awakeEventsPerMember,
      new Date(now),
      new Date(now + limits.waitingFirstMs),
      new Date(now + limits.requesterFullMs),
      EVENT_NAMES,
    ],
  });
  return rows.map(({ requester, outcome, event_id: eventId, holder, owner, full }) => ({
    requester,
    outcome,
    eventId,
    holder,
    owner,
    full,
  }));
};
