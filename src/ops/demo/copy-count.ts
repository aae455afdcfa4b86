// Counts copies on their way between two servers, by what is seen of their calls on the wire: of each reed how many are under way, the most that ever
// were, and which arrived. Nothing of it is asked of a server.
import type { ReedId, UserId } from '../../wire/address.ts';
import type { FoldRequest } from '../../wire/fold.ts';

/** A copy on its way. */
export type Carried = {
  /** The other server has taken it. */
  taken(): void;
  /** It is on the wire no more, whatever became of it. Once. */
  ended(): void;
};

export class CopyCount {
  /** Copies of one reed on the wire at once, at most. */
  most = 0;
  /** By reed: the crossings whose copies arrived, each once. */
  readonly taken = new Map<ReedId, Set<string>>();
  readonly #now = new Map<ReedId, number>();
  readonly #reedOf = new Map<string, ReedId>();
  readonly #requesterOf = new Map<string, UserId>();

  /** A copy is asked for. */
  asked({ peerRequestId, reedId, requesterId }: FoldRequest): void {
    this.#reedOf.set(peerRequestId, reedId);
    this.#requesterOf.set(peerRequestId, requesterId);
  }

  /** A copy sets out. @returns null: nobody was seen asking for it */
  carried(crossing: string): Carried | null {
    const reed = this.#reedOf.get(crossing);
    if (reed === undefined) return null;
    this.#move(reed, 1);
    return {
      taken: () => void this.taken.set(reed, (this.taken.get(reed) ?? new Set()).add(crossing)),
      ended: () => this.#move(reed, -1),
    };
  }

  /** Who was sent the copies of this reed that arrived. */
  takers(reed: ReedId): UserId[] {
    return [...(this.taken.get(reed) ?? [])].flatMap((crossing) => this.#requesterOf.get(crossing) ?? []);
  }

  /** Copies that arrived, of all reeds. */
  get total(): number {
    return [...this.taken.values()].reduce((sum, crossings) => sum + crossings.size, 0);
  }

  /** Forgets what arrived and the most that there were; what is under way stays. */
  reset(): void {
    this.most = 0;
    this.taken.clear();
  }

  #move(reed: ReedId, by: 1 | -1): void {
    const now = (this.#now.get(reed) ?? 0) + by;
    this.#now.set(reed, now);
    this.most = Math.max(this.most, now);
  }
}
