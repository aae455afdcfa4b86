// Copies that leave this device and copies that were turned away, against a scripted server: what becomes of them when something else comes in between.
import { beforeEach, describe, expect, test } from 'vitest';
import { ok } from '../../src/base/result.ts';
import { Declined } from '../../src/client/declined.ts';
import { Evictions } from '../../src/client/evictions.ts';
import { Room } from '../../src/client/room.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import type { ReedId, UserKeyId } from '../../src/wire/address.ts';
import { certificateOf, copyOf, countingRandom, newReedId, turns } from '../support/sdk-parts.ts';
import { AUTHOR, ME, type Scene, setUp } from '../support/viewer-scene.ts';

let on: Scene;
let evictions: Evictions;
beforeEach(async () => {
  on = await setUp();
  on.viewer.connected(64);
  evictions = new Evictions({
    ...{ store: on.store, time: new ServerTime(on.clock), random: countingRandom, user: ME, limits: on.limits },
    send: (frame) => on.sent.push(frame) > 0,
    emit: () => undefined,
    unconfirmed: (reedId) => on.viewer.letGo(reedId),
  });
});

const held = (event: string): Promise<void> =>
  on.viewer.intake.settled({ id: '', type: 'settled', body: { events: [{ eventId: event, outcome: 'HELD' }] } });

describe('a copy that is given up before the server confirmed it', () => {
  let reed: ReedId;
  beforeEach(async () => {
    reed = newReedId(AUTHOR);
    await on.store.write([{ put: 'follows', record: { id: AUTHOR } }]);
    await on.deliver(reed, 'event', '', 'followReed');
    expect((await on.store.get('requests', reed))?.want).toBe('confirmation');
  });

  test('is deleted by the answer to that, though the confirmation comes first', async () => {
    const gone = evictions.evict(reed);
    await turns();
    await held('event');
    expect((await on.store.get('requests', reed))?.want).toBe('eviction');
    await evictions.acknowledged(reed);
    await gone;
    expect(await on.store.get('copies', reed)).toBe(null);
    expect(await on.store.list('requests')).toEqual([]);
  });

  test('is not asked to be confirmed by the next connection, which would keep it', async () => {
    void evictions.evict(reed);
    await turns();
    on.viewer.connected(64);
    await turns();
    expect(on.of('requestReed')).toEqual([]);
    expect((await on.store.get('requests', reed))?.want).toBe('eviction');
  });

  test('as the head of a thread leaves the other parts to be confirmed', async () => {
    const [head, part] = [newReedId(AUTHOR), newReedId(AUTHOR)];
    const parts = [head, part].map((id, index) => ({ ...copyOf(id), certificate: certificateOf(id, { thread: { head, index } }) }));
    const [first, second] = parts as [(typeof parts)[number], (typeof parts)[number]];
    on.verdict(ok({ ...first, thread: { record: { statement: { id: head, reeds: [head, part] } } as never, rest: [second] } }));
    await on.deliver(head, 'thread', '', 'followReed');
    void evictions.evict(head);
    await turns();
    await held('thread');
    expect((await on.store.get('copies', part))?.state).toBe('held');
    await evictions.acknowledged(head);
    expect(await on.store.get('copies', head)).toBe(null);
  });
});

test.each([
  ['the answer to its giving up comes after', (part: ReedId) => evictions.acknowledged(part)],
  ['the connection was lost before that was answered', async () => evictions.connected()],
])('a part on its way out that its thread brings again stays, though %s', async (_what, happens) => {
  const [head, part] = [newReedId(AUTHOR), newReedId(AUTHOR)];
  const parts = [head, part].map((id, index) => ({ ...copyOf(id), certificate: certificateOf(id, { thread: { head, index } }) }));
  const [first, second] = parts as [(typeof parts)[number], (typeof parts)[number]];
  await on.store.write([
    { put: 'follows', record: { id: AUTHOR } },
    { put: 'copies', record: { ...copyOf(part), ...second } },
  ]);
  const gone = evictions.evict(part);
  await turns();
  on.verdict(ok({ ...first, thread: { record: { statement: { id: head, reeds: [head, part] } } as never, rest: [second] } }));
  await on.deliver(head, 'thread', '', 'followReed');
  await happens(part);
  await gone;
  await held('thread');
  expect((await on.store.get('copies', part))?.state).toBe('held');
  expect(await on.store.list('requests')).toEqual([]);
});

