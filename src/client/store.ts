// The port to a member's own storage: collections of plain JSON records, each with a string `id`, and the feeds that copies stand in.
// One write is all or nothing and durable when it resolves; a store that lost something says so by `complete`.
import type { ReedId, RequestId, UserId, UserKeyId } from '../wire/address.ts';
import type { Body } from '../wire/body.ts';
import type { ActType, MentionOutcome, ReedCertificate, ThreadCertificate } from './types.ts';

/** A verified copy of a reed. `own`: written by this member. */
export type CopyRecord = {
  readonly id: ReedId;
  readonly certificate: ReedCertificate;
  readonly body: Body;
  readonly own: boolean;
  /** unconfirmed: the server has not said yet that the allocation stands. leaving: announced as evicted, deleted after the answer. */
  readonly state: 'unconfirmed' | 'held' | 'leaving';
  /** Milliseconds since the epoch, server's clock. */
  readonly storedAt: number;
};

/** A member's chain of key certificates as it was verified, first key first. What is pinned here may only be continued. */
export type KeyRecord = {
  readonly id: UserId;
  readonly chain: readonly { readonly certificate: unknown; readonly revocation?: unknown }[];
  /** Keys that were read to verify with, so that the server owes us their revocation. */
  readonly owed: readonly UserKeyId[];
};

/**
 * What is still to be settled with the server about one reed; written before the frame that asks for it is sent.
 * copy: asked for, not here yet. confirmation: stored, SETTLED has not said held yet. eviction: announced, not answered yet.
 */
export type RequestRecord = {
  readonly id: ReedId;
  /** It is about the whole thread of which this reed is the head. */
  readonly thread?: true;
  readonly want: 'copy' | 'confirmation' | 'eviction';
  readonly requestId: RequestId;
  /** Invalid copies received so far. */
  readonly invalid: number;
  /** Milliseconds since the epoch, server's clock. */
  readonly askedAt: number;
};

/** One of the reeds of a thread. */
export type ThreadPart = { readonly reedId: ReedId; readonly body: Body };

/** A reed on its way out, or a thread by its head. Ids are zero-padded numbers: the order of the outbox. */
export type OutboxRecord = {
  readonly id: string;
  readonly reedId: ReedId;
  readonly body: Body;
  readonly relations: ReedRelations;
  readonly broadcast: boolean;
  /** All parts of a thread, the head first; and how many of them are registered. */
  readonly parts?: readonly ThreadPart[];
  readonly registered?: number;
  /** Of the reeds registered so far. */
  readonly mentions?: readonly MentionOutcome[];
  /** The signed statement, once made; it is signed again only if the server says that `previous` was wrong. */
  readonly signed?: unknown;
  /** Set when the server refused it for good: it then waits for the person and holds nothing up. */
  readonly refused?: { readonly code: string; readonly detail: string };
  readonly state: 'written' | 'registered';
};

/** A signed act on its way out. `buried`: of a removal, the reeds that were taken away here. */
export type ActRecord = {
  readonly id: string;
  readonly act: ActType;
  readonly target: ReedId | UserId;
  readonly signed: unknown;
  readonly buried?: readonly ReedId[];
};

export type ReedRelations = { readonly replyTo?: ReedId; readonly root?: ReedId; readonly echoOf?: ReedId };

/** The record of a thread whose parts are all kept; `id` is its head's. */
export type ThreadRecord = { readonly id: ReedId; readonly certificate: ThreadCertificate };

/** What was taken back: a reed, a thread (a record for each part that was known) or a member's account, with the certificate that says so. */
export type TombstoneRecord = {
  readonly id: ReedId | UserId;
  readonly kind: 'reed' | 'thread' | 'account';
  readonly certificate: object;
  /** Of a thread's head: the parts that were known here. */
  readonly parts?: readonly ReedId[];
};

/** Somebody whom this member follows. Not there: does not. */
export type FollowRecord = { readonly id: UserId; readonly certificate?: object };

/** Somebody whom this member has blocked. Not there: has not. */
export type BlockRecord = { readonly id: UserId; readonly certificate?: object };

/** The newest that somebody said about blocking this member; `seq` is the statement's. */
export type BlockerRecord = { readonly id: UserId; readonly active: boolean; readonly seq: number; readonly certificate: object };

/** What this device alone keeps of somebody. kept: their reeds stay without a follow. muted: they are not shown. */
export type MarkRecord = { readonly id: UserId; readonly kept: boolean; readonly muted: boolean };

/** What a new device has still to ask back; `thread`: the whole thread of which it is the head. */
export type RecallRecord = { readonly id: ReedId; readonly thread?: true };

/** Single values: the account, the tip, the server document and the like. */
export type MetaRecord = { readonly id: string; readonly value: unknown };

export type Records = {
  copies: CopyRecord;
  keys: KeyRecord;
  requests: RequestRecord;
  outbox: OutboxRecord | ActRecord;
  meta: MetaRecord;
  threads: ThreadRecord;
  tombstones: TombstoneRecord;
  follows: FollowRecord;
  blocks: BlockRecord;
  blockers: BlockerRecord;
  marks: MarkRecord;
  recalls: RecallRecord;
};

export type Collection = keyof Records;

export const COLLECTIONS: readonly Collection[] = [
  'copies',
  'keys',
  'requests',
  'outbox',
  'meta',
  'threads',
  'tombstones',
  'follows',
  'blocks',
  'blockers',
  'marks',
  'recalls',
];

export type Change =
  | { readonly [C in Collection]: { readonly put: C; readonly record: Records[C] } }[Collection]
  | { readonly delete: Collection; readonly id: string };

/**
 * all: everything kept. author: what somebody wrote. tag: a pipe. mention: what names somebody. answers: replies to and echoes of what somebody
 * wrote. echo: what echoes a reed. These newest first.
 * reply: the direct answers to a reed, oldest first. thread: a thread's parts in their order, by its head.
 */
export type Feed =
  | 'all'
  | `author ${UserId}`
  | `tag ${string}`
  | `mention ${UserId}`
  | `answers ${UserId}`
  | `echo ${ReedId}`
  | `reply ${ReedId}`
  | `thread ${ReedId}`;

/** A copy and where it stands in a feed: the place is the cursor behind it. */
export type FeedItem = { readonly place: string; readonly copy: CopyRecord };

export type Page = { readonly after?: string; readonly limit?: number };

export interface Store {
  /** False when something was lost: a record that is not there may have been there, so nothing is reported as missing. */
  readonly complete: boolean;
  get<C extends Collection>(collection: C, id: string): Promise<Records[C] | null>;
  /** Records by id in UTF-16 code unit order, from the first id greater than `after`. */
  list<C extends Collection>(collection: C, page?: Page): Promise<Records[C][]>;
  /** Copies in one feed (see feeds.ts), in its order, behind the place `after`. */
  feed(feed: Feed, page?: Page): Promise<FeedItem[]>;
  /** Applies all changes in their order or none. Rejects when the medium refuses; the store then stays as it was. */
  write(changes: readonly Change[]): Promise<void>;
  /** Every later call rejects. */
  close(): Promise<void>;
}
