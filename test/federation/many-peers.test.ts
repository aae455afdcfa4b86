// A home with many peers: however many are told something, and however many don't answer, the database is there for everybody else, and those who do
// answer wait for nobody.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { cryptoRandom } from '../../src/base/ids.ts';
import type { Database } from '../../src/db/pool.ts';
import { StoredPeers } from '../../src/federation/stored-peers.ts';
import type { Called } from '../../src/federation/stream-ports.ts';
import { openStreams, type Streams } from '../../src/federation/streams.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { decodeStreamRequest, encodePositions, encodeStreamAnswer } from '../../src/wire/streams.ts';
import { makeWorld, publishReed, signUp, type World } from '../support/people.ts';
import { makeServerKeys } from '../support/transport-keys.ts';

const PEERS = 40;
/** Requests of one or two items; of all peers twice as many bytes as one item for each of them. */
const LIMITS = { streamBytes: 4_096, streamBytesHeld: 40 * 4_096 };

let world: World;
let streams: Streams;
let peers: ServerId[];
/** What is asked of whom, in order; who is silent never answers. */
let calls: { readonly to: ServerId; readonly leg: string }[];
let silent: (to: ServerId, leg: string) => boolean;
/** Nobody answers before this. */
let answers: Promise<void>;
/** Requests of streams that are on the wire. */
let open: { readonly to: ServerId; readonly bytes: number }[];
const running = { now: 0, most: 0 };
/** The database is away once a statement of this name has ended. */
let goesAfter: string | null;
let isAway: boolean;

/** Counts the statements of streams that run at once. */
const counted = (db: Database): Database =>
  new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target) as unknown;
      return async (query: { readonly name?: string }): Promise<unknown> => {
        if (query.name?.startsWith('streams_') !== true) return value.call(target, query) as unknown;
        // Later for what is sent than for what is claimed.
        if (isAway && query.name === 'streams_next') await new Promise((turn) => setImmediate(turn));
        if (isAway) throw new Error('the database is away');
        running.now += 1;
        running.most = Math.max(running.most, running.now);
        try {
          return (await value.call(target, query)) as unknown;
        } finally {
          running.now -= 1;
          isAway ||= query.name === goesAfter;
        }
      };
    },
  });

const answered = (leg: string, body: Uint8Array): Called => {
  const request = leg === 'stream' ? decodeStreamRequest(body) : null;
  if (request === null || !request.ok) return { kind: 'answer', status: 200, body: encodePositions([]) };
  const { cursor, items } = request.value;
  const outcomes = items.map(({ number }) => ({ number, verdict: 'accepted' as const, reason: '' }));
  return { kind: 'answer', status: 200, body: encodeStreamAnswer({ have: items.at(-1)?.number ?? cursor, outcomes }) };
};

beforeAll(async () => {
  world = await makeWorld({ limits: LIMITS });
  peers = Array.from({ length: PEERS }, () => makeServerKeys().id).sort();
  const { db } = world;
  await db.query({
    text: 'insert into servers (id, name, first_seen_at) select id, id, now() from unnest($1::text[]) as p(id)',
    values: [peers],
  });
  await db.query({
    text: `insert into peers (server_id, state, begun_by, begun_at, share_begun) select id, 'live', 'operator', now(), true from unnest($1::text[]) as p(id)`,
    values: [peers],
  });
  streams = openStreams({
    ...{ ...world, db: counted(db), random: cryptoRandom, peers: new StoredPeers(db) },
    calls: {
      call: async (to, leg, body) => {
        calls.push({ to, leg });
        if (leg === 'stream') {
          const one = { to, bytes: body.length };
          open.push(one);
          await answers;
          open.splice(open.indexOf(one), 1);
        }
        return silent(to, leg) ? new Promise<never>(() => undefined) : answered(leg, body);
      },
    },
    log: { warn: () => undefined },
    told: { published: () => undefined, removed: () => undefined, accountRemoved: () => undefined },
  });
});
afterAll(() => world.close());
beforeEach(() => {
  calls = [];
  silent = () => false;
  [answers, open] = [Promise.resolve(), []];
  [goesAfter, isAway] = [null, false];
  running.most = 0;
});

const asked = (leg: string): ServerId[] => [...new Set(calls.flatMap((call) => (call.leg === leg ? [call.to] : [])))].sort();

