// What the relay asks of the fold, which lies above it: a copy that is here is served here, and what isn't may cross from another server.
// All of them are hints after a commit; what one loses, the fold's own looks find.
import type { MovedReason } from '../ledger/crossing-ends.ts';
import type { ReedId } from '../wire/address.ts';

export interface FoldPort {
  /** Nothing is under way. */
  readonly idle: boolean;
  /** Events for this subject stand in line, or may have lost whom they waited for. */
  inLine(subject: ReedId): void;
  /** An event ended, or is to be served anew: it waits for no crossing any more. */
  moved(eventId: string, reason: MovedReason | null): void;
  /** A holder's copy for a peer's event, whose state is forwarding. Held only until it is passed on. */
  forward(eventId: string, ciphertext: Uint8Array): void;
  /** Peers' events ended because nobody has their subject any more. */
  notHeld(eventIds: readonly string[]): void;
  /** The last copy of a reed here may be gone. */
  copiesChanged(reed: ReedId): void;
  /** Looks at everything that is due. */
  round(): Promise<void>;
}

/** A server without peers: nothing stands in line. */
export const NO_FOLD: FoldPort = {
  idle: true,
  inLine: () => undefined,
  moved: () => undefined,
  forward: () => undefined,
  notHeld: () => undefined,
  copiesChanged: () => undefined,
  round: async () => undefined,
};
