// What Postgres remembers by itself about the rows of UNLOGGED tables: nothing. Its statistics are logged, and a clean stop keeps them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, run, type TestDatabase } from '../support/database.ts';
import { LightCommunity } from '../support/light-member.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

const UNLOGGED_COLUMNS = `select c.relname || '.' || a.attname as name, a.attstattarget as target
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relpersistence = 'u' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`;

test('no column of an UNLOGGED table has its values copied to the statistics', async () => {
  const [columns] = await run(database.url, UNLOGGED_COLUMNS);
  expect(columns?.rows.length).toBeGreaterThan(50);
  expect(columns?.rows.filter(({ target }) => target !== 0)).toEqual([]);
});

test('ANALYZE writes down nobody who is signed in', async () => {
  const server = 'bbbbbbbbbbbbbbbb';
  await run(database.url, `insert into servers (id, name, first_seen_at) values ('${server}', '', now())`);
  await new LightCommunity(database.url, server).accounts(300);
  await run(database.url, 'analyze');
  const [sessions, users] = await run(
    database.url,
    "select attname from pg_stats where tablename = 'sessions'",
    "select attname from pg_stats where tablename = 'users' and attname = 'id'",
  );
  expect(sessions?.rows).toEqual([]);
  // Those of tables that are kept anyway are kept too: it is these that the planner goes by.
  expect(users?.rows).toEqual([{ attname: 'id' }]);
});
