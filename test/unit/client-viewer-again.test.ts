// The viewer against a server that is busy, or that it comes back to: what is sent again, when, and what that ends.
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import type { FrameBodies } from '../../src/wire/frames.ts';
import { newReedId, turns } from '../support/sdk-parts.ts';
import { AUTHOR, beginOn, outcomeOf, type Scene, setUp } from '../support/viewer-scene.ts';

let on: Scene;
let reed: ReedId;

beforeEach(async () => {
  on = await setUp();
  reed = newReedId(AUTHOR);
  on.viewer.connected(64);
});

const begin = (reedId = reed) => beginOn(on, reedId);

describe('a server without a place', () => {
  const full = (requestId = on.lastRequest()): void => on.refuse({ code: 'TOO_MANY_OPEN', requestId, retryAfterMs: 5_000 });
  const asked = (reedId: ReedId): number => on.of('requestReed').filter(({ body }) => body.reedId === reedId).length;

  test('is asked five times in an hour at most, and at once when a request of ours ends', async () => {
    const other = newReedId(AUTHOR);
    await begin(other);
    const standing = on.lastRequest();
    await begin();
    const startedAt = on.clock.monotonicMs();
    const times: number[] = [];
    while (on.clock.monotonicMs() - startedAt < 3_600_000) {
      if (asked(reed) > times.length) {
        times.push(on.clock.monotonicMs() - startedAt);
        full();
      }
      on.clock.advance(1_000);
      await turns(2);
    }
    expect(times).toEqual([0, 5_000, 30_000, 155_000, 780_000]);
    on.viewer.absent({ id: '', type: 'reedNotHeld', body: { requestId: standing, reedId: other } });
    await turns();
    expect(asked(reed)).toBe(6);
  });

  test('does not make a request end by the limit on repetitions', async () => {
    const { outcome } = await begin();
    full();
    on.clock.advance(5_000);
    await turns();
    on.refuse({ code: 'RATE_LIMITED', requestId: on.lastRequest(), retryAfterMs: 1_800_000 });
    on.clock.advance(1_799_999);
    await turns();
    expect(asked(reed)).toBe(2);
    on.clock.advance(1);
    await turns();
    expect(asked(reed)).toBe(3);
    await on.deliver(reed);
    expect(await outcome).toMatchObject({ id: reed });
  });

  test('or without time is asked at growing distances, and given up in the end', async () => {
    const { outcome } = await begin();
    for (const waitMs of [1_000, 5_000, 25_000, 125_000]) {
      const before = asked(reed);
      on.refuse({ code: 'UNAVAILABLE', requestId: on.lastRequest(), retryAfterMs: 1_000 });
      on.clock.advance(waitMs - 1);
      await turns();
      expect(asked(reed)).toBe(before);
      on.clock.advance(1);
      await turns();
      expect(asked(reed)).toBe(before + 1);
    }
    on.refuse({ code: 'UNAVAILABLE', requestId: on.lastRequest(), retryAfterMs: 1_000 });
    expect(await outcomeOf(outcome)).toBe('refused');
  });
});

