// The holder: what it answers, in which order, and what it never says.
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { Evictions } from '../../src/client/evictions.ts';
import { Holder } from '../../src/client/holder.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import type { MemberEvent } from '../../src/client/types.ts';
import { generatePrivateKey, type PrivateKey, type PublicKey } from '../../src/crypto/openpgp.ts';
import { openCopy } from '../../src/crypto/seal.ts';
import { type ReedId, userKeyId } from '../../src/wire/address.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { copyOf, countingRandom, newReedId, turns, userNamed } from '../support/sdk-parts.ts';

const ME = userNamed('a');
const REQUESTER = userNamed('b');
const requesterKey: PrivateKey = await generatePrivateKey(Date.UTC(2025, 0, 1));

const setUp = (options: { store?: MemoryStore; limits?: Partial<Limits>; key?: () => Promise<PublicKey | null> } = {}) => {
  const store = options.store ?? new MemoryStore();
  const clock = new ManualClock();
  const sent: Frame[] = [];
  const events: MemberEvent[] = [];
  const parts = {
    store,
    time: new ServerTime(clock),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    user: ME,
    random: countingRandom,
    send: (frame: Frame) => sent.push(frame) > 0,
    emit: (event: MemberEvent) => void events.push(event),
  };
  const holder = new Holder({ ...parts, requesterKey: options.key ?? (async () => requesterKey.publicKey) });
  const ask = (reedId: ReedId, id = 'event', deadlineMs = 5_000): void =>
    holder.relayRequest({
      id,
      type: 'relayRequest',
      body: { reedId, requesterId: REQUESTER, requesterKeyId: userKeyId(REQUESTER, requesterKey.fingerprint), attempt: 3, deadlineMs },
    });
  return { holder, evictions: new Evictions({ ...parts, unconfirmed: () => undefined }), store, clock, sent, events, ask };
};

const reasonOf = (frame: Frame | undefined): string | undefined => (frame?.type === 'relayError' ? frame.body.reason : frame?.type);

let reed: ReedId;
beforeEach(() => {
  reed = newReedId(userNamed('c'));
});

