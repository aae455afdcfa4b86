// Two hundred peers, a thousand authors, ten thousand items that are owed: what the looks of streams and of owed acts touch, read from plans that were
// run. A look that finds nothing costs a few buffers, whoever else is owed what; a pass reads each author once, however many are sent at a time.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Sql } from '../../src/db/pool.ts';
import { OwedLegs } from '../../src/federation/owed-legs.ts';
import { Persons } from '../../src/federation/persons.ts';
import { StreamReplays } from '../../src/federation/stream-replays.ts';
import { peerStreams } from '../../src/federation/stream-report.ts';
import { StreamTable } from '../../src/federation/stream-table.ts';
import type { ServerId, UserId } from '../../src/wire/address.ts';
import { makeWorld, type World } from '../support/people.ts';

const [PEERS, AUTHORS, BEHIND] = [200, 1_000, 50];

let world: World;
let client: pg.Client;
let table: StreamTable;
let peer: ServerId;
beforeAll(async () => {
  world = await makeWorld();
  client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  const self = world.identity.server.id;
  await client.query(`
    insert into servers (id, name, first_seen_at)
      select 'srv' || lpad(translate(g::text, '0189', 'abcd'), 13, 'a'), 'p', now() from generate_series(1, ${PEERS}) g;
    insert into peers (server_id, state, begun_by, begun_at, share_begun) select id, 'live', 'operator', now(), true from servers where not is_self;
    insert into identities (id, server_id, first_seen_at)
      select 'author' || lpad(g::text, 10, '0') || '@${self}', '${self}', now() from generate_series(1, ${AUTHORS}) g;
    insert into author_streams (author_id, last_number) select id, 20 from identities;
    insert into author_facts (author_id, number, kind, subject_id) select author_id, 20, 'reed', author_id || '/20' from author_streams;
    insert into peer_cursors (server_id, author_id, start, cursor, acked, sent)
      select p.server_id, a.author_id, 0, case when a.nth <= ${BEHIND} then 19 else 20 end, 19, 19
      from peers p, (select author_id, row_number() over (order by author_id) as nth from author_streams) a;
    insert into statements (hash, user_id, type, seq, signed_at, certificate)
      select sha256(author_id::bytea), author_id, 'follow', 1, now(), '{}' from author_streams;
    insert into owed_legs (server_id, leg, user_id, target, statement_hash, seq, due_at)
      select p.server_id, 'follow', a.author_id, 'x', sha256(a.author_id::bytea), 1, now() + interval '1 hour'
      from peers p, (select author_id from author_streams order by 1 limit ${BEHIND}) a`);
  await client.query('vacuum analyze');
  const rows = await client.query('select server_id as id from peers order by 1 limit 1 offset 100');
  peer = rows.rows[0].id;
  table = new StreamTable(world);
}, 60_000);
afterAll(async () => {
  await client.end();
  await world.close();
});

/** Buffers that the statements of a step touch: each is explained as it would run, then it runs. */
const touched = async (step: () => Promise<unknown>): Promise<number> => {
  let buffers = 0;
  const query = async (given: { text: string; values?: readonly unknown[] }) => {
    await client.query('begin');
    const { rows } = await client.query({
      text: `explain (analyze, buffers, format json) ${given.text}`,
      values: [...(given.values ?? [])],
    });
    await client.query('rollback');
    const top = rows[0]['QUERY PLAN'][0].Plan;
    buffers += top['Shared Hit Blocks'] + top['Shared Read Blocks'];
    return world.db.query(given as Sql);
  };
  const db = new Proxy(world.db, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name, target)) });
  table = new StreamTable({ ...world, db });
  const quiet = { ...world, db, calls: { call: async () => ({ kind: 'transport' as const }) }, random: () => 0 };
  owed = new OwedLegs(quiet);
  replays = new StreamReplays({ ...quiet, table, token: () => '' });
  persons = new Persons({ ...quiet, log: { warn: () => undefined }, foreign: world.identity.foreign });
  counted = db;
  await step();
  return buffers;
};
let owed: OwedLegs;
let replays: StreamReplays;
let persons: Persons;
/** The database as a step has it whose buffers are counted. */
let counted: Database;

test('a look at what is due at a peer touches an index, whatever others are owed', async () => {
  expect(await touched(() => table.due(peer, 1_000))).toBeLessThan(20);
  expect(await touched(() => owed.round(peer))).toBeLessThan(20);
  expect(await touched(() => table.hurry(peer))).toBeLessThan(20);
  expect(await touched(() => replays.round(peer))).toBeLessThan(20);
});

