// The process's clock as it follows the database's: ahead at once, back slowly, never backwards.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OffsetClock } from '../../src/base/clock.ts';

describe('a clock set from outside', () => {
  let passed = 0;
  beforeEach(() => {
    passed = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => passed);
  });
  afterEach(() => void vi.restoreAllMocks());

  it('takes its first time whichever way that is, and a later one that is ahead at once', () => {
    const clock = new OffsetClock();
    clock.synchronize(1_000);
    expect(clock.now()).toBe(1_000);
    passed += 500;
    expect(clock.now()).toBe(1_500);
    clock.synchronize(9_000);
    expect(clock.now()).toBe(9_000);
  });

  it('never goes back: it runs at half speed until the time that was set comes up', () => {
    const clock = new OffsetClock();
    clock.synchronize(100_000);
    clock.synchronize(90_000);
    expect(clock.now()).toBe(100_000);
    passed += 10_000;
    expect(clock.now()).toBe(105_000);
    passed += 10_000;
    expect(clock.now()).toBe(110_000);
    // 90,000 and the 20,000 since: from here on they agree.
    passed += 5_000;
    expect(clock.now()).toBe(115_000);
    clock.synchronize(115_000);
    passed += 1_000;
    expect(clock.now()).toBe(116_000);
  });
});
