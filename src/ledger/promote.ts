// PROMOTE: who stands in line for a subject is given a holder if there is one by now, else a slot, and crosses. At most three copies of a subject
// cross from one server at a time, which the unique index on slots keeps whoever promotes at the same moment.
import type { ReedId, RequestId, ServerId, UserId } from '../wire/address.ts';
import { allocationRing, holdsWhole, lockedById, nextServer, RANDOM_PIVOT, ringHalf, some, struckFor } from './choice.ts';
import type { LedgerContext } from './context.ts';
import type { SubjectKind } from './state.ts';

export type Promoted = {
  readonly crossingId: string;
  readonly eventId: string;
  readonly server: ServerId;
  readonly subject: ReedId;
  readonly kind: SubjectKind;
  /** Asked because it has a holder, not as the home. */
  readonly isFallback: boolean;
};

/** An event that stays in line, or got out of it without crossing. */
export type StillInLine = {
  readonly eventId: string;
  readonly requester: UserId;
  readonly requestId: RequestId | null;
  readonly subject: ReedId;
  /** The server that it waits for does not answer. */
  readonly isAway: boolean;
  /** No server is left to be asked: it is dormant now. */
  readonly isDormant: boolean;
};

export type Promotion = {
  readonly crossing: readonly Promoted[];
  readonly waiting: readonly StillInLine[];
  /** Events are unassigned and due: somebody here can be asked for them. */
  readonly roused: boolean;
  /** Subjects in whose line somebody had an event, or its requester's presence, at that moment. Whoever it was may have left it as it is. */
  readonly locked: readonly ReedId[];
};

/** Whether somebody online may be asked for event row `e` just now. */
const HAS_HOLDER = `exists (
  select from (${allocationRing('e.subject_id', 'e.author', 'e.pivot', '$4')}) a
  where a.holder <> e.requester_user_id and (select true from online_users o where o.user_id = a.holder)
    and not ${some('pending_event_attempts t where t.event_id = e.event_id and t.holder = a.holder and (t.failures >= $5 or t.not_before > $1)')}
    and (e.is_foreign or not ${struckFor('e.subject_id', 'a.holder', 'e.requester_user_id')}) and ${holdsWhole('e.subject_kind', 'e.subject_id', 'a.holder')}
)`;

