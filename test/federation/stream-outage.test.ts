// A peer that is away for a day while ten thousand reeds are published: nothing is kept for it but what our own tables say, others are served as ever,
// and when it is back everything comes in order, each thing once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeStreamRequest, encodeStreamAnswer } from '../../src/wire/streams.ts';
import { flush, type Home, openHome, peer } from '../support/peer-stage.ts';
import { approve, PeerWire } from '../support/peer-wire.ts';
import { type Person, publishReed, signUp } from '../support/people.ts';

const PUBLICATIONS = 10_000;

const wire = new PeerWire();
let a: Home;
let b: Home;
let c: Home;
let ann: Person;
beforeAll(async () => {
  [a, b, c] = [await openHome(wire), await openHome(wire), await openHome(wire)];
  await peer(a, b);
  await peer(a, c);
  await approve(b.databaseUrl, a.databaseUrl);
  ann = await signUp(a);
});
afterAll(async () => void (await Promise.all([a, b, c].map((home) => home.close()))));

/** Takes numbers as a receiver does, and keeps nothing else. */
function taker() {
  const taken: number[] = [];
  let [open, most, longest] = [0, 0, 0];
  const haves = new Map<string, number>();
  const handle = async (_peer: string, body: Uint8Array) => {
    [open, longest] = [open + 1, Math.max(longest, body.length)];
    most = Math.max(most, open);
    const request = decodeStreamRequest(body);
    if (!request.ok) throw new Error('not to be read');
    await new Promise((turn) => setImmediate(turn));
    let have = haves.get(request.value.authorId) ?? 0;
    for (const { number } of request.value.items) if (number > have) taken.push(number);
    have = Math.max(have, request.value.items.at(-1)?.number ?? 0);
    haves.set(request.value.authorId, have);
    open -= 1;
    const outcomes = request.value.items.map(({ number }) => ({ number, verdict: 'accepted' as const, reason: '' }));
    return { status: 200, body: encodeStreamAnswer({ have, outcomes }) };
  };
  return { taken, leg: new Map([['stream', { limitBytes: 1e8, handle }]]), seen: () => ({ most, longest }) };
}

test('ten thousand publications come to a peer that was away, in order, each once, a request at a time', async () => {
  const reed = await publishReed(a, ann);
  const before = await a.rows<{ tables: number }>(`select count(*)::int as tables from peer_cursors`);
  // Away: no call comes through. Publications go on; their rows are what publishing writes.
  wire.leave(b.id);
  const others = taker();
  wire.join(c.id, { legs: others.leg });
  await a.rows(
    `with i as (insert into reed_identities (id, server_id, author_id)
        select $1 || '/' || uuidv7(), split_part($1, '@', 2), $1 from generate_series(2, $2::int) returning id),
      p as (insert into reeds (id, author_id, statement_hash, registered_at, published_at)
        select i.id, $1, r.statement_hash, now(), now() from i, reeds r where r.id = $3 returning id),
      s as (update author_streams set last_number = $2 where author_id = $1)
    insert into author_facts (author_id, number, kind, subject_id) select $1, 1 + row_number() over (order by id), 'reed', id from p`,
    ann.user,
    PUBLICATIONS,
    reed,
  );
  a.streams.sender.published(ann.user);
  await a.rest();
  expect(others.taken).toHaveLength(PUBLICATIONS);
  // What is kept for the peer that is away is one row with its place, whatever was published.
  expect(await a.rows('select cursor::int, failures from peer_cursors where server_id = $1', b.id)).toEqual([{ cursor: 0, failures: 0 }]);
  expect(await a.rows<{ tables: number }>('select count(*)::int as tables from peer_cursors')).toEqual([
    { tables: (before[0]?.tables ?? 0) + 2 },
  ]);
  expect(await a.rows('select from parked_items')).toEqual([]);
  const back = taker();
  wire.join(b.id, { legs: back.leg });
  a.streams.peerBack(b.id);
  await a.rest();
  expect(back.taken).toEqual(Array.from({ length: PUBLICATIONS }, (_, at) => at + 1));
  expect(back.seen().most).toBe(1);
  expect(back.seen().longest).toBeLessThanOrEqual(a.limits.streamBytes + 10_000);
});

test('anything that comes from a peer is a reason to look what failed there, though not every time', async () => {
  const all = taker();
  wire.leave(b.id);
  const eve = await signUp(a);
  await publishReed(a, eve);
  await flush(a);
  wire.join(b.id, { legs: all.leg });
  a.streams.heard(b.id);
  await a.rest();
  expect(all.taken).toEqual([1]);
  await publishReed(a, eve);
  wire.fate = () => ({ status: 503, retryAfterMs: 1_000 });
  await flush(a);
  wire.fate = () => 'deliver';
  a.clock.advance(1_000);
  a.streams.heard(b.id);
  await a.rest();
  expect(all.taken).toEqual([1]);
  a.clock.advance(a.limits.streamHeardEveryMs);
  a.streams.heard(b.id);
  await a.rest();
  expect(all.taken).toEqual([1, 2]);
});

test('what nobody said anything of is found by the next pass over all authors', async () => {
  const all = taker();
  wire.join(b.id, { legs: all.leg });
  const eve = await signUp(a);
  await publishReed(a, eve);
  await a.rest();
  expect(all.taken).toEqual([]);
  await flush(a);
  expect(all.taken).toEqual([1]);
});

test.each([
  ['a pass over all', () => flush(a)],
  ['who published', (author: Person) => a.streams.sender.published(author.user)],
] as const)('while somebody who died has all places at a peer, the look at %s is not over', async (_what, look) => {
  const all = taker();
  wire.join(b.id, { legs: all.leg });
  const dead = [...'abcdefgh'].map((sign) => `${sign.repeat(16)}@${a.id}`);
  expect(dead).toHaveLength(a.limits.streamsPerPeer);
  await a.rows(
    'insert into identities (id, server_id, first_seen_at) select unnest($1::text[]), $2, now() on conflict do nothing',
    ...[dead, a.id],
  );
  await a.rows(
    `insert into peer_cursors (server_id, author_id, start, cursor, acked, sent, lease_until) select $1, unnest($2::text[]), 0, 0, 0, 0, $3
      on conflict (server_id, author_id) do update set lease_until = excluded.lease_until`,
    ...[b.id, dead, new Date(a.clock.now() + a.limits.streamLeaseMs)],
  );
  const eve = await signUp(a);
  await publishReed(a, eve);
  await look(eve);
  await a.rest();
  expect(all.taken).toEqual([]);
  a.clock.advance(a.limits.streamLeaseMs);
  // Whatever comes of the peer is a reason to go on.
  a.streams.heard(b.id);
  await a.rest();
  expect(all.taken).toEqual([1]);
});

// The last one: what was stopped looks no more.
test('what nobody said anything of is found by a timer alone (F40)', async () => {
  const all = taker();
  wire.join(b.id, { legs: all.leg });
  a.streams.start();
  await a.rest();
  const eve = await signUp(a);
  await publishReed(a, eve);
  for (let time = 0; time < 2; time += 1) {
    a.clock.advance(a.limits.streamPassEveryMs);
    await a.rest();
  }
  a.streams.stop();
  expect(all.taken).toEqual([1]);
});
