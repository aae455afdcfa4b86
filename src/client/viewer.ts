// Asking for reeds and taking what comes. A request is in the store before it is sent and stays there until the server has confirmed
// the copy. Nothing that a lost connection may have swallowed is waited for: each new one hears every open request once more.

import type { Timer } from '../base/clock.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Result } from '../base/result.ts';
import { makeRequestId, parseReedId, type ReedId, type RequestId, type UserId, userOf } from '../wire/address.ts';
import { ACCUSING_REASONS, type DeliveryType, type Frame, type FrameBodies, type FrameOf, type InvalidReason } from '../wire/frames.ts';
import type { CheckedCopy } from './check-copy.ts';
import { consentTo } from './consent.ts';
import { type Pending, PendingReeds, PROGRESS, type Waiter } from './pending.ts';
import { judgeRefusal, REFUSALS_MAX, retryDelayMs } from './refusals.ts';
import type { ServerTime } from './server-time.ts';
import type { CopyRecord, RequestRecord, Store } from './store.ts';
import { type Emit, RequestFailure, type RequestProgress } from './types.ts';

/** Confirmations are asked for beside what people wait for, a few at a time. */
const CONFIRMATIONS_AT_ONCE = 8;

export type ViewerDeps = {
  readonly store: Store;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly user: UserId;
  /** Judges a ciphertext as the copy of a reed. Rejects when that is not possible now. */
  check(ciphertext: Uint8Array, reedId: ReedId): Promise<Result<CheckedCopy, InvalidReason>>;
  send(frame: Frame): boolean;
  emit: Emit;
};

export type RequestOptions = { onProgress?(progress: RequestProgress): void; readonly signal?: AbortSignal };
type Delivery = { readonly id: string; readonly type: DeliveryType; readonly body: FrameBodies['dataResponse'] };

export class Viewer {
  readonly #deps: ViewerDeps;
  readonly #pending = new PendingReeds();
  /** Acknowledged events whose SETTLED has not come. */
  readonly #acked = new Map<string, ReedId>();
  /** One delivery of a reed is looked at after the other. */
  readonly #checking = new Map<ReedId, Promise<void>>();
  #openMax = 0;
  #retry: Timer | null = null;

  constructor(deps: ViewerDeps) {
    this.#deps = deps;
  }

