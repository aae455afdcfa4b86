// The bound on copies that are under way to a peer, as the asked server keeps it itself: of a subject each of the peer's three slots has at most one
// event that was not passed on. A new request from a slot says that what had it before is over for the peer, whether it forgot it or had its copy.
import type { ServerId } from '../wire/address.ts';
import { lockedById } from './choice.ts';
import type { LedgerContext } from './context.ts';
import { ENDED, type ForeignEnded, NOTHING } from './foreign.ts';

export type Superseded = ForeignEnded & {
  /** Its copy may have come there: the event stays for its ack, as one that was passed on. */
  readonly mayHaveCome: boolean;
};

/** What a peer's event leaves its slot to a later one as. Busy while its copy is being passed on: that ends first. A repeat of its request finds that it is cancelled. */
export const supersedeForeign = async (
  context: LedgerContext,
  of: { readonly server: ServerId; readonly peerRequestId: string },
  now: number,
): Promise<Superseded> => {
  const { cancelRememberedMs, foreignAcknowledgeMs } = context.limits;
  const [row] = await context.db.query<Superseded>({
    name: 'ledger_foreign_supersede',
    text: `
with named as materialized (
  select f.event_id from foreign_relay_requests f where f.requesting_server_id = $1 and f.peer_request_id = $2
),
taken as materialized (
  select e.event_id, e.subject_id, e.state, e.holder, e.relays > 0 as came
  from named n cross join lateral (${lockedById('n.event_id', 'e.state <> 6')}) e
),
passed_on as (
  update pending_events e set state = 3, holder = null, dispatched_at = null, relayed_at = coalesce(e.relayed_at, $3), due_at = $4
  from taken t where e.event_id = t.event_id and t.came and t.state <> 3
),
remembered as (
  insert into cancelled_crossings (server_id, crossing_id, until) select $1, $2, $5 from taken where not came
  on conflict (server_id, crossing_id) do update set until = excluded.until
),
unattempted as (delete from pending_event_attempts a using taken t where a.event_id = t.event_id and not t.came),
unnamed as (delete from foreign_relay_requests f using taken t where f.event_id = t.event_id and not t.came),
ended as (delete from pending_events e using taken t where e.event_id = t.event_id and not t.came)${ENDED(', t.came is true as "mayHaveCome"')}`,
    values: [of.server, of.peerRequestId, new Date(now), new Date(now + foreignAcknowledgeMs), new Date(now + cancelRememberedMs)],
  });
  return row ?? { ...NOTHING, mayHaveCome: false };
};
