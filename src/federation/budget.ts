// What a peer may ask of this replica: so many calls at once, so many a second, so many bytes a minute both ways. Bytes are counted as they
// pass and may go below nothing by what is under way; then no call is taken until they are made up for. Kept for known peers only.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { ServerId } from '../wire/address.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** When somebody's calls are all under way, one of them will have ended by then. */
const NEXT_TURN_MS = 1_000;
/** What sums of fractions may be off by. */
const ROUNDING = 1e-6;

type Used = { running: number; calls: number; bytes: number; at: number };

/** A place among the calls of a peer. */
export type Turn = {
  spend(bytes: number): void;
  leave(): void;
};

export class PeerBudgets {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #peers = new Map<ServerId, Used>();

  constructor({ clock, limits }: { readonly clock: Clock; readonly limits: Limits }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Takes a turn, or says how long to wait for one. */
  enter(peer: ServerId): Turn | { readonly waitMs: number } {
    const used = this.#of(peer);
    const waitMs = this.#waitMs(used);
    if (waitMs > 0) return { waitMs };
    used.running += 1;
    used.calls -= 1;
    return {
      spend: (bytes) => {
        used.bytes -= bytes;
      },
      leave: () => {
        used.running -= 1;
      },
    };
  }

  #waitMs({ running, calls, bytes }: Used): number {
    const { peerRequestsAtOnce, peerRequestsPerSecond, peerBytesPerMinute } = this.#limits;
    if (running >= peerRequestsAtOnce) return NEXT_TURN_MS;
    if (calls < 1 - ROUNDING) return Math.ceil(((1 - calls) * SECOND_MS) / peerRequestsPerSecond);
    return bytes > 0 ? 0 : Math.ceil(((1 - bytes) * MINUTE_MS) / peerBytesPerMinute);
  }

  /** What is left, made up for the time that has passed. */
  #of(peer: ServerId): Used {
    const { peerRequestsPerSecond, peerBytesPerMinute } = this.#limits;
    const now = this.#clock.monotonicMs();
    const used = this.#peers.get(peer) ?? { running: 0, calls: peerRequestsPerSecond, bytes: peerBytesPerMinute, at: now };
    const passedMs = now - used.at;
    used.calls = Math.min(peerRequestsPerSecond, used.calls + (passedMs * peerRequestsPerSecond) / SECOND_MS);
    used.bytes = Math.min(peerBytesPerMinute, used.bytes + (passedMs * peerBytesPerMinute) / MINUTE_MS);
    used.at = now;
    this.#peers.set(peer, used);
    return used;
  }
}
