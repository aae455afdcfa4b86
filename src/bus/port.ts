// How replicas reach each other's members. Everything here is a hint or a hand-over: what must not be lost is a row,
// so a lost message costs time, never an event.
import type { CloseCode } from '../base/codes.ts';
import type { UserId } from '../wire/address.ts';

/** Which sockets of a member to end. Without `deviceId` and `exceptDeviceId`: all of them. */
export type EndSessions = {
  readonly code: CloseCode;
  readonly deviceId?: string;
  readonly exceptDeviceId?: string;
};

/** Content and relay requests wait for a buffer with room; a notice, which nothing repeats, is written as long as the connection lives. */
export type DeliveryKind = 'content' | 'notice';

/** What one replica does for the members connected to it. */
export interface LocalMembers {
  /** Writes an encoded frame to the member's newest connection (of content: whose buffer is not full); false: it was not written. */
  deliver(to: UserId, frame: Uint8Array, kind: DeliveryKind): boolean;
  /** The holder may have free places: dispatch what is queued with it. */
  dispatch(holder: UserId): void;
  endSessions(userId: UserId, options: EndSessions): void;
}

export interface Bus {
  /** Hands an encoded frame to a member, on whatever replica it is. False: it was not written. */
  deliver(to: UserId, frame: Uint8Array, kind: DeliveryKind): Promise<boolean>;
  /** Tells replica `owner` to dispatch what is queued with `holder`. */
  hintDispatch(owner: string, holder: UserId): void;
  endSessions(userId: UserId, options: EndSessions): void;
  /** Makes this replica's members reachable until the returned handle is closed. */
  serve(replicaId: string, local: LocalMembers): { close(): void };
}
