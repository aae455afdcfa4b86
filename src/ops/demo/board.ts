// What the live view knows: the newest reeds with who holds them, the last things that happened in words, and totals. Fed by the witness;
// bounded, however long it runs.
import type { ReedId } from '../../wire/address.ts';
import { nameOf } from './cast.ts';
import type { Sight } from './witness.ts';

export type BoardReed = {
  readonly id: ReedId;
  readonly number: number;
  readonly author: number;
  /** Members who hold a copy, the author first. */
  readonly holders: Set<number>;
  rounds: number;
};

export type Totals = { written: number; asked: number; arrived: number; refused: number; reopened: number; rounds: number };

const LINES_KEPT = 8;

export class Board {
  readonly totals: Totals = { written: 0, asked: 0, arrived: 0, refused: 0, reopened: 0, rounds: 0 };
  readonly #reeds = new Map<ReedId, BoardReed>();
  readonly #size: number;
  readonly #lines: string[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Newest first. */
  get reeds(): readonly BoardReed[] {
    return [...this.#reeds.values()].reverse();
  }

  /** Newest last. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Puts up a new reed. @returns the one that had to go, and what to say */
  wrote(author: number, id: ReedId): { readonly gone: BoardReed | null; readonly line: string } {
    this.totals.written += 1;
    const number = this.totals.written;
    this.#reeds.set(id, { id, number, author, holders: new Set([author]), rounds: 0 });
    const [oldest] = this.#reeds.values();
    const gone = this.#reeds.size > this.#size && oldest !== undefined ? oldest : null;
    if (gone) this.#reeds.delete(gone.id);
    return { gone, line: this.#say(`${nameOf(author)} wrote #${number}`) };
  }

  /** Takes in what happened. @returns what to say about it; null for what needs no words or is about a reed that is gone */
  saw(sight: Sight): string | null {
    const reed = this.#reeds.get(sight.reedId);
    if (reed === undefined) return null;
    if (sight.type === 'asked') {
      this.totals.asked += 1;
      return this.#say(`${nameOf(sight.who)} asks for #${reed.number}`);
    }
    if (sight.type === 'dispatched') {
      if (sight.attempt === 1) return null;
      this.totals.reopened += 1;
      return this.#say(`somebody did not answer for #${reed.number}, so ${nameOf(sight.to)} is asked`);
    }
    const from = sight.from === null ? 'somebody' : nameOf(sight.from);
    if (sight.type === 'refused') {
      this.totals.refused += 1;
      return this.#say(`${nameOf(sight.who)} refuses a false copy of #${reed.number} from ${from}`);
    }
    this.totals.arrived += 1;
    this.totals.rounds = Math.max(this.totals.rounds, sight.round);
    reed.rounds = Math.max(reed.rounds, sight.round);
    reed.holders.add(sight.who);
    return this.#say(`${from} answered ${nameOf(sight.who)}: #${reed.number}, round ${sight.round}`);
  }

  #say(line: string): string {
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.shift();
    return line;
  }
}
