// What is to be looked at of one peer, and in which order: authors who are named, what is due again, then a pass over all authors, each once. Memory only:
// whoever is forgotten is found by the next pass.
import type { Limits } from '../base/limits.ts';
import type { UserId } from '../wire/address.ts';

export type Wanted = {
  readonly authors?: readonly UserId[];
  /** What failed or was put off, and is due again. */
  readonly due?: boolean;
  /** Whoever there is. */
  readonly pass?: boolean;
  /** What is no fact of a stream. */
  readonly others?: boolean;
};

export type Look =
  | { readonly kind: 'authors'; readonly authors: readonly UserId[] }
  | { readonly kind: 'due' }
  | { readonly kind: 'pass'; readonly after: string; readonly nth: number };

export class Drain {
  readonly #limits: Pick<Limits, 'streamNames'>;
  readonly #names = new Set<UserId>();
  #due = false;
  #others = false;
  /** Where the pass goes on; null: there is none. */
  #after: string | null = null;
  #passes = 0;

  constructor(limits: Pick<Limits, 'streamNames'>) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#names.size === 0 && !this.#due && !this.#others && this.#after === null;
  }

  want({ authors = [], due = false, others = false, pass = false }: Wanted): void {
    for (const author of authors) this.#names.add(author);
    this.#due ||= due;
    this.#others ||= others;
    // So many names are nobody in particular.
    const areTooMany = this.#names.size > this.#limits.streamNames;
    if (areTooMany) this.#names.clear();
    if (!pass && !areTooMany) return;
    this.#after = '';
    this.#passes += 1;
  }

  /** Whether what is no fact of a stream is wanted; asked for once. */
  takeOthers(): boolean {
    const wanted = this.#others;
    this.#others = false;
    return wanted;
  }

  /** What to look at next, for so many places; null: there is nothing. */
  next(places: number): Look | null {
    if (this.#names.size > 0) {
      const authors = [...this.#names].slice(0, places);
      for (const author of authors) this.#names.delete(author);
      return { kind: 'authors', authors };
    }
    if (this.#due) {
      this.#due = false;
      return { kind: 'due' };
    }
    return this.#after === null ? null : { kind: 'pass', after: this.#after, nth: this.#passes };
  }

  /** The pass has come as far as this author, or is over (null). One that began anew meanwhile goes on from its beginning. */
  passed(nth: number, last: string | null): void {
    if (nth === this.#passes) this.#after = last;
  }
}
