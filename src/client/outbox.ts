// What this member does, on its way out: reeds, threads and acts, one after the other in the order in which they were written.
// Each is durable before it is sent and may be sent again; what is refused for good holds up nothing behind it: a reed stays until the
// person discards it, an act is undone on this device.
import { doubling } from '../base/backoff.ts';
import type { Timer } from '../base/clock.ts';
import { ERROR_CODES } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import { base64url, type RandomBytes, uuidv7 } from '../base/ids.ts';
import { makeReedId, type ReedId, type UserId } from '../wire/address.ts';
import { type Body, SALT_BYTES } from '../wire/body.ts';
import type { FrameOf } from '../wire/frames.ts';
import { printTime } from '../wire/kinds.ts';
import { checkStatement } from '../wire/statements.ts';
import type { ActCarrier, ActCertificate } from './act-carrier.ts';
import { acceptedChanges, buriedBy, changesOf, isRemoval, refusedChanges } from './acts.ts';
import { withMend } from './mends.ts';
import { type Draft, requireBody, requireThreadSize, type ThreadDraft } from './publish-options.ts';
import { partStatement, partsOf, ReedCarrier, type ReedCarrierDeps } from './reed-carrier.ts';
import type { ActRecord, Change, OutboxRecord, ReedRelations } from './store.ts';
import type { ActType, MentionOutcome } from './types.ts';

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;
const PLACE_DIGITS = 12;

export type OutboxDeps = ReedCarrierDeps & { readonly random: RandomBytes; readonly acts: Pick<ActCarrier, 'sign' | 'carry'> };

/** Who will be told of a reed by its mentions, and who not and why. */
export type Published = { readonly mentions: readonly MentionOutcome[] };
export type Writing = { readonly reedId: ReedId; readonly published: Promise<Published> };
/** `accepted`: the server's certificate; null if there was nothing to say any more. */
export type Acting = { readonly accepted: Promise<ActCertificate | null> };

type Entry = OutboxRecord | ActRecord;
type Waiter = { done(value: Published | ActCertificate | null): void; failed(error: AppError): void };

