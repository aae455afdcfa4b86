// The newest of what was added, so many at most: for what only spares work, and may be forgotten.
export class RecentSet<T> {
  readonly #most: number;
  readonly #values = new Set<T>();

  constructor(most: number) {
    this.#most = most;
  }

  has(value: T): boolean {
    return this.#values.has(value);
  }

  /** Adds it as the newest; the oldest goes. */
  add(value: T): void {
    this.#values.delete(value);
    this.#values.add(value);
    const [oldest] = this.#values;
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest);
  }

  delete(value: T): void {
    this.#values.delete(value);
  }
}
