// Waking what is dormant for holders that came online: step by step through their reeds, several holders in one statement, each step after
// what the one before woke was assigned. The place in a holder's reeds is memory: if the process dies, so does the holder's connection.
import { doubling } from '../base/backoff.ts';
import { type Clock, pause } from '../base/clock.ts';
import { Batcher, Lane } from '../db/batch.ts';
import { isDivisible } from '../db/errors.ts';
import type { AssignItem, LedgerDeps } from '../ledger/ledger.ts';
import { forgive, type WakeCursor, type WakeItem, type WakeStep, wake } from '../ledger/sweep.ts';
import type { UserId } from '../wire/address.ts';

/** What waking needs of the looks. */
export interface WakeLooks {
  /** Resolves when the look is done. */
  assigned(item: AssignItem): Promise<unknown>;
  look(task: () => Promise<unknown>): void;
}

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 30_000;

export class Wakes {
  readonly #looks: WakeLooks;
  readonly #clock: Clock;
  /** The walks that go on; a newer one of the same holder ends an older. */
  readonly #walks = new Map<UserId, symbol>();
  readonly #steps: Batcher<WakeItem, WakeStep>;
  readonly #forgive: Batcher<UserId, true>;

  constructor(deps: Omit<LedgerDeps, 'events'>, looks: WakeLooks) {
    this.#looks = looks;
    this.#clock = deps.clock;
    const lane = new Lane();
    const onFailure = (step: string, error: unknown) => deps.log.error({ step, err: error }, 'a holder could not be woken for');
    const common = { lane, load: deps.load, maxItems: deps.limits.wakeHoldersPerBatch, divisible: isDivisible, onFailure };
    this.#steps = new Batcher({
      ...common,
      name: 'wake',
      keys: (item: WakeItem) => [item.holder],
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

  /** A holder signed in: it may be asked again for what it failed, and if it was not online before, what waits for its reeds is looked at. */
  async arrived(holder: UserId, isFresh: boolean): Promise<void> {
    // What is not forgiven now has its date.
    await this.#forgive.submit(holder).catch(() => null);
    if (isFresh) this.start(holder);
  }

  /** Goes through the holder's reeds from the first. */
  start(holder: UserId): void {
    const walk = Symbol();
    this.#walks.set(holder, walk);
    this.#looks.look(() => this.#walk(holder, walk));
  }

  async #walk(holder: UserId, walk: symbol): Promise<void> {
    let cursor: WakeCursor | null = null;
    let failures = 0;
    while (this.#walks.get(holder) === walk) {
      const step: WakeStep | 'failed' | null = await this.#steps.submit({ holder, cursor }).catch(() => 'failed' as const);
      if (step === 'failed') {
        failures += 1;
        await pause(this.#clock, doubling(failures, RETRY_FIRST_MS, RETRY_MAX_MS));
        continue;
      }
      if (step && step.woken > 0) await this.#looks.assigned('due').catch(() => null);
      if (!step || step.cursor === null) break;
      cursor = step.cursor;
    }
    if (this.#walks.get(holder) === walk) this.#walks.delete(holder);
  }

  /** The walks end; what they would have found has its date. */
  stop(): void {
    this.#walks.clear();
  }
}
