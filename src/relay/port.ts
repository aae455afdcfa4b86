// What the gateway asks of the relay. Declared here, below the gateway, because the relay implements it;
// nothing in it knows about sockets.
import type { Member } from '../identity/sessions.ts';
import type { UserId } from '../wire/address.ts';
import type { Frame } from '../wire/frames.ts';

/** Where a frame came from, and the way back to exactly that connection. */
export type Origin = { readonly member: Member; readonly connectionId: string; reply(frame: Frame): void };

export interface MemberFrames {
  /**
   * Carries out one frame. Resolves when its effect is committed; answers go out through `from.reply` or a delivery.
   * Throws AppError for what the caller is to be told; anything else is answered INTERNAL and logged.
   */
  handle(from: Origin, frame: Frame): Promise<void>;
  /** The member signed in and its presence is committed; `isFresh` if it had none just before. */
  arrived(userId: UserId, isFresh: boolean): Promise<void>;
  /**
   * The member's presence row is gone, committed. The member may have come back since: look before ending anything.
   * @returns whether it has, before its events were looked at; they stand then
   */
  left(userId: UserId): Promise<boolean>;
  /** A connection of a member ended that has another: these encoded frames, the latest that it was asked, answered or not, went to it alone. */
  askedInVain(userId: UserId, asks: readonly Uint8Array[]): void;
  /** The member's send buffers are all full, or no longer. The row says so already. */
  congested(userId: UserId, full: boolean): void;
  /** Once in `deadlinePushEveryMs`: these members are in the middle of sending us a frame. */
  bytesArriving(holders: readonly UserId[]): void;
  /** Once in `deadlinePushEveryMs`: these members have not yet taken what was written to them. */
  stillBuffered(requesters: readonly UserId[]): void;
}
