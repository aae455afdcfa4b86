// The outbox: order, repetition and refusal of reeds, with the server's side of it scripted.
import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { type OutboxScene, outboxScene, user } from '../support/outbox-scene.ts';
import { newReedId, turns, until } from '../support/sdk-parts.ts';

let on: OutboxScene;
beforeEach(async () => {
  on = await outboxScene();
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
    const next = await outboxScene(on.store);
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
