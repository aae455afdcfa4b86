// How many sockets may be open that nobody has signed in on: in all, and of one address (IPv6: one /64). Whoever finds no room is given a
// moment to come back, each a little later than the one before, so that they do not all return at once.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { networkOf } from '../identity/address-budget.ts';
import type { Refusal } from './upgrade.ts';

type DoorLimits = Pick<Limits, 'unauthenticatedSockets' | 'unauthenticatedSocketsPerAddress' | 'reconnectsPerSecond' | 'turnedAwayMaxMs'>;

/** `nextAt`: when the last one who was turned away is to come back. */
type Room = { open: number; nextAt: number };

const SECOND_MS = 1_000;

export class Door {
  readonly #clock: Clock;
  readonly #limits: DoorLimits;
  readonly #all: Room = { open: 0, nextAt: 0 };
  /** Networks with at least one open socket. */
  readonly #networks = new Map<string, Room>();

  constructor(clock: Clock, limits: DoorLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Open sockets that nobody has signed in on. */
  get open(): number {
    return this.#all.open;
  }

  /** Why this address may not open one more socket now, and when it might; null: it may. */
  refusal(address: string): Refusal | null {
    const { unauthenticatedSockets, unauthenticatedSocketsPerAddress } = this.#limits;
    const own = this.#networks.get(networkOf(address));
    if (own && own.open >= unauthenticatedSocketsPerAddress) {
      return { status: 429, detail: 'Too many sockets of this address are signing in.', retryAfterMs: this.#comeBackMs(own) };
    }
    if (this.#all.open < unauthenticatedSockets) return null;
    return { status: 503, detail: 'Too many sockets are signing in.', retryAfterMs: this.#comeBackMs(this.#all) };
  }

  enter(address: string): void {
    const network = networkOf(address);
    const own = this.#networks.get(network);
    if (own) own.open += 1;
    else this.#networks.set(network, { open: 1, nextAt: 0 });
    this.#all.open += 1;
  }

  /** One of the address's sockets is signed in, or gone. */
  leave(address: string): void {
    const network = networkOf(address);
    const own = this.#networks.get(network);
    if (!own) return;
    own.open -= 1;
    if (own.open === 0) this.#networks.delete(network);
    this.#all.open -= 1;
  }

  #comeBackMs(room: Room): number {
    const { reconnectsPerSecond, turnedAwayMaxMs } = this.#limits;
    const now = this.#clock.monotonicMs();
    const nextAt = Math.max(room.nextAt, now + SECOND_MS) + SECOND_MS / reconnectsPerSecond;
    room.nextAt = Math.min(nextAt, now + turnedAwayMaxMs);
    return room.nextAt - now;
  }
}
