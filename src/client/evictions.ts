// Giving up copies on purpose: announced first, deleted only after the server's answer, so that nobody is sent to an empty place.
// The announcement is on record, and each new connection repeats it until the answer comes.
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import { makeRequestId, type ReedId, type UserId } from '../wire/address.ts';
import type { Frame } from '../wire/frames.ts';
import type { ServerTime } from './server-time.ts';
import type { Store } from './store.ts';
import type { Emit } from './types.ts';

export type EvictionDeps = {
  readonly store: Store;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly user: UserId;
  send(frame: Frame): boolean;
  emit: Emit;
};

export class Evictions {
  readonly #deps: EvictionDeps;
  readonly #leaving = new Map<ReedId, (() => void)[]>();

  constructor(deps: EvictionDeps) {
    this.#deps = deps;
  }

  /** Takes up what was announced when the device stopped. */
  async load(): Promise<void> {
    for (const { id, want } of await this.#deps.store.list('requests')) if (want === 'eviction') this.#leaving.set(id, []);
  }

  /** Resolves when the copy is deleted, which needs the server's answer; at once if there is none. */
  async evict(reedId: ReedId): Promise<void> {
    const { store, time, random, user } = this.#deps;
    const copy = await store.get('copies', reedId);
    if (!copy) return;
    const now = time.now();
    const requestId = makeRequestId(user, uuidv7(now, random));
    await store.write([
      { put: 'copies', record: { ...copy, state: 'leaving' } },
      { put: 'requests', record: { id: reedId, want: 'eviction', requestId, invalid: 0, askedAt: now } },
    ]);
    const gone = new Promise<void>((done) => this.#leaving.set(reedId, [...(this.#leaving.get(reedId) ?? []), done]));
    this.#announce(reedId);
    return gone;
  }

  connected(): void {
    for (const reedId of this.#leaving.keys()) this.#announce(reedId);
  }

  /** EVICTION_ACK: nobody will be sent here for it any more. */
  async acknowledged(reedId: ReedId): Promise<void> {
    const { store, emit } = this.#deps;
    const waiters = this.#leaving.get(reedId);
    if (!waiters) return;
    this.#leaving.delete(reedId);
    // Asked for again in the meantime: then the record is a request, and its copy stays what it is.
    if ((await store.get('requests', reedId))?.want === 'eviction') {
      await store.write([
        { delete: 'copies', id: reedId },
        { delete: 'requests', id: reedId },
      ]);
      emit({ type: 'copy', reedId, state: 'gone' });
    }
    for (const done of waiters) done();
  }

  #announce(reedId: ReedId): void {
    this.#deps.send({ id: '', type: 'eviction', body: { reedId } });
  }
}
