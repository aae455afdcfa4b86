// What the fold asks of the rest of the federation: calls to peers and a place for its own legs. Composed in app.ts.
import type { ErrorCode } from '../base/codes.ts';
import type { ReedId, ServerId, UserId, UserKeyId } from '../wire/address.ts';

export type FoldLeg = 'request' | 'fallback' | 'deliver' | 'not-held' | 'cancel' | 'ack' | 'crossings' | 'holder-notify';

/** What came back of a call; after `transport` nothing is known. */
export type FoldAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: Uint8Array;
      /** Of the peer's ledger; empty: it did not know. */
      readonly epoch: string;
      /** Of a refusal; none: the leg's own answer. */
      readonly code?: ErrorCode;
      readonly retryAfterMs?: number;
    }
  /** isOurs: ended or not begun by this side, which says nothing of the peer. */
  | { readonly kind: 'transport'; readonly reason: string; readonly isOurs?: boolean; readonly retryAfterMs?: number };

export type FoldBody = Uint8Array | (() => Promise<Uint8Array | null>);

export interface FoldCalls {
  /**
   * @param body what is said, or what makes it once its turn has come; null then: it is not said
   * @throws only what the database does, in which peers stand: nothing was learned then
   */
  call(
    peer: ServerId,
    leg: FoldLeg,
    body: FoldBody,
    options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<FoldAnswer>;
}

export type FoldReply = { readonly status: number; readonly body?: Uint8Array };

/** Answers a leg for a live peer. */
export type FoldHandler = {
  readonly limitBytes: number;
  /** @throws AppError, answered with its code, detail and Retry-After */
  handle(peer: ServerId, body: Uint8Array): Promise<FoldReply>;
};

export type FoldHandlers = Readonly<Record<FoldLeg, FoldHandler>>;

/** The keys of those who ask over a border. */
export interface RequesterKeys {
  /** The certificates from the first key of `user` to this one; null if it is not known, or ended. */
  chainOf(user: UserId, key: UserKeyId): Promise<readonly unknown[] | null>;
  /** Verifies that this is a key of that user, and keeps what proves it. False: it is not. */
  accept(user: UserId, key: UserKeyId, of: { readonly chain: readonly unknown[]; readonly by: ServerId }): Promise<boolean>;
}

export interface ThreadRecords {
  /** The parts that a verified record names; null if it does not hold. */
  partsOf(thread: ReedId, record: object): Promise<readonly ReedId[] | null>;
}
