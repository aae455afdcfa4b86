// Giving up copies on purpose: announced first, deleted only after the server's answer, so that nobody is sent to an empty place.
// The announcement is on record, and each new connection repeats it until the answer comes.
import { AppError } from '../base/errors.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { makeRequestId, parseReedId, type ReedId, type UserId } from '../wire/address.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import type { ServerTime } from './server-time.ts';
import type { Store } from './store.ts';
import type { Emit } from './types.ts';

/** When the server does not say. */
const AGAIN_MS = 5_000;

export type EvictionDeps = {
  readonly limits: Pick<Limits, 'evictionsAtOnce'>;
  readonly store: Store;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly user: UserId;
  send(frame: Frame): boolean;
  emit: Emit;
  /** A copy is leaving: that the server should confirm it is no concern any more. */
  unconfirmed(reedId: ReedId): void;
};

export class Evictions {
  readonly #deps: EvictionDeps;
  readonly #leaving = new Map<ReedId, (() => void)[]>();
  /** Announced though there is no copy, and not answered yet. */
  readonly #lacking = new Map<ReedId, { done(): void; failed(error: AppError): void }>();

  constructor(deps: EvictionDeps) {
    this.#deps = deps;
  }

  /** Takes up what was announced when the device stopped. */
  async load(): Promise<void> {
    for (const { id, want } of await this.#deps.store.list('requests')) if (want === 'eviction') this.#leaving.set(id, []);
  }

  /** Resolves when the copy is deleted, which needs the server's answer, or was brought again by its thread; at once if there is none. */
  async evict(reedId: ReedId): Promise<void> {
    const { store, time, random, user, unconfirmed } = this.#deps;
    const copy = await store.get('copies', reedId);
    if (!copy) return;
    unconfirmed(reedId);
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

  /** Says of reeds that they are not here. Resolves when the server knows it; rejects when the connection ends before. */
  async lacking(reedIds: readonly ReedId[]): Promise<void> {
    const { evictionsAtOnce } = this.#deps.limits;
    for (let at = 0; at < reedIds.length; at += evictionsAtOnce) {
      const some = reedIds.slice(at, at + evictionsAtOnce);
      await Promise.all(
        some.map(
          (reedId) =>
            new Promise<void>((done, failed) => {
              this.#lacking.set(reedId, { done, failed });
              if (!this.#announce(reedId)) failed(new AppError('UNAVAILABLE', 'no connection'));
            }),
        ),
      );
    }
  }

  disconnected(): void {
    for (const { failed } of this.#lacking.values()) failed(new AppError('UNAVAILABLE', 'the connection was lost'));
    this.#lacking.clear();
  }

  /** An ERROR that repeats the announcement's id: too many at once. */
  refused({ id, body }: FrameOf<'error'>): void {
    const reedId = parseReedId(id);
    if (!reedId || !(this.#leaving.has(reedId) || this.#lacking.has(reedId))) return;
    this.#deps.time.after(body.retryAfterMs || AGAIN_MS, () => void this.#announceAgain(reedId));
  }

  connected(): void {
    for (const reedId of this.#leaving.keys()) void this.#announceAgain(reedId);
  }

  /** Unless a new copy came since: the server would let go of an allocation that stands. */
  async #announceAgain(reedId: ReedId): Promise<void> {
    const copy = await this.#deps.store.get('copies', reedId).catch(() => null);
    if (!copy || copy.state === 'leaving' || this.#lacking.has(reedId)) return void this.#announce(reedId);
    const waiters = this.#leaving.get(reedId) ?? [];
    this.#leaving.delete(reedId);
    const { store } = this.#deps;
    if ((await store.get('requests', reedId).catch(() => null))?.want === 'eviction')
      await store.write([{ delete: 'requests', id: reedId }]).catch(() => undefined);
    for (const done of waiters) done();
  }

  /** EVICTION_ACK: nobody will be sent here for it any more. */
  async acknowledged(reedId: ReedId): Promise<void> {
    const { store, emit } = this.#deps;
    this.#lacking.get(reedId)?.done();
    this.#lacking.delete(reedId);
    const waiters = this.#leaving.get(reedId);
    if (!waiters) return;
    this.#leaving.delete(reedId);
    // Asked for again in the meantime: then the record is a request, and its copy stays what it is.
    if ((await store.get('requests', reedId))?.want === 'eviction') {
      // A thread may have brought it again.
      const isLeaving = (await store.get('copies', reedId))?.state === 'leaving';
      await store.write([...(isLeaving ? [{ delete: 'copies', id: reedId } as const] : []), { delete: 'requests', id: reedId }]);
      if (isLeaving) emit({ type: 'copy', reedId, state: 'gone' });
    }
    for (const done of waiters) done();
  }

  #announce(reedId: ReedId): boolean {
    return this.#deps.send({ id: reedId, type: 'eviction', body: { reedId } });
  }
}
