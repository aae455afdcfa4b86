// Which signed requests were taken already. Rows, so that a replay fails on every replica and after every restart; what has ended is removed
// by whoever adds one, a few rows at a time, and of peers that have gone silent by a pass of its own.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ServerId } from '../wire/address.ts';

const TAKE = `
  with ended as (
    delete from peer_nonces where (server_id, nonce) in (
      select server_id, nonce from peer_nonces where until < $4 order by until limit $5 for update skip locked))
  insert into peer_nonces (server_id, nonce, until) values ($1, $2, $3) on conflict do nothing returning 1 as taken`;

const SWEEP = `
  delete from peer_nonces where (server_id, nonce) in (
    select server_id, nonce from peer_nonces where until < $1 order by until limit $2 for update skip locked)
  returning 1 as over`;

export class Nonces {
  readonly #deps: { readonly db: Database; readonly clock: Clock; readonly limits: Limits };

  constructor(deps: { readonly db: Database; readonly clock: Clock; readonly limits: Limits }) {
    this.#deps = deps;
  }

  /** Takes a nonce of a caller. @returns false: it was taken before */
  async take(server: ServerId, nonce: Uint8Array): Promise<boolean> {
    const { db, clock, limits } = this.#deps;
    const now = clock.now();
    const values = [server, Buffer.from(nonce), new Date(now + limits.peerNonceMs), new Date(now), limits.cleanUpRows];
    const rows = await db.query({ name: 'peer-nonce', text: TAKE, values });
    return rows.length > 0;
  }

  /** Removes what has ended, so many at most. @returns how many */
  async sweep(): Promise<number> {
    const { db, clock, limits } = this.#deps;
    const rows = await db.query({ name: 'peer-nonces-over', text: SWEEP, values: [new Date(clock.now()), limits.peerNoncesPerSweep] });
    return rows.length;
  }
}
