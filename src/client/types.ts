// What the SDK's parts tell each other, and whoever uses them: the account, the progress and end of a request, events.
// Plain data, but for the one error class; nothing here acts.
import type { ErrorCode } from '../base/codes.ts';
import type { AppError } from '../base/errors.ts';
import type { ReedId, RequestId, ServerId, ServerKeyId, UserId, UserKeyId } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import type { DeliveryType, InvalidReason } from '../wire/frames.ts';
import type { ReedCounts } from '../wire/legs.ts';
import type { StatementOf } from '../wire/statements.ts';

/** What the server said of a mention when it registered the reed. */
export type MentionOutcome = { readonly user: UserId; readonly accepted: boolean; readonly reason?: string };
export type ActType = 'follow' | 'unfollow' | 'like' | 'unlike' | 'block' | 'unblock' | 'reed-removal' | 'thread-removal';

export type ReedStatement = StatementOf<'reed'>;
export type ReedCertificate = Certificate<ReedStatement>;
export type ThreadCertificate = Certificate<StatementOf<'thread'>>;

/** This device's membership; the private key is in the key ring. */
export type Account = {
  readonly server: ServerId;
  readonly user: UserId;
  readonly key: UserKeyId;
  /** Tells this device from others of the same member, of which the server lets one be active; proves nothing. */
  readonly device: string;
  readonly username: string;
  /** The server's identity keys as they were pinned. */
  readonly serverKeys: readonly ServerKeyId[];
  /** Whether the person said that the backup is kept somewhere. */
  readonly backedUp: boolean;
};

export type ConnectionState = 'offline' | 'connecting' | 'online' | 'stopped';

export type RequestProgress = {
  /**
   * sending: on its way or waiting for a connection. held-back: repeated too often, repeated again when the server allows it; what was
   * asked before may still stand. checking: a copy came. asking-again: a copy was not right.
   */
  readonly state:
    | 'sending'
    | 'held-back'
    | 'asking'
    | 'in-turn'
    | 'nobody-online'
    | 'holders-failing'
    | 'peer-away'
    | 'checking'
    | 'asking-again';
  /** 3 means three or more. */
  readonly onlineHolders: number;
  /** Invalid copies so far. */
  readonly tries: number;
};

export type RequestOutcome =
  | 'not-found'
  | 'not-held'
  | 'removed'
  | 'blocked'
  | 'expired'
  | 'not-acknowledged'
  | 'invalid'
  | 'cannot-check'
  | 'cannot-store'
  | 'cancelled'
  | 'rate-limited'
  | 'too-many-open'
  | 'refused';

/** How a request ended without a copy. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly outcome: RequestOutcome;
  readonly invalidReason: InvalidReason | undefined;
  readonly retryAfterMs: number | undefined;
  /** The removal or block that explains it. */
  readonly certificate: object | undefined;

  constructor(outcome: RequestOutcome, details: { invalidReason?: InvalidReason; retryAfterMs?: number; certificate?: object } = {}) {
    super(details.invalidReason ? `${outcome}: ${details.invalidReason}` : outcome);
    this.outcome = outcome;
    this.invalidReason = details.invalidReason;
    this.retryAfterMs = details.retryAfterMs;
    this.certificate = details.certificate;
  }
}

export type ServeOutcome = 'sent' | 'miss' | 'busy' | 'store-unavailable' | 'requester-key-unverified' | 'failed';

/** Something that is watched while this member is connected. */
export type Watch =
  | { readonly kind: 'pipe'; readonly tag: string }
  | { readonly kind: 'reed'; readonly reedId: ReedId }
  | { readonly kind: 'profile'; readonly user: UserId }
  | { readonly kind: 'broadcast' };

export type SyncProgress = {
  /**
   * away: no connection. held-back: the server takes the request for what was missed a little later, it is repeated by itself; nothing new is
   * told until then. catching-up: what was missed is coming. live: none of it has come for a while, nothing waits.
   */
  readonly state: 'away' | 'held-back' | 'catching-up' | 'live';
  /** Deliveries of what was missed, since the connection was made; not what was asked for, nor pipes and the archive. */
  readonly received: number;
  /** Deliveries that wait to be looked at. */
  readonly waiting: number;
  /** More comes than this device takes, or the server holds more back: it goes on by itself. */
  readonly behind: boolean;
};

