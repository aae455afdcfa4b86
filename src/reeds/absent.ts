// Reeds of other servers that somebody here asks about and of which this server was told nothing: of before the peering, mostly. Their home is asked
// for the certificate first. What it does not give is not asked for again for a while.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
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
  /** Oldest first, with the time from which on it is asked for again. */
  readonly #notHad = new Map<ReedId, number>();

  constructor(deps: AbsentDeps) {
    this.#deps = deps;
  }

  /** Resolves when what can be known of it is here. @throws AppError REMOVED with the certificate */
  async need(id: ReedId): Promise<void> {
    const { clock, db, home } = this.#deps;
    if (serverOf(id) === home) return;
    const rows = await db.query({
      name: 'reeds-absent',
      text: 'select from live_peers where server_id = $2 and not exists (select from reeds where id = $1)',
      values: [id, serverOf(id)],
    });
    if (rows.length === 0 || (this.#notHad.get(id) ?? 0) > clock.now()) return;
    const asked = this.#asking.get(id) ?? this.#ask(id);
    this.#asking.set(id, asked);
    await asked;
  }

  async #ask(id: ReedId): Promise<boolean> {
    const { clock, learnReed, limits } = this.#deps;
    try {
      const isHere = await learnReed(id);
      if (!isHere) this.#remember(id, clock.now() + limits.reedNotHadMs);
      return isHere;
    } finally {
      this.#asking.delete(id);
    }
  }

  #remember(id: ReedId, untilMs: number): void {
    this.#notHad.delete(id);
    this.#notHad.set(id, untilMs);
    const [oldest] = this.#notHad.keys();
    if (this.#notHad.size > this.#deps.limits.reedsNotHad && oldest !== undefined) this.#notHad.delete(oldest);
  }
}
