// The regular look at everything that is due, on any replica (I15). It repairs what a lost hint, frame, step or process left behind.
import type { Logger } from 'pino';
import type { Clock, Timer } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import { absentHolders, absentRequesters, forgetStrikes, type Swept, sweep } from '../ledger/sweep.ts';
import type { UserId } from '../wire/address.ts';
import type { Looks } from './looks.ts';
import { errorNotice, notify } from './notices.ts';
import type { Removals } from './removals.ts';

export type SweeperDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly bus: Bus;
  readonly log: Logger;
  readonly looks: Looks;
  readonly removals: Pick<Removals, 'send'>;
  /** What else is owed and due. */
  readonly owing: readonly (() => Promise<void>)[];
  /** The member has no presence: end or re-open what was left behind. */
  readonly left: (member: UserId) => Promise<void>;
};

export class Sweeper {
  readonly #deps: SweeperDeps;
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #auditedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  /** One round now; resolves when it is done. Rounds never overlap. */
  round(): Promise<void> {
    this.#running = this.#running.then(() => this.#round());
    return this.#running;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = this.#deps.clock.after(this.#deps.limits.sweepEveryMs, () => {
      void this.round().finally(() => this.#schedule());
    });
  }

  async #round(): Promise<void> {
    const { clock, db, limits, log, looks, owing } = this.#deps;
    try {
      for (;;) {
        const swept = await sweep(db, limits, clock.now());
        await this.#follow(swept);
        if (swept.length < limits.batchItems) break;
      }
      await looks.ledger.assign.submit('due');
      for (const look of owing) await look();
      if (clock.monotonicMs() - this.#auditedAt >= limits.auditEveryMs) {
        this.#auditedAt = clock.monotonicMs();
        await this.#audit();
      }
    } catch (error) {
      log.warn({ err: error }, 'a sweep failed; the next one finds the same');
    }
  }

  async #follow(swept: readonly Swept[]): Promise<void> {
    const { bus, looks, removals } = this.#deps;
    await removals.send(swept.flatMap(({ again }) => again ?? []));
    for (const event of swept) {
      if (event.freed) looks.freed(event.freed, event.owner);
      if (event.outcome === 'reopened' || event.outcome === 'sent-again') continue;
      looks.placeFreed(event.requester);
      if (!event.explicit || !event.requestId) continue;
      const about = { id: event.eventId, requestId: event.requestId };
      notify(
        bus,
        event.requester,
        event.outcome === 'expired'
          ? errorNotice({ ...about, code: 'EXPIRED', detail: 'nobody who has it came online for a day; ask again' })
          : errorNotice({ ...about, code: 'NOT_ACKNOWLEDGED', detail: 'sent twice and never acknowledged; ask again' }),
      );
    }
  }

  /** Events of members who have no presence: what a replica left that died between its steps. */
  async #audit(): Promise<void> {
    const { clock, db, left, limits } = this.#deps;
    const absent = new Set([...(await absentHolders(db)), ...(await absentRequesters(db))]);
    await Promise.all([...absent].map(left));
    await forgetStrikes(db, limits, clock.now());
  }
}
