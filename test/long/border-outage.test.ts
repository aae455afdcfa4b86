// A peer that is away for a day while reeds are published (`OUTAGE_PUBLICATIONS`: how many): the home's memory stays as it is, others are told of each
// at once and with no more work than before (how long it takes is printed), and when the peer is back everything comes in order, each thing once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PeerSender } from '../../src/federation/sender.ts';
import type { Leg, LegAnswer } from '../../src/federation/stream-ports.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { decodeStreamRequest, encodeStreamAnswer } from '../../src/wire/streams.ts';
import { heldBytes } from '../support/held-memory.ts';
import { address, breakerOf } from '../support/peer-breaker.ts';
import { type Home, openHome, peer } from '../support/peer-stage.ts';
import { PeerWire } from '../support/peer-wire.ts';
import { type Person, publishReed, signUp } from '../support/people.ts';

const PUBLICATIONS = Number(process.env['OUTAGE_PUBLICATIONS'] ?? 1000);
const AT_ONCE = 50;
const BEFORE = PUBLICATIONS / 10;
const DAY_MS = 86_400_000;
/** A tenth of what the bodies of the publications alone would take, if they were kept; and what a heap of this size differs by from one look to the next. */
const GROWTH_BYTES = 200 * PUBLICATIONS + 1_000_000;
/** A publication takes a fiftieth of a second; beside others that keep the machine busy, several times that. */
const TIMEOUT_MS = 120_000 + PUBLICATIONS * 250;

const wire = new PeerWire();
let a: Home;
let b: Home;
let c: Home;
let ann: Person;
let probes: PeerSender;
beforeAll(async () => {
  a = await openHome(wire, {}, (world, calls) => {
    const breaker = breakerOf(world, calls, (back) => a.streams.peerBack(back));
    probes = breaker.sender;
    return breaker.calls;
  });
  [b, c] = [await openHome(wire), await openHome(wire)];
  await peer(a, b);
  await peer(a, c);
  await address(a);
  ann = await signUp(a);
  wire.join(b.id, { legs: new Map([...b.legs, ['notice', NOTICED]]) });
});
afterAll(async () => {
  await probes.stop();
  await Promise.all([a, b, c].map((home) => home.close()));
});

const NOTICED: Leg = { limitBytes: 1e6, handle: async () => ({ status: 204 }) };

/** The other peer: takes every number, and says when it came. */
function taker() {
  const cameAt: number[] = [];
  const handle = async (_peer: string, body: Uint8Array): Promise<LegAnswer> => {
    const request = decodeStreamRequest(body);
    if (!request.ok) throw new Error('not to be read');
    const { items } = request.value;
    for (const { number } of items) cameAt[number] = performance.now();
    const outcomes = items.map(({ number }) => ({ number, verdict: 'accepted' as const, reason: '' }));
    return { status: 200, body: encodeStreamAnswer({ have: items.at(-1)?.number ?? 0, outcomes }) };
  };
  const legs = new Map<string, Leg>([
    ['stream', { limitBytes: 1e8, handle }],
    ['notice', NOTICED],
  ]);
  return { cameAt, legs };
}

const shares = [0.5, 0.9, 0.99];
/** Milliseconds within which these shares of them were told. */
const within = (times: readonly number[]): number[] =>
  shares.map((share) => times.toSorted((x, y) => x - y)[Math.floor(times.length * share)] ?? 0);

test('a day of outage costs its home no memory, others no time, and the peer nothing but the day', { timeout: TIMEOUT_MS }, async () => {
  const other = taker();
  wire.join(c.id, other);
  await probes.start();
  const reeds: ReedId[] = [];
  // Signing and registering is not what is measured: of many at once; then each is published and told of by itself.
  const publish = async (count: number): Promise<number[]> => {
    const took: number[] = [];
    for (let made = 0; made < count; made += AT_ONCE) {
      const registered = await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - made) }, () => publishReed(a, ann, {}, false)));
      for (const reed of registered) {
        for (const home of [a, b]) home.clock.advance(DAY_MS / PUBLICATIONS);
        await probes.round();
        await a.reeds.publish.publishReady(ann.member, reed, undefined);
        reeds.push(reed);
        const begun = performance.now();
        a.streams.sender.published(ann.user);
        await a.rest();
        took.push((other.cameAt[reeds.length] ?? Number.NaN) - begun);
      }
    }
    return took;
  };
  await publish(BEFORE);
  const sentBefore = a.db.statements;
  const usual = await publish(BEFORE);
  const sentUsual = a.db.statements - sentBefore;
  expect(b.told.filter((word) => word.startsWith('published'))).toHaveLength(2 * BEFORE);

  wire.leave(b.id);
  await publish(BEFORE);
  wire.calls.length = 0;
  const heapBefore = heldBytes();
  const sentOutage = a.db.statements;
  const meanwhile = await publish(PUBLICATIONS - 3 * BEFORE);
  const statements = { usual: sentUsual, outage: a.db.statements - sentOutage };
  // What the wire noted is the test's own.
  wire.calls.length = 0;
  const heapAfter = heldBytes();
  expect(
    meanwhile.every((ms) => ms >= 0),
    'the other peer was told of each at once',
  ).toBe(true);
  const numbers = { usualMs: within(usual), outageMs: within(meanwhile), heapBefore, heapAfter, growthBytes: heapAfter - heapBefore };
  process.stdout.write(`${JSON.stringify({ publications: PUBLICATIONS, ...numbers })}\n`);
  expect(numbers.growthBytes).toBeLessThan(GROWTH_BYTES);
  expect(statements.outage / meanwhile.length, 'statements for each').toBeLessThanOrEqual(statements.usual / usual.length);

  wire.join(b.id, { legs: new Map([...b.legs, ['notice', NOTICED]]) });
  // The next probe finds it.
  for (const home of [a, b]) home.clock.advance(a.limits.peerBackoffMaxMs);
  await probes.round();
  await a.rest();
  expect(b.told.filter((word) => word.startsWith('published'))).toEqual(reeds.map((reed) => `published ${reed}`));
  expect(await a.rows('select from parked_items')).toEqual([]);
  expect(await b.rows('select number::int from received_streams')).toEqual([{ number: reeds.length }]);
});
