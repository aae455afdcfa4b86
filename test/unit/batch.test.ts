// Micro-batches on a statement that is a function here: what shares a batch, in which order, and what one bad item costs the others.
import { describe, expect, test } from 'vitest';
import type { AppError } from '../../src/base/errors.ts';
import { Batcher, type BatcherOptions, BatchLoad, Lane, LOCKED } from '../../src/db/batch.ts';

type Item = { readonly id: number; readonly key?: string };
type Options = BatcherOptions<Item, string>;

const nothingDivides = (): boolean => false;

/** A clock whose pauses are over in the next turn of the loop, and noted. */
const patience = (lockedTries: number) => {
  const pauses: number[] = [];
  const after = (delayMs: number, task: () => void) => {
    pauses.push(delayMs);
    setImmediate(task);
    return { cancel: () => undefined };
  };
  return { pauses, clock: { after }, limits: { lockedTries, lockedPauseFirstMs: 2, lockedPauseMaxMs: 5 } };
};

/** A batcher that answers `done <id>` and records its batches. */
function makeBatcher(changes: Partial<Options> = {}) {
  const batches: number[][] = [];
  const load = changes.load ?? new BatchLoad(100, 1_000);
  const run: Options['run'] = changes.run ?? (async (items) => items.map((item) => `done ${item.id}`));
  const batcher = new Batcher<Item, string>({
    name: 'test',
    lane: new Lane(),
    maxItems: 10,
    divisible: nothingDivides,
    ...changes,
    load,
    run: (items) => {
      batches.push(items.map((item) => item.id));
      return run(items);
    },
  });
  const submitAll = (...items: Item[]) => Promise.allSettled(items.map((item) => batcher.submit(item)));
  return { batcher, batches, load, submitAll };
}

const values = (results: PromiseSettledResult<string | null>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : (result.reason as { code?: string }).code));

describe('a batch', () => {
  test('holds all that arrived together, up to its most', async () => {
    const { batches, submitAll } = makeBatcher({ maxItems: 3 });
    const results = await submitAll({ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 });
    expect(batches).toEqual([[1, 2, 3], [4]]);
    expect(values(results)).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
  });

  test('holds all that arrived while the one before ran', async () => {
    const gate = Promise.withResolvers<void>();
    let isFirst = true;
    const { batcher, batches } = makeBatcher({
      run: async (items) => {
        if (isFirst) {
          isFirst = false;
          late.push(batcher.submit({ id: 2 }), batcher.submit({ id: 3 }));
          await gate.promise;
        }
        return items.map((item) => `done ${item.id}`);
      },
    });
    const late: Promise<string | null>[] = [];
    const first = batcher.submit({ id: 1 });
    gate.resolve();
    expect(await first).toBe('done 1');
    expect(await Promise.all(late)).toEqual(['done 2', 'done 3']);
    expect(batches).toEqual([[1], [2, 3]]);
    expect(batcher.idle).toBe(true);
  });

  test('never holds two items with a key in common; they keep their order', async () => {
    const { batches, submitAll } = makeBatcher({ keys: (item) => (item.key === undefined ? [] : item.key.split('')) });
    await submitAll({ id: 1, key: 'a' }, { id: 2, key: 'ab' }, { id: 3, key: 'b' }, { id: 4, key: 'c' });
    expect(batches).toEqual([[1, 4], [2], [3]]);
  });

  test('holds one item for all who ask for the same', async () => {
    const { batches, submitAll, load } = makeBatcher({ sameAs: (item) => item.key ?? '' });
    const results = await submitAll({ id: 1, key: 'a' }, { id: 2, key: 'a' }, { id: 3, key: 'b' });
    expect(batches).toEqual([[1, 3]]);
    expect(values(results)).toEqual(['done 1', 'done 1', 'done 3']);
    expect(load.items).toBe(0);
  });
});

