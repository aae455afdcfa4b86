// The community stream: shown while the session lasts and let go of, since nobody is owed it and looking at it makes no holder. What it shows is
// verified like a copy; opening a reed of it asks for a copy to keep.
import type { Limits } from '../base/limits.ts';
import type { Result } from '../base/result.ts';
import { Slots } from '../base/slots.ts';
import { parseReedId, type ReedId, type UserId, userOf } from '../wire/address.ts';
import type { Frame, FrameOf, InvalidReason } from '../wire/frames.ts';
import type { Agreements } from './agreements.ts';
import type { CheckedContent } from './check-copy.ts';
import type { Store } from './store.ts';
import type { Tombstones } from './tombstones.ts';
import type { Emit } from './types.ts';

export type BroadcastDeps = {
  readonly store: Store;
  readonly limits: Pick<Limits, 'broadcastsQueued' | 'broadcastsShown'>;
  readonly agreements: Pick<Agreements, 'isShut' | 'falseRelation'>;
  readonly tombstones: Pick<Tombstones, 'find'>;
  readonly watched: { readonly broadcast: boolean };
  check(ciphertext: Uint8Array, reedId: ReedId): Promise<Result<CheckedContent, InvalidReason>>;
  send(frame: Frame): boolean;
  emit: Emit;
};

/** `skipped`: how many came before it that this member was not sent, since the last one. */
export type Broadcast = CheckedContent & { readonly reedId: ReedId; readonly username: string; readonly skipped: number };

export class Broadcasts {
  readonly #deps: BroadcastDeps;
  readonly #slots = new Slots(1);
  readonly #shown = new Map<ReedId, Broadcast>();
  /** Of those that were not shown: the next one tells. */
  #skipped = 0;

  constructor(deps: BroadcastDeps) {
    this.#deps = deps;
  }

  /** What was shown in this session, newest first. */
  list(): Broadcast[] {
    return [...this.#shown.values()].reverse();
  }

  /** BROADCAST_REED. Rejects only if the store can't be read. */
  async take({ body }: FrameOf<'broadcastReed'>): Promise<void> {
    const { limits, watched } = this.#deps;
    const reedId = parseReedId(body.reedId);
    if (!reedId || !watched.broadcast) return;
    this.#skipped += body.skipped;
    if (this.#slots.waiting >= limits.broadcastsQueued) this.#skipped++;
    else await this.#slots.run(() => this.#show(reedId, body.ciphertext, body.username));
  }

  /** A reed, or all that somebody wrote, is not to be seen any more. */
  gone(id: ReedId | UserId): void {
    for (const reedId of this.#shown.keys()) if (reedId === id || userOf(reedId) === id) this.#shown.delete(reedId);
  }

  async #show(reedId: ReedId, ciphertext: Uint8Array, username: string): Promise<void> {
    const { check, agreements, send, emit, limits } = this.#deps;
    if (await this.#isUnwanted(reedId)) return;
    const checked = await check(ciphertext, reedId);
    const relation = checked.ok ? await agreements.falseRelation(checked.value.certificate.statement) : null;
    if (!checked.ok || relation) {
      const reason = checked.ok ? 'CLAIM_MISMATCH' : checked.reason;
      emit({ type: 'invalid', reedId, reason });
      if (reason !== 'CLAIM_MISMATCH') return;
      const detail = relation ?? (checked.ok ? '' : checked.detail);
      send({ id: '', type: 'contentRejected', body: { reedId, reason: `claim mismatch: ${detail}` } });
      emit({ type: 'rejected', reedId, reason: detail });
      return;
    }
    // It may have been taken back while it was looked at.
    if (await this.#isUnwanted(reedId)) return;
    const skipped = this.#skipped;
    this.#skipped = 0;
    this.#shown.delete(reedId);
    this.#shown.set(reedId, { ...checked.value, reedId, username, skipped });
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > limits.broadcastsShown && oldest !== undefined) this.#shown.delete(oldest);
    emit({ type: 'broadcast', reedId, username, skipped });
  }

  async #isUnwanted(reedId: ReedId): Promise<boolean> {
    const { store, agreements, tombstones, watched } = this.#deps;
    const author = userOf(reedId);
    if (!watched.broadcast || (await agreements.isShut(author)) || (await tombstones.find(reedId))) return true;
    return (await store.get('marks', author))?.muted ?? false;
  }
}
