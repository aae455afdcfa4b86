// When a member asked for what within the last hour. Bounded in requests, not in subjects: the oldest is forgotten first, so that how
// often one subject may be asked for costs no more memory, whatever that limit is.

const HOUR_MS = 3_600_000;

export class RecentRequests {
  readonly #most: number;
  /** Times by subject, each list in order; subjects in the order of their last request. */
  readonly #times = new Map<string, number[]>();
  #held = 0;

  /** Remembers `most` requests. */
  constructor(most: number) {
    this.#most = most;
  }

  /** 0 if `subject` was asked for less than `limit` times in the last hour, else after how many ms it may be asked for again. */
  waitMs(subject: string, limit: number, now: number): number {
    const times = (this.#times.get(subject) ?? []).filter((at) => at > now - HOUR_MS);
    const first = times[times.length - limit];
    return first === undefined ? 0 : first + HOUR_MS - now;
  }

  /** Notes a request for `subject`. */
  add(subject: string, now: number): void {
    const times = this.#times.get(subject) ?? [];
    this.#times.delete(subject);
    this.#times.set(subject, times);
    times.push(now);
    this.#held += 1;
    this.#forget(now);
  }

  /** Drops what is older than an hour, as far as it comes first, and what is too much. */
  #forget(now: number): void {
    for (const [subject, times] of this.#times) {
      while (times.length > 0 && (this.#held > this.#most || (times[0] ?? now) <= now - HOUR_MS)) {
        times.shift();
        this.#held -= 1;
      }
      if (times.length > 0) return;
      this.#times.delete(subject);
    }
  }
}
