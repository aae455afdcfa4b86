// What the rows say of peers is told to whoever works with them, once for each change, whoever made it: who is one, goes, is silent, is back, is one no
// more. A peer that comes and goes without an end is told of now and then.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PeerWatch } from '../../src/federation/peer-watch.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { makeWorld, silent, type World } from '../support/people.ts';

const A = 'aaaaaaaaaaaaaaaa' as ServerId;
const B = 'bbbbbbbbbbbbbbbb' as ServerId;

let world: World;
let watch: PeerWatch;
/** Whom the ledger still takes for peers, from before. */
let known: ServerId[];
const told: string[] = [];
let isBroken: boolean;

const ago = (until: number): number => until - world.clock.now();
/** Takes the place of the fold and of whoever else is told, at their ports. */
const listen = (): PeerWatch =>
  new PeerWatch({
    ...{ db: world.db, clock: world.clock, limits: world.limits, log: silent },
    fold: {
      known: async () => known,
      live: async (servers) => void told.push(`live ${servers.join(' ')}`),
      ended: async (server) => void told.push(`ended ${server}`),
      away: async (server, until) => void told.push(`away ${server} ${ago(until)}`),
      wentAway: async (server, until) => void told.push(`went away ${server} ${ago(until)}`),
      renewed: (server) => void told.push(`renewed ${server}`),
      back: async (server) => {
        if (isBroken) throw new Error('the database is away');
        told.push(`back ${server}`);
      },
    },
    onNear: (server) => void told.push(`near ${server}`),
    onFar: (server) => void told.push(`far ${server}`),
  });

beforeAll(async () => {
  world = await makeWorld();
  for (const id of [A, B])
    await world.db.query({ text: `insert into servers (id, name, first_seen_at) values ($1, $1, now())`, values: [id] });
});
afterAll(() => world.close());
beforeEach(async () => {
  [known, isBroken] = [[], false];
  await world.db.query({ text: 'delete from peers' });
  watch = listen();
  told.length = 0;
});

const peer = async (server: ServerId, set = "state = 'live'"): Promise<void> => {
  await world.db.query({
    text: `insert into peers (server_id, state, begun_by, begun_at) values ($1, 'live', 'operator', now()) on conflict do nothing`,
    values: [server],
  });
  await world.db.query({ text: `update peers set ${set} where server_id = $1`, values: [server] });
};
/** What is told by one look. */
const looked = async (): Promise<string[]> => {
  await watch.look();
  return told.splice(0);
};

test('at the start all live peers are told of, and who is one no more', async () => {
  known = [B];
  await peer(A);
  expect(await looked()).toEqual([`ended ${B}`, `live ${A}`, `back ${A}`, `near ${A}`]);
  expect(await looked()).toEqual([]);
});

test('whom the ledger knew is told of like any other', async () => {
  known = [A];
  await peer(A, 'away = true');
  expect(await looked()).toEqual([`live ${A}`, `went away ${A} ${world.limits.peerAwayMaxMs}`, `far ${A}`]);
});

test('each change is told once, whoever wrote it', async () => {
  await peer(A);
  await looked();
  const retryAt = new Date(world.clock.now() + 8_000).toISOString();
  await peer(A, `failures = 4, retry_at = '${retryAt}'`);
  expect(await looked()).toEqual([`away ${A} 8000`, `far ${A}`]);
  expect(await looked()).toEqual([]);
  await peer(A, 'failures = 0, retry_at = null');
  expect(await looked()).toEqual([`back ${A}`, `near ${A}`]);
  await peer(A, "state = 'suspended'");
  expect(await looked()).toEqual([`ended ${A}`]);
  await peer(A, "state = 'live'");
  expect(await looked()).toEqual([`live ${A}`, `back ${A}`, `near ${A}`]);
});

test('a ledger that was emptied is told of at once', async () => {
  await peer(A);
  await looked();
  watch.changed(A, 'epoch');
  await watch.look();
  expect(told).toEqual([`renewed ${A}`]);
});

test('of a look that fails the next one tells', async () => {
  await peer(A);
  isBroken = true;
  await expect(watch.look()).rejects.toThrow('the database is away');
  expect(told.splice(0)).toEqual([`live ${A}`]);
  isBroken = false;
  expect(await looked()).toEqual([`live ${A}`, `back ${A}`, `near ${A}`]);
});

test('a peer that says without an end that it is back is told of now and then, others at once', async () => {
  await peer(A);
  await looked();
  for (let turn = 0; turn < 50; turn += 1) {
    watch.changed(A, 'back');
    await watch.look();
  }
  const { peerReturnsAtOnce, peerReturnMs } = world.limits;
  expect(told.splice(0).filter((what) => what === `back ${A}`)).toHaveLength(peerReturnsAtOnce - 1);
  await peer(B);
  expect(await looked()).toEqual([`live ${B}`, `back ${B}`, `near ${B}`]);
  // Nothing that it said is lost.
  world.clock.advance(peerReturnMs);
  expect(await looked()).toEqual([`back ${A}`, `near ${A}`]);
  world.clock.advance(peerReturnMs);
  expect(await looked()).toEqual([]);
});

test('however much peers say while a look is under way, one look follows it', async () => {
  await peer(A);
  await looked();
  const { statements } = world.db;
  for (let turn = 0; turn < 50; turn += 1) watch.changed(A, 'epoch');
  await watch.look();
  expect(told).toEqual([`renewed ${A}`]);
  expect(world.db.statements - statements).toBeLessThanOrEqual(2);
});

test('a peer that comes and goes without an end stays away', async () => {
  await peer(A);
  await looked();
  for (let turn = 0; turn < 50; turn += 1) {
    await peer(A, 'away = true');
    await watch.look();
    await peer(A, 'away = false');
    await watch.look();
  }
  const { peerReturnsAtOnce, peerReturnMs } = world.limits;
  expect(told.filter((what) => what === `back ${A}`)).toHaveLength(peerReturnsAtOnce - 1);
  expect(told.splice(0).filter((what) => what.startsWith('went away'))).toHaveLength(peerReturnsAtOnce);
  world.clock.advance(peerReturnMs);
  expect(await looked()).toEqual([`back ${A}`, `near ${A}`]);
});

test('it looks every second until it is stopped, and leaves nothing behind', async () => {
  await watch.start();
  await peer(A);
  world.clock.advance(world.limits.peerSweepEveryMs);
  await expect.poll(() => told).toEqual([`live ${A}`, `back ${A}`, `near ${A}`]);
  await watch.stop();
  await peer(A, "state = 'revoked'");
  world.clock.advance(10 * world.limits.peerSweepEveryMs);
  await watch.look();
  expect(told).toHaveLength(3);
  expect(world.clock.timers).toBe(0);
});
