// The viewer against a scripted server: what it sends, stores and says for everything that can come back.
import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { fail } from '../../src/base/result.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import type { Change } from '../../src/client/store.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { copyOf, newReedId, turns } from '../support/sdk-parts.ts';
import { AUTHOR, beginOn, outcomeOf, type Scene, setUp } from '../support/viewer-scene.ts';

let on: Scene;
let reed: ReedId;

beforeEach(async () => {
  on = await setUp();
  reed = newReedId(AUTHOR);
  on.viewer.connected(64);
});

const begin = (reedId = reed) => beginOn(on, reedId);

describe('a request', () => {
  test('is in the store before it is sent', async () => {
    const seen: unknown[] = [];
    const store = new MemoryStore();
    on = await setUp(store);
    on.viewer.connected(64);
    const write = store.write.bind(store);
    store.write = async (changes) => {
      seen.push(on.of('requestReed').length);
      await write(changes);
    };
    await begin();
    expect(seen).toEqual([0]);
    expect(await store.get('requests', reed)).toMatchObject({ want: 'copy', requestId: on.lastRequest() });
    expect(on.of('requestReed')[0]?.body).toMatchObject({ reedId: reed, authorId: AUTHOR });
  });

  test('gets the copy: stored unconfirmed, acknowledged, held once SETTLED says so', async () => {
    const { outcome } = await begin();
    await on.deliver(reed);
    expect(await outcome).toMatchObject({ id: reed, state: 'unconfirmed' });
    expect(on.of('dataAck').map(({ id }) => id)).toEqual(['event-1']);
    expect(await on.store.get('requests', reed)).toMatchObject({ want: 'confirmation' });
    await on.viewer.intake.settled({ id: '', type: 'settled', body: { events: [{ eventId: 'event-1', outcome: 'HELD' }] } });
    expect(await on.store.get('copies', reed)).toMatchObject({ state: 'held' });
    expect(await on.store.get('requests', reed)).toBe(null);
    expect(on.events.filter(({ type }) => type === 'copy').map((event) => 'state' in event && event.state)).toEqual([
      'unconfirmed',
      'held',
    ]);
  });

  test.each(['BAD_SIGNATURE', 'BAD_CERTIFICATE', 'OTHER_REED', 'UNDECRYPTABLE'] as const)(
    'is asked again under a new id, three times at most, when the copy is %s',
    async (reason) => {
      const { outcome } = await begin();
      on.verdict(fail(reason));
      const ids = new Set<string>();
      for (let round = 1; round <= 4; round++) {
        ids.add(on.lastRequest());
        await on.deliver(reed, `event-${round}`);
        await turns();
      }
      expect(on.of('dataInvalid').map(({ body }) => body.reason)).toEqual(Array(4).fill(reason));
      expect(on.of('requestReed')).toHaveLength(4);
      expect(ids.size).toBe(4);
      expect(await outcome).toMatchObject({ outcome: 'invalid', invalidReason: reason });
      expect(await on.store.get('requests', reed)).toBe(null);
      expect(await on.store.get('copies', reed)).toBe(null);
    },
  );

  test('remembers across a restart how many false copies came', async () => {
    await begin();
    on.verdict(fail('BAD_SIGNATURE'));
    for (let round = 1; round <= 3; round++) {
      await on.deliver(reed, `event-${round}`);
      await turns();
    }
    const next = await setUp(on.store);
    next.viewer.connected(64);
    await turns();
    next.verdict(fail('BAD_SIGNATURE'));
    await next.deliver(reed, 'event-4');
    await turns();
    expect(next.of('requestReed')).toHaveLength(1);
    expect(await next.store.get('requests', reed)).toBe(null);
  });

  test('is not asked again when the author contradicts himself', async () => {
    const { outcome } = await begin();
    on.verdict(fail('CLAIM_MISMATCH'));
    await on.deliver(reed);
    expect(await outcome).toMatchObject({ outcome: 'invalid', invalidReason: 'CLAIM_MISMATCH' });
    expect(on.of('requestReed')).toHaveLength(1);
  });

  test.each([
    ['cannot-check', new AppError('UNAVAILABLE', 'no key to be had')],
    ['cannot-store', new Error('the disk is full')],
  ])('says %s, and accuses nobody, when a key can not be had, or the store not be reached', async (said, error) => {
    const { outcome } = await begin();
    on.verdict(error);
    await on.deliver(reed);
    expect(on.of('dataInvalid').map(({ body }) => body.reason)).toEqual(['CANNOT_STORE']);
    expect(await outcomeOf(outcome)).toBe(said);
  });

  test.each([
    ['EXPIRED', 'expired'],
    ['NOT_ACKNOWLEDGED', 'not-acknowledged'],
    ['BLOCKED', 'blocked'],
    ['REMOVED', 'removed'],
    ['FORBIDDEN', 'refused'],
  ] as const)('that is answered %s ends as %s', async (code, name) => {
    const { outcome } = await begin();
    on.refuse({ code, requestId: on.lastRequest() });
    expect(await outcomeOf(outcome)).toBe(name);
    await turns();
    expect(await on.store.get('requests', reed)).toBe(null);
  });

  test('waits out a short rate limit under the same id, and tells a long one', async () => {
    const { outcome } = await begin();
    const id = on.lastRequest();
    on.refuse({ code: 'RATE_LIMITED', requestId: id, retryAfterMs: 5_000 });
    on.clock.advance(4_999);
    expect(on.of('requestReed')).toHaveLength(1);
    on.clock.advance(1);
    await turns();
    expect(on.of('requestReed').map(({ body }) => body.requestId)).toEqual([id, id]);
    on.refuse({ code: 'RATE_LIMITED', requestId: id, retryAfterMs: 3_600_000 });
    expect(await outcome).toMatchObject({ outcome: 'rate-limited', retryAfterMs: 3_600_000 });
  });

  test('ends as refused when the server keeps failing', async () => {
    const { outcome } = await begin();
    for (let failures = 0; failures < 5; failures++) {
      on.refuse({ code: 'INTERNAL', requestId: on.lastRequest() });
      on.clock.advance(60_000);
      await turns();
    }
    expect(await outcomeOf(outcome)).toBe('refused');
  });

  test('of another id in an error changes nothing', async () => {
    await begin();
    on.refuse({ code: 'EXPIRED', requestId: 'someone else' });
    await turns();
    expect(await on.store.get('requests', reed)).not.toBe(null);
  });

  test('waits here while the server lets no more stand open', async () => {
    on.viewer.connected(2);
    const reeds = [newReedId(AUTHOR), newReedId(AUTHOR), newReedId(AUTHOR)];
    for (const reedId of reeds) await begin(reedId);
    expect(on.of('requestReed').map(({ body }) => body.reedId)).toEqual(reeds.slice(0, 2));
    on.viewer.absent({
      id: '',
      type: 'reedNotHeld',
      body: { requestId: on.of('requestReed')[0]?.body.requestId ?? '', reedId: reeds[0] ?? '' },
    });
    await turns();
    expect(on.of('requestReed').at(-1)?.body.reedId).toBe(reeds[2]);
  });
});

