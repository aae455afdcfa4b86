// The connections of members on this replica. A delivery goes to the newest connection whose send buffer is not full; a member all
// of whose connections are full is congested, and both edges of that are told once committed.
import type { Logger } from 'pino';
import type { EndSessions } from '../bus/port.ts';
import type { Presence } from '../presence/presence.ts';
import { describe } from '../presence/presence.ts';
import type { MemberFrames } from '../relay/port.ts';
import type { UserId } from '../wire/address.ts';

/** A connection, as the hub sees it. */
export interface Seated {
  /** Signed in, open, and with room in its buffer. */
  readonly takes: boolean;
  /** Its buffer is over the limit. */
  readonly full: boolean;
  /** Sends an encoded frame. @returns false if the socket is no longer open */
  write(bytes: Uint8Array): boolean;
  /** Sessions of a member end; closes if it is one of them. */
  sessionsEnded(userId: UserId, options: EndSessions): void;
}

export type HubDeps = { readonly presence: Presence; readonly frames: MemberFrames; readonly log: Logger };

/** Connections in the order of their sign-ins. */
type Seat = { readonly connections: Seated[]; congested: boolean };

export class Hub {
  readonly #deps: HubDeps;
  readonly #seats = new Map<UserId, Seat>();
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
    else this.#seats.set(userId, { connections: [connection], congested: false });
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
  deliver(to: UserId, bytes: Uint8Array): boolean {
    const connections = this.#seats.get(to)?.connections ?? [];
    for (let at = connections.length - 1; at >= 0; at--) {
      const connection = connections[at];
      if (connection?.takes) return connection.write(bytes);
    }
    return false;
  }

  /** Closes a member's sockets here, those that are just signing in included. */
  endSessions(userId: UserId, options: EndSessions): void {
    for (const connection of this.#signingIn) connection.sessionsEnded(userId, options);
    for (const connection of [...(this.#seats.get(userId)?.connections ?? [])]) connection.sessionsEnded(userId, options);
  }

  /** A connection's buffer has become full, or is no longer: tells it if that changes anything for the member. */
  look(userId: UserId): void {
    const seat = this.#seats.get(userId);
    if (!seat) return;
    const congested = seat.connections.every((connection) => connection.full);
    if (congested === seat.congested) return;
    seat.congested = congested;
    this.#deps.presence.setCongested(userId, congested).then(
      () => this.#deps.frames.congested(userId, congested),
      (error: unknown) => {
        this.#deps.log.warn({ error: describe(error) }, 'congestion could not be written');
        // Looked at again with the next edge or scan.
        seat.congested = !congested;
      },
    );
  }
}
