// Reeds on their way out, one after the other: into the store, registered, kept as a copy, announced.
// Every step may be repeated: the statement is signed once and kept, and what the server has seen it answers the same way.
// A refused reed stays until the person discards it.
import { doubling } from '../base/backoff.ts';
import type { Timer } from '../base/clock.ts';
import { ERROR_CODES } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import { base64url, type RandomBytes, uuidv7 } from '../base/ids.ts';
import { bodyHash } from '../crypto/seal.ts';
import { makeReedId, parseReedId, type ReedId, type UserId, type UserKeyId } from '../wire/address.ts';
import { checkBody, SALT_BYTES } from '../wire/body.ts';
import type { Signed } from '../wire/canonical.ts';
import { mentionsOf, tagsOf } from '../wire/claims.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import { printTime } from '../wire/kinds.ts';
import { checkStatement, heading } from '../wire/statements.ts';
import type { KeyRing } from './key-ring.ts';
import type { ServerTime } from './server-time.ts';
import type { Change, CopyRecord, OutboxRecord, ReedRelations, Store } from './store.ts';
import type { Emit, ReedCertificate, ReedStatement } from './types.ts';

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;
/** PUBLISH_READY is sent again when it was not answered for so long. */
const READY_AGAIN_MS = 10_000;
const TIP = 'tip';
const PLACE_DIGITS = 12;

export type OutboxDeps = {
  readonly store: Store;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly user: UserId;
  readonly key: UserKeyId;
  readonly keyRing: KeyRing;
  /** Registers a signed reed; the certificate is verified before it resolves. Rejects with AppError. */
  register(signed: Signed<ReedStatement>): Promise<ReedCertificate>;
  send(frame: Frame): boolean;
  emit: Emit;
};

export type Draft = ReedRelations & { readonly text: string; readonly broadcast?: boolean };

