// Carries one reed or thread from the outbox to its publication: register each part, keep it as a copy, register the record, announce.
// Every step may be repeated: what was signed is kept, and what the server has seen it answers the same way.
import { AppError } from '../base/errors.ts';
import { bodyHash } from '../crypto/seal.ts';
import { parseReedId, type ReedId, type UserId, type UserKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { mentionsOf, tagsOf } from '../wire/claims.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { KeyRing } from './key-ring.ts';
import type { ServerTime } from './server-time.ts';
import type { Change, CopyRecord, OutboxRecord, Store, ThreadPart } from './store.ts';
import type { Emit, MentionOutcome, ReedCertificate, ReedStatement, ThreadCertificate } from './types.ts';

/** PUBLISH_READY is sent again when it was not answered for so long. */
const READY_AGAIN_MS = 10_000;
const TIP = 'tip';

export type Registered = { readonly certificate: ReedCertificate; readonly mentions: readonly MentionOutcome[] };

export type ReedCarrierDeps = {
  readonly store: Store;
  readonly time: ServerTime;
  readonly user: UserId;
  readonly key: UserKeyId;
  readonly keyRing: KeyRing;
  /** Registers a signed reed; the certificate is verified before it resolves. Rejects with AppError. */
  register(signed: Signed<ReedStatement>): Promise<Registered>;
  /** The same for the record of a thread. */
  registerThread(signed: Signed<StatementOf<'thread'>>): Promise<ThreadCertificate>;
  send(frame: Frame): boolean;
  emit: Emit;
};

/** All reeds of a record: one, or the parts of its thread. */
export const partsOf = ({ reedId, body, parts }: Pick<OutboxRecord, 'reedId' | 'body' | 'parts'>): readonly ThreadPart[] =>
  parts ?? [{ reedId, body }];

/** The statement of one part, as it would be signed on top of `previous`. */
export async function partStatement(
  record: Pick<OutboxRecord, 'reedId' | 'body' | 'parts' | 'relations'>,
  index: number,
  by: { readonly user: UserId; readonly key: UserKeyId; readonly previous: ReedId | undefined },
): Promise<ReedStatement> {
  const { reedId, body } = partsOf(record)[index] as ThreadPart;
  return {
    ...heading('reed'),
    id: reedId,
    author: by.user,
    key: by.key,
    bodyHash: await bodyHash(body),
    tags: tagsOf(body.text),
    mentions: mentionsOf(body.text),
    ...(index === 0 ? record.relations : {}),
    ...(by.previous ? { previous: by.previous } : {}),
    ...(record.parts ? { thread: { head: record.reedId, index } } : {}),
  };
}

export class ReedCarrier {
  readonly #deps: ReedCarrierDeps;
  /** The reed whose PUBLISH_READY waits for its answer. */
  #announced: { readonly reedId: ReedId; readonly answer: (error: AppError | null) => void } | null = null;

  constructor(deps: ReedCarrierDeps) {
    this.#deps = deps;
  }

  /** Resolves when it is published, and the outbox rid of it. @throws AppError */
  async carry(record: OutboxRecord): Promise<readonly MentionOutcome[]> {
    const { store, emit } = this.#deps;
    let current = record;
    if (current.state === 'written') {
      for (let index = current.registered ?? 0; index < partsOf(record).length; index++) current = await this.#register(current, index);
      if (current.state === 'written') current = await this.#registerThread(current);
    }
    await this.#announce(current);
    const copies = await Promise.all(partsOf(record).map(({ reedId }) => store.get('copies', reedId)));
    const held = copies.flatMap((copy): Change[] => (copy ? [{ put: 'copies', record: { ...copy, state: 'held' } }] : []));
    await store.write([{ delete: 'outbox', id: record.id }, ...held]);
    emit({ type: 'outbox', reedId: record.reedId, state: 'published' });
    return current.mentions ?? [];
  }

  disconnected(): void {
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

  /** Registers a part, then stores the copy, the tip and the step in one write: a crash before it repeats the registration. */
  async #register(record: OutboxRecord, index: number): Promise<OutboxRecord> {
    const { store, time, emit } = this.#deps;
    const { reedId, body } = partsOf(record)[index] as ThreadPart;
    const { certificate, mentions } = await this.#registerWithTip(record, index);
    const copy: CopyRecord = { id: reedId, certificate, body, own: true, state: 'unconfirmed', storedAt: time.now() };
    const { signed: _signed, ...rest } = record;
    const next: OutboxRecord = {
      ...rest,
      state: record.parts ? 'written' : 'registered',
      registered: index + 1,
      mentions: [...(record.mentions ?? []), ...mentions],
    };
    await store.write([
      { put: 'copies', record: copy },
      { put: 'meta', record: { id: TIP, value: reedId } },
      { put: 'outbox', record: next },
    ]);
    if (!record.parts) emit({ type: 'outbox', reedId, state: 'registered', mentions: next.mentions ?? [] });
    return next;
  }

  async #registerThread(record: OutboxRecord): Promise<OutboxRecord> {
    const { store, emit } = this.#deps;
    const signed = (record.signed as Signed<StatementOf<'thread'>> | undefined) ?? (await this.#signThread(record));
    let certificate: ThreadCertificate;
    try {
      certificate = await this.#deps.registerThread(signed);
    } catch (error) {
      if (!this.#isReplaced(signed, error)) throw error;
      certificate = await this.#deps.registerThread(await this.#signThread(record));
    }
    const { signed: _signed, ...rest } = record;
    const next: OutboxRecord = { ...rest, state: 'registered' };
    await store.write([
      { put: 'threads', record: { id: record.reedId, certificate } },
      { put: 'outbox', record: next },
    ]);
    emit({ type: 'outbox', reedId: record.reedId, state: 'registered', mentions: next.mentions ?? [] });
    return next;
  }

  async #signThread(record: OutboxRecord): Promise<Signed<StatementOf<'thread'>>> {
    const { store, user, key, keyRing, time } = this.#deps;
    const reeds = partsOf(record).map(({ reedId }) => reedId);
    const statement: StatementOf<'thread'> = { ...heading('thread'), id: record.reedId, author: user, key, reeds };
    const signed = await keyRing.sign(statement, time.now());
    await store.write([{ put: 'outbox', record: { ...record, signed } }]);
    return signed;
  }

  async #registerWithTip(record: OutboxRecord, index: number): Promise<Registered> {
    const tip = (await this.#deps.store.get('meta', TIP))?.value as ReedId | undefined;
    const signed = (record.signed as Signed<ReedStatement> | undefined) ?? (await this.#sign(record, index, tip));
    try {
      return await this.#deps.register(signed);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Another device or an older life of this one published since: the server says what the newest reed is.
      if (error.code === 'TIP_MISMATCH') return this.#deps.register(await this.#sign(record, index, tipIn(error)));
      if (this.#isReplaced(signed, error)) return this.#deps.register(await this.#sign(record, index, tip));
      throw error;
    }
  }

  /** What was signed with a key that was replaced before it arrived is signed again. */
  #isReplaced({ statement }: Signed<{ readonly key: UserKeyId }>, error: unknown): boolean {
    return error instanceof AppError && error.code === 'KEY_REVOKED' && statement.key !== this.#deps.key;
  }

  /** The signed statement goes on record before it is sent, so that a repetition sends the same. */
  async #sign(record: OutboxRecord, index: number, previous: ReedId | undefined): Promise<Signed<ReedStatement>> {
    const { keyRing, time, store } = this.#deps;
    const signed = await keyRing.sign(await partStatement(record, index, { ...this.#deps, previous }), time.now());
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
}

function tipIn({ certificate }: AppError): ReedId | undefined {
  const id = (certificate as { statement?: { id?: unknown } } | undefined)?.statement?.id;
  return typeof id === 'string' ? (parseReedId(id) ?? undefined) : undefined;
}
