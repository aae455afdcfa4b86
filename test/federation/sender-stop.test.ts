// A server that stops waits for no peer that does not answer, whatever it was just asking of it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fail, ok } from '../../src/base/result.ts';
import { PeerCalls } from '../../src/federation/calls.ts';
import { Documents } from '../../src/federation/documents.ts';
import { Nonces } from '../../src/federation/nonces.ts';
import { PeerSender } from '../../src/federation/sender.ts';
import type { Call } from '../../src/net/peer-pool.ts';
import { makeWorld, silent, type World } from '../support/people.ts';

const PEER = 'bbbbbbbbbbbbbbbb';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.db.query({ text: `insert into servers (id, name, first_seen_at) values ($1, $1, now())`, values: [PEER] });
  await world.db.query({
    text: `insert into peers (server_id, state, base_url, begun_by, begun_at) values ($1, 'live', 'https://reeds.example', 'operator', now())`,
    values: [PEER],
  });
});
afterAll(() => world.close());

test('a peer that is being asked for its document, and says nothing, keeps no stop waiting', async () => {
  const asked: string[] = [];
  const outbound = {
    vet: (origin: string) => ok(new URL(origin)),
    // Says nothing; the call ends when it is ended.
    call: (_origin: string, { path, signal }: Call) => {
      asked.push(path);
      return new Promise<ReturnType<typeof fail<'closed'>>>((resolve) => {
        signal?.addEventListener('abort', () => resolve(fail('closed')), { once: true });
      });
    },
  };
  const ground = { ...world, log: silent, chance: () => 0 };
  const documents = new Documents({ ...ground, outbound });
  const client = { call: async () => ({ kind: 'transport', reason: 'unreachable' }) as const };
  const sender = new PeerSender({
    ...{ ...ground, documents, nonces: new Nonces(world) },
    calls: new PeerCalls({ ...ground, documents, client, onChange: () => undefined }),
    document: async () => ({}),
    isAlone: async () => false,
  });
  const round = sender.round();
  await expect.poll(() => asked).toEqual(['/.well-known/reedbed']);
  await sender.stop();
  await round;
  expect(asked).toHaveLength(1);
}, 10_000);