const isAct = (entry: Entry): entry is ActRecord => 'act' in entry;
const isRefused = (entry: Entry): boolean => !isAct(entry) && entry.refused !== undefined;

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #reeds: ReedCarrier;
  readonly #waiters = new Map<string, Waiter>();
  #working: Promise<void> | null = null;
  #again = false;
  #retry: Timer | null = null;
  #failures = 0;
  #online = false;
  #nextPlace = 0;
  /** What is being carried right now. */
  #carried = '';
  /** What is being deleted instead of sent. */
  readonly #takenBack = new Set<string>();
  #actedAt = 0;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
    this.#reeds = new ReedCarrier(deps);
  }

  /** Takes up what had not gone out when the device stopped. */
  async load(): Promise<void> {
    const last = (await this.#deps.store.list('outbox')).at(-1);
    this.#nextPlace = last ? Number(last.id) + 1 : 0;
  }

  /**
   * Writes a reed or a thread durably into the outbox.
   * @returns its id (a thread's head's), and a promise for the server's acknowledgement that it is published
   * @throws AppError INVALID or TOO_LARGE, naming what to change
   */
  async publish(draft: Draft | ThreadDraft): Promise<Writing> {
    const { store, emit } = this.#deps;
    const record = this.#record(draft);
    for (const [index, { body }] of partsOf(record).entries()) {
      requireBody(body, record.parts ? `texts[${index}]` : 'text');
      const checked = checkStatement(await partStatement(record, index, { ...this.#deps, previous: undefined }), 'reed');
      if (!checked.ok) throw new AppError('INVALID', checked.detail || checked.reason);
    }
    await store.write([{ put: 'outbox', record }]);
    const published = this.#wait<Published>(record.id);
    emit({ type: 'outbox', reedId: record.reedId, state: 'written' });
    this.#start();
    return { reedId: record.reedId, published };
  }

  /** Writes an act durably into the outbox, and what it changes on this device beside it. @throws AppError */
  async act(act: ActType, target: ReedId | UserId): Promise<Acting> {
    const { store, emit, acts, time } = this.#deps;
    const isUnsaid = isRemoval(act) && (await this.#takeBack(target as ReedId));
    if (isUnsaid) {
      emit({ type: 'act', act, target, state: 'withdrawn' });
      return { accepted: Promise.resolve(null) };
    }
    // Two acts of one instant would be one statement, of which the server knows only the first.
    this.#actedAt = Math.max(time.now(), this.#actedAt + 1);
    const id = this.#place();
    const signed = await acts.sign(act, target, this.#actedAt);
    const buried = isRemoval(act) ? { buried: await this.#buried(act, target as ReedId) } : {};
    const record: ActRecord = { id, act, target, signed, ...buried };
    const changes = changesOf(record);
    await store.write([{ put: 'outbox', record }, ...changes]);
    const accepted = this.#wait<ActCertificate | null>(id);
    emit({ type: 'act', act, target, state: 'written' });
    if (isRemoval(act)) emit({ type: 'tombstone', id: target, kind: act === 'reed-removal' ? 'reed' : 'thread' });
    this.#tellGone(changes);
    this.#start();
    return { accepted };
  }

  /**
   * Deletes a refused reed, with the copy of it if it had come as far as that; nothing if there is none by this id.
   * @throws AppError CONFLICT if it is still on its way
   */
  async discard(reedId: ReedId): Promise<void> {
    const { store, emit } = this.#deps;
    const record = await this.#written(reedId);
    if (!record) return;
    if (!record.refused) throw new AppError('CONFLICT', 'this reed is on its way, not refused; take it back instead');
    const copies = await Promise.all(partsOf(record).map((part) => store.get('copies', part.reedId)));
    // Held means that it was published all the same: then it is others' to ask for.
    const left = copies.flatMap((copy): Change[] => (copy && copy.state !== 'held' ? [{ delete: 'copies', id: copy.id }] : []));
    await store.write([{ delete: 'outbox', id: record.id }, ...left]);
    emit({ type: 'outbox', reedId, state: 'discarded' });
    this.#tellGone(left);
  }

  connected(): void {
    this.#online = true;
    this.#failures = 0;
    this.#start();
  }

  disconnected(): void {
    this.#online = false;
    this.#retry?.cancel();
    this.#reeds.disconnected();
  }

  /** PUBLISH_READY_ACK. */
  acknowledged(reedId: string): void {
    this.#reeds.acknowledged(reedId);
  }

  refused(frame: FrameOf<'error'>): void {
    this.#reeds.refused(frame);
  }

  /** Resolves when nothing is going out now: all is published, or it waits for a connection, a time or the person. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  #wait<T extends Published | ActCertificate | null>(id: string): Promise<T> {
    const promise = new Promise<Published | ActCertificate | null>((done, failed) => this.#waiters.set(id, { done, failed })) as Promise<T>;
    // Whoever does not wait for it must not be hit by its failure.
    promise.catch(() => undefined);
    return promise;
  }

  #place(): string {
    return String(this.#nextPlace++).padStart(PLACE_DIGITS, '0');
  }

  #record(draft: Draft | ThreadDraft): OutboxRecord {
    const isThread = 'texts' in draft;
    if (isThread) requireThreadSize(draft.texts);
    const { user, random, time } = this.#deps;
    const parts = (isThread ? draft.texts : [draft.text]).map((text) => ({
      reedId: makeReedId(user, uuidv7(time.now(), random)),
      body: this.#body(text),
    }));
    const [head] = parts as [(typeof parts)[number]];
    const written = { ...head, relations: relationsIn(draft), broadcast: draft.broadcast ?? true, state: 'written' } as const;
    return { id: this.#place(), ...written, ...(isThread ? { parts } : {}) };
  }

  #body(text: string): Body {
    const { time, random } = this.#deps;
    return { text: text.normalize('NFC'), createdAt: printTime(time.now()), salt: base64url(random(SALT_BYTES)) };
  }

  async #written(reedId: ReedId): Promise<OutboxRecord | undefined> {
    const entries = await this.#deps.store.list('outbox');
    return entries.find((entry): entry is OutboxRecord => !isAct(entry) && entry.reedId === reedId);
  }

  /** All reeds that a removal takes away here, those of an entry that is being carried too: their copies are yet to come. */
  async #buried(act: ActType, id: ReedId): Promise<ReedId[]> {
    const record = await this.#written(id);
    const carried = record ? partsOf(record).map(({ reedId }) => reedId) : [];
    return [...new Set([...(await buriedBy(this.#deps.store, act, id)), ...carried])];
  }

  /** What has not gone out need not be taken back: it is deleted here. False if the server may know it. */
  async #takeBack(reedId: ReedId): Promise<boolean> {
    const record = await this.#written(reedId);
    if (!record || record.id === this.#carried) return false;
    this.#takenBack.add(record.id);
    try {
      await this.#deps.store.write([{ delete: 'outbox', id: record.id }]);
    } finally {
      this.#takenBack.delete(record.id);
      this.#start();
    }
    this.#deps.emit({ type: 'outbox', reedId, state: 'discarded' });
    this.#settle(record.id, new AppError('REMOVED', 'taken back before it was published'));
    return record.signed === undefined && record.registered === undefined && record.state === 'written';
  }

  #start(): void {
    this.#retry?.cancel();
    this.#again = true;
    this.#working ??= this.#work();
  }

  /** Never rejects. `#again` is looked at in the same turn in which the work ends, so that nothing is left lying. */
  async #work(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#sendAll();
    }
    this.#working = null;
  }

  /** Sends one after the other until none is left or one has to wait. */
  async #sendAll(): Promise<void> {
    for (let entry = await this.#first(); entry && this.#online; entry = await this.#first()) {
      try {
        this.#carried = entry.id;
        // It may have been taken back since it was looked up; work goes on when that is written.
        if (this.#takenBack.has(entry.id)) return;
        if (!(await this.#deps.store.get('outbox', entry.id))) continue;
        await this.#carry(entry);
        this.#failures = 0;
      } catch (error) {
        const problem = error instanceof AppError ? error : new AppError('INTERNAL', 'it could not be sent', { cause: error });
        // What can't be marked as refused would be sent for ever without a pause.
        if (!isFinal(problem) || !(await this.#refuse(entry, withMend(problem)))) return this.#later(problem);
      } finally {
        this.#carried = '';
      }
    }
  }

  async #first(): Promise<Entry | undefined> {
    try {
      return (await this.#deps.store.list('outbox')).find((entry) => !isRefused(entry));
    } catch {
      return undefined;
    }
  }

  async #carry(entry: Entry): Promise<void> {
    if (!isAct(entry)) return this.#settle(entry.id, { mentions: await this.#reeds.carry(entry) });
    const certificate = await this.#deps.acts.carry(entry).catch((error: unknown) => {
      if (isRemoval(entry.act) && error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    });
    return this.#accepted(entry, certificate);
  }

  /** Null: the server never had what was to be taken back. */
  async #accepted(entry: ActRecord, certificate: ActCertificate | null): Promise<void> {
    const { store, emit } = this.#deps;
    const { id, act, target } = entry;
    const changes = certificate ? await acceptedChanges(store, entry, certificate) : refusedChanges(entry, []);
    await store.write([{ delete: 'outbox', id }, ...changes]);
    emit({ type: 'act', act, target, state: certificate ? 'accepted' : 'withdrawn' });
    this.#settle(id, certificate);
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

  /** Refused for good. False if that could not be written down. */
  async #refuse(entry: Entry, error: AppError): Promise<boolean> {
    const { store, emit } = this.#deps;
    try {
      await store.write(isAct(entry) ? await this.#undone(entry) : await this.#marked(entry, error));
    } catch {
      return false;
    }
    if (isAct(entry)) emit({ type: 'act', act: entry.act, target: entry.target, state: 'refused', error });
    else emit({ type: 'outbox', reedId: entry.reedId, state: 'refused', error });
    this.#settle(entry.id, error);
    return true;
  }

  async #undone(entry: ActRecord): Promise<Change[]> {
    const waiting = (await this.#deps.store.list('outbox')).filter(isAct);
    return [{ delete: 'outbox', id: entry.id }, ...refusedChanges(entry, waiting)];
  }

  /** As it is by now: it may have come some way before it was refused. */
  async #marked(entry: OutboxRecord, { code, detail }: AppError): Promise<Change[]> {
    const now = (await this.#deps.store.get('outbox', entry.id)) as OutboxRecord | null;
    return [{ put: 'outbox', record: { ...(now ?? entry), refused: { code, detail } } }];
  }

  #tellGone(changes: readonly Change[]): void {
    for (const change of changes)
      if ('delete' in change && change.delete === 'copies') this.#deps.emit({ type: 'copy', reedId: change.id as ReedId, state: 'gone' });
  }

  #settle(id: string, outcome: Published | ActCertificate | AppError | null): void {
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    if (outcome instanceof AppError) waiter?.failed(outcome);
    else waiter?.done(outcome);
  }
}

function relationsIn({ replyTo, root, echoOf }: ReedRelations): ReedRelations {
  return { ...(replyTo ? { replyTo } : {}), ...(root ? { root } : {}), ...(echoOf ? { echoOf } : {}) };
}

const isFinal = ({ code }: AppError): boolean =>
  !ERROR_CODES[code].retryable && code !== 'UNAUTHENTICATED' && code !== 'TIP_MISMATCH' && code !== 'UNSPECIFIED';
