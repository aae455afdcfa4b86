// When a connection is asked for a sign of life, and when it is given up.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { type Heart, nextBeat, pongWaitMs } from '../../src/gateway/heartbeat.ts';

const heart = (changes: Partial<Heart> = {}): Heart => ({ heardAt: 0, pingedAt: -1, sentBytes: 0, ...changes });
const KIB = 1024;

describe('heartbeat', () => {
  it('waits while a byte arrived within the interval', () => {
    expect(nextBeat(heart({ heardAt: 1_000 }), 5_999, DEFAULT_LIMITS)).toEqual({ act: 'wait', dueAt: 6_000 });
  });

  it('pings after five seconds without a byte and looks again three seconds later', () => {
    expect(nextBeat(heart(), 5_000, DEFAULT_LIMITS)).toEqual({ act: 'ping', dueAt: 8_000 });
  });

  it('gives up eight seconds after the last byte, not before', () => {
    expect(nextBeat(heart({ pingedAt: 5_000 }), 7_999, DEFAULT_LIMITS).act).toBe('wait');
    expect(nextBeat(heart({ pingedAt: 5_000 }), 8_000, DEFAULT_LIMITS).act).toBe('silent');
  });

  it('gives a link that we are sending to a second for every 16 KiB', () => {
    expect(pongWaitMs(16 * KIB - 1, DEFAULT_LIMITS)).toBe(3_000);
    expect(pongWaitMs(160 * KIB, DEFAULT_LIMITS)).toBe(13_000);
    expect(nextBeat(heart({ pingedAt: 5_000, sentBytes: 160 * KIB }), 17_999, DEFAULT_LIMITS)).toEqual({ act: 'wait', dueAt: 18_000 });
  });

  it('never waits longer than a minute for the answer', () => {
    expect(pongWaitMs(100 * KIB * KIB, DEFAULT_LIMITS)).toBe(60_000);
  });
});
