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
  /** How far this clock was ahead when it was last set: made up for by running at half speed, never by going back. */
  #aheadMs = 0;
  /** The process's own clock is nobody's yet: the first measure replaces it, whichever way. */
  #isSet = false;

  constructor() {
    this.#startedMonotonic = performance.now();
    this.#startedAt = Date.now();
  }

  /**
   * Takes `serverNow` (ms since the epoch) as the true time of this moment. A time ahead of ours is taken at once. One behind is come
   * down to slowly: what is due at a time already given out must not wait for that time to come again.
   */
  synchronize(serverNow: number): void {
    const shown = this.#exact();
    this.#aheadMs = this.#isSet ? Math.max(0, shown - serverNow) : 0;
    this.#startedAt = serverNow + this.#aheadMs;
    this.#startedMonotonic = performance.now();
    this.#isSet = true;
  }

  now(): number {
    return Math.floor(this.#exact());
  }

  #exact(): number {
    const passedMs = performance.now() - this.#startedMonotonic;
    return this.#startedAt + passedMs - Math.min(this.#aheadMs, passedMs / 2);
  }

  monotonicMs(): number {
    return performance.now();
  }

  after(delayMs: number, task: () => void): Timer {
    const handle = setTimeout(task, delayMs);
    return { cancel: () => clearTimeout(handle) };
  }
}

/** Resolves `delayMs` from now, or rejects with the reason of `signal` if that ends first. */
export const pause = (clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    signal?.addEventListener('abort', leave, { once: true });
  });
