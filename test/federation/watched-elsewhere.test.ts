// What is watched of a peer is registered anew when it is back or its ledger is another one: now and then, if it says so without an end. Who watches it
// is told when it goes, however many that are.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import type { Sql } from '../../src/db/pool.ts';
import type { Called } from '../../src/federation/stream-ports.ts';
import { Tasks } from '../../src/federation/tasks.ts';
import { WatchedElsewhere } from '../../src/federation/watched-elsewhere.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import { decodeReedWatch, encodeReedCounts } from '../../src/wire/legs.ts';
import { makeWorld, silent, type World } from '../support/people.ts';

const PEER = 'bbbbbbbbbbbbbbbb' as ServerId;
const REED = `aaaaaaaaaaaaaaaa@${PEER}/019b76da-a800-7144-877a-ec57c243994d`;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.db.query({ text: 'insert into reed_subscriptions (viewer, target) values ($1, $2)', values: ['somebody', REED] });
});
afterAll(() => world.close());

test('a peer whose ledger is another one again and again has what is watched of it registered now and then', async () => {
  const asked: string[] = [];
  const tasks = new Tasks(silent);
  const quiet = async (): Promise<void> => expect.poll(() => tasks.idle).toBe(true);
  const watched = new WatchedElsewhere({
    ...{ ...world, bus: new MemoryBus(), tasks, home: world.identity.server.id },
    calls: {
      call: async (_peer, leg, body) => {
        asked.push(leg);
        const read = decodeReedWatch(body);
        if (!read.ok) throw new Error('not to be read');
        const counts = { reedId: read.value, echoes: 0, replies: 0, likes: 0, coveragePercent: 0, holderServers: 0 };
        return { kind: 'answer', status: 200, body: encodeReedCounts(counts) };
      },
    },
  });
  for (let time = 0; time < 20; time += 1) {
    watched.renew(PEER);
    await quiet();
  }
  const { peerReturnMs, peerReturnsAtOnce } = world.limits;
  expect(asked).toEqual(Array.from({ length: peerReturnsAtOnce }, () => 'subscribe-reed'));
  // Nothing that it said is lost.
  world.clock.advance(peerReturnMs);
  await watched.look();
  await quiet();
  expect(asked).toHaveLength(peerReturnsAtOnce + 1);
  await watched.look();
  await quiet();
  expect(asked).toHaveLength(peerReturnsAtOnce + 1);
});

test('who watches anything of a peer that goes, or a reed whose counts it tells, is told so once, and a part of them is read at a time', async () => {
  const [viewers, watchedPerLook] = [25, 10];
  // Each watches two of the peer's and one of a third server's; one more only that.
  await world.db.query({
    text: `insert into reed_subscriptions (viewer, target)
      select 'v' || g || '@here', 'aaaaaaaaaaaaaaaa@' || s || '/' || r from generate_series(1, $1::int) g, (values ($2, 1), ($2, 2), ('dddddddddddddddd', 1)) as w(s, r)
      union all select 'w@here', 'aaaaaaaaaaaaaaaa@dddddddddddddddd/1'`,
    values: [viewers, PEER],
  });
  const read: number[] = [];
  const db = Object.assign(Object.create(world.db) as typeof world.db, {
    query: async <Row extends object>(sql: Sql): Promise<Row[]> => {
      const rows = await world.db.query<Row>(sql);
      read.push(rows.length);
      return rows;
    },
  });
  const told: string[] = [];
  const bus = new MemoryBus();
  const local = { dispatch: () => undefined, endSessions: () => undefined };
  bus.serve('here', { ...local, deliver: (to) => told.push(to) > 0 });
  const tasks = new Tasks(silent);
  const calls = { call: async () => ({ kind: 'held' }) as const };
  const watched = new WatchedElsewhere({
    ...{ ...world, db, bus, tasks, calls, home: world.identity.server.id, limits: { ...world.limits, watchedPerLook } },
  });
  watched.lost(PEER);
  await expect.poll(() => tasks.idle).toBe(true);
  const expected = ['somebody', ...Array.from({ length: viewers }, (_, at) => `v${at + 1}@here`)];
  expect(told.toSorted()).toEqual(expected.toSorted());
  told.length = 0;
  const reedId = `aaaaaaaaaaaaaaaa@${PEER}/019b76da-a800-7144-877a-ec57c2439941` as ReedId;
  await world.db.query({
    text: "insert into reed_subscriptions (viewer, target) select 'v' || g || '@here', $2 from generate_series(1, $1::int) g",
    values: [viewers, reedId],
  });
  const counts = { reedId, echoes: 1, replies: 1, likes: 1, coveragePercent: 1, holderServers: 1 };
  expect(await watched.handle(PEER, encodeReedCounts(counts))).toEqual({ status: 204 });
  expect(told.toSorted()).toEqual(expected.slice(1).toSorted());
  expect(Math.max(...read)).toBe(watchedPerLook);
});

