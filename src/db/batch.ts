// Micro-batches: while one runs, what comes gathers for the next. One failing item never fails the others (I17):
// the batch is run again in halves until the item that fails stands alone.
import { doubling } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';

/** Runs one task at a time, in the order of arrival: a lane has one statement in flight. */
export class Lane {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task, task);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

/** What all batchers of a process have queued together; over three quarters of it the replica stops reading sockets. */
export class BatchLoad {
  readonly #maxItems: number;
  readonly #maxBytes: number;
  items = 0;
  bytes = 0;

  constructor(maxItems: number, maxBytes: number) {
    this.#maxItems = maxItems;
    this.#maxBytes = maxBytes;
  }

  get overloaded(): boolean {
    return this.items > this.#maxItems * 0.75 || this.bytes > this.#maxBytes * 0.75;
  }

  get full(): boolean {
    return this.items >= this.#maxItems || this.bytes >= this.#maxBytes;
  }
}

/** In an outcome's place: the row is there, and somebody has it just now. */
export const LOCKED: unique symbol = Symbol('locked');
export type Locked = typeof LOCKED;

/** How long a row is tried to be had: at once in the next batch, then after pauses that double. */
export type Patience = {
  readonly clock: Pick<Clock, 'after'>;
  readonly limits: Pick<Limits, 'lockedTries' | 'lockedPauseFirstMs' | 'lockedPauseMaxMs'>;
};

export type BatcherOptions<Item, Outcome> = {
  /** For the error's detail and the log: what a batch does. */
  readonly name: string;
  readonly lane: Lane;
  readonly load: BatchLoad;
  readonly maxItems: number;
  /** One statement for all items; one outcome for each item in its place. */
  readonly run: (items: readonly Item[]) => Promise<readonly (Outcome | Locked)[]>;
  /** For items that may be locked; without it they are not tried again. */
  readonly patience?: Patience;
  /** Items with a key in common never share a batch: the later one waits for the next. */
  readonly keys?: (item: Item) => readonly string[];
  /** Items with the same name that still wait are one item; all who submitted it get its outcome. */
  readonly sameAs?: (item: Item) => string;
  readonly sizeBytes?: (item: Item) => number;
  /** Whether a failed batch may succeed in halves (a deadlock, a constraint), by the error. */
  readonly divisible: (error: unknown) => boolean;
  /** Logs an item that failed alone, or a batch of `items` that failed for a reason that no half of it would mend. */
  readonly onFailure?: (name: string, error: unknown, items: number) => void;
};

type Entry<Item, Outcome> = {
  readonly item: Item;
  readonly promise: Promise<Outcome>;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** It failed in a batch that may succeed when tried again. */
  tried: boolean;
  /** How often its row was locked. */
  locked: number;
  /** Not in a batch before its pause is over. */
  pausing: boolean;
};

export class Batcher<Item, Outcome> {
  readonly #options: BatcherOptions<Item, Outcome>;
  #waiting: Entry<Item, Outcome>[] = [];
  readonly #named = new Map<string, Entry<Item, Outcome>>();
  #scheduled = false;
  #running = 0;
  #pausing = 0;

  constructor(options: BatcherOptions<Item, Outcome>) {
    this.#options = options;
  }

  /** Nothing waits and nothing runs. */
  get idle(): boolean {
    return this.#waiting.length === 0 && this.#running === 0;
  }

