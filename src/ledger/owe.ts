// OWE: what members are to be given without having asked becomes events, many in one statement. At most one for each (requester, subject):
// one that is open already is raised to the stronger message. With a holder named it goes into that holder's queue, else ASSIGN finds one.
import type { ReedId, UserId } from '../wire/address.ts';
import { struckFor } from './choice.ts';
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

const RANK = (name: string): string => `array_position($13::text[], ${name})`;

const TEXT = `
with input as materialized (
  select *, split_part(subject, '/', 1) as author
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::text[])
    with ordinality as i(event_id, requester, event_name, kind, subject, priority, wanted, ord)
),
requesters as materialized (
  select user_id, congested from online_users where user_id in (select requester from input)
  order by user_id for key share skip locked
),
holders as materialized (
  select user_id, owner from online_users where user_id in (select wanted from input) order by user_id for share skip locked
),
subjects as materialized (
  select s.subject, s.author, r.published_at is not null and r.removed_at is null as there
  from (select distinct subject, author from input) s left join reeds r on r.id = s.subject
),
facts as materialized (
  select i.*, q.user_id is not null as here, q.congested, x.event_id as open_id,
    s.there
      and not exists (select from blocks b where b.active and b.user_id = i.author and b.target = i.requester)
      and not exists (select from blocks b where b.active and b.user_id = i.requester and b.target = i.author)
      and not exists (select from reed_allocations a where a.holder_user_id = i.requester and a.reed_id = i.subject)
      and not exists (select from reed_declines d where d.user_id = i.requester and d.reed_id = i.subject) as due
  from input i join subjects s on s.subject = i.subject
  left join requesters q on q.user_id = i.requester
  left join pending_events x on x.requester_user_id = i.requester and x.subject_kind = i.kind and x.subject_id = i.subject and not x.is_foreign
),
existing as materialized (
  select e.event_id, f.ord, f.event_name, f.priority from facts f join pending_events e on e.event_id = f.open_id
  where f.here and f.due and e.requested_at is null and ${RANK('f.event_name')} < ${RANK('e.event_name')}
  order by e.event_id for update of e skip locked
),
raised as (
  update pending_events e set event_name = x.event_name, priority = least(e.priority, x.priority)
  from existing x where e.event_id = x.event_id returning x.ord
),
fresh as materialized (
  select f.*, row_number() over (partition by requester order by ord) as nth from facts f where here and due and open_id is null
),
usage as materialized (
  select u.requester,
    (select count(*) from pending_events e where e.requester_user_id = u.requester and e.state in (1, 2, 3, 7)) as awake,
    (select count(*) from pending_events e where e.requester_user_id = u.requester and not e.is_foreign) as owed
  from (select distinct requester from fresh) u
),
decided as materialized (
  select f.*, u.owed + f.nth > $8 as behind, not f.congested and u.awake + f.nth <= $9 as room, h.owner,
    not f.congested and u.awake + f.nth <= $9 and h.user_id is not null and h.user_id <> f.requester
      and not ${struckFor('f.subject', 'f.wanted', 'f.requester')} as queued
  from fresh f join usage u on u.requester = f.requester left join holders h on h.user_id = f.wanted
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
  on conflict do nothing
  returning event_id, holder
)
select i.requester,
  case
    when f.ord is null or not f.here then
      case when exists (select from online_users o where o.user_id = i.requester) then 'locked' else 'kept' end
    when n.event_id is not null then 'opened'
    when r.ord is not null then 'raised'
    when d.behind then 'behind'
    when d.ord is not null then 'locked'
    else 'kept'
  end as outcome,
  i.event_id, n.holder, d.owner, coalesce(not d.room, false) as full
from input i
left join facts f on f.ord = i.ord
left join decided d on d.ord = i.ord
left join raised r on r.ord = i.ord
left join inserted n on n.event_id = i.event_id
order by i.ord`;

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
