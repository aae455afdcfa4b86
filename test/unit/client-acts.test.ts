// Acts and threads in the outbox: what they change on this device at once, their turn, their refusal, and going on after a stop.
import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import type { ActRecord } from '../../src/client/store.ts';
import { type OutboxScene, outboxScene, user } from '../support/outbox-scene.ts';
import { newReedId, turns, until, userNamed } from '../support/sdk-parts.ts';

let on: OutboxScene;
beforeEach(async () => {
  on = await outboxScene();
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
    const next = await outboxScene(on.store);
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

  test('that was just looked up to be sent is not sent, and what stands behind it is', async () => {
    const { reedId } = await on.outbox.publish({ text: 'one' });
    const next = await on.outbox.publish({ text: 'two' });
    await on.outbox.idle();
    const list = on.store.list.bind(on.store);
    let taking: Promise<{ accepted: Promise<unknown> }> | null = null;
    on.store.list = async (collection, page) => {
      const found = await list(collection, page);
      // Between the look and its use: the reed is in what was found, and gone by the time that it is used.
      if (collection === 'outbox' && taking === null) {
        taking = on.outbox.act('reed-removal', reedId);
        await taking;
      }
      return found;
    };
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    expect(on.announced()).toEqual([next.reedId]);
    expect(on.registered.map(({ statement }) => statement.id)).toEqual([next.reedId]);
  });

  test('is not undone by a connection that comes while it is being written', async () => {
    const { reedId } = await on.outbox.publish({ text: 'one' });
    const next = await on.outbox.publish({ text: 'two' });
    await on.outbox.idle();
    const write = on.store.write.bind(on.store);
    const slow = Promise.withResolvers<void>();
    on.store.write = async (changes) => {
      if (changes.some((change) => 'delete' in change && change.delete === 'outbox')) await slow.promise;
      return write(changes);
    };
    const taking = on.outbox.act('reed-removal', reedId);
    await turns();
    on.outbox.connected();
    await on.outbox.idle();
    slow.resolve();
    await taking;
    await until(() => on.announced().length === 1);
    expect(on.registered.map(({ statement }) => statement.id)).toEqual([next.reedId]);
  });

  test('that is being sent at that moment is taken back after it, and leaves nothing here', async () => {
    const { published } = await on.outbox.publish({ texts: ['one', 'two'] });
    let head = '';
    let removal: Promise<{ accepted: Promise<unknown> }> | null = null;
    on.problem(({ statement }) => {
      head = statement.thread?.head ?? '';
      removal ??= on.outbox.act('thread-removal', head as never);
      return null;
    });
    on.outbox.connected();
    await until(() => on.announced().length === 1);
    on.outbox.acknowledged(head);
    await published;
    await (await (removal as unknown as Promise<{ accepted: Promise<unknown> }>)).accepted;
    expect(on.carried).toMatchObject([{ act: 'thread-removal', target: head }]);
    expect(await on.store.list('copies')).toEqual([]);
    expect(await on.store.list('threads')).toEqual([]);
    expect(await on.store.list('tombstones')).toHaveLength(2);
  });

  test('of which the server never had anything is done with: nothing is there, and no tombstone', async () => {
    on.problem(({ statement }) => (statement.thread?.index === 1 ? new AppError('UNAVAILABLE', 'lost') : null));
    on.actProblem(() => new AppError('NOT_FOUND', 'you have registered no such thread'));
    const { reedId } = await on.outbox.publish({ texts: ['one', 'two'] });
    on.outbox.connected();
    await on.outbox.idle();
    const { accepted } = await on.outbox.act('thread-removal', reedId);
    expect(await accepted).toBe(null);
    for (const collection of ['copies', 'tombstones', 'outbox'] as const) expect(await on.store.list(collection)).toEqual([]);
  });

  test('the server that refuses it is believed: the tombstone goes', async () => {
    on.actProblem(() => new AppError('CONFLICT', 'id: a part of a thread; remove the thread'));
    const reedId = newReedId(user);
    const { accepted } = await on.outbox.act('reed-removal', reedId);
    on.outbox.connected();
    await expect(accepted).rejects.toMatchObject({ code: 'CONFLICT' });
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
    const next = await outboxScene(on.store);
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
      detail: expect.stringMatching(/texts\[1\].*5001 characters.*at most 5000/),
    });
  });
});