describe('a delivery', () => {
  test('that nobody asked for is refused, reported and not stored', async () => {
    await on.deliver(reed);
    expect(on.of('dataInvalid').map(({ body }) => body.reason)).toEqual(['UNSOLICITED']);
    expect(on.events).toContainEqual({ type: 'unsolicited', frame: 'dataResponse', reedId: reed });
    expect(await on.store.get('copies', reed)).toBe(null);
  });

  test('of what is here already is acknowledged and not stored twice', async () => {
    const mine = copyOf(reed, { storedAt: 77 });
    await on.store.write([{ put: 'copies', record: mine }]);
    on.verdict(fail('BAD_SIGNATURE'));
    await on.deliver(reed);
    expect(on.of('dataAck').map(({ id }) => id)).toEqual(['event-1']);
    expect(await on.store.get('copies', reed)).toEqual(mine);
  });

  test('that comes twice at once is stored once and acknowledged twice', async () => {
    await begin();
    void on.deliver(reed, 'event-1');
    await on.deliver(reed, 'event-2');
    expect(on.of('dataAck').map(({ id }) => id)).toEqual(['event-1', 'event-2']);
    expect(on.events.filter(({ type }) => type === 'copy')).toHaveLength(1);
  });

  test('after the request was cancelled is refused', async () => {
    const { outcome } = await begin();
    await on.viewer.cancel(reed);
    expect(on.of('cancelRequest')).toHaveLength(1);
    await on.deliver(reed);
    expect(await outcomeOf(outcome)).toBe('cancelled');
    expect(on.of('dataInvalid').map(({ body }) => body.reason)).toEqual(['UNSOLICITED']);
  });
});

