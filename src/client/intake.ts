// Taking what comes: consent first, then the judgement on the copy, then the store, then DATA_ACK. So many at once and no more: what waits is
// acknowledged later, and what is too much is left unanswered, so that the server says it again.
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Result } from '../base/result.ts';
import { Slots } from '../base/slots.ts';
import { parseReedId, type ReedId, type UserId, userOf } from '../wire/address.ts';
import { ACCUSING_REASONS, type DeliveryType, type Frame, type FrameBodies, type FrameOf, type InvalidReason } from '../wire/frames.ts';
import type { Agreements } from './agreements.ts';
import type { CheckedContent, CheckedCopy } from './check-copy.ts';
import type { Declined } from './declined.ts';
import type { Pending, PendingReeds } from './pending.ts';
import { REFUSALS_MAX, retryDelayMs } from './refusals.ts';
import type { ServerTime } from './server-time.ts';
import type { Change, CopyRecord, RequestRecord, Store } from './store.ts';
import type { Tombstones } from './tombstones.ts';
import { type Emit, RequestFailure, type RequestProgress } from './types.ts';

export type Delivery = { readonly id: string; readonly type: DeliveryType; readonly body: FrameBodies['dataResponse'] };

/** What becomes of a request is the viewer's to say. */
export type OpenRequests = {
  newRecord(reedId: ReedId, want: RequestRecord['want'], rest: { readonly invalid: number; readonly thread?: boolean }): RequestRecord;
  progress(pending: Pending, change: Partial<RequestProgress>): void;
  fail(pending: Pending, failure: RequestFailure): Promise<void>;
  later(pending: Pending, delayMs: number): void;
  freed(): void;
  pump(): void;
};

export type IntakeDeps = {
  readonly store: Store;
  readonly time: ServerTime;
  readonly limits: Limits;
  readonly user: UserId;
  readonly pending: PendingReeds;
  readonly open: OpenRequests;
  readonly agreements: Pick<Agreements, 'expects' | 'holds' | 'falseRelation'>;
  readonly tombstones: Pick<Tombstones, 'find'>;
  readonly declined: Pick<Declined, 'note'>;
  /** Judges a ciphertext as the copy of a reed or thread. Rejects when that is not possible now. */
  check(ciphertext: Uint8Array, reedId: ReedId): Promise<Result<CheckedContent, InvalidReason>>;
  send(frame: Frame): boolean;
  emit: Emit;
  /** A delivery could not be taken now: it is owed still. */
  missed(): void;
};

/** What is written of a delivery, and what takes it back. */
type Keeping = {
  readonly record: RequestRecord;
  readonly changes: readonly Change[];
  readonly undone: readonly Change[];
  readonly copies: readonly CopyRecord[];
};
type Acked = { readonly reedId: ReedId; readonly parts: readonly ReedId[] };

