// Which peers there are and how they are, as the database says.
import type { Database } from '../db/pool.ts';
import type { ServerId } from '../wire/address.ts';
import type { PeerStates } from './stream-ports.ts';

export class StoredPeers implements PeerStates {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async near(): Promise<readonly ServerId[]> {
    const rows = await this.#db.query<{ id: ServerId }>({ name: 'peers_near', text: 'select server_id as id from near_peers order by 1' });
    return rows.map(({ id }) => id);
  }

  async far(): Promise<readonly ServerId[]> {
    const rows = await this.#db.query<{ id: ServerId }>({
      name: 'peers_far',
      text: "select server_id as id from peers where state = 'live' and server_id not in (select server_id from near_peers) order by 1",
    });
    return rows.map(({ id }) => id);
  }
}
