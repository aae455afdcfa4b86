// Reeds of other servers that somebody here asks about and of which this server was told nothing: of before the peering, mostly. Their home is asked
// for the certificate first. What it does not give is not asked for again for a while.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import { NotHad } from '../identity/not-had.ts';
import { type ReedId, type ServerId, serverOf } from '../wire/address.ts';

export type AbsentDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly home: ServerId;
  /** Asks a home for the certificate of a reed or thread, and keeps what is proven. @returns whether it is here now. @throws AppError REMOVED with the certificate */
  readonly learnReed: (id: ReedId) => Promise<boolean>;
};

export class AbsentReeds {
  readonly #deps: AbsentDeps;
  readonly #asking = new Map<ReedId, Promise<boolean>>();
  readonly #notHad: NotHad;

  constructor(deps: AbsentDeps) {
    this.#deps = deps;
    this.#notHad = new NotHad(deps);
  }

  /** Resolves when what can be known of it is here. @throws AppError REMOVED with the certificate */
  async need(id: ReedId): Promise<void> {
    const { db, home } = this.#deps;
    if (serverOf(id) === home) return;
    const rows = await db.query({
      name: 'reeds-absent',
      text: 'select from live_peers where server_id = $2 and not exists (select from reeds where id = $1)',
      values: [id, serverOf(id)],
    });
    if (rows.length === 0 || this.#notHad.has(id)) return;
    const asked = this.#asking.get(id) ?? this.#ask(id);
    this.#asking.set(id, asked);
    await asked;
  }

  async #ask(id: ReedId): Promise<boolean> {
    try {
      const isHere = await this.#deps.learnReed(id);
      if (!isHere) this.#notHad.note(id);
      return isHere;
    } finally {
      this.#asking.delete(id);
    }
  }
}