describe('after a reconnect', () => {
  const acknowledge = (requestId: string, state: FrameBodies['requestAck']['state'] = 'NOBODY_ONLINE'): void =>
    on.viewer.requestAck({ id: 'event-1', type: 'requestAck', body: { requestId, reedId: reed, state, onlineHolders: 0 } });

  const reconnect = async (): Promise<void> => {
    on.viewer.disconnected();
    on.viewer.connected(64);
    await turns();
  };

  const shown = (): string[] => on.events.flatMap((event) => (event.type === 'request' ? [event.progress.state] : []));

  test('every open request is sent again by its id, so that an end told to the old connection is told again', async () => {
    const { outcome } = await begin();
    const requestId = on.lastRequest();
    acknowledge(requestId);
    await reconnect();
    expect(on.of('requestReed').map(({ body }) => body.requestId)).toEqual([requestId, requestId]);
    on.viewer.absent({ id: '', type: 'reedNotHeld', body: { requestId, reedId: reed } });
    expect(await outcomeOf(outcome)).toBe('not-held');
  });

  test('a repetition that the budget refuses ends nothing: it waits as long as the server says, over reconnects, and says so', async () => {
    const { outcome } = await begin();
    const requestId = on.lastRequest();
    acknowledge(requestId);
    await reconnect();
    on.refuse({ code: 'RATE_LIMITED', requestId, retryAfterMs: 3_600_000 });
    expect(shown().at(-1)).toBe('held-back');
    for (let more = 0; more < 20; more++) await reconnect();
    expect(on.of('requestReed')).toHaveLength(2);
    on.clock.advance(3_599_999);
    expect(on.of('requestReed')).toHaveLength(2);
    on.clock.advance(1);
    await turns();
    expect(on.of('requestReed').map(({ body }) => body.requestId)).toEqual([requestId, requestId, requestId]);
    acknowledge(requestId, 'ASKING');
    expect(shown().at(-1)).toBe('asking');
    await on.deliver(reed);
    expect(await outcome).toMatchObject({ id: reed });
  });

  test('a request of an earlier life of the device is not ended by the budget either', async () => {
    await begin();
    const next = await setUp(on.store);
    next.viewer.connected(64);
    await turns();
    next.refuse({ code: 'RATE_LIMITED', requestId: next.lastRequest(), retryAfterMs: 3_600_000 });
    await turns();
    expect(await next.store.get('requests', reed)).toMatchObject({ want: 'copy' });
  });

  test('what the server still works on is not repeated when its next word comes', async () => {
    await begin();
    const requestId = on.lastRequest();
    acknowledge(requestId);
    await reconnect();
    on.refuse({ code: 'RATE_LIMITED', requestId, retryAfterMs: 60_000 });
    acknowledge(requestId, 'IN_TURN');
    on.clock.advance(3_600_000);
    await turns();
    expect(on.of('requestReed')).toHaveLength(2);
  });

  test('many repetitions over a spent budget go out one after the other', async () => {
    const reeds = Array.from({ length: 10 }, () => newReedId(AUTHOR));
    for (const reedId of reeds) await begin(reedId);
    for (const { body } of on.of('requestReed')) acknowledge(body.requestId);
    await reconnect();
    for (const { body } of on.of('requestReed').slice(10))
      on.refuse({ code: 'RATE_LIMITED', requestId: body.requestId, retryAfterMs: 1_000 });
    for (let second = 1; second <= 10; second++) {
      on.clock.advance(1_000);
      await turns();
      expect(on.of('requestReed')).toHaveLength(20 + second);
    }
  });

  test('a confirmation that the budget refuses is asked for when the server allows it, and not before on any connection', async () => {
    await begin();
    await on.deliver(reed);
    await reconnect();
    on.refuse({ code: 'RATE_LIMITED', requestId: on.lastRequest(), retryAfterMs: 3_600_000 });
    await reconnect();
    expect(on.of('requestReed')).toHaveLength(2);
    on.clock.advance(3_600_000);
    await turns();
    expect(on.of('requestReed')).toHaveLength(3);
  });

  test('confirmations that fail leave their places to those that wait', async () => {
    const reeds = Array.from({ length: 12 }, () => newReedId(AUTHOR));
    for (const [at, id] of reeds.entries()) {
      void on.viewer.request(id);
      await turns();
      await on.deliver(id, `event ${at}`);
    }
    await reconnect();
    const asked = on.of('requestReed').slice(reeds.length);
    expect(asked).toHaveLength(8);
    for (const { body } of asked)
      on.viewer.absent({ id: '', type: 'reedNotHeld', body: { requestId: body.requestId, reedId: body.reedId } });
    await turns();
    expect(
      new Set(
        on
          .of('requestReed')
          .slice(reeds.length)
          .map(({ body }) => body.reedId),
      ),
    ).toEqual(new Set(reeds));
  });

  test('a copy that was not confirmed is asked for under a new id, acknowledged and confirmed', async () => {
    await begin();
    const first = on.lastRequest();
    await on.deliver(reed);
    on.viewer.disconnected();
    on.viewer.connected(64);
    await turns();
    expect(on.of('requestReed')).toHaveLength(2);
    expect(on.lastRequest()).not.toBe(first);
    await on.deliver(reed, 'event-2');
    await on.viewer.intake.settled({ id: '', type: 'settled', body: { events: [{ eventId: 'event-2', outcome: 'HELD' }] } });
    expect(await on.store.get('copies', reed)).toMatchObject({ state: 'held' });
  });

  test('a copy that the server does not count on is asked for again, and stays readable', async () => {
    await begin();
    await on.deliver(reed);
    await on.viewer.intake.settled({ id: '', type: 'settled', body: { events: [{ eventId: 'event-1', outcome: 'GONE' }] } });
    expect(on.of('requestReed')).toHaveLength(1);
    on.clock.advance(2_000);
    await turns();
    expect(on.of('requestReed')).toHaveLength(2);
    on.viewer.absent({ id: '', type: 'reedNotHeld', body: { requestId: on.lastRequest(), reedId: reed } });
    await turns();
    expect(await on.store.get('copies', reed)).toMatchObject({ state: 'unconfirmed' });
    expect(await on.viewer.request(reed)).toMatchObject({ id: reed });
  });
});