describe('a request that ends while its copy is written', () => {
  /** Holds back writes of copies until `go`. */
  const slowStore = () => {
    const store = new MemoryStore();
    let go = (): void => undefined;
    const gate = new Promise<void>((done) => {
      go = done;
    });
    const write = store.write.bind(store);
    store.write = async (changes) => {
      await write(changes);
      if (changes.some((change) => 'put' in change && change.put === 'copies')) await gate;
    };
    return { store, go: () => go() };
  };

  const cancelInTheMiddle = async () => {
    const slow = slowStore();
    on = await setUp(slow.store);
    on.viewer.connected(64);
    const { outcome } = await begin();
    const delivered = on.deliver(reed);
    await turns();
    await on.viewer.cancel(reed);
    expect(await outcomeOf(outcome)).toBe('cancelled');
    return { ...slow, delivered };
  };

  test('leaves no copy, and what a crash in between leaves is confirmed in the next life', async () => {
    const { store, go, delivered } = await cancelInTheMiddle();
    const crashed = new MemoryStore();
    for (const collection of ['copies', 'requests'] as const)
      for (const record of await store.list(collection)) await crashed.write([{ put: collection, record } as Change]);
    go();
    await delivered;
    expect(await store.get('copies', reed)).toBe(null);
    expect(await store.get('requests', reed)).toBe(null);
    expect(on.of('dataAck')).toEqual([]);
    expect(on.of('dataInvalid').map(({ body }) => body.reason)).toEqual(['UNSOLICITED']);

    expect(await crashed.get('copies', reed)).toMatchObject({ state: 'unconfirmed' });
    const next = await setUp(crashed);
    next.viewer.connected(64);
    await turns();
    expect(next.of('requestReed')).toHaveLength(1);
    await next.deliver(reed);
    await next.viewer.intake.settled({ id: '', type: 'settled', body: { events: [{ eventId: 'event-1', outcome: 'HELD' }] } });
    expect(await crashed.get('copies', reed)).toMatchObject({ state: 'held' });
  });

  test('can be asked for again at once, and is then on record', async () => {
    const { store, go, delivered } = await cancelInTheMiddle();
    const first = on.lastRequest();
    const again = on.viewer.request(reed);
    await turns();
    go();
    await delivered;
    await turns();
    expect(on.lastRequest()).not.toBe(first);
    expect(await store.get('requests', reed)).toMatchObject({ want: 'copy', requestId: on.lastRequest() });
    await on.deliver(reed, 'event-2');
    expect(await again).toMatchObject({ id: reed, state: 'unconfirmed' });
  });

  test('leaves no request either when the copy can not be written', async () => {
    const store = new MemoryStore();
    on = await setUp(store);
    on.viewer.connected(64);
    await begin();
    const write = store.write.bind(store);
    store.write = async (changes) => {
      if (!changes.some((change) => 'put' in change && change.put === 'copies')) return write(changes);
      await on.viewer.cancel(reed);
      throw new Error('the disk is full');
    };
    await on.deliver(reed);
    expect(await store.list('requests')).toEqual([]);
    expect(await store.list('copies')).toEqual([]);
  });
});
