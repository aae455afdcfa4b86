// Asking for reeds. A request is in the store before it is sent and stays there until the server has confirmed the copy. Nothing that a lost connection may have swallowed is waited for: each new one hears every open request once more.

import type { Timer } from '../base/clock.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import { makeRequestId, type ReedId, type RequestId, type UserId, userOf } from '../wire/address.ts';
import type { FrameBodies, FrameOf } from '../wire/frames.ts';
import { Intake, type IntakeDeps } from './intake.ts';
import { type Pending, PendingReeds, PROGRESS, type Waiter } from './pending.ts';
import { judgeRefusal } from './refusals.ts';
import type { CopyRecord, RequestRecord } from './store.ts';
import { RequestFailure, type RequestProgress } from './types.ts';

/** Confirmations are asked for beside what people wait for, a few at a time. */
const CONFIRMATIONS_AT_ONCE = 8;

export type ViewerDeps = Omit<IntakeDeps, 'pending' | 'open'> & { readonly random: RandomBytes };

/** `thread`: the whole thread that the reed is the head of. */
export type RequestOptions = { onProgress?(progress: RequestProgress): void; readonly signal?: AbortSignal; readonly thread?: boolean };

export class Viewer {
  readonly #deps: ViewerDeps;
  readonly #pending = new PendingReeds();
  /** What comes, asked for or not. */
  readonly intake: Intake;
  #openMax = 0;
  #retry: Timer | null = null;

  constructor(deps: ViewerDeps) {
    this.#deps = deps;
    this.intake = new Intake({
      ...deps,
      pending: this.#pending,
      open: {
        newRecord: (reedId, want, rest) => this.#newRecord(reedId, want, rest),
        progress: (pending, change) => this.#progress(pending, change),
        fail: (pending, failure) => this.#fail(pending, failure),
        later: (pending, delayMs) => this.#later(pending, delayMs, 'sending'),
        freed: () => this.#freed(),
        pump: () => this.#pump(),
      },
    });
  }