describe('what came of somebody who is muted', () => {
  const comes = async (reed: ReedId): Promise<void> => {
    on.verdict(ok({ ...copyOf(reed), certificate: certificateOf(reed, { mentions: [ME] }) }));
    await on.deliver(reed, `event of ${reed}`, '', 'mention');
  };
  beforeEach(() => on.store.write([{ put: 'marks', record: { id: AUTHOR, kept: false, muted: true } }]));

  test('is turned away, and asked for once they are muted no more', async () => {
    const reeds = [newReedId(AUTHOR), newReedId(AUTHOR)];
    for (const reed of reeds) await comes(reed);
    expect(on.of('dataInvalid').map(({ body }) => body.reason)).toEqual(['UNSOLICITED', 'UNSOLICITED']);
    expect(on.of('requestReed')).toEqual([]);
    await on.declined.askAgain(AUTHOR, on.viewer);
    await turns();
    expect(on.of('requestReed').map(({ body }) => body.reedId)).toEqual(reeds);
    on.verdict(null);
    // Asked for: then it comes as any other.
    await on.deliver(reeds[0] as ReedId, 'again', on.of('requestReed')[0]?.body.requestId);
    expect(await on.store.get('copies', reeds[0] as ReedId)).not.toBe(null);
    await on.declined.askAgain(AUTHOR, on.viewer);
    expect(on.of('requestReed')).toHaveLength(2);
  });

  test('by a path that nothing was agreed to by is not asked for', async () => {
    await on.deliver(newReedId(AUTHOR), 'event', '', 'pipeReed');
    await on.declined.askAgain(AUTHOR, on.viewer);
    await turns();
    expect(on.of('requestReed')).toEqual([]);
  });

  test('is remembered within bounds, the newest of it', async () => {
    const few = new Declined({ store: on.store, limits: { declinedRemembered: 2 } });
    const reeds = [newReedId(AUTHOR), newReedId(AUTHOR), newReedId(AUTHOR)];
    for (const reed of [...reeds, ...reeds.slice(2)]) await few.note(reed);
    await few.askAgain(AUTHOR, on.viewer);
    await turns();
    expect(on.of('requestReed').map(({ body }) => body.reedId)).toEqual(reeds.slice(1));
  });

  test('is asked for by the next start if the device stopped in between; while they are muted it is not', async () => {
    const reed = newReedId(AUTHOR);
    await comes(reed);
    await on.declined.load(on.viewer);
    expect(await on.store.list('requests')).toEqual([]);
    await on.store.write([
      { delete: 'marks', id: AUTHOR },
      { put: 'meta', record: { id: 'like something', value: true } },
    ]);
    await new Declined({ store: on.store, limits: on.limits }).load(on.viewer);
    expect((await on.store.list('requests')).map(({ id, want }) => [id, want])).toEqual([[reed, 'copy']]);
  });

  test('and is here, or was taken back, is not asked for', async () => {
    const [here, gone] = [newReedId(AUTHOR), newReedId(AUTHOR)];
    for (const reed of [here, gone]) await comes(reed);
    await on.store.write([
      { put: 'copies', record: copyOf(here) },
      { put: 'tombstones', record: { id: gone, kind: 'reed', certificate: {} } },
    ]);
    await on.declined.askAgain(AUTHOR, on.viewer);
    await turns();
    expect(on.of('requestReed')).toEqual([]);
  });
});

describe('a key that nobody here needs any more', () => {
  const key = `${AUTHOR}/${'f'.repeat(40)}` as UserKeyId;
  let room: Room;
  beforeEach(async () => {
    await on.store.write([{ put: 'keys', record: { id: AUTHOR, chain: [], owed: [key] } }]);
    room = new Room({
      ...{ store: on.store, user: ME, limits: on.limits, evictions, time: new ServerTime(on.clock) },
      keys: { forget: async (user) => on.store.write([{ delete: 'keys', id: user }]) },
      send: (frame) => on.sent.push(frame) > 0,
      emit: () => undefined,
    });
  });
  const acknowledge = (): void => room.keyAcknowledged({ id: '', type: 'keyEvictionAck', body: { keyId: key } });

  test('and whose eviction the server does not take yet is announced again when it says', async () => {
    const gone = room.evictAuthor(AUTHOR);
    await turns();
    const [announced] = on.of('keyEviction');
    room.refused({
      id: announced?.id ?? '',
      type: 'error',
      body: { code: 'RATE_LIMITED', detail: '', requestId: '', retryAfterMs: 700 },
    });
    on.clock.advance(700);
    expect(on.of('keyEviction')).toHaveLength(2);
    acknowledge();
    await gone;
    expect(await on.store.get('keys', AUTHOR)).toBe(null);
  });

  test('is gone for everybody who gave it up at once', async () => {
    const both = Promise.all([room.evictAuthor(AUTHOR), room.evictAuthor(AUTHOR)]);
    await turns();
    acknowledge();
    expect(await both).toMatchObject([{ reeds: 0 }, { reeds: 0 }]);
  });
});

test('a signal that outlives the requests made under it keeps none of them', async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  const [had, ended] = [newReedId(AUTHOR), newReedId(AUTHOR)];
  const outcomes = [had, ended].map((reed) => on.viewer.request(reed, { signal }).catch(() => 'ended'));
  await turns();
  expect(listeners).toBe(2);
  await on.deliver(had);
  await on.viewer.cancel(ended);
  expect(await Promise.all(outcomes)).toEqual([expect.objectContaining({ id: had }), 'ended']);
  expect(listeners).toBe(0);
});
