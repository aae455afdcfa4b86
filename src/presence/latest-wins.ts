// Values by key, written many at a time; while a write runs, later values of a key replace earlier ones.
// Bounded by the number of keys.

type Waiting<Value> = {
  value: Value;
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

export class LatestWins<Key, Value> {
  readonly #write: (entries: readonly (readonly [Key, Value])[]) => Promise<void>;
  readonly #waiting = new Map<Key, Waiting<Value>>();
  #running = false;

  constructor(write: (entries: readonly (readonly [Key, Value])[]) => Promise<void>) {
    this.#write = write;
  }

  get idle(): boolean {
    return !this.#running && this.#waiting.size === 0;
  }

  /** Resolves when this value, or a later one of the same key, is written; rejects as the write did. */
  set(key: Key, value: Value): Promise<void> {
    const known = this.#waiting.get(key);
    if (known) {
      known.value = value;
      return known.written;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.set(key, { value, written: promise, resolve, reject });
    if (!this.#running) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting];
      this.#waiting.clear();
      try {
        await this.#write(batch.map(([key, entry]) => [key, entry.value] as const));
        for (const [, entry] of batch) entry.resolve();
      } catch (error) {
        for (const [, entry] of batch) entry.reject(error);
      }
    }
    this.#running = false;
  }
}
