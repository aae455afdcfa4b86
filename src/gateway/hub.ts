// The connections of members on this replica. Content goes to the newest connection whose send buffer is not full, a notice to the
// newest; a member all of whose connections are full is congested, and both edges of that are told once committed.
import type { Logger } from 'pino';
import type { Limits } from '../base/limits.ts';
import type { DeliveryKind, EndSessions } from '../bus/port.ts';
import type { Presence } from '../presence/presence.ts';
import type { MemberFrames } from '../relay/port.ts';
import type { UserId } from '../wire/address.ts';
import { peekType } from '../wire/peek.ts';

/** A connection, as the hub sees it. */
export interface Seated {
  /** Signed in and not ending. */
  readonly open: boolean;
  /** Its buffer is over the limit: it takes notices, no content. */
  readonly full: boolean;
  /** Sends an encoded frame. @returns false if the socket is no longer open */
  write(bytes: Uint8Array): boolean;
  /** Sessions of a member end; closes if it is one of them. */
  sessionsEnded(userId: UserId, options: EndSessions): void;
}

/** Of a connection, in windows of its holder. What is not among them waits for its deadline. */
const WINDOWS_REMEMBERED = 4;

export type HubDeps = {
  readonly presence: Pick<Presence, 'setCongested'>;
  readonly frames: MemberFrames;
  readonly limits: Pick<Limits, 'holderWindow'>;
  readonly log: Logger;
};

/**
 * Connections in the order of their sign-ins; `congested` as it is committed, null if that is not known; `writing` while it is being
 * written, so that one write after the other decides.
 */
type Seat = { readonly connections: Seated[]; congested: boolean | null; writing: boolean };

export class Hub {
  readonly #deps: HubDeps;
  readonly #seats = new Map<UserId, Seat>();
  /** The latest asks written to each connection, answered or not: so few are in hand at once that the others are hardly ever older. */
  readonly #asks = new WeakMap<Seated, Uint8Array[]>();
  /** Sign-ins under way, so that a session that ends meanwhile is not let in. */
  readonly #signingIn = new Set<Seated>();

  constructor(deps: HubDeps) {
    this.#deps = deps;
  }

  /** How many members are connected here. */
  get members(): number {
    return this.#seats.size;
  }

  signingIn(connection: Seated): void {
    this.#signingIn.add(connection);
  }

  /** The sign-in has come to its end, whatever end. */
  signedIn(connection: Seated): void {
    this.#signingIn.delete(connection);
  }

  add(connection: Seated, userId: UserId): void {
    const seat = this.#seats.get(userId);
    if (seat) seat.connections.push(connection);
    else this.#seats.set(userId, { connections: [connection], congested: false, writing: false });
    this.look(userId);
  }

  remove(connection: Seated, userId: UserId): void {
    const seat = this.#seats.get(userId);
    const at = seat?.connections.indexOf(connection) ?? -1;
    if (!seat || at < 0) return;
    seat.connections.splice(at, 1);
    if (seat.connections.length === 0) this.#seats.delete(userId);
    else this.look(userId);
  }

  /** Writes an encoded frame. @returns false if the member has no connection here that takes it; then nothing was written */
  deliver(to: UserId, bytes: Uint8Array, kind: DeliveryKind): boolean {
    const connections = this.#seats.get(to)?.connections ?? [];
    // A write may end its connection, which then leaves the list: the ones before it keep their places.
    for (let at = connections.length - 1; at >= 0; at--) {
      const connection = connections[at];
      if (!connection?.open || (connection.full && kind === 'content')) continue;
      if (!connection.write(bytes)) continue;
      if (kind === 'content') this.#note(connection, bytes);
      return true;
    }
    return false;
  }

  /** The latest asks that were written to a connection. */
  asksOf(connection: Seated): readonly Uint8Array[] {
    return this.#asks.get(connection) ?? [];
  }

  #note(connection: Seated, bytes: Uint8Array): void {
    const type = peekType(bytes);
    if (type !== 'relayRequest' && type !== 'relayThread') return;
    // A copy of its own: the frame is a piece of a buffer many times its size, which would be kept with it.
    const ask = new Uint8Array(bytes);
    const asks = this.#asks.get(connection);
    if (asks === undefined) this.#asks.set(connection, [ask]);
    else if (asks.push(ask) > WINDOWS_REMEMBERED * this.#deps.limits.holderWindow) asks.shift();
  }

  /** Closes a member's sockets here, those that are just signing in included. */
  endSessions(userId: UserId, options: EndSessions): void {
    for (const connection of this.#signingIn) connection.sessionsEnded(userId, options);
    for (const connection of [...(this.#seats.get(userId)?.connections ?? [])]) connection.sessionsEnded(userId, options);
  }

  /** A connection's buffer has become full, or is no longer: tells it if that changes anything for the member. */
  look(userId: UserId): void {
    const seat = this.#seats.get(userId);
    if (!seat || seat.writing) return;
    const congested = seat.connections.every((connection) => connection.full);
    if (congested !== seat.congested) void this.#write(userId, seat, congested);
  }

  /** The regular look at everybody: repeats what could not be written. */
  scan(): void {
    for (const userId of this.#seats.keys()) this.look(userId);
  }

  async #write(userId: UserId, seat: Seat, congested: boolean): Promise<void> {
    seat.writing = true;
    try {
      await this.#deps.presence.setCongested(userId, congested);
      seat.congested = congested;
      this.#deps.frames.congested(userId, congested);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'congestion could not be written');
      // It may have been committed all the same. Written again with the next edge or scan, whatever is true then.
      seat.congested = null;
      return;
    } finally {
      seat.writing = false;
    }
    // Somebody who left and came back meanwhile may have signed in before this was committed.
    const now = this.#seats.get(userId);
    if (now && now !== seat) now.congested = null;
    this.look(userId);
  }
}
