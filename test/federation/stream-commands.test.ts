// What an operator sees of streams, and mends, beside the server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configWith } from '../../src/config/config.ts';
import { runStreamsList, runStreamsParked, runStreamsRetry, type StreamsOf } from '../../src/ops/streams.ts';
import { flush, type Home, openPeers } from '../support/peer-stage.ts';
import type { PeerWire } from '../support/peer-wire.ts';
import { PASSPHRASE, type Person, publishReed, signUp, silent } from '../support/people.ts';

let a: Home;
let b: Home;
let wire: PeerWire;
let close: () => Promise<void>;
let ann: Person;
beforeAll(async () => {
  ({ a, b, wire, close } = await openPeers());
  ann = await signUp(a);
});
afterAll(() => close());

const run = async (command: typeof runStreamsList, of: StreamsOf = {}): Promise<{ value: Record<string, unknown>; shown: string }[]> => {
  const printed: { value: Record<string, unknown>; shown: string }[] = [];
  const terminal = {
    isTerminal: true,
    print: (value: object, shown: string) => void printed.push({ value: { ...value }, shown }),
    note: (shown: string) => void printed.push({ value: {}, shown }),
    isGone: () => false,
    fault: () => undefined,
  };
  await command({ terminal, config: configWith({ databaseUrl: a.databaseUrl, passphrase: PASSPHRASE }), log: silent, of });
  return printed;
};

test('peers are listed with what they lack, and what they refuse is shown, and sent again when asked', async () => {
  expect((await run(runStreamsList))[0]?.shown).toMatch(/live +has everything; nothing came from there yet/);
  expect((await run(runStreamsParked)).map(({ shown }) => shown)).toEqual(['Nothing is parked.']);
  wire.fate = ({ leg }) => (leg === 'stream' ? { status: 503 } : 'deliver');
  const reed = await publishReed(a, ann);
  await publishReed(a, ann);
  await flush(a);
  expect((await run(runStreamsList, { peer: b.id }))[0]?.value).toMatchObject({
    server: b.id,
    authors: 1,
    items: 2,
    waiting: 1,
    parked: 0,
  });
  wire.fate = () => 'deliver';
  await a.rows(
    `insert into parked_items (server_id, author_id, number, kind, subject_id, reason, parked_at)
    values ($1, $2, 1, 'reed', $3, 'bad-signature', now())`,
    b.id,
    ann.user,
    reed,
  );
  expect((await run(runStreamsRetry, { author: ann.user }))[0]?.value).toEqual({ parked: 1, waiting: 1, peers: 0 });
  await a.rows('update parked_items set replay_at = null');
  await flush(a);
  const [parked] = await run(runStreamsParked, { author: ann.user });
  expect(parked?.value).toMatchObject({
    peer: b.id,
    author: ann.user,
    number: 1,
    kind: 'reed',
    subject: reed,
    reason: 'bad-signature',
    replays: 0,
  });
  expect(await b.rows('select from reeds where author_id = $1', ann.user)).toHaveLength(1);
  await run(runStreamsRetry, { peer: b.id, number: 1 });
  await flush(a);
  expect((await run(runStreamsParked)).map(({ shown }) => shown)).toEqual(['Nothing is parked.']);
  expect(await b.rows('select from reeds where author_id = $1', ann.user)).toHaveLength(2);
  expect((await run(runStreamsList))[0]?.value).toMatchObject({ authors: 0, items: 0, parked: 0 });
});

test('what waits of an author is sent by the next look at what is due, on the operator’s word', async () => {
  wire.fate = ({ leg }) => (leg === 'stream' ? { status: 500 } : 'deliver');
  const reed = await publishReed(a, ann);
  await flush(a);
  wire.fate = () => 'deliver';
  await a.rows("update peer_cursors set resend_at = now() + interval '1 day' where author_id = $1", ann.user);
  const look = async () => {
    for (const { clock } of [a, b]) clock.advance(a.limits.streamHeardEveryMs);
    a.streams.sender.heard(b.id);
    await a.rest();
    return (await b.rows('select from reeds where id = $1', reed)).length;
  };
  expect(await look()).toBe(0);
  expect((await run(runStreamsRetry, { author: ann.user }))[0]?.value).toMatchObject({ waiting: 1 });
  expect((await run(runStreamsList, { peer: b.id }))[0]?.value).toMatchObject({ items: 1, waiting: 0, nextTryAt: null });
  expect(await look()).toBe(1);
});

