// Work that nobody waits for: counted, so that a stop can wait for it, and failing without harm, since its next time finds the same.
export class Tasks {
  readonly #log: { warn(details: object, message: string): void };
  #running = 0;

  constructor(log: { warn(details: object, message: string): void }) {
    this.#log = log;
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  run(task: () => Promise<unknown>): void {
    this.#running += 1;
    task()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'something asked of a peer failed; the next time finds the same'))
      .finally(() => {
        this.#running -= 1;
      });
  }
}
