// How often a peer's word that it is there again, or that its ledger is another one, is followed by what follows: a look at all that waits for it and
// a comparison with all that it has. A peer that says so without an end costs no more than one that says so now and then; nothing is lost by waiting.
import { type Bucket, type Rate, take } from '../base/bucket.ts';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { ServerId } from '../wire/address.ts';

export class PeerReturns {
  readonly #clock: Clock;
  readonly #rate: Rate;
  /** Of known peers only. */
  readonly #peers = new Map<ServerId, Bucket>();

  constructor({ clock, limits }: { readonly clock: Clock; readonly limits: Pick<Limits, 'peerReturnsAtOnce' | 'peerReturnMs'> }) {
    this.#clock = clock;
    this.#rate = { burst: limits.peerReturnsAtOnce, perMs: 1 / limits.peerReturnMs };
  }

  /** Whether it counts now. */
  take(peer: ServerId): boolean {
    const now = this.#clock.now();
    const bucket = this.#peers.get(peer) ?? { level: this.#rate.burst, at: now };
    this.#peers.set(peer, bucket);
    return take(bucket, this.#rate, 1, Math.max(bucket.at, now)) === 0;
  }
}
