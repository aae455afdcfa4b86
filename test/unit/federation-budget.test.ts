// What a peer may use of a server: turns at once, calls a second, bytes a minute, each by itself and none at another peer's cost.
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { PeerBudgets, type Turn } from '../../src/federation/budget.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { ManualClock } from '../support/manual-clock.ts';

const [ONE, OTHER] = ['a'.repeat(16) as ServerId, 'b'.repeat(16) as ServerId];

function open(changes: Partial<Limits> = {}) {
  const clock = new ManualClock();
  const budgets = new PeerBudgets({ clock, limits: { ...DEFAULT_LIMITS, ...changes } });
  const enter = (peer = ONE): Turn => {
    const turn = budgets.enter(peer);
    if ('waitMs' in turn) throw new Error(`wait ${turn.waitMs} ms`);
    return turn;
  };
  const waitMs = (peer = ONE): number => {
    const turn = budgets.enter(peer);
    if (!('waitMs' in turn)) turn.leave();
    return 'waitMs' in turn ? turn.waitMs : 0;
  };
  return { clock, enter, waitMs };
}

describe('a peer', () => {
  test('has so many turns at once, and one again when one has left', () => {
    const { enter, waitMs } = open({ peerRequestsAtOnce: 2 });
    const first = enter();
    enter();
    expect([waitMs(), waitMs(OTHER)]).toEqual([1_000, 0]);
    first.leave();
    expect(waitMs()).toBe(0);
  });

  test('has so many calls a second, evenly', () => {
    const { clock, waitMs } = open({ peerRequestsPerSecond: 4 });
    expect([1, 2, 3, 4, 5].map(() => waitMs())).toEqual([0, 0, 0, 0, 250]);
    expect(waitMs(OTHER)).toBe(0);
    clock.advance(249);
    expect(waitMs()).toBe(1);
    clock.advance(1);
    expect([waitMs(), waitMs()]).toEqual([0, 250]);
  });

  test('has so many bytes a minute: what goes over has to be made up for', () => {
    const { clock, enter, waitMs } = open({ peerBytesPerMinute: 60_000 });
    const turn = enter();
    turn.spend(50_000);
    expect(waitMs()).toBe(0);
    turn.spend(20_000);
    turn.leave();
    expect(waitMs()).toBeGreaterThan(10_000);
    expect(waitMs(OTHER)).toBe(0);
    clock.advance(10_000);
    expect(waitMs()).toBeGreaterThan(0);
    clock.advance(10);
    expect(waitMs()).toBe(0);
  });
});
