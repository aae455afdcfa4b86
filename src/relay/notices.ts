// The frames that the relay sends by itself. A notice that can't be written is not kept: the row it speaks of is the truth,
// and a client that comes back asks again.
import type { ErrorCode } from '../base/codes.ts';
import type { Bus } from '../bus/port.ts';
import { type Claim, type Progress, requestStateOf } from '../ledger/state.ts';
import type { ReedId, RequestId, ServerId, UserId } from '../wire/address.ts';
import { encodeFrame } from '../wire/codec.ts';
import type { Frame } from '../wire/frames.ts';
import type { ReedCounts } from '../wire/legs.ts';

/** RELAY_REQUEST or RELAY_THREAD for a claim that is committed. */
export const relayRequest = (claim: Claim, deadlineMs: number): Frame => {
  const asked = { requesterId: claim.requester, requesterKeyId: claim.requesterKeyId, attempt: claim.attempt, deadlineMs };
  return claim.subjectKind === 'thread'
    ? { id: claim.eventId, type: 'relayThread', body: { threadId: claim.subjectId, ...asked } }
    : { id: claim.eventId, type: 'relayRequest', body: { reedId: claim.subjectId, ...asked } };
};

/** REQUEST_ACK: how an explicit request stands. */
export const requestAck = (progress: Progress): Frame => ({
  id: progress.eventId,
  type: 'requestAck',
  body: {
    requestId: progress.requestId,
    reedId: progress.subjectId,
    state: requestStateOf(progress),
    onlineHolders: progress.onlineHolders,
  },
});

export const reedNotFound = (requestId: RequestId, reedId: ReedId): Frame => ({
  id: '',
  type: 'reedNotFound',
  body: { requestId, reedId },
});

export const reedNotHeld = (eventId: string, requestId: RequestId, reedId: ReedId): Frame => ({
  id: eventId,
  type: 'reedNotHeld',
  body: { requestId, reedId },
});

/** REED_STATS: what is counted about a reed. */
export const reedStats = ({ reedId, ...counts }: ReedCounts): Frame => ({ id: '', type: 'reedStats', body: { reedId, ...counts } });

/** PEER_SERVER_LOST: what is of that server waits for it. */
export const peerServerLost = (serverId: ServerId): Frame => ({ id: '', type: 'peerServerLost', body: { serverId } });

export type ErrorNotice = {
  readonly id: string;
  readonly requestId: string;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterMs?: number;
};

export const errorNotice = ({ id, requestId, code, detail, retryAfterMs = 0 }: ErrorNotice): Frame => ({
  id,
  type: 'error',
  body: { code, detail, requestId, retryAfterMs },
});

/** Sends a notice to a member, wherever it is connected. A member who has no connection any more asks again when it is back. */
export const notify = (bus: Bus, to: UserId, frame: Frame): void => {
  bus.deliver(to, encodeFrame(frame), 'notice').catch(() => undefined);
};
