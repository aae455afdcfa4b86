// What a connection finds around it: the parts that all connections of a gateway share, and what each is opened with.
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Member } from '../identity/sessions.ts';
import type { MemberFrames } from '../relay/port.ts';
import type { ServerId } from '../wire/address.ts';
import type { Costs } from './costs.ts';
import type { Hub } from './hub.ts';
import type { Outgoing } from './outgoing.ts';
import type { SignIn } from './sign-in.ts';
import type { TimerWheel } from './timer-wheel.ts';

/** Holds frames back until there is room. */
export interface Waiting {
  /** Room again: starts what waited. */
  resume(): void;
}

/** What all connections share. */
export type Surroundings = {
  readonly serverId: ServerId;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Logger;
  readonly frames: MemberFrames;
  readonly costs: Costs;
  readonly wheel: TimerWheel;
  readonly hub: Hub;
  readonly signIn: SignIn;
  readonly outgoing: Outgoing;
  /** Too much is queued behind us: start nothing now. */
  readonly overloaded: () => boolean;
  /** The connection has frames that wait for room. */
  readonly waits: (waiting: Waiting) => void;
  /** How long a client that is sent away should wait before it comes back: spread over all of them. */
  readonly comeBackMs: () => number;
  /** No longer unauthenticated, by WELCOME or by its end. Called once. */
  readonly identified: (address: string) => void;
  /** Everything before the end has taken effect; `member` if its presence was written. Called once. */
  readonly gone: (connectionId: string, member: Member | null) => void;
};

/** What a new connection is made with. */
export type Opening = {
  readonly stream: Socket;
  /** Bytes of the socket that came with the upgrade. */
  readonly headBytes: number;
  readonly connectionId: string;
  readonly nonce: string;
  readonly address: string;
};