test('what may not be sent again before a date is not due before it', async () => {
  const [waits] = await client.query('select author_id as id from author_streams order by 1 limit 1').then(({ rows }) => rows);
  const put = (resendInMs: number) =>
    client.query('update peer_cursors set retry_at = $3, resend_at = $4 where server_id = $1 and author_id = $2', [
      ...[peer, waits.id],
      ...[-1_000, resendInMs].map((inMs) => new Date(world.clock.now() + inMs)),
    ]);
  await put(60_000);
  expect(await new StreamTable(world).due(peer, 1_000)).toEqual([]);
  await put(-1_000);
  expect(await new StreamTable(world).due(peer, 1_000)).toEqual([waits.id]);
  await client.query('update peer_cursors set retry_at = null, resend_at = null where retry_at is not null');
});

test('a claim of named authors costs for each of them, not for all there are', async () => {
  const names = await client.query('select author_id as id from author_streams order by 1 limit 8');
  const buffers = await touched(() =>
    table.claim(
      peer,
      names.rows.map(({ id }: { id: UserId }) => id),
      8,
    ),
  );
  await client.query('update peer_cursors set lease_until = null where lease_until is not null');
  expect(buffers).toBeLessThan(8 * 40);
});

test('a pass claims whoever is behind, reading each author once', async () => {
  const claimed: UserId[] = [];
  const buffers = await touched(async () => {
    for (let after = ''; ; ) {
      const { claims } = await table.claimAfter(peer, after, 8);
      claimed.push(...claims.map(({ author }) => author));
      await client.query('update peer_cursors set lease_until = null where lease_until is not null');
      if (claims.length < 8) return;
      after = claims.at(-1)?.author ?? '';
    }
  });
  expect(new Set(claimed).size).toBe(BEHIND);
  expect(claimed).toHaveLength(BEHIND);
  // Four pages of indexes and rows for each author that is behind or looked at, and not seven times all authors.
  expect(buffers).toBeLessThan(6 * AUTHORS);
});

test('a look at the people of one peer costs nothing for those of the others', async () => {
  const report = () => touched(() => peerStreams(counted, peer));
  const before = await report();
  await client.query(
    `with people as (
      insert into identities (id, server_id, first_seen_at)
        select 'person' || lpad(g::text, 10, '0') || '@' || id, id, now() from servers, generate_series(1, 100) g where not is_self and id <> $1
      returning id)
    insert into received_streams (author_id, number) select id, 1 from people`,
    [peer],
  );
  await client.query('vacuum analyze identities, received_streams');
  expect((await report()) - before).toBeLessThan(20);
  const nameless = async () => {
    persons.meetAll(peer);
    while (!persons.idle) await new Promise((turn) => setImmediate(turn));
  };
  expect(await touched(nameless)).toBeLessThan(20);
});

test('a plan that was made for items while there were few looks each up by its key when there are many', async () => {
  const young = await makeWorld();
  const own = new pg.Client({ connectionString: young.databaseUrl });
  await own.connect();
  try {
    const self = young.identity.server.id;
    const author = `author0000000001@${self}` as UserId;
    await own.query('insert into identities (id, server_id, first_seen_at) values ($1, $2, now())', [author, self]);
    await own.query('insert into author_streams (author_id, last_number) values ($1, 5000)', [author]);
    const publish = (from: number, to: number) =>
      own.query(
        `with new as (select g as number, $1 || '/' || g as id, sha256(('reed' || g)::bytea) as hash from generate_series(${from}, ${to}) g),
          f as (insert into author_facts (author_id, number, kind, subject_id) select $1, number, 'reed', id from new),
          s as (insert into statements (hash, user_id, type, seq, signed_at, certificate) select hash, $1, 'reed', number, now(), '{}' from new),
          i as (insert into reed_identities (id, server_id, author_id) select id, $2, $1 from new)
        insert into reeds (id, author_id, statement_hash, registered_at) select id, $1, hash, now() from new`,
        [author, self],
      );
    const statementOf = async (cursor: number): Promise<Sql> => {
      const asked: Sql[] = [];
      const db = new Proxy(young.db, { get: () => async (given: Sql) => asked.splice(asked.length, 0, given) });
      const state = { start: 0, cursor, acked: cursor, sent: cursor, items: 100, failures: 0, laterSinceMs: null };
      await new StreamTable({ ...young, db }).items({ peer, author, lease: '', state });
      return asked[0] as Sql;
    };
    const items = async (cursor: number): Promise<number> => {
      const values = ((await statementOf(cursor)).values ?? []).map((value) => own.escapeLiteral(String(value))).join(', ');
      const { rows } = await own.query(`explain (analyze, buffers, format json) execute items (${values})`);
      const { Plan: plan } = rows[0]['QUERY PLAN'][0];
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    };
    await publish(1, 500);
    await own.query('set plan_cache_mode = force_generic_plan');
    await own.query(`prepare items (text, text, bigint, int, int, int) as ${(await statementOf(0)).text}`);
    await items(499);
    await publish(501, 5_000);
    expect(await items(4_999)).toBeLessThan(40);
    expect(await items(4_900)).toBeLessThan(40 * 100);
  } finally {
    await own.end();
    await young.close();
  }
});
