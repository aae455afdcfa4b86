// The exact search: once in a while for a reed, and nobody who came online between two searches is missed.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/db/pool.ts';
import { ExactSearch } from '../../src/relay/search.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';
import { ManualClock } from '../support/manual-clock.ts';

let world: World;
let search: ExactSearch;
let clock: ManualClock;
let searches: number;
beforeEach(async () => {
  world = await World.open();
  clock = new ManualClock();
  searches = 0;
  const query = <Row>(sql: Sql): Promise<Row[]> => {
    searches += 1;
    return world.db.query<Row & object>(sql);
  };
  search = new ExactSearch({ clock, limits: world.limits, db: { query } as never });
});
afterEach(() => world.close());

const three = async (): Promise<[UserId, UserId, ReedId]> => {
  const [author, viewer, reed] = await world.two();
  await world.hold(reed, viewer);
  return [author, viewer, reed];
};

it('serves all who ask within ten seconds by what was found first', async () => {
  const [author, , reed] = await three();
  await world.offline(author);
  const first = await search.onlineHolders(reed, false);
  expect(first).toMatchObject({ holders: [expect.any(String)], isNew: true });
  expect(await search.onlineHolders(reed, false)).toEqual({ holders: first.holders, isNew: false });
  expect(searches).toBe(1);
});

it('finds, by the next search, a holder who came online after one that found nobody', async () => {
  const [author, viewer, reed] = await three();
  await world.offline(author, viewer);
  expect(await search.onlineHolders(reed, false)).toEqual({ holders: [], isNew: true });
  await world.online(author);
  const both = Promise.all([search.onlineHolders(reed, false), search.onlineHolders(reed, false)]);
  await expect.poll(() => clock.timers).toBe(1);
  clock.advance(world.limits.exactSearchEveryMs);
  const found = { holders: [author], isNew: true };
  expect(await both).toEqual([found, found]);
  expect(searches).toBe(2);
});

it('searches anew for whom those found before are of no use, once the time is over', async () => {
  const [author, viewer, reed] = await three();
  await world.offline(author);
  expect(await search.onlineHolders(reed, false)).toEqual({ holders: [viewer], isNew: true });
  await world.offline(viewer);
  await world.online(author);
  const next = search.onlineHolders(reed, true);
  await expect.poll(() => clock.timers).toBe(1);
  clock.advance(world.limits.exactSearchEveryMs);
  expect(await next).toEqual({ holders: [author], isNew: true });
});
