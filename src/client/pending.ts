// What is still open between this member and the server about single reeds: requests for copies and copies not confirmed yet.
// The records are in the store before anything is sent (the store is what survives); here is what a connection adds to them.
import type { ReedId, RequestId } from '../wire/address.ts';
import type { CopyRecord, RequestRecord } from './store.ts';
import type { RequestFailure, RequestProgress } from './types.ts';

export type Waiter = {
  /** For the whole thread, not its head alone. */
  readonly thread: boolean;
  done(copy: CopyRecord): void;
  failed(failure: RequestFailure): void;
  progress(progress: RequestProgress): void;
};

export type Pending = {
  record: RequestRecord;
  /** Sent on this connection. */
  sent: boolean;
  /** Its copy came unasked on this connection: nothing was sent for it, and SETTLED is all that it waits for. */
  pushed: boolean;
  /** The server may know it from before: it was taken up from the store, or an answer to it has come. Sending it is repeating it. */
  known: boolean;
  progress: RequestProgress;
  waiters: Waiter[];
  /** Refusals in a row that may pass by themselves. */
  refusals: number;
  /** Why it was refused last, as far as repeating it depends on that. place: the server has none for it. time: not at this moment. */
  lacks: 'place' | 'time' | 'budget' | null;
  /** Its copy is being written: what becomes of the record on disk is decided after that. */
  storing: boolean;
  /** Not sent again before this time of the monotonic clock; infinite: not on this connection. */
  notBefore: number;
};

export class PendingReeds {
  readonly #byReed = new Map<ReedId, Pending>();
  readonly #byRequest = new Map<RequestId, ReedId>();

  get(reedId: ReedId): Pending | undefined {
    return this.#byReed.get(reedId);
  }

  byRequest(requestId: string): Pending | undefined {
    const reedId = this.#byRequest.get(requestId as RequestId);
    return reedId && this.#byReed.get(reedId);
  }

  all(): Pending[] {
    return [...this.#byReed.values()];
  }

  /** Puts a record in place, keeping who waits for it. */
  set(record: RequestRecord): Pending {
    const before = this.#byReed.get(record.id);
    if (before) this.#byRequest.delete(before.record.requestId);
    this.#byRequest.set(record.requestId, record.id);
    if (before) {
      before.record = record;
      return before;
    }
    const progress: RequestProgress = { state: 'sending', onlineHolders: 0, tries: record.invalid };
    const rest = { sent: false, pushed: false, known: false, lacks: null, storing: false, refusals: 0, notBefore: 0 };
    const pending: Pending = { record, progress, waiters: [], ...rest };
    this.#byReed.set(record.id, pending);
    return pending;
  }

  delete(reedId: ReedId): void {
    const pending = this.#byReed.get(reedId);
    if (!pending) return;
    this.#byRequest.delete(pending.record.requestId);
    this.#byReed.delete(reedId);
  }

  /** Those that may be sent now, copies before confirmations, in the order in which they were asked for. */
  sendable(now: number): Pending[] {
    const due = this.all().filter(({ sent, pushed, notBefore }) => !sent && !pushed && notBefore <= now);
    const rank = ({ record }: Pending): number => (record.want === 'copy' ? 0 : 1);
    return due.sort((left, right) => rank(left) - rank(right) || left.record.askedAt - right.record.askedAt);
  }

  /** The one that waits for a place and was refused least often. */
  nextForPlace(): Pending | undefined {
    return this.all()
      .filter(({ sent, lacks }) => !sent && lacks === 'place')
      .sort((left, right) => left.refusals - right.refusals)[0];
  }

  /** When the next one that is being held back may be sent; null if none is. */
  nextTime(now: number): number | null {
    const times = this.all().flatMap(({ sent, notBefore }) => (!sent && notBefore > now && Number.isFinite(notBefore) ? [notBefore] : []));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** How many wait for their time now. */
  heldBack(now: number): number {
    return this.all().filter(({ sent, notBefore }) => !sent && notBefore > now && Number.isFinite(notBefore)).length;
  }

  sentCount(): number {
    return this.all().filter(({ sent }) => sent).length;
  }
}

/** The states of REQUEST_ACK as progress. */
export const PROGRESS = {
  REQUEST_STATE_UNSPECIFIED: 'sending',
  ASKING: 'asking',
  IN_TURN: 'in-turn',
  NOBODY_ONLINE: 'nobody-online',
  HOLDERS_FAILING: 'holders-failing',
  PEER_AWAY: 'peer-away',
} as const satisfies Record<string, RequestProgress['state']>;
