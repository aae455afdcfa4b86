// Who hears what happens. A listener that throws stops neither the others nor the work that the event is about: its error is thrown to the
// surroundings, by itself.
export class Listeners<E> {
  readonly #all = new Set<(event: E) => void>();

  /** Calls `listener` with every event, until the returned function is called. */
  add(listener: (event: E) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  tell(event: E): void {
    for (const listener of this.#all) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