const TEXT = `
with subjects as materialized (select distinct subject from unnest($2::text[]) as u(subject)),
heads as materialized (
  -- Those who may not carry look for a holder too; those who may are not behind them.
  select s.subject, e.event_id, e.requester_user_id, false as carries from subjects s cross join lateral (
    select event_id, requester_user_id from pending_events w where w.subject_id = s.subject and w.state = 5 order by w.priority, w.seq limit $3) e
  union all
  select s.subject, e.event_id, e.requester_user_id, true from subjects s cross join lateral (
    select event_id, requester_user_id from pending_events w where w.subject_id = s.subject and w.state = 5
      and not ${some('carrier_faults c where c.subject = w.subject_id and c.member = w.requester_user_id and c.at > $7')}
      -- How its copy ended is written only after its event is in line again: until then it may have a fault.
      and not ${some('foreign_pending_events f where f.subject = w.subject_id and f.requester = w.requester_user_id and f.owes is null and f.arrived_at is not null')}
    order by w.priority, w.seq limit $3) e
),
line as materialized (
  select h.carries, e.*, split_part(e.subject_id, '/', 1) as author, ${RANDOM_PIVOT} as pivot
  from (select event_id, bool_or(carries) as carries from heads group by event_id order by event_id) h cross join lateral (
    ${lockedById('h.event_id', 'e.state = 5')}
  ) e
),
present as materialized (
  select user_id, congested, (select count(*) from pending_events p where p.requester_user_id = user_id and p.state in (1, 2, 3, 7)) as awake
  from online_users where user_id in (select requester_user_id from line) order by user_id for key share skip locked
),
judged as materialized (
  select e.*, ${HAS_HOLDER} as has_holder, t.server_id, t.is_fallback, coalesce(t.away_until > $1, false) as is_away,
    e.is_foreign or (not p.congested and p.awake + row_number() over (partition by e.requester_user_id order by e.priority, e.seq) <= $8) as room
  from line e join present p on p.user_id = e.requester_user_id left join lateral (${nextServer('e', '$1', '$6')}) t on true
),
roused as (
  update pending_events e set state = 4, due_at = $1 from judged j where e.event_id = j.event_id and j.has_holder returning e.event_id
),
lost as (
  update pending_events e set state = 0, due_at = $9 from judged j where e.event_id = j.event_id and not j.has_holder and j.server_id is null
  returning e.event_id
),
slots as materialized (
  select w.server_id, w.subject_id, n.slot, row_number() over (partition by w.server_id, w.subject_id order by n.slot) as k
  from (select distinct server_id, subject_id from judged where not has_holder and not is_away and server_id is not null) w
  cross join generate_series(1, 3) as n(slot)
  where not ${some('foreign_pending_events f where f.asked_server_id = w.server_id and f.subject = w.subject_id and f.slot = n.slot')}
    and not ${some('foreign_pending_events f where f.asked_server_id = w.server_id and f.subject = w.subject_id and f.slot is not null and f.asleep')}
    and ((select count(*) from carrier_faults c where c.subject = w.subject_id and c.reason = 'invalid' and c.at > $7) < $10
      or (n.slot = 1 and not ${some('carrier_faults c where c.subject = w.subject_id and c.at > $11')}
        and not ${some('foreign_pending_events f where f.asked_server_id = w.server_id and f.subject = w.subject_id and f.slot is not null')}))
),
picked as materialized (
  select r.*, s.slot, row_number() over (partition by r.server_id order by r.priority, r.seq) as nth
  from (
    select j.*, row_number() over (partition by server_id, subject_id order by priority, seq) as k
    from judged j where carries and room and not has_holder and not is_away and server_id is not null
  ) r join slots s on s.server_id = r.server_id and s.subject_id = r.subject_id and s.k = r.k
),
counted as materialized (
  select s.server_id, (select count(*) from foreign_pending_events f where f.asked_server_id = s.server_id and f.slot is not null and not f.asleep) as awake
  from (select distinct server_id from picked) s
),
inserted as (
  insert into foreign_pending_events (crossing_id, event_id, asked_server_id, subject, kind, requester, slot, is_fallback, due_at, created_at)
  select uuidv7(), p.event_id, p.server_id, p.subject_id, p.subject_kind, p.requester_user_id, p.slot, p.is_fallback, $12, $1
  from picked p join counted c on c.server_id = p.server_id where p.nth + c.awake <= $13 order by p.server_id, p.subject_id, p.slot
  on conflict do nothing
  returning crossing_id, event_id, asked_server_id, subject, kind, is_fallback
),
crossing as (
  update pending_events e set state = 7, due_at = 'infinity', holder = null from inserted i where e.event_id = i.event_id
),
-- By a hash of what was judged: of two lists that are each taken for one row a join is a scan of one for each row of the other.
locked as materialized (
  select distinct h.subject from heads h
  where h.event_id not in (select event_id from judged) and ${some('online_users o where o.user_id = h.requester_user_id')}
)
select s.subject, exists (select from locked l where l.subject = s.subject) as locked,
  j.event_id, j.requester_user_id, case when j.requested_at is not null then j.request_id end as request_id, j.subject_id, j.is_away,
  j.has_holder, not j.has_holder and j.server_id is null as is_dormant, i.crossing_id, i.asked_server_id, i.kind, i.is_fallback
from subjects s left join judged j on j.subject_id = s.subject left join inserted i on i.event_id = j.event_id`;

type Row = {
  subject: ReedId;
  locked: boolean;
  event_id: string | null;
  requester_user_id: UserId;
  request_id: RequestId | null;
  subject_id: ReedId;
  is_away: boolean;
  has_holder: boolean;
  is_dormant: boolean;
  crossing_id: string | null;
  asked_server_id: ServerId;
  kind: SubjectKind;
  is_fallback: boolean;
};

/** Looks at the heads of the lines for these subjects. A crossing that it returns is committed and is to be asked for now; one that isn't, is when due. */
export const promote = async (context: LedgerContext, subjects: readonly ReedId[], now: number): Promise<Promotion> => {
  const { limits } = context;
  const at = (delayMs: number) => new Date(now + delayMs);
  const rows = await context.db.query<Row>({
    name: 'ledger_promote',
    text: TEXT,
    values: [
      at(0),
      subjects,
      limits.linePerPromotion,
      ringHalf(limits),
      limits.holderFailuresPerEvent,
      limits.fallbackServers,
      at(-limits.carrierFaultMs),
      limits.awakeEventsPerMember,
      at(limits.dormantLookMs),
      limits.invalidCrossings,
      at(-limits.invalidPauseMs),
      at(limits.crossingSendMs),
      limits.crossingsPerPeer,
    ],
  });
  return {
    crossing: rows.flatMap((row) =>
      row.event_id === null || row.crossing_id === null
        ? []
        : [
            {
              ...{ crossingId: row.crossing_id, eventId: row.event_id, server: row.asked_server_id },
              ...{ subject: row.subject_id, kind: row.kind, isFallback: row.is_fallback },
            },
          ],
    ),
    waiting: rows.flatMap((row) =>
      row.event_id === null || row.crossing_id !== null || row.has_holder
        ? []
        : [
            {
              ...{ eventId: row.event_id, requester: row.requester_user_id, requestId: row.request_id, subject: row.subject_id },
              ...{ isAway: row.is_away, isDormant: row.is_dormant },
            },
          ],
    ),
    roused: rows.some((row) => row.has_holder),
    locked: [...new Set(rows.flatMap((row) => (row.locked ? [row.subject] : [])))],
  };
};