test.each([
  ['failures = 2, retry_at = now()', /; it does not answer: reedbed peers show [a-z0-9]{16}; /],
  ['away = true', /; it is away; /],
  ["failures = 2, retry_at = now(), state = 'suspended'", /suspended +has everything; (nothing|something) came/],
])('a peer to which nothing goes now is told as that: %s', async (set, told) => {
  await a.rows(`update peers set ${set}`);
  expect((await run(runStreamsList))[0]?.shown).toMatch(told);
  await a.rows("update peers set failures = 0, retry_at = null, away = false, state = 'live'");
  expect((await run(runStreamsList))[0]?.shown).toMatch(/live +has everything; (nothing|something) came/);
});

test('what is no id is refused in words', async () => {
  await expect(run(runStreamsList, { peer: 'x' })).rejects.toThrow('"x" is no server id.');
  await expect(run(runStreamsParked, { author: 'ann' })).rejects.toThrow('"ann" is no member\'s id.');
});

test('what is refused again stays parked, with the new reason', async () => {
  const reed = await publishReed(a, ann);
  const [{ number } = { number: 0 }] = await a.rows<{ number: number }>('select number::int from author_facts where subject_id = $1', reed);
  await a.rows(
    `insert into parked_items (server_id, author_id, number, kind, subject_id, reason, parked_at)
    values ($1, $2, $3, 'reed', $4, 'then', now())`,
    b.id,
    ann.user,
    number,
    reed,
  );
  await run(runStreamsRetry);
  wire.fate = ({ body, leg }) => (leg === 'stream' && Buffer.from(body).includes(reed) ? { status: 422 } : 'deliver');
  await flush(a);
  wire.fate = () => 'deliver';
  expect((await run(runStreamsParked))[0]?.value).toMatchObject({ reason: 'status 422', replays: 1 });
});

test.each([
  [{ status: 429, retryAfterMs: 300_000 }, 300_000],
  [{ status: 503, retryAfterMs: 0 }, 1],
  [{ status: 401 }, 30_000],
  [{ status: 403 }, 30_000],
] as const)(
  'a peer that takes nothing (%o) leaves an item that was asked for again as it was, says when, and has it sent then',
  async (fate, atLeastMs) => {
    await a.rows('delete from parked_items');
    const reed = await publishReed(a, ann);
    const [{ number } = { number: 0 }] = await a.rows<{ number: number }>(
      'select number::int from author_facts where subject_id = $1',
      reed,
    );
    await a.rows(
      `insert into parked_items (server_id, author_id, number, kind, subject_id, reason, parked_at)
    values ($1, $2, $3, 'reed', $4, 'bad-signature', now())`,
      ...[b.id, ann.user, number, reed],
    );
    await flush(a);
    await run(runStreamsRetry);
    wire.fate = ({ body, leg }) => (leg === 'stream' && Buffer.from(body).includes(reed) ? fate : 'deliver');
    const now = a.clock.now();
    await flush(a);
    wire.fate = () => 'deliver';
    const [item] = await run(runStreamsParked);
    expect(item?.value).toMatchObject({ reason: 'bad-signature', replays: 0, said: `status ${fate.status}` });
    expect(item?.shown).toContain(`bad-signature; asked for again: the peer said status ${fate.status}, the next try is at `);
    expect(Date.parse(String(item?.value['nextTryAt'])) - now).toBeGreaterThanOrEqual(atLeastMs);
    const sent = wire.calls.length;
    await flush(a);
    expect(wire.calls.slice(sent).filter(({ leg }) => leg === 'stream')).toEqual([]);
    for (const { clock } of [a, b]) clock.advance(16 * 60_000);
    await flush(a);
    expect((await run(runStreamsParked)).map(({ shown }) => shown)).toEqual(['Nothing is parked.']);
    expect(await b.rows('select from reeds where id = $1', reed)).toHaveLength(1);
  },
);
