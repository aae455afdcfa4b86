// The outbox: order, repetition and refusal, with the server's side of it scripted.
import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import type { ActCertificate } from '../../src/client/act-carrier.ts';
import { actStatement } from '../../src/client/acts.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { Outbox } from '../../src/client/outbox.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import type { ActRecord } from '../../src/client/store.ts';
import type { MemberEvent, ReedCertificate, ReedStatement, ThreadCertificate } from '../../src/client/types.ts';
import { parseServerId, userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import type { Signed } from '../../src/wire/canonical.ts';
import type { Frame, FrameBodies } from '../../src/wire/frames.ts';
import type { StatementOf } from '../../src/wire/statements.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { countingRandom, newReedId, turns, until, userNamed } from '../support/sdk-parts.ts';

const safe = memoryKeySafe();
const keyRing = await openKeyRing(safe);
const keys = await keyRing.make(Date.UTC(2026, 0, 1));
const server = parseServerId('s'.repeat(16));
if (!server) throw new Error('no server id');
const user = await userIdFromFingerprint(keys.fingerprint, server);
const key = userKeyId(user, keys.fingerprint);

const setUp = async (store = new MemoryStore()) => {
  const clock = new ManualClock();
  const sent: Frame[] = [];
  const events: MemberEvent[] = [];
  const registered: Signed<ReedStatement>[] = [];
  let problem: ((signed: Signed<ReedStatement>) => AppError | null) | null = null;
  const records: Signed<StatementOf<'thread'>>[] = [];
  const carried: ActRecord[] = [];
  let actProblem: ((record: ActRecord) => AppError | null) | null = null;
  let online = true;
  const outbox = new Outbox({
    store,
    time: new ServerTime(clock),
    random: countingRandom,
    user,
    key,
    keyRing,
    register: async (signed) => {
      registered.push(signed);
      const error = problem?.(signed);
      if (error) throw error;
      const countersignature = { statement: { signedAt: '2026-01-01T00:00:00.000Z' }, signature: '' };
      return { certificate: { ...signed, countersignature } as unknown as ReedCertificate, mentions: [] };
    },
    registerThread: async (signed) => {
      records.push(signed);
      return signed as unknown as ThreadCertificate;
    },
    acts: {
      sign: async (act, target, atMs) => keyRing.sign(actStatement(act, target, { user, key, atMs }), atMs),
      carry: async (record) => {
        carried.push(record);
        const error = actProblem?.(record);
        if (error) throw error;
        return record.signed as ActCertificate;
      },
    },
    send: (frame) => {
      if (online) sent.push(frame);
      return online;
    },
    emit: (event) => events.push(event),
  });
  await outbox.load();
  const announced = (): string[] => sent.flatMap((frame) => (frame.type === 'publishReady' ? [frame.body.reedId] : []));
  return {
    ...{ store, clock, outbox, sent, events, registered, announced, records, carried },
    refused: (error: Partial<FrameBodies['error']>, id = '') =>
      outbox.refused({ id, type: 'error', body: { code: 'INTERNAL', detail: '', requestId: '', retryAfterMs: 0, ...error } }),
    problem: (next: typeof problem) => {
      problem = next;
    },
    actProblem: (next: typeof actProblem) => {
      actProblem = next;
    },
    online: (next: boolean) => {
      online = next;
    },
  };
};

type Scene = Awaited<ReturnType<typeof setUp>>;
let on: Scene;
beforeEach(async () => {
  on = await setUp();
});

describe('a reed', () => {
  test('is durably here before anything is sent, and in the store as a copy before it is announced', async () => {
    const { reedId } = await on.outbox.publish({ text: 'hello #reeds' });
    expect(await on.store.list('outbox')).toMatchObject([{ reedId, state: 'written' }]);
    expect(on.registered).toEqual([]);
    on.outbox.connected();
    await until(() => on.announced().length > 0);
    expect(await on.store.get('copies', reedId)).toMatchObject({ own: true, state: 'unconfirmed', body: { text: 'hello #reeds' } });
    expect((await on.store.get('meta', 'tip'))?.value).toBe(reedId);
    on.outbox.acknowledged(reedId);
    await on.outbox.idle();
    expect(await on.store.get('copies', reedId)).toMatchObject({ state: 'held' });
    expect(await on.store.list('outbox')).toEqual([]);
  });

  test('waits for the one before it', async () => {
    const [first, second] = [await on.outbox.publish({ text: 'one' }), await on.outbox.publish({ text: 'two' })];
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    await turns();
    expect(on.registered).toHaveLength(1);
    on.outbox.acknowledged(first.reedId);
    await until(() => on.announced().length === 2);
    expect(on.registered[1]?.statement).toMatchObject({ id: second.reedId, previous: first.reedId });
  });

  test('is registered once more with the same bytes when the answer was lost, also in the next life of the device', async () => {
    on.problem(() => new AppError('UNAVAILABLE', 'lost'));
    await on.outbox.publish({ text: 'one' });
    on.outbox.connected();
    await on.outbox.idle();
    on.clock.advance(1_000);
    await on.outbox.idle();
    const next = await setUp(on.store);
    next.outbox.connected();
    await until(() => next.announced().length > 0);
    expect(on.registered).toHaveLength(2);
    expect(new Set([...on.registered, ...next.registered].map((signed) => JSON.stringify(signed))).size).toBe(1);
  });

  test('is announced again when nobody answers, and after a reconnect, and registered only once', async () => {
    const { reedId, published } = await on.outbox.publish({ text: 'one' });
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    on.clock.advance(10_000);
    await on.outbox.idle();
    on.clock.advance(1_000);
    await until(() => on.announced().length === 2);
    on.outbox.disconnected();
    await on.outbox.idle();
    on.outbox.connected();
    await until(() => on.announced().length === 3);
    on.outbox.acknowledged(reedId);
    await published;
    expect(on.registered).toHaveLength(1);
  });

  test('is announced again as soon as the server says, when the connection itself refused the frame', async () => {
    const { reedId, published } = await on.outbox.publish({ text: 'one' });
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    const frame = on.sent.find(({ type }) => type === 'publishReady')?.id ?? '';
    expect(frame).not.toBe('');
    // About something else: neither names the reed nor repeats the frame's id.
    on.refused({ code: 'FORBIDDEN' });
    on.refused({ code: 'FORBIDDEN' }, 'another frame');
    on.refused({ code: 'RATE_LIMITED', retryAfterMs: 3_000 }, frame);
    await on.outbox.idle();
    on.clock.advance(2_999);
    await turns();
    expect(on.announced()).toHaveLength(1);
    on.clock.advance(1);
    await until(() => on.announced().length === 2);
    on.refused({ code: 'UNAVAILABLE' }, frame);
    await on.outbox.idle();
    on.clock.advance(2_000);
    await until(() => on.announced().length === 3);
    on.outbox.acknowledged(reedId);
    await published;
    expect(on.registered).toHaveLength(1);
  });

  test('that the server refuses for good is kept, marked, and holds up nothing', async () => {
    on.problem(({ statement }) => (statement.tags.includes('bad') ? new AppError('FORBIDDEN', 'not that') : null));
    const [bad, good] = [await on.outbox.publish({ text: '#bad' }), await on.outbox.publish({ text: 'good' })];
    on.outbox.connected();
    await expect(bad.published).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await until(() => on.announced().length > 0);
    on.outbox.acknowledged(good.reedId);
    await good.published;
    expect(await on.store.list('outbox')).toMatchObject([
      { reedId: bad.reedId, refused: { code: 'FORBIDDEN', detail: expect.stringContaining('not that') } },
    ]);
    expect(on.registered.at(-1)?.statement.previous).toBeUndefined();
  });

  test('that was refused is discarded by the person, and nothing else is', async () => {
    on.problem(({ statement }) => (statement.tags.includes('bad') ? new AppError('FORBIDDEN', 'not that') : null));
    const [bad, good] = [await on.outbox.publish({ text: '#bad' }), await on.outbox.publish({ text: 'good' })];
    await expect(on.outbox.discard(bad.reedId)).rejects.toMatchObject({ code: 'CONFLICT' });
    on.outbox.connected();
    await expect(bad.published).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await until(() => on.announced().length > 0);
    await on.outbox.discard(bad.reedId);
    expect(await on.store.list('outbox')).toMatchObject([{ reedId: good.reedId }]);
    expect(on.events).toContainEqual({ type: 'outbox', reedId: bad.reedId, state: 'discarded' });
    await on.outbox.discard(bad.reedId);
    on.outbox.acknowledged(good.reedId);
    await good.published;
    await on.outbox.discard(good.reedId);
    expect(await on.store.get('copies', good.reedId)).toMatchObject({ state: 'held' });
  });

  test('that was refused when it was announced is discarded with its copy', async () => {
    const { reedId, published } = await on.outbox.publish({ text: 'one' });
    on.outbox.connected();
    await until(() => on.announced().length > 0);
    on.refused({ code: 'FORBIDDEN', detail: 'not this', requestId: reedId });
    await expect(published).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await on.store.get('copies', reedId)).toMatchObject({ state: 'unconfirmed' });
    await on.outbox.discard(reedId);
    expect(await on.store.list('outbox')).toEqual([]);
    expect(await on.store.get('copies', reedId)).toBe(null);
  });

  test('is signed again on top of the newest reed when this device did not know it', async () => {
    const newest = newReedId(user);
    on.problem(({ statement }) =>
      statement.previous === newest ? null : new AppError('TIP_MISMATCH', 'previous', { certificate: { statement: { id: newest } } }),
    );
    await on.store.write([{ put: 'meta', record: { id: 'tip', value: newReedId(user) } }]);
    await on.outbox.publish({ text: 'one' });
    on.outbox.connected();
    await until(() => on.announced().length > 0);
    expect(on.registered).toHaveLength(2);
  });

  test('that can not be a reed is refused before it is written', async () => {
    await expect(on.outbox.publish({ text: 'x'.repeat(5_001) })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(on.outbox.publish({ text: 'a\0b' })).rejects.toMatchObject({ code: 'INVALID' });
    await expect(on.outbox.publish({ text: 'x', replyTo: newReedId(user) })).rejects.toMatchObject({ code: 'INVALID' });
    expect(await on.store.list('outbox')).toEqual([]);
  });

  test('written while another goes out is not left lying', async () => {
    on.outbox.connected();
    const reeds = await Promise.all(Array.from({ length: 10 }, (_, at) => on.outbox.publish({ text: `number ${at}` })));
    for (let sent = 1; sent <= reeds.length; sent++) {
      await until(() => on.announced().length === sent);
      on.outbox.acknowledged(on.announced().at(-1) ?? '');
    }
    await Promise.all(reeds.map(({ published }) => published));
    expect(await on.store.list('outbox')).toEqual([]);
  });
});

const other = userNamed('o');

describe('an act', () => {
  test('is so on this device at once, and goes out in its turn between reeds', async () => {
    const first = await on.outbox.publish({ text: 'one' });
    const { accepted } = await on.outbox.act('follow', other);
    await on.outbox.publish({ text: 'two' });
    expect(await on.store.get('follows', other)).toEqual({ id: other });
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    await turns();
    expect(on.carried).toEqual([]);
    on.outbox.acknowledged(first.reedId);
    expect(await accepted).toMatchObject({ statement: { type: 'follow', target: other } });
    await until(() => on.announced().length === 2);
    expect(on.carried).toHaveLength(1);
    expect(await on.store.get('follows', other)).toEqual({ id: other, certificate: expect.anything() });
    expect(on.events.filter(({ type }) => type === 'act')).toMatchObject([{ state: 'written' }, { state: 'accepted' }]);
  });

  test('is sent again with the same bytes when the answer was lost, also in the next life of the device', async () => {
    on.actProblem(() => new AppError('UNAVAILABLE', 'lost'));
    await on.outbox.act('like', newReedId(other));
    on.outbox.connected();
    await on.outbox.idle();
    const next = await setUp(on.store);
    next.outbox.connected();
    await until(() => next.carried.length > 0);
    expect(next.carried[0]).toEqual(on.carried[0]);
  });

  test('that is refused for good is undone here, names the mend and holds up nothing', async () => {
    on.actProblem(({ act }) => (act === 'follow' ? new AppError('BLOCKED', 'the author blocks you') : null));
    const [follow, like] = [await on.outbox.act('follow', other), await on.outbox.act('like', newReedId(other))];
    on.outbox.connected();
    await expect(follow.accepted).rejects.toMatchObject({ code: 'BLOCKED', detail: expect.stringContaining('can end it') });
    await like.accepted;
    expect(await on.store.get('follows', other)).toBe(null);
    expect(await on.store.list('outbox')).toEqual([]);
  });

  test('that is refused does not undo what was said about the same since', async () => {
    const fail = { once: true };
    on.actProblem(() => {
      if (!fail.once) return null;
      fail.once = false;
      return new AppError('FORBIDDEN', 'not now');
    });
    await on.outbox.act('follow', other);
    await on.outbox.act('unfollow', other);
    const last = await on.outbox.act('follow', other);
    on.outbox.connected();
    await last.accepted;
    expect(await on.store.get('follows', other)).toMatchObject({ id: other });
  });

  test('said twice in one instant is two statements: the server would take the second for the first', async () => {
    await on.outbox.act('follow', other);
    await on.outbox.act('unfollow', other);
    await on.outbox.act('follow', other);
    const signed = (await on.store.list('outbox')).map((entry) => JSON.stringify((entry as ActRecord).signed));
    expect(new Set(signed).size).toBe(3);
  });
});

describe('taking a reed back', () => {
  test('leaves a tombstone at once, and takes the copy away before the server knows', async () => {
    const { reedId } = await on.outbox.publish({ text: 'one' });
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    on.outbox.acknowledged(reedId);
    await on.outbox.idle();
    on.outbox.disconnected();
    await on.outbox.act('reed-removal', reedId);
    expect(await on.store.get('copies', reedId)).toBe(null);
    expect(await on.store.get('tombstones', reedId)).toMatchObject({ kind: 'reed', certificate: { statement: { id: reedId } } });
    expect(on.events).toContainEqual({ type: 'copy', reedId, state: 'gone' });
    expect(on.carried).toEqual([]);
  });

  test('that was never sent asks nothing of the server', async () => {
    const { reedId, published } = await on.outbox.publish({ text: 'one' });
    const { accepted } = await on.outbox.act('reed-removal', reedId);
    expect(await accepted).toBe(null);
    await expect(published).rejects.toMatchObject({ code: 'REMOVED' });
    on.outbox.connected();
    await on.outbox.idle();
    expect([on.registered, on.carried, await on.store.list('outbox')]).toEqual([[], [], []]);
  });

  test('that may have been sent stops it and tells the server', async () => {
    on.problem(() => new AppError('UNAVAILABLE', 'lost'));
    const { reedId } = await on.outbox.publish({ text: 'one' });
    on.outbox.connected();
    await on.outbox.idle();
    const { accepted } = await on.outbox.act('reed-removal', reedId);
    await accepted;
    expect(on.announced()).toEqual([]);
    expect(on.carried).toMatchObject([{ act: 'reed-removal', target: reedId }]);
  });

  test('the server that refuses it is believed: the tombstone goes', async () => {
    on.actProblem(() => new AppError('NOT_FOUND', 'you have registered no such reed'));
    const reedId = newReedId(user);
    const { accepted } = await on.outbox.act('reed-removal', reedId);
    on.outbox.connected();
    await expect(accepted).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await on.store.get('tombstones', reedId)).toBe(null);
  });
});