const GIVEN_BACK: Called = { kind: 'answer', status: 204, body: new Uint8Array() };

/** Peers that answer as `answers` says; null: the counts of a reed that is registered. */
const registering = (answers: (leg: string, reed: ReedId) => Promise<Called> | null) => {
  const tasks = new Tasks(silent);
  const call = async (_peer: ServerId, leg: string, body: Uint8Array): Promise<Called> => {
    const read = decodeReedWatch(body);
    if (!read.ok) throw new Error('not to be read');
    const counts = { reedId: read.value, echoes: 0, replies: 0, likes: 0, coveragePercent: 0, holderServers: 0 };
    return (await answers(leg, read.value)) ?? { kind: 'answer', status: 200, body: encodeReedCounts(counts) };
  };
  const watched = new WatchedElsewhere({ ...world, bus: new MemoryBus(), tasks, home: world.identity.server.id, calls: { call } });
  return { tasks, watched };
};

test('a peer that takes its time to be given back what nobody watches any more keeps no other one waiting', async () => {
  const others = ['d', 'e', 'f'].map((sign) => REED.replace(PEER, sign.repeat(16)) as ReedId);
  const slow = REED.replace(PEER, 'c'.repeat(16)) as ReedId;
  const reeds = [slow, ...others];
  await world.db.query({
    text: "insert into reed_subscriptions (viewer, target) select 'x@here', r from unnest($1::text[]) as r",
    values: [reeds],
  });
  const { promise: answers, resolve: answer } = Promise.withResolvers<void>();
  const given: ReedId[] = [];
  const { tasks, watched } = registering((leg, reed) => {
    if (leg === 'subscribe-reed') return null;
    given.push(reed);
    return (reed === slow ? answers : Promise.resolve()).then(() => GIVEN_BACK);
  });
  for (const reed of reeds) watched.watched('x@here' as UserId, reed);
  await expect.poll(() => tasks.idle).toBe(true);
  await world.db.query({ text: "delete from reed_subscriptions where viewer = 'x@here'" });
  const looking = watched.look();
  await expect.poll(() => given.toSorted()).toEqual(reeds);
  await watched.look();
  answer();
  await looking;
  await expect.poll(() => tasks.idle).toBe(true);
  // Under way is once.
  expect(given).toHaveLength(reeds.length);
});

describe('a reed that nobody watches any more and then somebody', () => {
  const two = ['8', '9'].map((sign) => REED.replace(/.$/, sign) as ReedId);
  const watch = (reeds: readonly ReedId[]) =>
    world.db.query({
      text: "insert into reed_subscriptions (viewer, target) select 'y@here', r from unnest($1::text[]) as r",
      values: [reeds],
    });

  /** Registers both, then looks when nobody watches them. @returns what was called from then on, of those two */
  const lookAt = async (unsubscribed: (reed: ReedId) => Promise<Called>) => {
    await world.db.query({ text: "delete from reed_subscriptions where viewer <> 'somebody'" });
    await watch(two);
    const called: [leg: string, reed: ReedId][] = [];
    const { tasks, watched } = registering((leg, reed) => {
      if (two.includes(reed)) called.push([leg, reed]);
      return leg === 'unsubscribe-reed' ? unsubscribed(reed) : null;
    });
    const look = async (): Promise<void> => {
      await watched.look();
      await expect.poll(() => tasks.idle).toBe(true);
    };
    for (const reed of two) watched.watched('y@here' as UserId, reed);
    await expect.poll(() => tasks.idle).toBe(true);
    await world.db.query({ text: "delete from reed_subscriptions where viewer = 'y@here'" });
    called.length = 0;
    await look();
    return { called, look };
  };

  test('stays registered when that is before its turn to be given back', async () => {
    const { called } = await lookAt(async (reed) => {
      await watch(two.filter((other) => other !== reed));
      return GIVEN_BACK;
    });
    expect(called).toEqual([['unsubscribe-reed', expect.anything()]]);
  });

  test('is registered anew when it is not known whether its home heard that it was given back', async () => {
    const { called, look } = await lookAt(async (reed) => {
      await watch([reed]);
      return { kind: 'transport' };
    });
    const [given] = called.splice(0);
    await look();
    expect(called).toContainEqual(['subscribe-reed', given?.[1]]);
  });
});
