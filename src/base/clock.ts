// Time is passed in (I10). `now` is the server's time: on the server the database's clock, in a client the time learned at HELLO;
// `monotonicMs` never jumps and is for durations. Timers come from the clock too, so that tests move them.

export type Timer = { cancel(): void };

export interface Clock {
  /** Milliseconds since the epoch, on the clock that other processes compare with. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back. */
  monotonicMs(): number;
  /** Runs `task` once, `delayMs` from now. */
  after(delayMs: number, task: () => void): Timer;
}

/** The process's own clock plus an offset that is measured elsewhere and may be set again at any time. */
export class OffsetClock implements Clock {
  #startedAt: number;
  #startedMonotonic: number;

  constructor() {
    this.#startedMonotonic = performance.now();
    this.#startedAt = Date.now();
  }

  /** Takes `serverNow` (ms since the epoch) as the true time of this moment. */
  synchronize(serverNow: number): void {
    this.#startedMonotonic = performance.now();
    this.#startedAt = serverNow;
  }

  now(): number {
    return Math.floor(this.#startedAt + (performance.now() - this.#startedMonotonic));
  }

  monotonicMs(): number {
    return performance.now();
  }

  after(delayMs: number, task: () => void): Timer {
    const handle = setTimeout(task, delayMs);
    return { cancel: () => clearTimeout(handle) };
  }
}

/** Resolves `delayMs` from now. */
export const pause = (clock: Clock, delayMs: number): Promise<void> => new Promise((resolve) => void clock.after(delayMs, resolve));
