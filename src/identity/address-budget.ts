// What callers without a session may do, counted per address (IPv6: per /64) in fixed windows. Sign-ins are counted only when they fail.
// Bounded: over `addressesCounted` counters the oldest leaves, so that many addresses cost no memory, only precision.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';

export type Counted = 'request' | 'sign-up' | 'challenge' | 'failed-sign-in';

export type AddressBudgetDeps = { readonly clock: Clock; readonly limits: Limits };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Window = { readonly endsAt: number; count: number };

export class AddressBudget {
  readonly #deps: AddressBudgetDeps;
  readonly #rules: Readonly<Record<Counted, { readonly most: number; readonly windowMs: number }>>;
  readonly #windows = new Map<string, Window>();

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

  /** Failed sign-ins as the sockets ask for them. */
  readonly signIns = {
    retryAfterMs: (address: string): number => this.waitMs('failed-sign-in', address),
    failed: (address: string): void => this.count('failed-sign-in', address),
  };

  /** Counts one, whether or not it is over the limit. */
  count(counted: Counted, address: string): void {
    this.#window(counted, address).count += 1;
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

/** The address itself for IPv4, also when mapped into IPv6; the first four groups for IPv6. */
export function networkOf(address: string): string {
  const bare = address.split('%', 1)[0] ?? '';
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
