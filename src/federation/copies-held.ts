// Copies in memory that are being passed on to peers: so many bytes for one peer and for all together. Whatever the others hold, a peer that holds
// none has room for one, so that those who don't take theirs keep nobody else from having theirs.
import type { Limits } from '../base/limits.ts';
import type { ServerId } from '../wire/address.ts';

export class CopiesHeld {
  readonly #limits: Pick<Limits, 'forwardBytes' | 'forwardBytesPerPeer'>;
  readonly #of = new Map<ServerId, number>();
  #all = 0;

  constructor(limits: Pick<Limits, 'forwardBytes' | 'forwardBytesPerPeer'>) {
    this.#limits = limits;
  }

  /** Takes room for a copy. @returns what gives it back, once; null: there is none */
  take(peer: ServerId, bytes: number): (() => void) | null {
    const held = this.#of.get(peer) ?? 0;
    const { forwardBytes, forwardBytesPerPeer } = this.#limits;
    if (held > 0 && (held + bytes > forwardBytesPerPeer || this.#all + bytes > forwardBytes)) return null;
    this.#count(peer, bytes);
    return () => this.#count(peer, -bytes);
  }

  #count(peer: ServerId, bytes: number): void {
    this.#all += bytes;
    const held = (this.#of.get(peer) ?? 0) + bytes;
    if (held > 0) this.#of.set(peer, held);
    else this.#of.delete(peer);
  }
}
