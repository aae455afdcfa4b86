// Calls to a server: what an answer tells beside its refusal, and who hears of it; and that one listener's fault is no other's.
import { describe, expect, test } from 'vitest';
import { Api } from '../../src/client/api.ts';
import { Listeners } from '../../src/client/listeners.ts';
import { ManualClock } from '../support/manual-clock.ts';

const certificate = { statement: { type: 'reed-removal' } };
const answering = (status: number, body: object) => async (): Promise<Response> => new Response(JSON.stringify(body), { status });

describe('an answer that something was taken back', () => {
  const removed = answering(410, { code: 'REMOVED', detail: 'its author removed it', certificate });

  test('is told, by whatever call it came, before the caller hears of it', async () => {
    const told: object[] = [];
    const api = new Api('http://server.test', removed, new ManualClock());
    const telling = api.telling(async (one) => {
      await Promise.resolve();
      told.push(one);
    });
    for (const method of ['GET', 'POST'] as const) {
      await expect(telling.call('reeds/x/replies', { method })).rejects.toMatchObject({ code: 'REMOVED', certificate });
      expect(told.splice(0)).toEqual([certificate]);
    }
    await expect(api.call('reeds/x')).rejects.toMatchObject({ code: 'REMOVED' });
    expect(told).toEqual([]);
    expect(telling.origin).toBe(api.origin);
  });

  test.each([
    ['a block', answering(403, { code: 'BLOCKED', detail: '', certificate })],
    ['a removal without a certificate', answering(410, { code: 'REMOVED', detail: '' })],
  ])('is not one of %s', async (_name, fetch) => {
    const told: object[] = [];
    const api = new Api('http://server.test', fetch, new ManualClock()).telling(async (one) => void told.push(one));
    await expect(api.call('reeds/x')).rejects.toThrow();
    expect(told).toEqual([]);
  });
});

test('a listener that throws stops neither the others nor who tells them', async () => {
  const listeners = new Listeners<string>();
  const heard: string[] = [];
  const uncaught = new Promise<unknown>((done) => process.once('uncaughtException', done));
  const stop = listeners.add(() => {
    throw new Error('not prepared for this');
  });
  listeners.add((event) => void heard.push(event));
  listeners.tell('one');
  stop();
  listeners.tell('two');
  expect(heard).toEqual(['one', 'two']);
  expect(await uncaught).toMatchObject({ message: 'not prepared for this' });
});