describe('one item', () => {
  const failing =
    (bad: number): Options['run'] =>
    async (items) => {
      if (items.some((item) => item.id === bad)) throw new Error('constraint');
      return items.map((item) => `done ${item.id}`);
    };

  test('that fails does so alone, and is tried once more before it does', async () => {
    const told: string[] = [];
    const { batches, submitAll } = makeBatcher({ divisible: () => true, run: failing(3), onFailure: (name) => told.push(name) });
    const results = await submitAll({ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 });
    expect(values(results)).toEqual(['done 1', 'done 2', 'INTERNAL', 'done 4']);
    expect(batches).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4], [3]]);
    expect(told).toEqual(['test']);
  });

  test('is not looked for when no half could succeed: all fail after one try', async () => {
    const told: number[] = [];
    const { batches, submitAll } = makeBatcher({ run: failing(3), onFailure: (_name, _error, items) => told.push(items) });
    expect(values(await submitAll({ id: 1 }, { id: 3 }))).toEqual(['INTERNAL', 'INTERNAL']);
    expect(batches).toEqual([[1, 3]]);
    expect(told).toEqual([2]);
  });

  test('that fails carries whether the log was told, so that nobody tells it again for each item', async () => {
    const reasons = async (changes: Partial<Options>) =>
      (await makeBatcher({ run: failing(3), ...changes }).submitAll({ id: 1 }, { id: 3 })).map((result) =>
        result.status === 'rejected' ? (result.reason as AppError).isLogged : 'done',
      );
    expect(await reasons({ onFailure: () => undefined })).toEqual([true, true]);
    expect(await reasons({})).toEqual([false, false]);
  });

  const lockedFor = (tries: number): Options['run'] => {
    let left = tries;
    return async (items) => items.map((item) => (item.id === 2 && left-- > 0 ? LOCKED : `done ${item.id}`));
  };

  test('whose row is locked is in the next batch, while the others go on', async () => {
    const { batches, submitAll, load } = makeBatcher({ run: lockedFor(1), patience: patience(4) });
    expect(values(await submitAll({ id: 1 }, { id: 2 }))).toEqual(['done 1', 'done 2']);
    expect(batches).toEqual([[1, 2], [2]]);
    expect(load.items).toBe(0);
  });

  test('whose row stays locked is tried again after pauses that double, and keeps back what has a key in common', async () => {
    const waits = patience(9);
    const { batcher, batches, submitAll } = makeBatcher({ run: lockedFor(4), patience: waits, keys: ({ key }) => (key ? [key] : []) });
    expect(values(await submitAll({ id: 2, key: 'a' }, { id: 3, key: 'a' }, { id: 4 }))).toEqual(['done 2', 'done 3', 'done 4']);
    expect(batches).toEqual([[2, 4], [2], [2], [2], [2], [3]]);
    expect(waits.pauses).toEqual([2, 4, 5]);
    expect(batcher.idle).toBe(true);
  });

  test('that is tried again and one of the same name that came meanwhile are one', async () => {
    const came: Promise<string>[] = [];
    let isFirst = true;
    const { batcher, batches, load } = makeBatcher({
      patience: patience(4),
      sameAs: ({ key }) => key ?? '',
      run: async (items) => {
        if (!isFirst) return items.map((item) => `done ${item.id}`);
        isFirst = false;
        came.push(batcher.submit({ id: 2, key: 'a' }));
        return [LOCKED];
      },
    });
    expect(await batcher.submit({ id: 1, key: 'a' })).toBe('done 2');
    expect(await Promise.all(came)).toEqual(['done 2']);
    expect(batches).toEqual([[1], [2]]);
    expect(load.items).toBe(0);
  });

  test('whose row is locked every time is UNAVAILABLE and told to the log, after a bounded number of tries', async () => {
    const told: string[] = [];
    const { batches, submitAll, load } = makeBatcher({ run: lockedFor(99), patience: patience(3), onFailure: (name) => told.push(name) });
    expect(values(await submitAll({ id: 1 }, { id: 2 }))).toEqual(['done 1', 'UNAVAILABLE']);
    expect(batches).toEqual([[1, 2], [2], [2]]);
    expect(told).toEqual(['test']);
    expect(load.items).toBe(0);
  });
});

describe('what is queued', () => {
  test('is bounded over all batchers, by items and by bytes, and freed again', async () => {
    const load = new BatchLoad(4, 1_000);
    const one = makeBatcher({ load, sizeBytes: () => 10 });
    const other = makeBatcher({ load, sizeBytes: (item) => item.id });
    const taken = one.submitAll({ id: 1 }, { id: 2 }, { id: 3 });
    expect(load.overloaded).toBe(false);
    const last = other.submitAll({ id: 4 }, { id: 5 });
    expect(load.overloaded).toBe(true);
    expect(values(await last)).toEqual(['done 4', 'UNAVAILABLE']);
    await taken;
    expect([load.items, load.bytes, load.full]).toEqual([0, 0, false]);

    const heavy = other.submitAll({ id: 1_000 }, { id: 6 });
    expect(values(await heavy)).toEqual(['done 1000', 'UNAVAILABLE']);
  });

  test('runs one batch at a time in a lane, whoever submits', async () => {
    const lane = new Lane();
    let running = 0;
    let most = 0;
    const run: Options['run'] = async (items) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return items.map(() => 'done');
    };
    await Promise.all([makeBatcher({ lane, run }), makeBatcher({ lane, run })].map(({ submitAll }) => submitAll({ id: 1 }, { id: 2 })));
    expect(most).toBe(1);
  });
});