export class Intake {
  readonly #deps: IntakeDeps;
  readonly #slots: Slots;
  /** Acknowledged events whose SETTLED has not come. */
  readonly #acked = new Map<string, Acked>();
  /** One delivery of a reed is looked at after the other. */
  readonly #checking = new Map<ReedId, Promise<void>>();
  #waiting = 0;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#slots = new Slots(deps.limits.deliveriesAtOnce);
  }

  /** Deliveries that are being looked at or wait for it. */
  get waiting(): number {
    return this.#waiting;
  }

  /** A ciphertext for this member. False if there are too many: this one is not answered. */
  delivery(frame: Delivery): boolean {
    const reedId = parseReedId(frame.body.reedId);
    if (!reedId) return true;
    if (this.#waiting >= this.#deps.limits.deliveriesQueued) {
      this.#deps.missed();
      return false;
    }
    this.#waiting++;
    const before = this.#checking.get(reedId) ?? Promise.resolve();
    const work = before
      .then(() => this.#slots.run(() => this.#take(frame, reedId)))
      .catch((error: unknown) => this.#refuse(frame.id, reedId, 'CANNOT_STORE', error))
      .finally(() => {
        this.#waiting--;
        if (this.#checking.get(reedId) === work) this.#checking.delete(reedId);
      });
    this.#checking.set(reedId, work);
    return true;
  }

  /** Resolves when what has come of this reed was looked at. */
  async checked(reedId: ReedId): Promise<void> {
    await this.#checking.get(reedId);
  }

  /** Waits for every copy that is being checked. */
  async idle(): Promise<void> {
    while (this.#checking.size > 0) await Promise.all(this.#checking.values());
  }

  /** SETTLED: what was acknowledged is held now, or is not. */
  async settled({ body }: FrameOf<'settled'>): Promise<void> {
    for (const { eventId, outcome } of body.events) {
      const acked = this.#acked.get(eventId);
      if (!acked) continue;
      this.#acked.delete(eventId);
      if (outcome === 'HELD') await this.#confirmed(acked);
      else this.#unconfirmed(acked.reedId);
    }
  }

  async #take(frame: Delivery, reedId: ReedId): Promise<void> {
    const { agreements, tombstones, declined, check } = this.#deps;
    const pending = this.#pendingCopy(reedId);
    const here = await this.#here(reedId);
    if (here && !(pending?.record.thread && here.length === 1)) {
      if (pending) await this.#cameOtherwise(pending);
      return this.#acknowledge(frame.id, { reedId, parts: here });
    }
    if (await tombstones.find(reedId)) return this.#unsolicited(frame, reedId);
    const expected = pending ? 'agreed' : await agreements.expects(frame.type, reedId);
    if (expected === 'muted') await declined.note(reedId);
    if (expected !== 'agreed') return this.#unsolicited(frame, reedId);
    if (pending) this.#deps.open.progress(pending, { state: 'checking' });
    const checked = await check(frame.body.ciphertext, reedId);
    if (!checked.ok) return this.#invalid(frame, reedId, checked.reason, checked.detail);
    const content = checked.value;
    // The head that was asked for alone before has that request's id; under the one for the thread it is no answer.
    if (pending && frame.body.requestId === pending.record.requestId && kept(pending.record, content).want === 'copy')
      return this.#invalid(frame, reedId, 'OTHER_REED', 'the head alone');
    const reeds = copiesIn(content).map(({ certificate }) => certificate.statement);
    for (const reed of reeds) {
      const relation = await agreements.falseRelation(reed);
      if (relation) return this.#invalid(frame, reedId, 'CLAIM_MISMATCH', relation);
    }
    if (!pending && !(await agreements.holds(frame.type, reeds))) return this.#unsolicited(frame, reedId);
    await this.#keep(frame, content, pending);
  }

  #pendingCopy(reedId: ReedId): Pending | undefined {
    const pending = this.#deps.pending.get(reedId);
    return pending?.record.want === 'copy' ? pending : undefined;
  }

  /** What is here of a reed, or of the thread that it is the head of, when all of it is. A copy on its way out is not. */
  async #here(reedId: ReedId): Promise<ReedId[] | null> {
    const { store } = this.#deps;
    const copy = await store.get('copies', reedId);
    if (!copy || copy.state === 'leaving') return null;
    if (copy.certificate.statement.thread?.head !== reedId) return [reedId];
    const record = await store.get('threads', reedId);
    if (!record) return null;
    const { reeds } = record.certificate.statement;
    for (const part of reeds) if (((await store.get('copies', part))?.state ?? 'leaving') === 'leaving') return null;
    return [...reeds];
  }

  async #keep(frame: Delivery, content: CheckedContent, asked: Pending | undefined): Promise<void> {
    const { pending: open, open: requests, emit, store } = this.#deps;
    const reedId = content.certificate.statement.id;
    const parts = copiesIn(content);
    const thread = content.thread?.record;
    const before = await Promise.all(parts.map(({ certificate }) => store.get('copies', certificate.statement.id)));
    // What is held already stays as it is.
    const copies = parts.filter((_, at) => before[at]?.state !== 'held').map((copy) => this.#recordOf(copy));
    // Who cancelled while the copy was checked does not get it.
    if (asked && open.get(reedId) !== asked)
      return parts.length === 1 && before[0]?.state === 'held'
        ? this.#acknowledge(frame.id, { reedId, parts: [reedId] })
        : this.#refuse(frame.id, reedId, 'UNSOLICITED');
    const record = asked
      ? kept(asked.record, content)
      : requests.newRecord(reedId, 'confirmation', { invalid: 0, thread: thread !== undefined });
    const pending = asked ?? open.set(record);
    if (!asked) pending.pushed = true;
    const changes: Change[] = copies.map((copy): Change => ({ put: 'copies', record: copy }));
    if (thread) changes.push({ put: 'threads', record: { id: reedId, certificate: thread } });
    const undone = copies.flatMap(({ id }): Change[] => {
      const copy = before.find((each) => each?.id === id);
      if (!copy) return [{ delete: 'copies', id }];
      return copy.state === 'leaving' ? [{ put: 'copies', record: copy }] : [];
    });
    if (thread && !(await store.get('threads', reedId))) undone.push({ delete: 'threads', id: reedId });
    if (!(await this.#stored(pending, { record, changes, undone, copies }))) return this.#refuse(frame.id, reedId, 'UNSOLICITED');
    // While it was written the whole thread may have been asked for, too.
    const now = open.set(kept(pending.record, content)).record;
    if (now.requestId !== record.requestId) await this.#note(now);
    this.#acknowledge(frame.id, { reedId, parts: parts.map(({ certificate }) => certificate.statement.id) });
    for (const { id } of copies) emit({ type: 'copy', reedId: id, state: 'unconfirmed' });
    if (!asked) emit({ type: 'arrived', reedId, by: frame.type, thread: thread !== undefined });
    const first = copies.find(({ id }) => id === reedId) ?? before[0];
    if (first) this.#hand(pending, first, pending.record.want === 'confirmation');
    for (const { certificate } of parts.slice(1)) {
      const alone = this.#pendingCopy(certificate.statement.id);
      if (alone) await this.#cameOtherwise(alone);
    }
  }

  /** What was asked for is here otherwise, most often by the thread that it is a part of. A delivery that comes after is only acknowledged. */
  async #cameOtherwise(pending: Pending): Promise<void> {
    const { store, pending: open } = this.#deps;
    const copy = await store.get('copies', pending.record.id);
    if (!copy || open.get(copy.id) !== pending) return;
    const record: RequestRecord = { ...pending.record, want: 'confirmation' };
    open.set(record);
    this.#hand(pending, copy, true);
    await this.#note(record);
  }

  /** Where it can't be written, what stands there from before costs one more delivery. */
  async #note(record: RequestRecord): Promise<void> {
    await this.#deps.store.write([{ put: 'requests', record }]).catch(() => undefined);
  }

  /** Gives a copy to who waits for it; who waits for the whole thread gets it if that `isAll`. */
  #hand(pending: Pending, copy: CopyRecord, isAll: boolean): void {
    const waiters = pending.waiters.splice(0);
    for (const waiter of waiters) isAll || !waiter.thread ? waiter.done(copy) : pending.waiters.push(waiter);
  }

  #recordOf({ certificate, body }: CheckedCopy): CopyRecord {
    const { id } = certificate.statement;
    return { id, certificate, body, own: userOf(id) === this.#deps.user, state: 'unconfirmed', storedAt: this.#deps.time.now() };
  }

  /**
   * False if the request ended, or the reed was taken back, while the copy was written: then nothing stays that was not there before. Until that is on
   * the disk all of it is, so that what a crash leaves is confirmed, or found removed, in the next life.
   */
  async #stored(pending: Pending, { record, changes, undone, copies }: Keeping): Promise<boolean> {
    const { store, pending: open, tombstones } = this.#deps;
    const { id } = record;
    pending.storing = true;
    let [isWritten, isWanted] = [false, false];
    try {
      await store.write([...changes, { put: 'requests', record }]);
      isWritten = true;
      const isGone = Boolean(await tombstones.find(id, copies[0]?.certificate.statement.thread?.head));
      isWanted = open.get(id) === pending && !isGone;
      const taken = isGone
        ? [...copies.map((copy): Change => ({ delete: 'copies', id: copy.id })), { delete: 'threads', id } as const]
        : undone;
      if (!isWanted) await store.write([...taken, { delete: 'requests', id }]);
      return isWanted;
    } catch (error) {
      // Who cancelled meanwhile left the record to us.
      const left: Change[] = open.get(id) === pending ? [] : [{ delete: 'requests', id }];
      if (isWritten || left.length > 0) await store.write([...(isWritten ? undone : []), ...left]);
      throw error;
    } finally {
      pending.storing = false;
      if (!isWanted && open.get(id) === pending && pending.waiters.length === 0) open.delete(id);
    }
  }

  #acknowledge(eventId: string, acked: Acked): void {
    this.#acked.set(eventId, acked);
    const [oldest] = this.#acked.keys();
    if (this.#acked.size > this.#deps.limits.ackedEventsRemembered && oldest !== undefined) this.#acked.delete(oldest);
    this.#deps.send({ id: eventId, type: 'dataAck', body: {} });
  }

  #unsolicited(frame: Delivery, reedId: ReedId): void {
    this.#deps.emit({ type: 'unsolicited', frame: frame.type, reedId });
    this.#refuse(frame.id, reedId, 'UNSOLICITED');
  }

  /** `error`: why it could not be taken now. What is asked of the server in between fails by an AppError, a medium by whatever it likes. */
  #refuse(eventId: string, reedId: ReedId, reason: InvalidReason, error?: unknown): void {
    this.#deps.send({ id: eventId, type: 'dataInvalid', body: { reason } });
    if (reason !== 'CANNOT_STORE') return;
    const pending = this.#pendingCopy(reedId);
    if (pending) void this.#deps.open.fail(pending, new RequestFailure(error instanceof AppError ? 'cannot-check' : 'cannot-store'));
    else this.#deps.missed();
  }

  /** A copy that accuses its holder is asked for again under a new id: someone else will be chosen. */
  async #invalid(frame: Delivery, reedId: ReedId, reason: InvalidReason, detail: string): Promise<void> {
    const { store, emit, limits, open, pending: all, send } = this.#deps;
    const pending = this.#pendingCopy(reedId);
    this.#refuse(frame.id, reedId, reason);
    emit({ type: 'invalid', reedId, reason });
    if (reason === 'CLAIM_MISMATCH') {
      // Its author's doing, whoever served it.
      send({ id: '', type: 'contentRejected', body: { reedId, reason: `claim mismatch: ${detail}` } });
      emit({ type: 'rejected', reedId, reason: detail });
    }
    const invalid = pending?.record.invalid ?? 0;
    const isAskedAgain = ACCUSING_REASONS.has(reason) && invalid < limits.invalidCopiesPerRequest;
    if (!isAskedAgain) return pending && open.fail(pending, new RequestFailure('invalid', { invalidReason: reason }));
    const fresh = open.newRecord(reedId, 'copy', { invalid: invalid + 1, thread: pending?.record.thread ?? false });
    const record = pending ? { ...fresh, askedAt: pending.record.askedAt } : fresh;
    await store.write([{ put: 'requests', record }]);
    if (pending && all.get(reedId) !== pending) return;
    const again = all.set(record);
    again.sent = false;
    again.known = false;
    open.progress(again, { state: 'asking-again', tries: invalid + 1 });
    open.pump();
  }

  async #confirmed({ reedId, parts }: Acked): Promise<void> {
    const { store, emit, pending: open } = this.#deps;
    const copies: CopyRecord[] = [];
    for (const part of parts) {
      const copy = await store.get('copies', part);
      if (copy?.state === 'unconfirmed') copies.push({ ...copy, state: 'held' });
    }
    const pending = open.get(reedId);
    if (copies.length === 0 && !pending) return;
    // It may be asked for again, or with the rest of its thread.
    const isAsked = pending?.record.want === 'copy';
    if (!isAsked) open.delete(reedId);
    // A head that is being given up has a record of that, whatever becomes of the other parts.
    const isLeaving = (await store.get('requests', reedId))?.want === 'eviction';
    const settled: Change[] = isAsked || isLeaving ? [] : [{ delete: 'requests', id: reedId }];
    await store.write([...copies.map((record): Change => ({ put: 'copies', record })), ...settled]);
    for (const { id } of copies) emit({ type: 'copy', reedId: id, state: 'held' });
    if (!isAsked) this.#deps.open.freed();
    for (const part of parts) if (part !== reedId) await this.#needless(part);
  }

  /** A part that is held by its thread needs no confirmation of its own, which would begin with the server letting go of what it has just noted. */
  async #needless(part: ReedId): Promise<void> {
    const { store, pending: open, send, open: requests } = this.#deps;
    const pending = open.get(part);
    if (pending?.record.want !== 'confirmation' || pending.storing || (await store.get('copies', part))?.state !== 'held') return;
    open.delete(part);
    if (pending.sent) send({ id: '', type: 'cancelRequest', body: { requestId: pending.record.requestId } });
    await store.write([{ delete: 'requests', id: part }]);
    requests.freed();
  }

  /** The event had ended before our acknowledgement came: the server does not count on this copy, so it is asked for again. */
  #unconfirmed(reedId: ReedId): void {
    const pending = this.#deps.pending.get(reedId);
    if (pending?.record.want !== 'confirmation' || pending.refusals >= REFUSALS_MAX) return;
    pending.refusals++;
    pending.pushed = false;
    this.#deps.open.later(pending, retryDelayMs(pending.refusals));
  }
}

const copiesIn = ({ certificate, body, thread }: CheckedContent): CheckedCopy[] => [{ certificate, body }, ...(thread?.rest ?? [])];

/** What is open of a request once this content is here: its confirmation; or the whole thread, where its head was asked for alone before. */
function kept(record: RequestRecord, { certificate, thread }: CheckedContent): RequestRecord {
  const { id, thread: part } = certificate.statement;
  if (record.thread && !thread && part?.head === id) return { ...record, want: 'copy' };
  return { ...record, want: 'confirmation', ...(thread ? { thread: true as const } : {}) };
}