describe('a thread', () => {
  const texts = ['first #one', 'second', `third @${other}`];

  test('registers its parts one on the other, then its record, and is announced by its head', async () => {
    const parent = newReedId(other);
    const { reedId, published } = await on.outbox.publish({ texts, replyTo: parent, root: parent });
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    on.outbox.acknowledged(reedId);
    await published;
    const parts = on.registered.map(({ statement }) => statement);
    expect(parts.map(({ thread }) => thread)).toEqual([0, 1, 2].map((index) => ({ head: reedId, index })));
    expect(parts.map(({ previous }) => previous)).toEqual([undefined, parts[0]?.id, parts[1]?.id]);
    expect(parts.map(({ replyTo }) => replyTo)).toEqual([parent, undefined, undefined]);
    expect(parts.map(({ tags, mentions }) => [...tags, ...mentions])).toEqual([['one'], [], [other]]);
    expect(on.records.map(({ statement }) => statement.reeds)).toEqual([parts.map(({ id }) => id)]);
    expect(await on.store.get('threads', reedId)).toMatchObject({ certificate: { statement: { id: reedId } } });
    for (const { id } of parts) expect(await on.store.get('copies', id)).toMatchObject({ state: 'held', own: true });
    expect(on.announced()).toEqual([reedId]);
  });

  test('goes on where it was when the device stopped', async () => {
    on.problem(({ statement }) => (statement.thread?.index === 2 ? new AppError('UNAVAILABLE', 'lost') : null));
    const { reedId } = await on.outbox.publish({ texts });
    on.outbox.connected();
    await on.outbox.idle();
    const next = await setUp(on.store);
    next.outbox.connected();
    await until(() => next.announced().length === 1);
    expect(next.registered.map(({ statement }) => statement.thread?.index)).toEqual([2]);
    expect(JSON.stringify(next.registered[0])).toBe(JSON.stringify(on.registered.at(-1)));
    expect(next.records[0]?.statement.reeds).toHaveLength(3);
    expect(next.announced()).toEqual([reedId]);
  });

  test('is taken back with every part', async () => {
    const { reedId } = await on.outbox.publish({ texts });
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    on.outbox.acknowledged(reedId);
    await on.outbox.idle();
    const parts = on.registered.map(({ statement }) => statement.id);
    await on.outbox.act('thread-removal', reedId);
    for (const id of parts) {
      expect(await on.store.get('copies', id)).toBe(null);
      expect(await on.store.get('tombstones', id)).toMatchObject({ kind: 'thread' });
    }
    expect(await on.store.get('threads', reedId)).toBe(null);
  });

  test.each([
    ['of one text', ['one'], 'as a reed'],
    ['of 31 texts', Array.from({ length: 31 }, (_, at) => `part ${at}`), 'another thread'],
  ])('%s is refused with what to do instead', async (_, parts, mend) => {
    await expect(on.outbox.publish({ texts: parts })).rejects.toMatchObject({ code: 'INVALID', detail: expect.stringContaining(mend) });
    expect(await on.store.list('outbox')).toEqual([]);
  });

  test('names the part that is too long, and how much is too much', async () => {
    await expect(on.outbox.publish({ texts: ['one', 'x'.repeat(5_001)] })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      detail: expect.stringMatching(/texts\[1\].*5001 signs.*at most 5000/),
    });
  });
});
