// Sessions of members that end while a connection is signing in: whether its own is one of them is only known after the sign-in.
import type { CloseCode } from '../base/codes.ts';
import type { EndSessions } from '../bus/port.ts';
import type { Member } from '../identity/sessions.ts';
import type { UserId } from '../wire/address.ts';

export class Endings {
  readonly #noted: { readonly userId: UserId; readonly options: EndSessions }[] = [];

  note(userId: UserId, options: EndSessions): void {
    this.#noted.push({ userId, options });
  }

  /** The code with which the member's session ended; null: it did not. */
  of(member: Member): CloseCode | null {
    const ending = this.#noted.find(({ userId, options }) => userId === member.userId && covers(options, member));
    return ending?.options.code ?? null;
  }
}

/** Whether this is one of the member's sessions that end. */
export const covers = ({ deviceId, exceptDeviceId }: EndSessions, member: Member): boolean =>
  (deviceId === undefined || deviceId === member.deviceId) && exceptDeviceId !== member.deviceId;