describe('a holder', () => {
  test('seals the copy for the requester alone, padded, under the attempt it was asked in', async () => {
    const on = setUp();
    const copy = copyOf(reed);
    await on.store.write([{ put: 'copies', record: copy }]);
    on.ask(reed);
    await on.holder.idle();
    const [frame] = on.sent;
    if (frame?.type !== 'relayResponse') throw new Error('no response');
    expect(frame).toMatchObject({ id: 'event', body: { attempt: 3 } });
    const opened = await openCopy(frame.body.ciphertext, [requesterKey]);
    expect(opened).toMatchObject({ ok: true, value: { certificate: copy.certificate, body: copy.body } });
    const other = await openKeyRing(memoryKeySafe());
    await other.make(Date.UTC(2026, 0, 1));
    expect((await other.open(frame.body.ciphertext)).ok).toBe(false);
    expect(on.events).toMatchObject([{ type: 'served', outcome: 'sent', bytes: frame.body.ciphertext.length }]);
  });

  test('says MISS only if its store is complete and answers', async () => {
    const whole = setUp();
    whole.ask(reed);
    await whole.holder.idle();
    expect(whole.sent).toMatchObject([{ id: 'event', type: 'relayMiss', body: { attempt: 3 } }]);

    const damaged = setUp({ store: new MemoryStore({ complete: false }) });
    damaged.ask(reed);
    await damaged.holder.idle();
    expect(damaged.sent.map(reasonOf)).toEqual(['STORE_UNAVAILABLE']);

    const closed = setUp();
    await closed.store.close();
    closed.ask(reed);
    await closed.holder.idle();
    expect(closed.sent.map(reasonOf)).toEqual(['STORE_UNAVAILABLE']);
  });

  test('sends nothing to a key that can not be proved', async () => {
    const on = setUp({ key: async () => null });
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    on.ask(reed);
    await on.holder.idle();
    expect(on.sent.map(reasonOf)).toEqual(['REQUESTER_KEY_UNVERIFIED']);
  });

  test('says failed when the key can not be fetched, and for a key that is another member’s', async () => {
    const on = setUp({ key: () => Promise.reject(new Error('no network')) });
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    on.ask(reed);
    await on.holder.idle();
    const body = {
      reedId: reed,
      requesterId: ME,
      requesterKeyId: userKeyId(REQUESTER, requesterKey.fingerprint),
      attempt: 1,
      deadlineMs: 5_000,
    };
    on.holder.relayRequest({ id: 'other', type: 'relayRequest', body });
    expect(on.sent.map(reasonOf)).toEqual(['FAILED', 'FAILED']);
  });

  test('is busy over its queue and over its bytes, and free again a minute later', async () => {
    const on = setUp({ limits: { holderQueue: 2, holderBytesPerMinutePerRequester: 1 } });
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    on.ask(reed, 'first');
    await on.holder.idle();
    on.ask(reed, 'second');
    await on.holder.idle();
    expect(on.sent.map(reasonOf)).toEqual(['relayResponse', 'BUSY']);
    on.clock.advance(60_000);
    on.ask(reed, 'third');
    await on.holder.idle();
    expect(reasonOf(on.sent.at(-1))).toBe('relayResponse');
    for (let more = 0; more < 6; more++) on.ask(reed, `more-${more}`);
    await on.holder.idle();
    expect(on.sent.filter((frame) => reasonOf(frame) === 'BUSY').length).toBeGreaterThanOrEqual(3);
    expect(on.sent).toHaveLength(9);
  });

  test('answers for its own reeds first', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((done) => {
      release = done;
    });
    const on = setUp({ key: () => gate.then(() => requesterKey.publicKey) });
    const own = newReedId(ME);
    const others = [newReedId(REQUESTER), newReedId(REQUESTER), newReedId(REQUESTER)];
    await on.store.write([...others, own].map((id) => ({ put: 'copies' as const, record: copyOf(id) })));
    // The order in which it turns to them: two at once may be ready in any order.
    const order: string[] = [];
    const get = on.store.get.bind(on.store);
    on.store.get = (kind, id) => {
      order.push(id);
      return get(kind, id);
    };
    for (const id of [...others, own]) on.ask(id, id);
    await turns();
    release();
    await on.holder.idle();
    expect(on.sent).toHaveLength(4);
    expect(order).toEqual([others[0], others[1], own, others[2]]);
  });

  test('sends nothing after the deadline, and nothing that waited when the connection broke', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((done) => {
      release = done;
    });
    const on = setUp({ key: () => gate.then(() => requesterKey.publicKey) });
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    for (const id of ['one', 'two', 'three', 'four']) on.ask(reed, id, 5_000);
    on.holder.disconnected();
    on.clock.advance(5_001);
    release();
    await on.holder.idle();
    expect(on.sent).toEqual([]);
  });
});

describe('an eviction', () => {
  test('is announced before the copy is deleted, again after a reconnect, and deletes on the answer', async () => {
    const on = setUp();
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    const gone = on.evictions.evict(reed);
    await turns();
    expect(on.sent).toMatchObject([{ type: 'eviction', body: { reedId: reed } }]);
    expect(await on.store.get('copies', reed)).toMatchObject({ state: 'leaving' });
    const next = setUp({ store: on.store });
    await next.evictions.load();
    next.evictions.connected();
    await turns();
    expect(next.sent).toMatchObject([{ type: 'eviction', body: { reedId: reed } }]);
    await on.evictions.acknowledged(reed);
    await gone;
    expect(await on.store.get('copies', reed)).toBe(null);
    expect(await on.store.get('requests', reed)).toBe(null);
  });

  test('that was followed by a new request leaves the new copy alone', async () => {
    const on = setUp();
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    void on.evictions.evict(reed);
    await turns();
    const record = await on.store.get('requests', reed);
    if (!record) throw new Error('no record');
    await on.store.write([
      { put: 'requests', record: { ...record, want: 'confirmation' } },
      { put: 'copies', record: copyOf(reed, { state: 'unconfirmed' }) },
    ]);
    await on.evictions.acknowledged(reed);
    expect(await on.store.get('copies', reed)).not.toBe(null);
  });

  test('that was not answered before a new copy came is not announced again: the server would count on that copy no more', async () => {
    const on = setUp();
    await on.store.write([{ put: 'copies', record: copyOf(reed) }]);
    const gone = on.evictions.evict(reed);
    await turns();
    on.evictions.disconnected();
    await on.store.write([{ put: 'copies', record: copyOf(reed, { state: 'held' }) }]);
    on.evictions.connected();
    await gone;
    expect(on.sent).toHaveLength(1);
    on.evictions.connected();
    await turns();
    expect(on.sent).toHaveLength(1);
  });
});
