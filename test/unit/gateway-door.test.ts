// Sockets that nobody has signed in on: how many there may be, of whom, and when those who are turned away come back.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { Door } from '../../src/gateway/door.ts';
import { ManualClock } from '../support/manual-clock.ts';

const open = (limits: Partial<Limits> = {}) => {
  const clock = new ManualClock();
  return { clock, door: new Door(clock, { ...DEFAULT_LIMITS, ...limits }) };
};
const addressOf = (number: number): string => `10.0.${number >> 8}.${number & 255}`;

describe('the door', () => {
  it('has a hundred places for one address, and a thousand for all', () => {
    const { door } = open();
    for (let at = 0; at < 100; at++) door.enter('192.0.2.1');
    expect(door.refusal('192.0.2.1')).toMatchObject({ status: 429 });
    for (let at = 0; at < 900; at++) {
      expect(door.refusal(addressOf(at))).toBe(null);
      door.enter(addressOf(at));
    }
    expect(door.open).toBe(1_000);
    expect(door.refusal('192.0.2.2')).toMatchObject({ status: 503 });
  });

  it('takes a network of IPv6 for one address', () => {
    const { door } = open({ unauthenticatedSocketsPerAddress: 2 });
    door.enter('2001:db8::1');
    door.enter('2001:db8::2');
    expect(door.refusal('2001:db8::3')).toMatchObject({ status: 429 });
    expect(door.refusal('2001:db8:0:1::3')).toBe(null);
  });

  it('has a place again once a socket is signed in or gone', () => {
    const { door } = open({ unauthenticatedSockets: 2, unauthenticatedSocketsPerAddress: 1 });
    door.enter('192.0.2.1');
    door.enter('192.0.2.2');
    door.leave('192.0.2.1');
    expect(door.refusal('192.0.2.1')).toBe(null);
    expect(door.refusal('192.0.2.2')).toMatchObject({ status: 429 });
    expect(door.open).toBe(1);
  });

  it('gives those who are turned away moments one after the other, as fast as sign-ins are taken', () => {
    const { door, clock } = open({ unauthenticatedSockets: 0, reconnectsPerSecond: 500 });
    const waits = Array.from({ length: 1_000 }, (_, at) => door.refusal(addressOf(at))?.retryAfterMs ?? 0);
    expect(waits[0]).toBe(1_002);
    expect(waits[999]).toBe(3_000);
    clock.advance(10_000);
    expect(door.refusal('192.0.2.1')?.retryAfterMs).toBe(1_002);
  });

  it('sends nobody away for longer than a minute', () => {
    const { door } = open({ unauthenticatedSockets: 0, reconnectsPerSecond: 0.1 });
    const waits = Array.from({ length: 20 }, () => door.refusal('192.0.2.1')?.retryAfterMs);
    expect(waits.at(-1)).toBe(60_000);
  });

  it('counts those turned away of one address apart from all others', () => {
    const { door } = open({ unauthenticatedSockets: 1, unauthenticatedSocketsPerAddress: 1, reconnectsPerSecond: 1 });
    door.enter('192.0.2.1');
    for (let at = 0; at < 30; at++) door.refusal('192.0.2.1');
    expect(door.refusal('192.0.2.2')?.retryAfterMs).toBe(2_000);
  });
});
