// What the SDK's parts tell each other, and whoever uses them: the account, the progress and end of a request, events.
// Plain data, but for the one error class; nothing here acts.
import type { AppError } from '../base/errors.ts';
import type { ReedId, RequestId, ServerId, ServerKeyId, UserId, UserKeyId } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import type { InvalidReason } from '../wire/frames.ts';
import type { StatementOf } from '../wire/statements.ts';

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
  | {
      readonly type: 'outbox';
      readonly reedId: ReedId;
      readonly state: 'written' | 'registered' | 'published' | 'refused' | 'discarded';
      readonly error?: AppError;
    };

export type Emit = (event: MemberEvent) => void;
