// What a peer may ask of this replica: so many calls at once, so many a second, so many bytes a minute both ways. Bytes are counted as they
// pass, so that calls under way may go over; then no further one is taken until that is made up for. Kept for known peers only.
import { type Bucket, type Rate, take } from '../base/bucket.ts';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { ServerId } from '../wire/address.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** When a peer's calls are all under way, one of them will have ended by then. */
const NEXT_TURN_MS = 1_000;

type Used = { running: number; readonly calls: Bucket; readonly bytes: Bucket };

/** A place among the calls of a peer. */
export type Turn = {
  spend(bytes: number): void;
  leave(): void;
};

export class PeerBudgets {
  readonly #clock: Clock;
  readonly #mostAtOnce: number;
  readonly #calls: Rate;
  readonly #bytes: Rate;
  readonly #peers = new Map<ServerId, Used>();

  constructor({ clock, limits }: { readonly clock: Clock; readonly limits: Limits }) {
    this.#clock = clock;
    this.#mostAtOnce = limits.peerRequestsAtOnce;
    this.#calls = { burst: limits.peerRequestsPerSecond, perMs: limits.peerRequestsPerSecond / SECOND_MS };
    this.#bytes = { burst: limits.peerBytesPerMinute, perMs: limits.peerBytesPerMinute / MINUTE_MS };
  }

  /** Takes a turn, or says how long to wait for one. */
  enter(peer: ServerId): Turn | { readonly waitMs: number } {
    const used = this.#of(peer);
    const waitMs = this.#waitMs(used);
    if (waitMs > 0) return { waitMs };
    used.running += 1;
    return {
      spend: (bytes) => {
        used.bytes.level -= bytes;
      },
      leave: () => {
        used.running -= 1;
      },
    };
  }

  /** Whether more of what this peer sends is read though it was refused. */
  mayRead(peer: ServerId): boolean {
    return take(this.#of(peer).bytes, this.#bytes, 0, this.#clock.monotonicMs()) === 0;
  }

  /** Counts what was read of a refused call. */
  spend(peer: ServerId, bytes: number): void {
    this.#of(peer).bytes.level -= bytes;
  }

  #waitMs({ running, calls, bytes }: Used): number {
    if (running >= this.#mostAtOnce) return NEXT_TURN_MS;
    const now = this.#clock.monotonicMs();
    return take(bytes, this.#bytes, 1, now) || take(calls, this.#calls, 1, now);
  }

  #of(peer: ServerId): Used {
    const known = this.#peers.get(peer);
    if (known !== undefined) return known;
    const at = this.#clock.monotonicMs();
    const used = { running: 0, calls: { level: this.#calls.burst, at }, bytes: { level: this.#bytes.burst, at } };
    this.#peers.set(peer, used);
    return used;
  }
}
