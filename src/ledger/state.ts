// The states of an event and what they mean to others. Pure; the numbers stand in pending_events.state and its partial indexes.
import type { ReedId, RequestId, UserId, UserKeyId } from '../wire/address.ts';

export const STATE = {
  /** Nobody online can serve it. */
  dormant: 0,
  /** In the queue of one online holder. */
  waiting: 1,
  /** With a holder, who was asked. */
  dispatched: 2,
  /** The requester was sent the holder's ciphertext. */
  relayed: 3,
  /** To be given a holder: opened for a full member, re-opened or woken. */
  unassigned: 4,
  /** Nobody here can be asked, but another server can: no slot is free, or that server is away. */
  inLine: 5,
  /** Of a peer's event: the holder's ciphertext is on its way to that peer. */
  forwarding: 6,
  /** Another server is asked. */
  crossing: 7,
} as const;

export type EventState = (typeof STATE)[keyof typeof STATE];

export type SubjectKind = 'reed' | 'thread';

/** Deliveries of content, by the frame that carries them, the strongest first: an event that meets another one for the same is the stronger of the two. */
export const EVENT_NAMES = [
  'MENTION',
  'REED_REPLY',
  'PIPE_REED',
  'FOLLOW_REED',
  'DATA_RESPONSE',
  'ARCHIVE_REED',
  'BROADCAST_REED',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** What the server itself says of copies, and of keys that somebody has: no content, held by nobody. */
export const NOTICE_NAMES = {
  reed_removal: 'REED_REMOVED',
  thread_removal: 'THREAD_REMOVED',
  account_removal: 'ACCOUNT_REMOVED',
  key: 'KEY_REVOKED',
} as const;
export type NoticeKind = keyof typeof NOTICE_NAMES;
export type NoticeName = (typeof NOTICE_NAMES)[NoticeKind];

/** A holder that an event was just handed to: what RELAY_REQUEST says. */
export type Claim = {
  readonly eventId: string;
  readonly subjectKind: SubjectKind;
  readonly subjectId: ReedId;
  readonly requester: UserId;
  readonly requesterKeyId: UserKeyId;
  readonly holder: UserId;
  readonly attempt: number;
};

/** What a requester is told of an explicit request. */
export type RequestStateName = 'ASKING' | 'IN_TURN' | 'NOBODY_ONLINE' | 'HOLDERS_FAILING' | 'PEER_AWAY';

/** An explicit request whose state may have changed: what REQUEST_ACK says. */
export type Progress = {
  readonly eventId: string;
  readonly requestId: RequestId;
  readonly requester: UserId;
  readonly subjectId: ReedId;
  readonly state: EventState;
  /** Holders that can be asked, 3 for three and more. */
  readonly onlineHolders: number;
  /** Holders that could be asked had they not failed this event or been struck by this viewer. */
  readonly failing: boolean;
  /** The server that would be asked does not answer. */
  readonly peerAway?: boolean;
  /** One of those who want it waits at the server that would be asked for somebody to come online there. */
  readonly asleepThere?: boolean;
};

/** The word for the requester. A dispatched or relayed event is being asked for; a dormant one says why nobody is asked. */
export const requestStateOf = (progress: Pick<Progress, 'state' | 'failing' | 'peerAway' | 'asleepThere'>): RequestStateName => {
  if (progress.peerAway === true) return 'PEER_AWAY';
  switch (progress.state) {
    case STATE.dispatched:
    case STATE.relayed:
    case STATE.forwarding:
    case STATE.crossing:
      return 'ASKING';
    case STATE.inLine:
      return progress.asleepThere === true ? 'NOBODY_ONLINE' : 'IN_TURN';
    case STATE.waiting:
      return 'IN_TURN';
    case STATE.dormant:
      return progress.failing ? 'HOLDERS_FAILING' : 'NOBODY_ONLINE';
    case STATE.unassigned:
      return progress.failing ? 'HOLDERS_FAILING' : 'IN_TURN';
  }
};

/** Why an explicit request ends without a delivery. */
export type Refusal = 'gone' | 'not-found' | 'removed' | 'blocked' | 'conflict' | 'too-many' | 'not-held';

/** The reasons of DATA_INVALID after which catch-up owes the reed no more. */
export const DECLINING_REASONS: ReadonlySet<string> = new Set(['CLAIM_MISMATCH', 'UNSOLICITED']);
