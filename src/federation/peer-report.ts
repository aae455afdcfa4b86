// What is under way with one peer, for an operator who looks: what members' acts it is still owed, and which copies cross.
import type { Database } from '../db/pool.ts';
import type { ServerId } from '../wire/address.ts';

export type PeerTraffic = {
  /** Follows, likes and blocks of our members that it has not answered; and when the next is tried. */
  readonly owedActs: number;
  readonly nextActAt: Date | null;
  /** Copies that our members are waiting for from there, and those that its members are waiting for from here. */
  readonly crossingHere: number;
  readonly crossingThere: number;
};

export const peerTraffic = async (db: Database, server: ServerId): Promise<PeerTraffic> => {
  const [row] = await db.query<PeerTraffic>({
    name: 'peer_traffic',
    text: `select
        (select count(*)::int from owed_legs where server_id = $1) as "owedActs",
        (select min(due_at) from owed_legs where server_id = $1) as "nextActAt",
        (select count(*)::int from foreign_pending_events where asked_server_id = $1 and slot is not null) as "crossingHere",
        (select count(*)::int from foreign_relay_requests where requesting_server_id = $1) as "crossingThere"`,
    values: [server],
  });
  return row ?? { owedActs: 0, nextActAt: null, crossingHere: 0, crossingThere: 0 };
};