export type RecallProgress = {
  /** listing: finding out what is lacking. fetching: asking it back. done: nothing left that anybody has. */
  readonly state: 'listing' | 'fetching' | 'done';
  /** What was found lacking and wanted back. */
  readonly total: number;
  readonly here: number;
  /** Nobody has it any more, or its author took it back. */
  readonly lost: number;
  /** Who has it is not online now; asked again later. */
  readonly later: number;
};

/** freeing: authors are being let go of. nearly-full: all that is left is the member's own or wanted, so only the person can free more. */
export type QuotaState = 'enough' | 'freeing' | 'nearly-full';

export type MemberEvent =
  | { readonly type: 'connection'; readonly state: ConnectionState; readonly reason?: string; readonly retryInMs?: number }
  | { readonly type: 'request'; readonly reedId: ReedId; readonly requestId: RequestId; readonly progress: RequestProgress }
  | { readonly type: 'copy'; readonly reedId: ReedId; readonly state: 'unconfirmed' | 'held' | 'gone' }
  | {
      readonly type: 'served';
      readonly reedId: ReedId;
      readonly requester: UserId;
      readonly outcome: ServeOutcome;
      readonly bytes: number;
    }
  | { readonly type: 'invalid'; readonly reedId: ReedId; readonly reason: InvalidReason }
  | { readonly type: 'unsolicited'; readonly frame: string; readonly reedId: ReedId }
  /** The server ended a request by a removal or block that it did not prove. */
  | { readonly type: 'unproven'; readonly frame: string; readonly reedId: ReedId }
  /** A copy that came without having been asked for by itself, stored and acknowledged; a thread by its head. */
  | { readonly type: 'arrived'; readonly reedId: ReedId; readonly by: DeliveryType; readonly thread: boolean }
  /** Shown to nobody and reported to the operator: the author's statement contradicts the text, or what it answers. */
  | { readonly type: 'rejected'; readonly reedId: ReedId; readonly reason: string }
  /** Taken back by its author: deleted here, and refused from now on. */
  | { readonly type: 'tombstone'; readonly id: ReedId | UserId; readonly kind: 'reed' | 'thread' | 'account' }
  /** Somebody blocked this member, or does so no more. */
  | { readonly type: 'blocker'; readonly user: UserId; readonly active: boolean }
  /** A member's key was revoked; or replaced by their recovery key, with everything that was signed meanwhile. */
  | { readonly type: 'key'; readonly user: UserId; readonly state: 'revoked' | 'replaced' }
  /** REED_STATS of a reed that is watched. */
  | ({ readonly type: 'stats' } & ReedCounts)
  /** What is of that server waits: it can't be reached now. */
  | { readonly type: 'peer-lost'; readonly server: ServerId }
  /** The server refused to let this be watched. */
  | { readonly type: 'watch-refused'; readonly watch: Watch; readonly code: ErrorCode }
  | ({ readonly type: 'sync' } & SyncProgress)
  /** Of the community stream, to be looked at while the session lasts. */
  | { readonly type: 'broadcast'; readonly reedId: ReedId; readonly username: string; readonly skipped: number }
  | ({ readonly type: 'recall' } & RecallProgress)
  /** How full this device is, when that has changed. */
  | { readonly type: 'quota'; readonly state: QuotaState; readonly usedBytes: number; readonly quotaBytes: number }
  /** Space is being freed: an author's reeds have left. */
  | { readonly type: 'room'; readonly author: UserId; readonly reeds: number }
  | {
      readonly type: 'outbox';
      readonly reedId: ReedId;
      readonly state: 'written' | 'registered' | 'published' | 'refused' | 'discarded';
      readonly error?: AppError;
      /** With `registered`: who will be told, and who not and why. */
      readonly mentions?: readonly MentionOutcome[];
    }
  /** `withdrawn`: what it was about had not gone out yet, so there was nothing to say. */
  | {
      readonly type: 'act';
      readonly act: ActType;
      readonly target: ReedId | UserId;
      readonly state: 'written' | 'accepted' | 'refused' | 'withdrawn';
      readonly error?: AppError;
    };

export type Emit = (event: MemberEvent) => void;
