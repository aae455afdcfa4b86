// The viewer against a scripted server: what it sends, stores and says for everything that can come back.
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { fail, ok, type Result } from '../../src/base/result.ts';
import type { CheckedCopy } from '../../src/client/check-copy.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import type { Change } from '../../src/client/store.ts';
import { type MemberEvent, RequestFailure } from '../../src/client/types.ts';
import { Viewer } from '../../src/client/viewer.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { Frame, FrameBodies, InvalidReason } from '../../src/wire/frames.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { copyOf, countingRandom, newReedId, turns, userNamed } from '../support/sdk-parts.ts';

const ME = userNamed('a');
const AUTHOR = userNamed('b');
const CIPHERTEXT = new Uint8Array([1, 2, 3]);

type Checked = Result<CheckedCopy, InvalidReason>;

const setUp = async (store = new MemoryStore()) => {
  const clock = new ManualClock();
  const sent: Frame[] = [];
  const events: MemberEvent[] = [];
  let verdict: Checked | Error | null = null;
  let online = true;
  const viewer = new Viewer({
    store,
    time: new ServerTime(clock),
    random: countingRandom,
    limits: { ...DEFAULT_LIMITS },
    user: ME,
    check: async (_ciphertext, reedId) => {
      if (verdict instanceof Error) throw verdict;
      return verdict ?? ok(copyOf(reedId));
    },
    send: (frame) => {
      if (online) sent.push(frame);
      return online;
    },
    emit: (event) => events.push(event),
  });
  await viewer.load();
  const of = <T extends Frame['type']>(type: T) => sent.filter((frame): frame is Extract<Frame, { type: T }> => frame.type === type);
  return {
    ...{ store, clock, viewer, sent, events, of },
    verdict: (next: Checked | Error | null) => {
      verdict = next;
    },
    online: (next: boolean) => {
      online = next;
    },
    lastRequest: () => of('requestReed').at(-1)?.body.requestId ?? '',
    deliver: async (reedId: ReedId, event = 'event-1', requestId = '') => {
      viewer.delivery({ id: event, type: 'dataResponse', body: { requestId, reedId, ciphertext: CIPHERTEXT } });
      await viewer.idle();
    },
    refuse: (error: Partial<FrameBodies['error']>) =>
      viewer.refused({ code: 'INTERNAL', detail: '', requestId: '', retryAfterMs: 0, ...error }),
  };
};

type Scene = Awaited<ReturnType<typeof setUp>>;
let on: Scene;
let reed: ReedId;

beforeEach(async () => {
  on = await setUp();
  reed = newReedId(AUTHOR);
  on.viewer.connected(64);
});

const begin = async (reedId = reed): Promise<{ outcome: Promise<unknown> }> => {
  const request = on.viewer.request(reedId);
  const outcome = request.catch((error: unknown) => error);
  await turns();
  return { outcome };
};

const outcomeOf = async (outcome: Promise<unknown>): Promise<string> => {
  const failure = await outcome;
  return failure instanceof RequestFailure ? failure.outcome : `no failure: ${JSON.stringify(failure)}`;
};

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
    await on.viewer.settled({ id: '', type: 'settled', body: { events: [{ eventId: 'event-1', outcome: 'HELD' }] } });
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

  test('says cannot-store, and accuses nobody, when the store or a key can not be reached', async () => {
    const { outcome } = await begin();
    on.verdict(new Error('no key to be had'));
    await on.deliver(reed);
    expect(on.of('dataInvalid').map(({ body }) => body.reason)).toEqual(['CANNOT_STORE']);
    expect(await outcomeOf(outcome)).toBe('cannot-store');
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
    await next.viewer.settled({ id: '', type: 'settled', body: { events: [{ eventId: 'event-1', outcome: 'HELD' }] } });
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
    await on.viewer.settled({ id: '', type: 'settled', body: { events: [{ eventId: 'event-2', outcome: 'HELD' }] } });
    expect(await on.store.get('copies', reed)).toMatchObject({ state: 'held' });
  });

  test('a copy that the server does not count on is asked for again, and stays readable', async () => {
    await begin();
    await on.deliver(reed);
    await on.viewer.settled({ id: '', type: 'settled', body: { events: [{ eventId: 'event-1', outcome: 'GONE' }] } });
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