  /** Takes up what was open when the device stopped. */
  async load(): Promise<void> {
    for (const record of await this.#deps.store.list('requests')) if (record.want !== 'eviction') this.#pending.set(record).known = true;
  }

  /** A copy, from the store or from another member. Rejects with RequestFailure. */
  async request(reedId: ReedId, options: RequestOptions = {}): Promise<CopyRecord> {
    // A copy whose request was ended while it came is still being dealt with.
    if (!this.#pending.get(reedId)) await this.#checking.get(reedId);
    const here = await this.#deps.store.get('copies', reedId);
    if (here && here.state !== 'leaving') return here;
    options.signal?.throwIfAborted();
    if (this.#pending.get(reedId)?.record.want !== 'copy') await this.#begin(reedId, here !== null);
    return new Promise((done, failed) => {
      const waiter: Waiter = { done, failed, progress: (progress) => options.onProgress?.(progress) };
      const pending = this.#pending.get(reedId);
      if (!pending) return failed(new RequestFailure('cancelled'));
      pending.waiters.push(waiter);
      waiter.progress(pending.progress);
      const abandon = (): void => void this.#abandon(reedId, waiter);
      options.signal?.addEventListener('abort', abandon, { once: true });
      // It may have been aborted while the request was written.
      if (options.signal?.aborted) abandon();
      else this.#pump();
    });
  }

  /** Ends a request; whoever waits for it is told `cancelled`. */
  async cancel(reedId: ReedId): Promise<void> {
    const pending = this.#pending.get(reedId);
    if (pending?.record.want !== 'copy') return;
    this.#deps.send({ id: '', type: 'cancelRequest', body: { requestId: pending.record.requestId } });
    await this.#fail(pending, new RequestFailure('cancelled'));
  }

  /**
   * A connection is ready. Every open request is sent again by its id, also to a server that still has it: how it ended may have been
   * told to the connection before. The server takes the same id for the same request. Only what a rate limit holds back goes on waiting.
   */
  connected(openMax: number): void {
    this.#openMax = openMax;
    for (const pending of this.#pending.all()) {
      pending.sent = false;
      if (pending.notBefore === Number.POSITIVE_INFINITY) pending.notBefore = 0;
    }
    this.#pump();
  }

  disconnected(): void {
    this.#openMax = 0;
    this.#retry?.cancel();
  }

  /** Nobody waits here any longer. What was asked for stays on record and is asked for again at the next start. */
  close(): void {
    for (const { waiters } of this.#pending.all()) for (const { failed } of waiters.splice(0)) failed(new RequestFailure('cancelled'));
  }

  /** Waits for every copy that is being checked. */
  async idle(): Promise<void> {
    while (this.#checking.size > 0) await Promise.all(this.#checking.values());
  }

  requestAck({ body }: FrameOf<'requestAck'>): void {
    const pending = this.#pending.byRequest(body.requestId);
    if (!pending) return;
    pending.known = true;
    // It stands on the server, whatever became of its last repetition.
    if (pending.record.want === 'copy') pending.sent = true;
    pending.refusals = 0;
    pending.lacks = null;
    this.#progress(pending, { state: PROGRESS[body.state], onlineHolders: Math.min(body.onlineHolders, 3) });
  }

  /** REED_NOT_FOUND and REED_NOT_HELD. */
  absent(frame: FrameOf<'reedNotFound'> | FrameOf<'reedNotHeld'>): void {
    const pending = this.#pending.byRequest(frame.body.requestId);
    if (pending) void this.#fail(pending, new RequestFailure(frame.type === 'reedNotFound' ? 'not-found' : 'not-held'));
  }

  /** A removal or a block in answer to a request. */
  explained(requestId: string, outcome: 'removed' | 'blocked', certificate: object | undefined): void {
    const pending = this.#pending.byRequest(requestId);
    if (pending) void this.#fail(pending, new RequestFailure(outcome, certificate ? { certificate } : {}));
  }

  /** The reed is gone for good: whatever was open about it ends. */
  removed(reedId: ReedId, certificate: object): void {
    const pending = this.#pending.get(reedId);
    if (pending) void this.#fail(pending, new RequestFailure('removed', { certificate }), { gone: true });
  }

  /** The reed that an open request of this id is about. */
  asked(requestId: string): ReedId | undefined {
    return this.#pending.byRequest(requestId)?.record.id;
  }

  /** An ERROR that names a request. Refusals that pass by themselves are waited out, within bounds. */
  refused(error: FrameBodies['error']): void {
    const pending = this.#pending.byRequest(error.requestId);
    if (!pending) return;
    pending.sent = false;
    const verdict = judgeRefusal(pending, error);
    if ('failure' in verdict) return void this.#fail(pending, verdict.failure, verdict);
    const before = verdict.inTurn ? this.#pending.heldBack(this.#deps.time.monotonicMs()) : 0;
    this.#later(pending, verdict.waitMs * (before + 1), verdict.state);
  }

  /** A ciphertext for this member. */
  delivery(frame: Delivery): void {
    const reedId = parseReedId(frame.body.reedId);
    if (!reedId) return;
    const before = this.#checking.get(reedId) ?? Promise.resolve();
    const work = before
      .then(() => this.#take(frame, reedId))
      .catch(() => this.#refuse(frame.id, reedId, 'CANNOT_STORE'))
      .finally(() => {
        if (this.#checking.get(reedId) === work) this.#checking.delete(reedId);
      });
    this.#checking.set(reedId, work);
  }

  /** SETTLED: what was acknowledged is held now, or is not. */
  async settled({ body }: FrameOf<'settled'>): Promise<void> {
    for (const { eventId, outcome } of body.events) {
      const reedId = this.#acked.get(eventId);
      if (!reedId) continue;
      this.#acked.delete(eventId);
      if (outcome === 'HELD') await this.#confirmed(reedId);
      else this.#unconfirmed(reedId);
    }
  }

  async #begin(reedId: ReedId, replaces: boolean): Promise<void> {
    const record = this.#newRecord(reedId, 'copy', 0);
    await this.#deps.store.write([...(replaces ? [{ delete: 'copies', id: reedId } as const] : []), { put: 'requests', record }]);
    // Someone else may have begun the same while this was written: then theirs counts, and is overwritten on disk next time.
    if (this.#pending.get(reedId)?.record.want !== 'copy') this.#pending.set(record).sent = false;
  }

  #newRecord(reedId: ReedId, want: RequestRecord['want'], invalid: number): RequestRecord {
    const { time, random, user } = this.#deps;
    const now = time.now();
    return { id: reedId, want, requestId: makeRequestId(user, uuidv7(now, random)), invalid, askedAt: now };
  }

  async #abandon(reedId: ReedId, waiter: Waiter): Promise<void> {
    const pending = this.#pending.get(reedId);
    if (!pending?.waiters.includes(waiter)) return;
    if (pending.waiters.length === 1) return this.cancel(reedId);
    pending.waiters = pending.waiters.filter((other) => other !== waiter);
    waiter.failed(new RequestFailure('cancelled'));
  }

  /** Sends what may be sent: as many at once as the server lets stand open, and few confirmations among them. */
  #pump(): void {
    const { time } = this.#deps;
    if (this.#openMax === 0) return;
    const now = time.monotonicMs();
    let free = this.#openMax - this.#pending.sentCount();
    let confirmations = this.#pending.all().filter(({ sent, record }) => sent && record.want === 'confirmation').length;
    for (const pending of this.#pending.sendable(now)) {
      if (free <= 0) break;
      if (pending.record.want === 'confirmation' && ++confirmations > CONFIRMATIONS_AT_ONCE) break;
      free--;
      pending.sent = true;
      void this.#ask(pending);
    }
    this.#retry?.cancel();
    const next = this.#pending.nextTime(now);
    if (next !== null) this.#retry = time.after(next - now, () => this.#pump());
  }

  /** A confirmation is a request of its own each time: the old one may have ended. */
  async #ask(pending: Pending): Promise<void> {
    if (pending.record.want === 'confirmation') {
      const record = this.#newRecord(pending.record.id, 'confirmation', 0);
      await this.#deps.store.write([{ put: 'requests', record }]).catch(() => undefined);
      if (this.#pending.get(record.id) !== pending) return;
      this.#pending.set(record);
    }
    const { id, requestId } = pending.record;
    const sent = this.#deps.send({ id: '', type: 'requestReed', body: { requestId, reedId: id, authorId: userOf(id) } });
    if (!sent) pending.sent = false;
  }

  #later(pending: Pending, delayMs: number, state: 'held-back' | 'sending'): void {
    pending.sent = false;
    pending.notBefore = this.#deps.time.monotonicMs() + delayMs;
    this.#progress(pending, { state });
    this.#pump();
  }

  async #take(frame: Delivery, reedId: ReedId): Promise<void> {
    const stored = await this.#deps.store.get('copies', reedId);
    const pending = this.#pending.get(reedId);
    const consent = consentTo(frame.type, { requested: pending?.record.want === 'copy', stored: stored !== null });
    if (consent === 'already') return this.#acknowledge(frame.id, reedId);
    if (consent !== 'keep' || !pending) {
      this.#deps.emit({ type: 'unsolicited', frame: frame.type, reedId });
      return this.#refuse(frame.id, reedId, 'UNSOLICITED');
    }
    this.#progress(pending, { state: 'checking' });
    const checked = await this.#deps.check(frame.body.ciphertext, reedId);
    if (!checked.ok) return this.#invalid(frame.id, pending, checked.reason);
    await this.#keep(frame.id, pending, checked.value);
  }

  async #keep(eventId: string, pending: Pending, { certificate, body }: CheckedCopy): Promise<void> {
    const { time, user, emit } = this.#deps;
    const { id } = pending.record;
    const copy: CopyRecord = { id, certificate, body, own: userOf(id) === user, state: 'unconfirmed', storedAt: time.now() };
    const record: RequestRecord = { ...pending.record, want: 'confirmation' };
    // Who cancelled while the copy was checked does not get it.
    if (this.#pending.get(id) !== pending) return this.#refuse(eventId, id, 'UNSOLICITED');
    if (!(await this.#stored(pending, copy, record))) return this.#refuse(eventId, id, 'UNSOLICITED');
    this.#pending.set(record);
    this.#acknowledge(eventId, id);
    emit({ type: 'copy', reedId: id, state: 'unconfirmed' });
    for (const { done } of pending.waiters.splice(0)) done(copy);
  }

  /**
   * False if the request ended while the copy was written: then neither stays. Until that is on the disk both are, so that what a crash
   * leaves is confirmed in the next life.
   */
  async #stored(pending: Pending, copy: CopyRecord, record: RequestRecord): Promise<boolean> {
    const { store } = this.#deps;
    const { id } = record;
    pending.storing = true;
    try {
      await store.write([
        { put: 'copies', record: copy },
        { put: 'requests', record },
      ]);
    } finally {
      pending.storing = false;
      if (this.#pending.get(id) !== pending) {
        await store.write([
          { delete: 'copies', id },
          { delete: 'requests', id },
        ]);
      }
    }
    return this.#pending.get(id) === pending;
  }

  #acknowledge(eventId: string, reedId: ReedId): void {
    this.#acked.set(eventId, reedId);
    const [oldest] = this.#acked.keys();
    if (this.#acked.size > this.#deps.limits.ackedEventsRemembered && oldest !== undefined) this.#acked.delete(oldest);
    this.#deps.send({ id: eventId, type: 'dataAck', body: {} });
  }

  #refuse(eventId: string, reedId: ReedId, reason: InvalidReason): void {
    this.#deps.send({ id: eventId, type: 'dataInvalid', body: { reason } });
    if (reason !== 'CANNOT_STORE') return;
    const pending = this.#pending.get(reedId);
    if (pending?.record.want === 'copy') void this.#fail(pending, new RequestFailure('cannot-store'));
  }

  /** A copy that accuses its holder is asked for again under a new id: someone else will be chosen. */
  async #invalid(eventId: string, pending: Pending, reason: InvalidReason): Promise<void> {
    const { store, emit, limits } = this.#deps;
    const { id, invalid } = pending.record;
    this.#refuse(eventId, id, reason);
    emit({ type: 'invalid', reedId: id, reason });
    if (!ACCUSING_REASONS.has(reason) || invalid >= limits.invalidCopiesPerRequest) {
      return this.#fail(pending, new RequestFailure('invalid', { invalidReason: reason }));
    }
    const record = { ...this.#newRecord(id, 'copy', invalid + 1), askedAt: pending.record.askedAt };
    await store.write([{ put: 'requests', record }]);
    if (this.#pending.get(id) !== pending) return;
    this.#pending.set(record);
    pending.sent = false;
    pending.known = false;
    this.#progress(pending, { state: 'asking-again', tries: invalid + 1 });
    this.#pump();
  }

  async #confirmed(reedId: ReedId): Promise<void> {
    const { store, emit } = this.#deps;
    const copy = await store.get('copies', reedId);
    const pending = this.#pending.get(reedId);
    if (copy?.state !== 'unconfirmed' || pending?.record.want === 'copy') return;
    this.#pending.delete(reedId);
    await store.write([
      { put: 'copies', record: { ...copy, state: 'held' } },
      { delete: 'requests', id: reedId },
    ]);
    emit({ type: 'copy', reedId, state: 'held' });
    this.#freed();
  }

  /** The event had ended before our acknowledgement came: the server does not count on this copy, so it is asked for again. */
  #unconfirmed(reedId: ReedId): void {
    const pending = this.#pending.get(reedId);
    if (pending?.record.want !== 'confirmation' || pending.refusals >= REFUSALS_MAX) return;
    pending.refusals++;
    this.#later(pending, retryDelayMs(pending.refusals), 'sending');
  }

  /** Ends a request that has no copy. A confirmation that fails stays on record and is tried at the next connection. */
  async #fail(
    pending: Pending,
    failure: RequestFailure,
    { gone = false, freed = pending.sent }: { gone?: boolean; freed?: boolean } = {},
  ): Promise<void> {
    const { id, want } = pending.record;
    if (want === 'confirmation' && !gone) {
      pending.sent = false;
      pending.notBefore = Number.POSITIVE_INFINITY;
      return;
    }
    this.#pending.delete(id);
    for (const { failed } of pending.waiters.splice(0)) failed(failure);
    if (!pending.storing) await this.#deps.store.write([{ delete: 'requests', id }]).catch(() => undefined);
    if (freed) this.#freed();
    else this.#pump();
  }

  /** One of ours ended at the server: the place it had is there for one that waits for a place. */
  #freed(): void {
    const next = this.#pending.nextForPlace();
    if (next) next.notBefore = 0;
    this.#pump();
  }

  #progress(pending: Pending, change: Partial<RequestProgress>): void {
    pending.progress = { ...pending.progress, ...change };
    if (pending.record.want !== 'copy') return;
    const { id: reedId, requestId } = pending.record;
    this.#deps.emit({ type: 'request', reedId, requestId: requestId as RequestId, progress: pending.progress });
    for (const waiter of pending.waiters) waiter.progress(pending.progress);
  }
}
