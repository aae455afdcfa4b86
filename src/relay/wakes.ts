// Waking what is dormant for holders that came online: step by step through their reeds, several holders in one statement, each as far
// as there is room in its queue. The place in a holder's reeds is memory: if the process dies, so does the holder's connection.
import { Batcher, Lane } from '../db/batch.ts';
import { isDivisible } from '../db/errors.ts';
import type { LedgerDeps } from '../ledger/ledger.ts';
import { forgive, type WakeItem, type WakeStep, wake } from '../ledger/sweep.ts';
import type { ReedId, UserId } from '../wire/address.ts';

type Place = { cursor: ReedId | null; waits: boolean };

/** What waking needs of the looks. */
export interface WakeLooks {
  dispatch(holder: UserId): void;
  assign(item: 'due'): void;
  look(task: () => Promise<unknown>): void;
}

export class Wakes {
  readonly #looks: WakeLooks;
  readonly #places = new Map<UserId, Place>();
  readonly #steps: Batcher<WakeItem, WakeStep>;
  readonly #forgive: Batcher<UserId, true>;

  constructor(deps: Omit<LedgerDeps, 'events'>, looks: WakeLooks) {
    this.#looks = looks;
    const lane = new Lane();
    const common = { lane, load: deps.load, maxItems: deps.limits.wakeHoldersPerBatch, divisible: isDivisible };
    this.#steps = new Batcher({
      ...common,
      name: 'wake',
      sameAs: (item: WakeItem) => item.holder,
      run: (items: readonly WakeItem[]) => wake(deps.db, deps.limits, items, deps.clock.now()),
    });
    this.#forgive = new Batcher({
      ...common,
      name: 'forgive',
      sameAs: (holder: UserId) => holder,
      run: async (holders: readonly UserId[]) => {
        await forgive(deps.db, holders, deps.limits.holderFailuresPerEvent);
        return holders.map(() => true as const);
      },
    });
  }

  get idle(): boolean {
    return this.#steps.idle && this.#forgive.idle;
  }

  /** A holder signed in: it may be asked again for what it failed, and what waits for its reeds is put into its queue. */
  async arrived(holder: UserId): Promise<void> {
    await this.#forgive.submit(holder);
    this.start(holder);
  }

  /** Goes through the holder's reeds from the first. */
  start(holder: UserId): void {
    this.#places.set(holder, { cursor: null, waits: false });
    this.#step(holder);
  }

  /** Some of the holder's queue was dispatched: there may be room for the next step. */
  dispatched(holder: UserId): void {
    if (this.#places.get(holder)?.waits) this.#step(holder);
  }

  gone(holder: UserId): void {
    this.#places.delete(holder);
  }

  #step(holder: UserId): void {
    const place = this.#places.get(holder);
    if (!place) return;
    place.waits = false;
    this.#looks.look(async () => {
      const step = await this.#steps.submit({ holder, cursor: place.cursor });
      if (!step || this.#places.get(holder) !== place) return;
      if (step.woken > 0) this.#looks.dispatch(holder);
      if (step.unassigned) this.#looks.assign('due');
      place.cursor = step.cursor;
      if (step.cursor === null) this.#places.delete(holder);
      else if (step.full) place.waits = true;
      else this.#step(holder);
    });
  }
}
