// A peer that is away for a day while reeds are published (`OUTAGE_PUBLICATIONS`: how many): the home's memory stays as it is, others are told of each
// at once (how long that takes is printed, before and meanwhile), and when the peer is back everything comes in order, each thing once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LegAnswer } from '../../src/federation/legs.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { decodeStreamRequest, encodeStreamAnswer } from '../../src/wire/streams.ts';
import { heldBytes } from '../support/held-memory.ts';
import { type Home, openHome, peer } from '../support/peer-stage.ts';
import { PeerWire } from '../support/peer-wire.ts';
import { type Person, publishReed, signUp } from '../support/people.ts';

const PUBLICATIONS = Number(process.env['OUTAGE_PUBLICATIONS'] ?? 500);
const AT_ONCE = 50;
const BEFORE = PUBLICATIONS / 10;
const DAY_MS = 86_400_000;
/** A tenth of what the bodies of the publications alone would take, if they were kept. */
const GROWTH_BYTES = 200 * PUBLICATIONS;
/** A publication takes a fiftieth of a second; beside others that keep the machine busy, several times that. */
const TIMEOUT_MS = 120_000 + PUBLICATIONS * 250;

const wire = new PeerWire();
let a: Home;
let b: Home;
let c: Home;
let ann: Person;
beforeAll(async () => {
  [a, b, c] = [await openHome(wire), await openHome(wire), await openHome(wire)];
  await peer(a, b);
  await peer(a, c);
  ann = await signUp(a);
});
afterAll(async () => void (await Promise.all([a, b, c].map((home) => home.close()))));

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
  return { cameAt, leg: new Map([['stream', { limitBytes: 1e8, handle }]]) };
}

const p99 = (times: readonly number[]): number => times.toSorted((x, y) => x - y)[Math.floor(times.length * 0.99)] ?? 0;

test('a day of outage costs its home no memory, others no time, and the peer nothing but the day', { timeout: TIMEOUT_MS }, async () => {
  const other = taker();
  wire.join(c.id, { legs: other.leg });
  const reeds: ReedId[] = [];
  // Signing and registering is not what is measured: of many at once; then each is published and told of by itself.
  const publish = async (count: number, everyMs: number): Promise<number[]> => {
    const took: number[] = [];
    for (let made = 0; made < count; made += AT_ONCE) {
      const registered = await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - made) }, () => publishReed(a, ann, {}, false)));
      for (const reed of registered) {
        a.clock.advance(everyMs);
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
  // Not so much ahead of the peer that what it is told is dated ahead.
  const usual = await publish(BEFORE, 100);
  expect(b.told.filter((word) => word.startsWith('published'))).toHaveLength(BEFORE);

  wire.leave(b.id);
  await publish(BEFORE, DAY_MS / PUBLICATIONS);
  wire.calls.length = 0;
  const heapBefore = heldBytes();
  const meanwhile = await publish(PUBLICATIONS - BEFORE, DAY_MS / PUBLICATIONS);
  // What the wire noted is the test's own.
  wire.calls.length = 0;
  const heapAfter = heldBytes();
  b.clock.advance(a.clock.now() - b.clock.now());
  expect(
    meanwhile.every((ms) => ms >= 0),
    'the other peer was told of each at once',
  ).toBe(true);
  const numbers = { usualP99Ms: p99(usual), outageP99Ms: p99(meanwhile), heapBefore, heapAfter, growthBytes: heapAfter - heapBefore };
  process.stdout.write(`${JSON.stringify({ publications: PUBLICATIONS, ...numbers })}\n`);
  expect(numbers.growthBytes).toBeLessThan(GROWTH_BYTES);

  wire.join(b.id, b.streams);
  a.streams.peerBack(b.id);
  await a.rest();
  expect(b.told.filter((word) => word.startsWith('published'))).toEqual(reeds.map((reed) => `published ${reed}`));
  expect(await a.rows('select from parked_items')).toEqual([]);
  expect(await b.rows('select number::int from received_streams')).toEqual([{ number: reeds.length }]);
});