type Waiter = { done(): void; failed(error: AppError): void };

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #waiters = new Map<ReedId, Waiter>();
  /** The reed whose PUBLISH_READY waits for its answer. */
  #announced: { readonly reedId: ReedId; readonly answer: (error: AppError | null) => void } | null = null;
  #working: Promise<void> | null = null;
  #again = false;
  #retry: Timer | null = null;
  #failures = 0;
  #online = false;
  #nextPlace = 0;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** Takes up what had not gone out when the device stopped. */
  async load(): Promise<void> {
    const last = (await this.#deps.store.list('outbox')).at(-1);
    this.#nextPlace = last ? Number(last.id) + 1 : 0;
  }

  /**
   * Writes a reed durably into the outbox.
   * @returns its id, and a promise for the server's acknowledgement that it is published
   * @throws AppError INVALID if the text or its relations can't be a reed
   */
  async publish(draft: Draft): Promise<{ reedId: ReedId; published: Promise<void> }> {
    const { store, emit } = this.#deps;
    const record = this.#record(draft);
    const body = checkBody(record.body);
    if (!body.ok) throw new AppError(body.reason === 'too-long' ? 'TOO_LARGE' : 'INVALID', body.detail);
    const checked = checkStatement(await this.#statement(record, undefined), 'reed');
    if (!checked.ok) throw new AppError('INVALID', checked.detail || checked.reason);
    await store.write([{ put: 'outbox', record }]);
    const published = new Promise<void>((done, failed) => this.#waiters.set(record.reedId, { done, failed }));
    // Whoever does not wait for it must not be hit by its failure.
    published.catch(() => undefined);
    emit({ type: 'outbox', reedId: record.reedId, state: 'written' });
    this.#start();
    return { reedId: record.reedId, published };
  }

  /**
   * Deletes a refused reed, with the copy of it if it had come as far as that; nothing if there is none by this id.
   * @throws AppError CONFLICT if it is still on its way
   */
  async discard(reedId: ReedId): Promise<void> {
    const { store, emit } = this.#deps;
    const record = (await store.list('outbox')).find((entry) => entry.reedId === reedId);
    if (!record) return;
    if (!record.refused) throw new AppError('CONFLICT', 'this reed was not refused; it is on its way');
    const copy = await store.get('copies', reedId);
    // Held means that it was published all the same: then it is others' to ask for.
    const isLeft = copy !== null && copy.state !== 'held';
    await store.write([{ delete: 'outbox', id: record.id }, ...(isLeft ? [{ delete: 'copies', id: reedId } as const] : [])]);
    emit({ type: 'outbox', reedId, state: 'discarded' });
    if (isLeft) emit({ type: 'copy', reedId, state: 'gone' });
  }

  connected(): void {
    this.#online = true;
    this.#failures = 0;
    this.#start();
  }

  disconnected(): void {
    this.#online = false;
    this.#retry?.cancel();
    this.#announced?.answer(new AppError('UNAVAILABLE', 'the connection was lost'));
  }

  /** PUBLISH_READY_ACK. */
  acknowledged(reedId: string): void {
    if (this.#announced?.reedId === reedId) this.#announced.answer(null);
  }

  /** An ERROR that names the reed as what it is about, or answers the frame that announced it. */
  refused({ id, body: error }: FrameOf<'error'>): void {
    const reedId = this.#announced?.reedId;
    if (reedId !== error.requestId && reedId !== id) return;
    this.#announced?.answer(new AppError(error.code, error.detail, error.retryAfterMs ? { retryAfterMs: error.retryAfterMs } : {}));
  }

  /** Resolves when nothing is going out now: all is published, or it waits for a connection, a time or the person. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  #record({ text, broadcast = true, ...relations }: Draft): OutboxRecord {
    const { time, random, user } = this.#deps;
    const now = time.now();
    return {
      id: String(this.#nextPlace++).padStart(PLACE_DIGITS, '0'),
      reedId: makeReedId(user, uuidv7(now, random)),
      body: { text: text.normalize('NFC'), createdAt: printTime(now), salt: base64url(random(SALT_BYTES)) },
      relations,
      broadcast,
      state: 'written',
    };
  }

  async #statement({ reedId, body, relations }: OutboxRecord, previous: ReedId | undefined): Promise<ReedStatement> {
    return {
      ...heading('reed'),
      id: reedId,
      author: this.#deps.user,
      key: this.#deps.key,
      bodyHash: await bodyHash(body),
      tags: tagsOf(body.text),
      mentions: mentionsOf(body.text),
      ...relations,
      ...(previous ? { previous } : {}),
    };
  }

  #start(): void {
    this.#retry?.cancel();
    this.#again = true;
    this.#working ??= this.#work();
  }

  /** Never rejects. `#again` is looked at in the same turn in which the work ends, so that no reed is left lying. */
  async #work(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#sendAll();
    }
    this.#working = null;
  }

  /** Sends one reed after the other until none is left or one has to wait. */
  async #sendAll(): Promise<void> {
    for (let record = await this.#first(); record && this.#online; record = await this.#first()) {
      try {
        await this.#carry(record);
        this.#failures = 0;
      } catch (error) {
        const problem = error instanceof AppError ? error : new AppError('INTERNAL', 'the reed could not be sent', { cause: error });
        // What can't be marked as refused would be sent for ever without a pause.
        if (!isFinal(problem) || !(await this.#refuse(record, problem))) return this.#later(problem);
      }
    }
  }

  async #first(): Promise<OutboxRecord | undefined> {
    try {
      return (await this.#deps.store.list('outbox')).find(({ refused }) => !refused);
    } catch {
      return undefined;
    }
  }

  async #carry(record: OutboxRecord): Promise<void> {
    const registered = record.state === 'registered' ? record : await this.#register(record);
    await this.#announce(registered);
    const { store, emit } = this.#deps;
    const copy = await store.get('copies', record.reedId);
    const changes: Change[] = [{ delete: 'outbox', id: record.id }];
    if (copy) changes.push({ put: 'copies', record: { ...copy, state: 'held' } });
    await store.write(changes);
    emit({ type: 'outbox', reedId: record.reedId, state: 'published' });
    this.#settle(record.reedId, null);
  }

  /** Registers, then stores the copy, the tip and the step in one write: a crash before it repeats the registration. */
  async #register(record: OutboxRecord): Promise<OutboxRecord> {
    const { store, time, emit } = this.#deps;
    const certificate = await this.#registerWithTip(record);
    const copy: CopyRecord = {
      id: record.reedId,
      certificate,
      body: record.body,
      own: true,
      state: 'unconfirmed',
      storedAt: time.now(),
    };
    const registered: OutboxRecord = { ...record, state: 'registered' };
    await store.write([
      { put: 'copies', record: copy },
      { put: 'meta', record: { id: TIP, value: record.reedId } },
      { put: 'outbox', record: registered },
    ]);
    emit({ type: 'outbox', reedId: record.reedId, state: 'registered' });
    return registered;
  }

  async #registerWithTip(record: OutboxRecord): Promise<ReedCertificate> {
    const tip = (await this.#deps.store.get('meta', TIP))?.value as ReedId | undefined;
    const signed = (record.signed as Signed<ReedStatement> | undefined) ?? (await this.#sign(record, tip));
    try {
      return await this.#deps.register(signed);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'TIP_MISMATCH') throw error;
      // Another device or an older life of this one published since: the server says what the newest reed is.
      return this.#deps.register(await this.#sign(record, tipIn(error)));
    }
  }

  /** The signed statement goes on record before it is sent, so that a repetition sends the same. */
  async #sign(record: OutboxRecord, previous: ReedId | undefined): Promise<Signed<ReedStatement>> {
    const { keyRing, time, store } = this.#deps;
    const signed = await keyRing.sign(await this.#statement(record, previous), time.now());
    await store.write([{ put: 'outbox', record: { ...record, signed } }]);
    return signed;
  }

  async #announce({ reedId, broadcast }: OutboxRecord): Promise<void> {
    const { send, time } = this.#deps;
    const body = broadcast ? { reedId } : { reedId, broadcast };
    await new Promise<void>((done, failed) => {
      const silence = time.after(READY_AGAIN_MS, () => answer(new AppError('UNAVAILABLE', 'no answer to PUBLISH_READY')));
      const answer = (error: AppError | null): void => {
        silence.cancel();
        this.#announced = null;
        if (error) failed(error);
        else done();
      };
      this.#announced = { reedId, answer };
      // The reed's id is the frame's too: an ERROR of the connection itself, over the budget for one, repeats only that.
      if (!send({ id: reedId, type: 'publishReady', body })) answer(new AppError('UNAVAILABLE', 'no connection'));
    });
  }

  /** The retry looks at everything that is there by then, so it also answers every call for work so far. */
  #later(problem: AppError): void {
    this.#failures++;
    this.#again = false;
    this.#retry?.cancel();
    if (!this.#online) return;
    const delayMs = problem.retryAfterMs ?? doubling(this.#failures, RETRY_FIRST_MS, RETRY_MAX_MS);
    this.#retry = this.#deps.time.after(delayMs, () => this.#start());
  }

  /** Refused for good: it stays, marked, for the person to see, and holds up nothing behind it. False if it could not be marked. */
  async #refuse(record: OutboxRecord, error: AppError): Promise<boolean> {
    const { store, emit } = this.#deps;
    try {
      await store.write([{ put: 'outbox', record: { ...record, refused: { code: error.code, detail: error.detail } } }]);
    } catch {
      return false;
    }
    emit({ type: 'outbox', reedId: record.reedId, state: 'refused', error });
    this.#settle(record.reedId, error);
    return true;
  }

  #settle(reedId: ReedId, error: AppError | null): void {
    const waiter = this.#waiters.get(reedId);
    this.#waiters.delete(reedId);
    if (error) waiter?.failed(error);
    else waiter?.done();
  }
}

const isFinal = ({ code }: AppError): boolean =>
  !ERROR_CODES[code].retryable && code !== 'UNAUTHENTICATED' && code !== 'TIP_MISMATCH' && code !== 'UNSPECIFIED';

function tipIn({ certificate }: AppError): ReedId | undefined {
  const id = (certificate as { statement?: { id?: unknown } } | undefined)?.statement?.id;
  return typeof id === 'string' ? (parseReedId(id) ?? undefined) : undefined;
}
