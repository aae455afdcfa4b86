// What is watched of a peer is registered anew when it is back or its ledger is another one: now and then, if it says so without an end.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { Tasks } from '../../src/federation/tasks.ts';
import { WatchedElsewhere } from '../../src/federation/watched-elsewhere.ts';
import type { ServerId } from '../../src/wire/address.ts';
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