test('peers of which no answer is known have a request each in their hands, whatever they are owed; those that answered have more', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => signUp(world)));
  const users = people.map(({ user }) => user);
  const publishToSilence = async (): Promise<() => void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answers = promise;
    onTestFinished(() => resolve());
    for (const person of people) await publishReed(world, person);
    return resolve;
  };
  const answer = await publishToSilence();
  for (const user of users) streams.sender.published(user);
  await expect.poll(() => new Set(open.map(({ to }) => to)).size).toBe(PEERS);
  await expect.poll(() => running.now).toBe(0);
  expect(open).toHaveLength(PEERS);
  answer();
  await expect.poll(() => streams.idle).toBe(true);
  expect(await world.db.query({ text: 'select from peer_cursors where acked < 1' })).toEqual([]);
  const answerAgain = await publishToSilence();
  streams.sender.behind(peers[0] as ServerId, users);
  await expect.poll(() => open.length).toBe(users.length);
  answerAgain();
  await expect.poll(() => streams.idle).toBe(true);
});

test('telling all peers of a publication takes a few connections to the database, not one for each peer', async () => {
  const ann = await signUp(world);
  await publishReed(world, ann);
  streams.sender.published(ann.user);
  await expect.poll(() => streams.idle).toBe(true);
  expect(asked('stream')).toEqual(peers);
  expect(running.most).toBe(world.limits.streamStepsAtOnce);
  expect(await world.db.query({ text: 'select from peer_cursors where acked < 1' })).toEqual([]);
});

test('peers that hang hold so many bytes together and no more, each of them something, and have everything once they answer', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  answers = promise;
  onTestFinished(() => resolve());
  const people = await Promise.all(Array.from({ length: 5 }, () => signUp(world)));
  for (const person of people) await publishReed(world, person);
  for (const { user } of people) streams.sender.published(user);
  await expect.poll(() => new Set(open.map(({ to }) => to)).size).toBe(PEERS);
  await expect.poll(() => running.now).toBe(0);
  const bytes = open.reduce((sum, each) => sum + each.bytes, 0);
  expect(bytes).toBeLessThanOrEqual(LIMITS.streamBytesHeld);
  resolve();
  await expect.poll(() => streams.idle).toBe(true);
  const missing = 'select from peer_cursors where acked < 1';
  expect(await world.db.query({ text: missing })).toEqual([]);
  expect(
    await world.db.query({ text: 'select from peer_cursors where author_id = any($1)', values: [people.map(({ user }) => user)] }),
  ).toHaveLength(people.length * PEERS);
});

test('a fact of one author costs four statements for each peer that takes it', async () => {
  const ann = await signUp(world);
  await publishReed(world, ann);
  const before = world.db.statements;
  streams.sender.published(ann.user);
  await expect.poll(() => streams.idle).toBe(true);
  // One finds the peers. Of each: its place is leased, the items are read, the place is moved, and a last look finds nothing more.
  expect(world.db.statements - before).toBeLessThanOrEqual(1 + 4 * PEERS);
});

test('a database that goes away in the middle of it fails what is under way, and no more', async () => {
  const [ann, bea] = [await signUp(world), await signUp(world)];
  await publishReed(world, ann);
  goesAfter = 'streams_claim';
  // Of the one something is being sent when the other one's place can not be leased.
  for (const { user } of [ann, bea]) streams.sender.published(user);
  await expect.poll(() => isAway && streams.idle).toBe(true);
  [goesAfter, isAway] = [null, false];
  world.clock.advance(2 * world.limits.streamLeaseMs);
  await streams.sender.round();
  await expect.poll(() => streams.idle).toBe(true);
  expect(await world.db.query({ text: 'select from peer_cursors where author_id = $1 and acked < 1', values: [ann.user] })).toEqual([]);
  expect(await world.db.query({ text: 'select from peer_cursors where author_id = $1', values: [ann.user] })).toHaveLength(PEERS);
});

test('streams are compared with every peer, whoever of them does not answer', async () => {
  silent = (to, leg) => leg === 'positions' && to === peers[0];
  streams.positions.start();
  world.clock.advance(2 * world.limits.streamEveryMs);
  await expect.poll(() => asked('positions')).toEqual(peers);
  streams.stop();
});
