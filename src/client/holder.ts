// Answering for copies that this device has: the requester's key is proved, the copy sealed to it, and sent if there is still time.
// A store that lost something never says that a copy is gone, and whoever asks for more than this device can do is told `busy`.
import type { Limits } from '../base/limits.ts';
import type { PublicKey } from '../crypto/openpgp.ts';
import { type Copy, sealCopy, sealThread, type ThreadCopy } from '../crypto/seal.ts';
import { parseReedId, parseUserId, parseUserKeyId, type ReedId, type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import type { Frame, FrameOf, RelayErrorReason } from '../wire/frames.ts';
import type { ServerTime } from './server-time.ts';
import type { Store } from './store.ts';
import type { Emit, ServeOutcome } from './types.ts';

const MINUTE_MS = 60_000;
/** Sealing is bound by the processor; two at once keep it busy while a key is fetched. */
const AT_ONCE = 2;

export type HolderDeps = {
  readonly store: Store;
  readonly time: ServerTime;
  readonly limits: Limits;
  readonly user: UserId;
  /** The requester's key, proved from the requester's id; null if it can't be proved. */
  requesterKey(user: UserId, key: UserKeyId): Promise<PublicKey | null>;
  send(frame: Frame): boolean;
  emit: Emit;
};

type Job = {
  readonly eventId: string;
  readonly attempt: number;
  readonly isThread: boolean;
  readonly reedId: ReedId;
  readonly requester: UserId;
  readonly requesterKey: UserKeyId;
  readonly dueAt: number;
};

type Asked = Pick<FrameOf<'relayRequest'>['body'], 'requesterId' | 'requesterKeyId' | 'attempt' | 'deadlineMs'> & {
  readonly isThread: boolean;
};

/** `missing`: of a thread, the part that is not here. */
type Answer = { readonly outcome: ServeOutcome; readonly ciphertext?: Uint8Array; readonly missing?: ReedId };
type Found = Copy | ThreadCopy;

const REASONS: Readonly<Record<Exclude<ServeOutcome, 'sent' | 'miss'>, RelayErrorReason>> = {
  busy: 'BUSY',
  'store-unavailable': 'STORE_UNAVAILABLE',
  'requester-key-unverified': 'REQUESTER_KEY_UNVERIFIED',
  failed: 'FAILED',
};

export class Holder {
  readonly #deps: HolderDeps;
  #queue: Job[] = [];
  #running = new Set<Promise<void>>();
  #minute = { startedAt: 0, bytes: 0, byRequester: new Map<UserId, number>() };

  constructor(deps: HolderDeps) {
    this.#deps = deps;
  }

  /** Takes a RELAY_REQUEST. The answer goes out by itself. */
  relayRequest({ id, body }: FrameOf<'relayRequest'>): void {
    this.#asked(id, body.reedId, { ...body, isThread: false });
  }

  /** Takes a RELAY_THREAD: all parts or none. */
  relayThread({ id, body }: FrameOf<'relayThread'>): void {
    this.#asked(id, body.threadId, { ...body, isThread: true });
  }

  #asked(id: string, subject: string, body: Asked): void {
    const reedId = parseReedId(subject);
    const requester = parseUserId(body.requesterId);
    const requesterKey = parseUserKeyId(body.requesterKeyId);
    if (!reedId || !requester || !requesterKey || userOf(requesterKey) !== requester) {
      this.#deps.send(errorFrame(id, body.attempt, 'FAILED'));
      return;
    }
    const dueAt = this.#deps.time.monotonicMs() + body.deadlineMs;
    const job = { eventId: id, attempt: body.attempt, isThread: body.isThread, reedId, requester, requesterKey, dueAt };
    if (this.#queue.length >= this.#deps.limits.holderQueue) return this.#answer(job, { outcome: 'busy' });
    this.#queue.push(job);
    this.#pump();
  }

  /** The connection is gone: its claims were given to others. */
  disconnected(): void {
    this.#queue = [];
  }

  /** Resolves when nothing is being answered. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #pump(): void {
    while (this.#running.size < AT_ONCE && this.#queue.length > 0) {
      const work = this.#serve(this.#next()).finally(() => {
        this.#running.delete(work);
        this.#pump();
      });
      this.#running.add(work);
    }
  }

  /** Own reeds first: nobody else can be relied on to have them. */
  #next(): Job {
    const own = this.#queue.findIndex(({ reedId }) => userOf(reedId) === this.#deps.user);
    return this.#queue.splice(Math.max(0, own), 1)[0] as Job;
  }

  async #serve(job: Job): Promise<void> {
    let answer: Answer;
    try {
      answer = await this.#prepare(job);
    } catch {
      answer = { outcome: 'failed' };
    }
    this.#answer(job, answer);
  }

  async #prepare(job: Job): Promise<Answer> {
    if (this.#isOverBudget(job.requester)) return { outcome: 'busy' };
    const found = await this.#find(job);
    if ('outcome' in found) return found;
    const key = await this.#deps.requesterKey(job.requester, job.requesterKey);
    if (!key) return { outcome: 'requester-key-unverified' };
    return { outcome: 'sent', ciphertext: await ('record' in found ? sealThread(found, key) : sealCopy(found, key)) };
  }

  async #find({ reedId, isThread }: Job): Promise<Found | Answer> {
    const { store } = this.#deps;
    try {
      if (isThread) return await this.#findThread(reedId);
      const copy = await store.get('copies', reedId);
      return copy ? { certificate: copy.certificate, body: copy.body } : this.#missing(reedId);
    } catch {
      return { outcome: 'store-unavailable' };
    }
  }

  async #findThread(head: ReedId): Promise<Found | Answer> {
    const { store } = this.#deps;
    const thread = await store.get('threads', head);
    if (!thread) return this.#missing(head);
    const parts: Copy[] = [];
    for (const reedId of thread.certificate.statement.reeds) {
      const copy = await store.get('copies', reedId);
      if (!copy) return this.#missing(reedId);
      parts.push({ certificate: copy.certificate, body: copy.body });
    }
    return { record: thread.certificate, parts };
  }

  #missing(reedId: ReedId): Answer {
    return this.#deps.store.complete ? { outcome: 'miss', missing: reedId } : { outcome: 'store-unavailable' };
  }

  #answer(job: Job, answer: Answer): void {
    const { outcome, ciphertext } = answer;
    const { time, send, emit } = this.#deps;
    // Past its deadline the event was given to someone else; sending a whole copy would only cost.
    if (ciphertext && time.monotonicMs() > job.dueAt) return this.#tell(job, 'failed', 0);
    const sent = send(frameOf(job, answer));
    if (ciphertext && sent) this.#spend(job.requester, ciphertext.length);
    if (sent) this.#tell(job, outcome, ciphertext?.length ?? 0);
    else emit({ type: 'served', reedId: job.reedId, requester: job.requester, outcome: 'failed', bytes: 0 });
  }

  #tell(job: Job, outcome: ServeOutcome, bytes: number): void {
    this.#deps.emit({ type: 'served', reedId: job.reedId, requester: job.requester, outcome, bytes });
  }

  #isOverBudget(requester: UserId): boolean {
    const { time, limits } = this.#deps;
    if (time.monotonicMs() - this.#minute.startedAt >= MINUTE_MS) {
      this.#minute = { startedAt: time.monotonicMs(), bytes: 0, byRequester: new Map() };
    }
    if (this.#minute.bytes >= limits.holderBytesPerMinute) return true;
    return (this.#minute.byRequester.get(requester) ?? 0) >= limits.holderBytesPerMinutePerRequester;
  }

  #spend(requester: UserId, bytes: number): void {
    this.#minute.bytes += bytes;
    this.#minute.byRequester.set(requester, (this.#minute.byRequester.get(requester) ?? 0) + bytes);
  }
}

const errorFrame = (id: string, attempt: number, reason: RelayErrorReason): Frame => ({
  id,
  type: 'relayError',
  body: { attempt, reason },
});

function frameOf({ eventId: id, attempt, isThread }: Job, { outcome, ciphertext, missing }: Answer): Frame {
  if (outcome === 'miss') return { id, type: 'relayMiss', body: { attempt, missingReedId: (isThread && missing) || '' } };
  if (outcome === 'sent') return { id, type: 'relayResponse', body: { attempt, ciphertext: ciphertext ?? new Uint8Array() } };
  return errorFrame(id, attempt, REASONS[outcome]);
}
