// What callers without a session may do, counted per address (IPv6: per /64) in fixed windows. A sign-in is counted before it is tried
// and given back unless it was refused, so that those under way count too; what finds no room because of them waits for their outcome.
// Bounded: over `addressesCounted` counters the oldest leaves, so that many addresses cost no memory, only precision.
import type { Clock } from '../base/clock.ts';
import { ERROR_CODES } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';

export type Counted = 'request' | 'sign-up' | 'challenge' | 'failed-sign-in';

export type AddressBudgetDeps = { readonly clock: Clock; readonly limits: Limits };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Window = { readonly endsAt: number; count: number };
/** Sign-ins of one address: how many are being tried, and those that wait for one of them to end; each is given its `giveBack`. */
type Turns = { running: number; readonly waiting: PromiseWithResolvers<() => void>[] };

export class AddressBudget {
  readonly #deps: AddressBudgetDeps;
  readonly #rules: Readonly<Record<Counted, { readonly most: number; readonly windowMs: number }>>;
  readonly #windows = new Map<string, Window>();
  readonly #turns = new Map<string, Turns>();

  constructor(deps: AddressBudgetDeps) {
    this.#deps = deps;
    this.#rules = {
      request: { most: deps.limits.httpRequestsPerMinute, windowMs: MINUTE_MS },
      'sign-up': { most: deps.limits.signUpsPerHour, windowMs: HOUR_MS },
      challenge: { most: deps.limits.challengesPerHour, windowMs: HOUR_MS },
      'failed-sign-in': { most: deps.limits.failedSignInsPerMinute, windowMs: MINUTE_MS },
    };
  }

  /** How long (ms) the address must wait before it may do this; 0: it may now. Counts nothing. */
  waitMs(counted: Counted, address: string): number {
    const window = this.#window(counted, address);
    return window.count < this.#rules[counted].most ? 0 : Math.max(1, Math.ceil(window.endsAt - this.#deps.clock.monotonicMs()));
  }

  /**
   * Counts one, whether or not it is over the limit.
   * @returns giveBack: takes it out again, of the window in which it was counted
   */
  count(counted: Counted, address: string): () => void {
    const window = this.#window(counted, address);
    window.count += 1;
    return () => {
      window.count -= 1;
    };
  }

  /**
   * Runs a sign-in of an address. At most as many run at once as may still fail; further ones wait until it is known.
   * An AppError below 500 is a failure and stays counted, any other outcome is not.
   * @throws AppError RATE_LIMITED when too many have failed; then it was not tried
   */
  async trySignIn<T>(address: string, signIn: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const turns = this.#turns.get(network) ?? { running: 0, waiting: [] };
    this.#turns.set(network, turns);
    const turn = Promise.withResolvers<() => void>();
    turns.waiting.push(turn);
    this.#letOn(network, turns);
    const giveBack = await turn.promise;
    try {
      const value = await signIn();
      giveBack();
      return value;
    } catch (error) {
      if (!(error instanceof AppError) || ERROR_CODES[error.code].httpStatus >= 500) giveBack();
      throw error;
    } finally {
      turns.running -= 1;
      this.#letOn(network, turns);
    }
  }

  /** Starts those for whom there is room, in their order. Without room they wait for those that run; if none runs, they are refused. */
  #letOn(network: string, turns: Turns): void {
    for (;;) {
      const retryAfterMs = this.waitMs('failed-sign-in', network);
      if (retryAfterMs > 0 && turns.running > 0) return;
      const next = turns.waiting.shift();
      if (next === undefined) break;
      if (retryAfterMs > 0) next.reject(new AppError('RATE_LIMITED', 'too many failed sign-ins from this address', { retryAfterMs }));
      else {
        turns.running += 1;
        next.resolve(this.count('failed-sign-in', network));
      }
    }
    if (turns.running === 0) this.#turns.delete(network);
  }

  #window(counted: Counted, address: string): Window {
    const key = `${counted} ${networkOf(address)}`;
    const now = this.#deps.clock.monotonicMs();
    const known = this.#windows.get(key);
    if (known !== undefined && known.endsAt > now) return known;
    const window = { endsAt: now + this.#rules[counted].windowMs, count: 0 };
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > this.#deps.limits.addressesCounted) this.#windows.delete(this.#windows.keys().next().value ?? '');
    return window;
  }
}

/** The address itself for IPv4, also when mapped into IPv6; the first four groups for IPv6. A port, which some proxies write behind it, says nothing. */
export function networkOf(address: string): string {
  const [, inBrackets, ofFour] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(address) ?? [];
  const bare = (inBrackets ?? ofFour ?? address).split('%', 1)[0] ?? '';
  const mapped = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined || !bare.includes(':')) return mapped ?? bare;
  const [head = '', tail] = bare.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0');
  return [...groups, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
