// What the relay asks about people and reeds of other servers beside their copies. The federation, which lies above, asks their homes.
import type { ReedId, UserId } from '../wire/address.ts';
import type { PageReed } from '../wire/legs.ts';

/** away: the home can't be asked now, or is none that may be; isLost: it does not answer, so that its readers are told. */
export type PageElsewhere =
  | { readonly kind: 'page'; readonly reeds: readonly PageReed[]; readonly hasMore: boolean }
  | { readonly kind: 'blocked'; readonly certificate: object }
  | { readonly kind: 'away'; readonly isLost: boolean };

export interface Elsewhere {
  /** Nothing is under way. */
  readonly idle: boolean;
  /** Whether this is of another server. */
  isElsewhere(of: UserId | ReedId): boolean;
  /** Asks an author's home for a page of their reeds, on behalf of a member. */
  page(author: UserId, requester: UserId, page: number): Promise<PageElsewhere>;
  /** A member's subscription to a reed was committed: what its home counts comes by itself. */
  watched(viewer: UserId, reed: ReedId): void;
  /** Looks at what is due. It ends by itself. */
  round(): void;
}

/** A server that knows of no other. */
export const NOTHING_ELSEWHERE: Elsewhere = {
  idle: true,
  isElsewhere: () => false,
  page: async () => ({ kind: 'away', isLost: true }),
  watched: () => undefined,
  round: () => undefined,
};
