// The server's time, as it was learned at HELLO, counted on with the clock's monotonic part.
// Everything this member signs or judges by time uses it: how the device's own clock is set does not matter.
import type { Clock, Timer } from '../base/clock.ts';

export class ServerTime implements Clock {
  readonly #clock: Clock;
  #base: number;
  #monotonicBase: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#base = clock.now();
    this.#monotonicBase = clock.monotonicMs();
  }

  /** Takes `serverNow` (ms since the epoch) as the true time of this moment. */
  learn(serverNow: number): void {
    this.#base = serverNow;
    this.#monotonicBase = this.#clock.monotonicMs();
  }

  now(): number {
    return Math.floor(this.#base + this.#clock.monotonicMs() - this.#monotonicBase);
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  after(delayMs: number, task: () => void): Timer {
    return this.#clock.after(delayMs, task);
  }
}
