// Failed sign-ins by address (IPv6: by /64), counted over the last minute. Bounded: the longest untouched address is forgotten.
import { isIPv6 } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { FailedSignIns } from './sign-in.ts';

const MINUTE_MS = 60_000;
const ADDRESSES = 100_000;
const PREFIX_GROUPS = 4;

/** An address as it is counted: IPv4 whole, IPv6 by its first 64 bits. */
export function addressGroup(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return bare;
  const [left = '', right] = bare.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...new Array<string>(zeros).fill('0'), ...tail]
    .slice(0, PREFIX_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

export class FailedSignInsByAddress implements FailedSignIns {
  readonly #clock: Clock;
  readonly #limits: Pick<Limits, 'failedSignInsPerMinute'>;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock, limits: Pick<Limits, 'failedSignInsPerMinute'>) {
    this.#clock = clock;
    this.#limits = limits;
  }

  retryAfterMs(address: string): number {
    const now = this.#clock.monotonicMs();
    const times = this.#recent(addressGroup(address), now);
    if (times.length < this.#limits.failedSignInsPerMinute) return 0;
    return Math.max(1, (times[0] ?? now) + MINUTE_MS - now);
  }

  failed(address: string): void {
    const now = this.#clock.monotonicMs();
    const group = addressGroup(address);
    const times = [...this.#recent(group, now), now].slice(-this.#limits.failedSignInsPerMinute);
    this.#times.delete(group);
    this.#times.set(group, times);
    this.#forget(now);
  }

  #recent(group: string, now: number): number[] {
    return (this.#times.get(group) ?? []).filter((at) => at > now - MINUTE_MS);
  }

  #forget(now: number): void {
    for (const [group, times] of this.#times) {
      if (this.#times.size <= ADDRESSES && (times.at(-1) ?? 0) > now - MINUTE_MS) return;
      this.#times.delete(group);
    }
  }
}