  /** Takes up what was open when the device stopped. */
  async load(): Promise<void> {
    for (const record of await this.#deps.store.list('requests')) if (record.want !== 'eviction') this.#pending.set(record).known = true;
  }

  /** A copy, from the store or from another member. Rejects with RequestFailure. */
  async request(reedId: ReedId, options: RequestOptions = {}): Promise<CopyRecord> {
    // A copy whose request was ended while it came is still being dealt with.
    if (!this.#pending.get(reedId)) await this.intake.checked(reedId);
    const { store, tombstones } = this.#deps;
    const here = await store.get('copies', reedId);
    const isLeaving = here?.state === 'leaving';
    if (here && !isLeaving && (!options.thread || (await store.get('threads', reedId)))) return here;
    const stone = await tombstones.find(reedId);
    if (stone) throw new RequestFailure('removed', { certificate: stone.certificate });
    options.signal?.throwIfAborted();
    const open = this.#pending.get(reedId)?.record;
    if (open?.want !== 'copy' || (options.thread && !open.thread)) await this.#begin(reedId, isLeaving, options.thread ?? false);
    return new Promise((done, failed) => {
      const { onProgress, signal } = options;
      const abandon = (): void => void this.#abandon(reedId, waiter);
      // A signal may outlive any number of requests.
      const forget = (): void => signal?.removeEventListener('abort', abandon);
      const waiter: Waiter = {
        thread: options.thread ?? false,
        done: (copy) => {
          forget();
          done(copy);
        },
        failed: (failure) => {
          forget();
          failed(failure);
        },
        progress: (progress) => onProgress?.(progress),
      };
      const pending = this.#pending.get(reedId);
      if (!pending) return failed(new RequestFailure('cancelled'));
      pending.waiters.push(waiter);
      waiter.progress(pending.progress);
      signal?.addEventListener('abort', abandon, { once: true });
      // It may have been aborted while the request was written.
      if (signal?.aborted) abandon();
      else this.#pump();
    });
  }

  /** Asks for reeds that nobody waits for: each is on record when this resolves, and comes whenever it can. */
  async want(reedIds: readonly ReedId[]): Promise<void> {
    const { store, tombstones } = this.#deps;
    for (const reedId of reedIds) {
      const here = await store.get('copies', reedId);
      const isLeaving = here?.state === 'leaving';
      if ((here && !isLeaving) || this.#pending.get(reedId)?.record.want === 'copy' || (await tombstones.find(reedId))) continue;
      await this.#begin(reedId, isLeaving, false);
    }
    this.#pump();
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
      pending.pushed = false;
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

  /** A reed, or all that somebody wrote, is gone for good: whatever was open about it ends. */
  gone(id: ReedId | UserId, outcome: 'removed' | 'blocked', certificate: object): void {
    const ended = this.#pending.all().filter(({ record }) => record.id === id || userOf(record.id) === id);
    for (const pending of ended) void this.#fail(pending, new RequestFailure(outcome, { certificate }), { gone: true });
  }

  /** Asks no longer that a copy be confirmed. A request for one goes on. */
  letGo(reedId: ReedId): void {
    const pending = this.#pending.get(reedId);
    if (pending?.record.want !== 'confirmation') return;
    this.#pending.delete(reedId);
    if (pending.sent) this.#freed();
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

  async #begin(reedId: ReedId, replaces: boolean, thread: boolean): Promise<void> {
    const record = this.#newRecord(reedId, 'copy', { invalid: 0, thread });
    await this.#deps.store.write([...(replaces ? [{ delete: 'copies', id: reedId } as const] : []), { put: 'requests', record }]);
    // Someone else may have begun the same while this was written: then theirs counts, and is overwritten on disk next time.
    const open = this.#pending.get(reedId)?.record;
    if (open?.want === 'copy' && (open.thread || !thread)) return;
    const pending = this.#pending.set(record);
    pending.sent = pending.known = pending.pushed = false;
  }

  #newRecord(reedId: ReedId, want: RequestRecord['want'], rest: { invalid: number; thread?: boolean }): RequestRecord {
    const { time, random, user } = this.#deps;
    const now = time.now();
    const record = { id: reedId, want, requestId: makeRequestId(user, uuidv7(now, random)), invalid: rest.invalid, askedAt: now };
    return rest.thread ? { ...record, thread: true } : record;
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
    const isAgain = pending.known || pending.record.want === 'confirmation';
    if (isAgain && !pending.record.thread && (await this.#isHeld(pending))) return;
    if (pending.record.want === 'confirmation') {
      const { id, thread = false } = pending.record;
      const record = this.#newRecord(id, 'confirmation', { invalid: 0, thread });
      await this.#deps.store.write([{ put: 'requests', record }]).catch(() => undefined);
      if (this.#pending.get(record.id) !== pending) return;
      this.#pending.set(record);
    }
    const { id, requestId, thread } = pending.record;
    const sent = this.#deps.send(
      thread
        ? { id: '', type: 'requestThread', body: { requestId, threadId: id } }
        : { id: '', type: 'requestReed', body: { requestId, reedId: id, authorId: userOf(id) } },
    );
    if (!sent) pending.sent = false;
  }

  /** Ends a request for what is held by now. Asking for it would make the server let go of it. */
  async #isHeld(pending: Pending): Promise<boolean> {
    const { store } = this.#deps;
    const { id } = pending.record;
    const copy = await store.get('copies', id).catch(() => null);
    if (copy?.state !== 'held' || this.#pending.get(id) !== pending) return false;
    this.#pending.delete(id);
    for (const { done } of pending.waiters.splice(0)) done(copy);
    await store.write([{ delete: 'requests', id }]).catch(() => undefined);
    this.#freed();
    return true;
  }

  #later(pending: Pending, delayMs: number, state: 'held-back' | 'sending'): void {
    pending.sent = false;
    pending.notBefore = this.#deps.time.monotonicMs() + delayMs;
    this.#progress(pending, { state });
    this.#pump();
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
      return freed ? this.#freed() : this.#pump();
    }
    this.#pending.delete(id);
    for (const { failed } of pending.waiters.splice(0)) failed(failure);
    if (!pending.storing) await this.#forget(pending.record, gone).catch(() => undefined);
    if (freed) this.#freed();
    else this.#pump();
  }

  /** The head of a thread may be here though the rest is not: that copy is still to be confirmed. */
  async #forget({ id, thread }: RequestRecord, isGone: boolean): Promise<void> {
    const { store } = this.#deps;
    const isHere = thread === true && !isGone && (await store.get('copies', id))?.state === 'unconfirmed';
    if (!isHere || this.#pending.get(id)) return store.write([{ delete: 'requests', id }]);
    const record = this.#newRecord(id, 'confirmation', { invalid: 0 });
    this.#pending.set(record);
    await store.write([{ put: 'requests', record }]);
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
