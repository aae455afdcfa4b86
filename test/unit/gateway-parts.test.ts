// Small parts of the gateway and of presence: addresses that fail to sign in, values of which the last one counts, reading a frame's
// type from its first bytes, and who may open a socket.
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/codes.ts';
import { AppError } from '../../src/base/errors.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { isOwnOrigin } from '../../src/gateway/upgrade.ts';
import { AddressBudget, networkOf } from '../../src/identity/address-budget.ts';
import { LatestWins } from '../../src/presence/latest-wins.ts';
import { encodeDelivery, encodeFrame } from '../../src/wire/codec.ts';
import { DELIVERY_TYPES, type Frame } from '../../src/wire/frames.ts';
import { peekId, peekType } from '../../src/wire/peek.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('failed sign-ins', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:50123', '192.0.2.1'],
    ['[2001:db8::1]:50123', '2001:db8:0:0'],
    ['[2001:db8::1]', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:0DB8:0000:0000::9', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('counts %s as %s', (address, group) => expect(networkOf(address)).toBe(group));

  const open = () => {
    const clock = new ManualClock();
    const budget = new AddressBudget({ clock, limits: { ...DEFAULT_LIMITS, failedSignInsPerMinute: 5 } });
    const bad = (address = '192.0.2.1', code: ErrorCode = 'UNAUTHENTICATED') =>
      budget.trySignIn(address, () => Promise.reject(new AppError(code, 'no')));
    return { clock, budget, bad };
  };

  it('are five in a minute for one address', async () => {
    const { clock, budget, bad } = open();
    for (let at = 0; at < 5; at++) {
      await expect(bad(`2001:db8::${at}`)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      clock.advance(1_000);
    }
    await expect(bad('2001:db8::ffff')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 55_000 });
    expect(await budget.trySignIn('2001:db9::1', async () => 'in')).toBe('in');
    clock.advance(55_000);
    expect(await budget.trySignIn('2001:db8::1', async () => 'in')).toBe('in');
  });

  it('are no more when they come at once', async () => {
    const { budget } = open();
    let tried = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        budget.trySignIn('192.0.2.1', async () => {
          tried += 1;
          await Promise.resolve();
          throw new AppError('UNAUTHENTICATED', 'no');
        }),
      ),
    );
    expect(tried).toBe(5);
    const codes = results.map((result) => result.status === 'rejected' && result.reason.code);
    expect(codes).toEqual([...Array(5).fill('UNAUTHENTICATED'), ...Array(15).fill('RATE_LIMITED')]);
  });

  it('let any number through that succeed at once, five at a time and in their order', async () => {
    const { budget } = open();
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const signIn = async (at: number) => {
      order.push(at);
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
      return at;
    };
    const all = Array.from({ length: 100 }, (_, at) => at);
    expect(await Promise.all(all.map((at) => budget.trySignIn('192.0.2.1', () => signIn(at))))).toEqual(all);
    expect(order).toEqual(all);
    expect(most).toBe(5);
  });

  it('are not those that fail by our fault', async () => {
    const { budget, bad } = open();
    for (let at = 0; at < 6; at++) await expect(bad('192.0.2.1', 'UNAVAILABLE')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await budget.trySignIn('192.0.2.1', async () => 'in')).toBe('in');
  });

  it('are given back to the minute in which they were counted', async () => {
    const { clock, budget, bad } = open();
    const slow = Promise.withResolvers<string>();
    const begun = budget.trySignIn('192.0.2.1', () => slow.promise);
    clock.advance(60_000);
    for (let at = 0; at < 5; at++) await expect(bad()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    slow.resolve('in');
    expect(await begun).toBe('in');
    await expect(bad()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('latest wins', () => {
  it('writes keys together, the last value of each, and goes on after a failure', async () => {
    const written: unknown[] = [];
    let broken = true;
    const values = new LatestWins<string, number>(async (entries) => {
      written.push(entries);
      if (broken) throw new Error('away');
    });
    const failing = [values.set('a', 1), values.set('b', 2), values.set('a', 3)];
    for (const each of failing) await expect(each).rejects.toThrow('away');
    broken = false;
    await values.set('a', 4);
    expect(written).toEqual([
      [
        ['a', 3],
        ['b', 2],
      ],
      [['a', 4]],
    ]);
    expect(values.idle).toBe(true);
  });
});

describe('peeking at an encoded frame', () => {
  const frames: Frame[] = [
    { id: '', type: 'hello', body: { serverId: 's', nonce: 'n', serverTime: 1, protocolMin: 1, protocolMax: 1 } },
    { id: 'an-event', type: 'relayRequest', body: { reedId: 'r', requesterId: 'u', requesterKeyId: 'k', attempt: 1, deadlineMs: 5 } },
    { id: 'e', type: 'keyRevoked', body: { requestId: '', certificate: new Uint8Array(300) } },
    { id: '', type: 'peerServerLost', body: { serverId: 's' } },
  ];

  it.each(frames)('finds type and id: $type', (frame) => {
    const bytes = encodeFrame(frame);
    expect([peekType(bytes), peekId(bytes)]).toEqual([frame.type, frame.id]);
  });

  it.each(DELIVERY_TYPES)('finds type and id of a delivery: %s', (type) => {
    const bytes = encodeDelivery(type, 'some-event', { requestId: 'r', reedId: 'x' }, new Uint8Array(70_000));
    expect([peekType(bytes), peekId(bytes)]).toEqual([type, 'some-event']);
  });

  it('finds nothing in what is no frame', () => {
    expect(peekType(new Uint8Array(0))).toBeUndefined();
    expect(peekType(Uint8Array.of(0x0a, 0x7f))).toBeUndefined();
  });
});

describe('an origin', () => {
  const from = (headers: Record<string, string>): IncomingMessage => ({ headers }) as unknown as IncomingMessage;

  it('may be missing, or the one that was asked; never another, and never only a part of it', () => {
    expect(isOwnOrigin(from({ host: 'reeds.example' }), null)).toBe(true);
    expect(isOwnOrigin(from({ host: 'reeds.example:8080', origin: 'http://reeds.example:8080' }), null)).toBe(true);
    for (const origin of ['http://reeds.example', 'http://reeds.example.evil:8080', 'null', '', 'reeds.example:8080']) {
      expect(isOwnOrigin(from({ host: 'reeds.example:8080', origin }), null)).toBe(false);
    }
    expect(isOwnOrigin(from({ host: 'x', origin: 'https://reeds.example' }), 'https://reeds.example')).toBe(true);
    expect(isOwnOrigin(from({ host: 'x', origin: 'http://reeds.example' }), 'https://reeds.example')).toBe(false);
  });
});
