// One timer for all sockets: nothing is called early, nothing is kept after it was removed.
import { afterEach, describe, expect, it } from 'vitest';
import { type Timed, TimerWheel } from '../../src/gateway/timer-wheel.ts';
import { ManualClock } from '../support/manual-clock.ts';

const TICK_MS = 250;

class Probe implements Timed {
  slot = -1;
  place = -1;
  dueAt = 0;
  readonly calls: number[] = [];
  next: (now: number) => number | null = () => null;
  due(now: number): number | null {
    this.calls.push(now);
    return this.next(now);
  }
}

describe('timer wheel', () => {
  const clock = new ManualClock();
  let wheel = new TimerWheel(clock, TICK_MS, () => undefined);
  const fresh = (onTick: (now: number) => void = () => undefined): ManualClock => {
    wheel.stop();
    const own = new ManualClock();
    wheel = new TimerWheel(own, TICK_MS, onTick);
    return own;
  };
  afterEach(() => wheel.stop());

  it('calls what is due within a tick of its time and never before', () => {
    const own = fresh();
    const probe = new Probe();
    wheel.set(probe, 1_010);
    own.advance(1_009);
    expect(probe.calls).toEqual([]);
    own.advance(TICK_MS);
    expect(probe.calls).toEqual([1_250]);
  });

  it('has one timer, however many entries', () => {
    const own = fresh();
    for (let at = 0; at < 1_000; at++) wheel.set(new Probe(), at * 7);
    expect(own.timers).toBe(1);
  });

  it('calls again at the time an entry asks for', () => {
    const own = fresh();
    const probe = new Probe();
    probe.next = (now) => (probe.calls.length < 3 ? now + 500 : null);
    wheel.set(probe, 500);
    own.advance(5_000);
    expect(probe.calls).toEqual([500, 1_000, 1_500]);
    expect(probe.slot).toBe(-1);
  });

  it('calls what is due later than one round at its own time only', () => {
    const own = fresh();
    const probe = new Probe();
    wheel.set(probe, 200_000);
    own.advance(199_999);
    expect(probe.calls).toEqual([]);
    own.advance(TICK_MS);
    expect(probe.calls).toHaveLength(1);
  });

  it('forgets what was removed, moved or removed by another one of the same slot', () => {
    const own = fresh();
    const [first, second, third] = [new Probe(), new Probe(), new Probe()];
    for (const probe of [first, second, third]) wheel.set(probe, 1_000);
    wheel.remove(first);
    first.next = () => null;
    second.next = () => {
      wheel.remove(third);
      return null;
    };
    third.next = () => {
      wheel.remove(second);
      return null;
    };
    own.advance(2_000);
    expect(first.calls).toEqual([]);
    expect(second.calls.length + third.calls.length).toBe(1);
  });

  it('catches up after a stall: everything due is looked at once', () => {
    let ticks = 0;
    const own = fresh(() => {
      ticks += 1;
    });
    const probe = new Probe();
    wheel.set(probe, 300_000);
    own.advance(400_000);
    expect(probe.calls).toHaveLength(1);
    expect(ticks).toBe(1_600);
  });
});