  /**
   * Adds an item to the next batch.
   * @returns its outcome once the batch is committed
   * @throws AppError UNAVAILABLE when too much is queued, or its row was locked every time; INTERNAL when the item fails alone
   */
  submit(item: Item): Promise<Outcome> {
    const name = this.#options.sameAs?.(item);
    const known = name === undefined ? undefined : this.#named.get(name);
    if (known) return known.promise;
    const { load } = this.#options;
    if (load.full) return Promise.reject(new AppError('UNAVAILABLE', 'too much is queued; try again', { retryAfterMs: 1_000 }));
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const entry = { item, promise, resolve, reject, tried: false, locked: 0, pausing: false };
    load.items += 1;
    load.bytes += this.#options.sizeBytes?.(item) ?? 0;
    this.#waiting.push(entry);
    if (name !== undefined) this.#named.set(name, entry);
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#scheduled || !this.#hasNext()) return;
    this.#scheduled = true;
    // After the poll phase: frames that were readable together share a batch.
    setImmediate(() => {
      void this.#options.lane.run(async () => {
        this.#scheduled = false;
        const batch = this.#take();
        this.#running += 1;
        this.#schedule();
        try {
          await this.#runBatch(batch);
        } finally {
          this.#running -= 1;
        }
      });
    });
  }

  /** Something waits that is neither pausing nor kept back by a key of what is. */
  #hasNext(): boolean {
    if (this.#pausing === 0) return this.#waiting.length > 0;
    const used = new Set<string>();
    return this.#waiting.some(({ item, pausing }) => {
      const own = this.#options.keys?.(item) ?? [];
      if (!pausing && !own.some((key) => used.has(key))) return true;
      for (const key of own) used.add(key);
      return false;
    });
  }

  #take(): Entry<Item, Outcome>[] {
    const { keys, maxItems, sameAs } = this.#options;
    const batch: Entry<Item, Outcome>[] = [];
    const rest: Entry<Item, Outcome>[] = [];
    const used = new Set<string>();
    for (const entry of this.#waiting) {
      const own = keys?.(entry.item) ?? [];
      if (entry.pausing || batch.length >= maxItems || own.some((key) => used.has(key))) {
        rest.push(entry);
      } else {
        batch.push(entry);
        if (sameAs) this.#named.delete(sameAs(entry.item));
      }
      // A key that waits holds back what comes after it, or two items of one key could change places.
      for (const key of own) used.add(key);
    }
    this.#waiting = rest;
    return batch;
  }

  async #runBatch(batch: Entry<Item, Outcome>[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const outcomes = await this.#options.run(batch.map((entry) => entry.item));
      for (const [index, entry] of batch.entries()) this.#finish(entry, outcomes[index] as Outcome | Locked);
    } catch (error) {
      if (batch.length === 1 || !this.#options.divisible(error)) return this.#fail(batch, error);
      const middle = batch.length >> 1;
      await this.#runBatch(batch.slice(0, middle));
      await this.#runBatch(batch.slice(middle));
    }
  }

  #finish(entry: Entry<Item, Outcome>, outcome: Outcome | Locked): void {
    if (outcome === LOCKED) return this.#wait(entry);
    this.#release(entry);
    entry.resolve(outcome);
  }

  /** Its row is locked: it waits in its place, so that what has a key in common stays behind it, for the next batch or a pause. */
  #wait(entry: Entry<Item, Outcome>): void {
    const { patience } = this.#options;
    entry.locked += 1;
    if (!patience || entry.locked >= patience.limits.lockedTries)
      return this.#fail([entry], new AppError('UNAVAILABLE', 'its row is in use; try again', { retryAfterMs: 1_000 }));
    const { lockedPauseFirstMs, lockedPauseMaxMs } = patience.limits;
    if (this.#queueAgain(entry) && entry.locked > 1) {
      entry.pausing = true;
      this.#pausing += 1;
      patience.clock.after(doubling(entry.locked - 1, lockedPauseFirstMs, lockedPauseMaxMs), () => {
        entry.pausing = false;
        this.#pausing -= 1;
        this.#schedule();
      });
    }
    this.#schedule();
  }

  /** Puts an item before all that wait. @returns false if one of the same name came meanwhile: they are one, and wait as that one */
  #queueAgain(entry: Entry<Item, Outcome>): boolean {
    const name = this.#options.sameAs?.(entry.item);
    const same = name === undefined ? undefined : this.#named.get(name);
    if (same) {
      same.locked = Math.max(same.locked, entry.locked);
      this.#release(entry);
      same.promise.then(entry.resolve, entry.reject);
      return false;
    }
    if (name !== undefined) this.#named.set(name, entry);
    this.#waiting.unshift(entry);
    return true;
  }

  #fail(batch: readonly Entry<Item, Outcome>[], error: unknown): void {
    const { name, onFailure } = this.#options;
    let failed = 0;
    for (const entry of batch) {
      if (this.#options.divisible(error) && !entry.tried) {
        entry.tried = true;
        this.#queueAgain(entry);
        this.#schedule();
        continue;
      }
      failed += 1;
      this.#release(entry);
      entry.reject(
        error instanceof AppError
          ? error
          : new AppError('INTERNAL', 'the step failed', { cause: error, isLogged: onFailure !== undefined }),
      );
    }
    if (failed > 0) onFailure?.(name, error, failed);
  }

  #release(entry: Entry<Item, Outcome>): void {
    this.#options.load.items -= 1;
    this.#options.load.bytes -= this.#options.sizeBytes?.(entry.item) ?? 0;
  }
}
