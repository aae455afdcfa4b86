// Frames that each take a transaction of the pool which everybody shares: so many at once, one of each member, and members in turn. However many of
// them one member sends, others wait for one of his, and the rest of the pool is there for sign-ins and HTTP.
import type { UserId } from '../wire/address.ts';

export class Turns {
  readonly #width: number;
  #running = 0;
  /** What waits, by member; whose turn is next comes first. */
  readonly #waiting = new Map<UserId, (() => void)[]>();
  readonly #busy = new Set<UserId>();

  constructor(width: number) {
    this.#width = width;
  }

  /** Runs `task` when it is its turn; those of one member in their order. */
  async run<T>(member: UserId, task: () => Promise<T>): Promise<T> {
    const turn = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(member);
    if (waiting) waiting.push(turn.resolve);
    else this.#waiting.set(member, [turn.resolve]);
    this.#letOn();
    await turn.promise;
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#busy.delete(member);
      this.#putBehind(member);
      this.#letOn();
    }
  }

  /** Whoever has just had a turn goes behind all who wait. */
  #putBehind(member: UserId): void {
    const waiting = this.#waiting.get(member);
    if (!waiting) return;
    this.#waiting.delete(member);
    this.#waiting.set(member, waiting);
  }

  #letOn(): void {
    for (const [member, waiting] of this.#waiting) {
      if (this.#running >= this.#width) return;
      if (this.#busy.has(member)) continue;
      const start = waiting.shift();
      if (waiting.length === 0) this.#waiting.delete(member);
      this.#running += 1;
      this.#busy.add(member);
      start?.();
    }
  }
}
