// What a new device does before it knows whom its member follows: it gives nothing up, learns it first, and what the person says meanwhile counts.
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import type { Lists } from '../../src/client/lists.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { Recall } from '../../src/client/recall.ts';
import { Relations } from '../../src/client/relations.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { copyOf, newReedId, turns, userNamed } from '../support/sdk-parts.ts';

const [ME, FOLLOWED, STRANGER] = [userNamed('a'), userNamed('b'), userNamed('c')];
const { recallAgainMs, recallPauseMs } = DEFAULT_LIMITS;

async function* oneOf<T>(items: readonly T[]) {
  yield items;
}

/** A new device whose server answers the lists only when `reachable`. */
const setUp = async () => {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const [followed, stranger] = [newReedId(FOLLOWED), newReedId(STRANGER)];
  const server = { reachable: false, during: async (): Promise<void> => undefined };
  const lists = {
    following: async function* () {
      if (!server.reachable) throw new AppError('UNAVAILABLE', 'not now');
      yield [{ user: FOLLOWED, username: 'heron' }];
      await server.during();
    },
    blocks: () => oneOf([]),
    likes: () => oneOf([]),
    allocations: () => oneOf([followed, stranger]),
    ownReeds: () => oneOf([]),
  } as unknown as Lists;
  const acts: string[] = [];
  const outbox = {
    act: async (act: string) => {
      acts.push(act);
      return { accepted: Promise.resolve(null) };
    },
  };
  const relations = new Relations({ store, user: ME, lists, outbox });
  const [asked, lacking]: [ReedId[], ReedId[]] = [[], []];
  const recall = new Recall({
    ...{ store, user: ME, lists, limits: DEFAULT_LIMITS, time: new ServerTime(clock) },
    viewer: {
      request: async (reedId) => {
        asked.push(reedId);
        await store.write([{ put: 'copies', record: copyOf(reedId) }]);
        return copyOf(reedId);
      },
    },
    evictions: { lacking: async (reeds) => void lacking.push(...reeds) },
    relationsKnown: () => relations.known(),
    emit: () => undefined,
  });
  await recall.begin();
  return { store, clock, server, relations, recall, asked, lacking, acts, followed, stranger };
};

describe('a new device that can not learn whom its member follows', () => {
  test('says of no reed that it is not here, and asks for those of the followed once it knows', async () => {
    const on = await setUp();
    on.recall.connected();
    await turns();
    expect(on.lacking).toEqual([]);
    expect(on.recall.progress?.state).toBe('listing');
    on.server.reachable = true;
    // On the same connection, after a while.
    on.clock.advance(recallAgainMs);
    await turns();
    expect(on.lacking).toEqual([on.stranger]);
    on.clock.advance(recallPauseMs);
    await turns();
    expect(on.asked).toEqual([on.followed]);
    expect(on.recall.progress).toMatchObject({ state: 'done', here: 1 });
    expect(on.clock.timers).toBe(0);
  });

  test('tries no more once it is closed', async () => {
    const on = await setUp();
    on.recall.connected();
    await turns();
    on.recall.close();
    on.server.reachable = true;
    on.clock.advance(2 * recallAgainMs);
    await turns();
    expect([on.lacking, on.asked]).toEqual([[], []]);
  });
});

test('whom somebody unfollows while the server’s list is read stays unfollowed', async () => {
  const on = await setUp();
  on.server.reachable = true;
  on.server.during = async () => void (await on.relations.unfollow(FOLLOWED));
  expect(await on.relations.known()).toBe(true);
  expect(on.acts).toEqual(['unfollow']);
  expect(await on.store.get('follows', FOLLOWED)).toBe(null);
});
