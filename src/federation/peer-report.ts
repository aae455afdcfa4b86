// What is under way with one peer, for an operator who looks: what members' acts it is still owed, and which copies cross. And that peers which do not
// answer, or have enough, be tried at once.
import type { Database } from '../db/pool.ts';
import { askPeersNow } from '../ledger/fold-peers.ts';
import type { ServerId } from '../wire/address.ts';

export type PeerTraffic = {
  /** Follows, likes and blocks of our members that it has not answered; and when the next is tried. */
  readonly owedActs: number;
  readonly nextActAt: Date | null;
  /** Copies that our members are waiting for from there, and those that its members are waiting for from here. */
  readonly crossingHere: number;
  readonly crossingThere: number;
};

/**
 * Has peers that do not answer probed now and not when it is their time, and told what they are owed; a probe that is answered closes the breaker. Those
 * that had enough are called again. For a command beside the server: by their rows, which every replica goes by. @returns how many
 */
export const tryPeers = async (db: Database, server?: ServerId): Promise<number> => {
  const [row] = await db.query<{ peers: number }>({
    name: 'peers_try',
    text: `with tried as (update peers set sated_until = null, retry_at = case when failures > 0 then least(retry_at, now()) else retry_at end
          where (sated_until > now() or (failures > 0 and retry_at > now())) and state <> 'revoked'
          and ($1::text is null or server_id = $1) returning server_id),
        notices as (update owed_peer_notices set due_at = now() where due_at > now() and ($1::text is null or server_id = $1)),
        acts as (update owed_legs set due_at = now() where due_at > now() and ($1::text is null or server_id = $1))
      select count(*)::int as peers from tried`,
    values: [server ?? null],
  });
  await askPeersNow(db, server);
  return row?.peers ?? 0;
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
