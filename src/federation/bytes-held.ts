// Bytes in memory that are on their way to peers: so many for one peer and for all together. Whatever the others hold, a peer that holds none has
// room for one, so that those who don't take theirs keep nobody else from having theirs.
import type { ServerId } from '../wire/address.ts';

export type Held = {
  /** It is as long as this in truth. */
  resize(bytes: number): void;
  /** Once. */
  release(): void;
};

export class BytesHeld {
  readonly #most: { readonly all: number; readonly perPeer: number };
  readonly #of = new Map<ServerId, number>();
  #all = 0;

  constructor(most: { readonly all: number; readonly perPeer: number }) {
    this.#most = most;
  }

  /** Takes room for so much. @returns null: there is none */
  take(peer: ServerId, bytes: number): Held | null {
    const held = this.#of.get(peer) ?? 0;
    if (held > 0 && (held + bytes > this.#most.perPeer || this.#all + bytes > this.#most.all)) return null;
    let own = 0;
    const resize = (to: number): void => {
      this.#count(peer, to - own);
      own = to;
    };
    resize(bytes);
    return { resize, release: () => resize(0) };
  }

  #count(peer: ServerId, bytes: number): void {
    this.#all += bytes;
    const held = (this.#of.get(peer) ?? 0) + bytes;
    if (held > 0) this.#of.set(peer, held);
    else this.#of.delete(peer);
  }
}
