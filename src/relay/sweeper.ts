// The regular look at everything that is due, on any replica (I15). It repairs what a lost hint, frame, step or process left behind. Events
// have deadlines of seconds: they are looked at apart from what else is owed, which may take its time.
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
  /** What else is owed and due. One that fails keeps no other one waiting. */
  readonly owing: readonly (() => Promise<void>)[];
  /** The member has no presence: end or re-open what was left behind. */
  readonly left: (member: UserId) => Promise<void>;
};

export class Sweeper {
  readonly #deps: SweeperDeps;
  readonly #rounds: readonly Rounds[];
  #auditedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
    this.#rounds = [new Rounds(deps, () => this.#events()), new Rounds(deps, () => this.#owing())];
  }

  start(): void {
    for (const rounds of this.#rounds) rounds.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#rounds.map((rounds) => rounds.stop()));
  }

  /** One round of everything now, events first; resolves when it is done. */
  async round(): Promise<void> {
    for (const rounds of this.#rounds) await rounds.now();
  }

  async #owing(): Promise<void> {
    const { log, owing } = this.#deps;
    for (const look of owing)
      await look().catch((error) => log.warn({ err: error }, 'a look at what is owed failed; the next one finds the same'));
  }

  async #events(): Promise<void> {
    const { clock, db, limits, log, looks } = this.#deps;
    try {
      for (;;) {
        const swept = await sweep(db, limits, clock.now());
        await this.#follow(swept);
        if (swept.length < limits.batchItems) break;
      }
      await looks.ledger.assign.submit('due');
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
      if (event.outcome !== 'sent-again') looks.moved(event.eventId, event.outcome === 'not-acknowledged' ? 'silence' : null);
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

/** Looks of one kind, again and again. They never overlap. */
class Rounds {
  readonly #deps: Pick<SweeperDeps, 'clock' | 'limits'>;
  readonly #look: () => Promise<void>;
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param look never rejects */
  constructor(deps: Pick<SweeperDeps, 'clock' | 'limits'>, look: () => Promise<void>) {
    this.#deps = deps;
    this.#look = look;
  }

  start(): void {
    if (this.#stopped) return;
    this.#timer = this.#deps.clock.after(this.#deps.limits.sweepEveryMs, () => {
      void this.now().finally(() => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  now(): Promise<void> {
    this.#running = this.#running.then(() => this.#look());
    return this.#running;
  }
}
