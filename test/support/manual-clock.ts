// A clock that stands still until it is told to move. Timers run in the order of their times, each at exactly its time.
import type { Clock, Timer } from '../../src/base/clock.ts';

type Scheduled = { readonly at: number; readonly order: number; readonly task: () => void };

export class ManualClock implements Clock {
  #elapsedMs = 0;
  #order = 0;
  readonly #startedAt: number;
  readonly #timers = new Set<Scheduled>();

  constructor(startedAt = Date.UTC(2026, 0, 1)) {
    this.#startedAt = startedAt;
  }

  now(): number {
    return this.#startedAt + Math.floor(this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, task: () => void): Timer {
    const timer = { at: this.#elapsedMs + Math.max(0, delayMs), order: this.#order++, task };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Moves time on by `ms` and runs every timer that falls due on the way, those set meanwhile included. */
  advance(ms: number): void {
    const end = this.#elapsedMs + ms;
    for (let next = this.#earliest(end); next; next = this.#earliest(end)) {
      this.#elapsedMs = next.at;
      this.#timers.delete(next);
      next.task();
    }
    this.#elapsedMs = end;
  }

  #earliest(end: number): Scheduled | null {
    let first: Scheduled | null = null;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (first === null || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    return first;
  }
}
