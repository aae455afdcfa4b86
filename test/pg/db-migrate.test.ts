// Migrations on real databases: order, taking turns, refusals, and what a killed one leaves.
import { cp, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SetupError } from '../../src/base/setup-error.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createDatabase, run, type TestDatabase } from '../support/database.ts';

const log = pino({ level: 'silent' });
const own = join(import.meta.dirname, '../../migrations');
let database: TestDatabase;
let folder: string;

const namesIn = async (url: string): Promise<string[]> => {
  const [result] = await run(url, 'select name from kysely_migration order by name');
  return (result?.rows ?? []).map((row) => row.name as string);
};
const faultOf = async (work: Promise<unknown>): Promise<SetupError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SetupError);
  return error as SetupError;
};

beforeEach(async () => {
  database = await createDatabase({ empty: true });
  folder = await mkdtemp(join(tmpdir(), 'reedbed-migrations-'));
  await cp(own, folder, { recursive: true });
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('migrate', () => {
  it('applies every migration once, in order', async () => {
    const names = (await readdir(own)).map((name) => name.replace('.sql', '')).sort();
    expect(await migrate(database.url, log, { dryRun: true })).toMatchObject({ applied: [], pending: names });
    expect(await migrate(database.url, log)).toMatchObject({ applied: names, pending: [], version: names.at(-1) });
    expect(await migrate(database.url, log)).toMatchObject({ applied: [], pending: [] });
    expect(await namesIn(database.url)).toEqual(names);
  });

  it('lets starters that come together take turns', async () => {
    const results = await Promise.all([1, 2, 3].map(() => migrate(database.url, log)));
    expect(results.filter((result) => result.applied.length > 0)).toHaveLength(1);
  });

  it('refuses a database newer than the program', async () => {
    await writeFile(join(folder, '9999_future.sql'), 'create table future ()');
    const files = (await readdir(folder)).sort();
    await rename(join(folder, '9999_future.sql'), join(folder, `${String(files.length).padStart(4, '0')}_future.sql`));
    await migrate(database.url, log, { folder });
    const fault = await faultOf(migrate(database.url, log));
    expect(fault.message).toContain('newer');
    expect(fault.message).toContain('_future');
  });

  it('refuses a database with a gap, and files with a gap', async () => {
    await migrate(database.url, log);
    await run(database.url, `delete from kysely_migration where name like '0002%'`);
    expect((await faultOf(migrate(database.url, log))).message).toContain('gap');
    const fresh = await createDatabase({ empty: true });
    const second = (await readdir(folder)).find((name) => name.startsWith('0002')) ?? '';
    await rm(join(folder, second));
    expect((await faultOf(migrate(fresh.url, log, { folder }))).message).toContain('gap before 0003');
    await fresh.drop();
  });

  it('refuses a migration that was edited after it was applied', async () => {
    await migrate(database.url, log);
    const first = (await readdir(folder)).sort()[0] ?? '';
    await writeFile(join(folder, first), 'select 1;');
    expect((await faultOf(migrate(database.url, log, { folder }))).message).toContain('edited');
  });

  it('counts what was answered and echoed before there were counts', async () => {
    for (const name of await readdir(folder)) if (name > '0005') await rm(join(folder, name));
    await migrate(database.url, log, { folder });
    const [server, author] = ['s'.repeat(16), `${'a'.repeat(16)}@${'s'.repeat(16)}`];
    const reed = (id: string, then: string) => `
      insert into reed_identities values ('${id}', '${server}', '${author}');
      insert into reeds (id, author_id, statement_hash, registered_at, published_at, removed_at, reply_to, echo_of)
        values ('${id}', '${author}', 'hash', now(), ${then});`;
    await run(
      database.url,
      `set session_replication_role = replica;
      insert into identities (id, server_id, first_seen_at) values ('${author}', '${server}', now());
      ${reed('root', 'now(), null, null, null')}
      ${reed('answer', `now(), null, 'root', null`)}
      ${reed('below', `now(), null, 'answer', 'root'`)}
      ${reed('removed', `now(), now(), 'answer', 'root'`)}
      ${reed('unpublished', `null, null, 'root', 'answer'`)}`,
    );
    await migrate(database.url, log);
    const [counts] = await run(database.url, 'select reed_id, replies, echoes from reed_stats order by reed_id');
    expect(counts?.rows).toEqual([
      { reed_id: 'answer', replies: 1, echoes: 0 },
      { reed_id: 'root', replies: 2, echoes: 1 },
    ]);
  });

  it('leaves nothing of a migration that fails or whose connection is killed', async () => {
    const next = `${String((await readdir(folder)).length + 1).padStart(4, '0')}_next.sql`;
    await writeFile(join(folder, next), 'create table half (); select 1/0;');
    const fault = await faultOf(migrate(database.url, log, { folder }));
    expect(fault.message).toContain('_next failed (22012)');
    expect(await namesIn(database.url)).toEqual([]);

    await writeFile(join(folder, next), `create table half (); select pg_sleep(600), 'slow migration';`);
    const killed = faultOf(migrate(database.url, log, { folder }));
    const busy = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'active' and query like '%slow migration%' and pid <> pg_backend_pid()`;
    await expect.poll(async () => (await run(database.url, busy))[0]?.rowCount, { timeout: 20_000 }).toBe(1);
    expect((await killed).message).toContain('failed');
    const [half] = await run(database.url, `select to_regclass('half') as half, to_regclass('users') as users`);
    expect(half?.rows).toEqual([{ half: null, users: null }]);

    await rm(join(folder, next));
    expect((await migrate(database.url, log, { folder })).applied.length).toBeGreaterThan(0);
  });

  it('refuses an encoding other than UTF8', async () => {
    const url = new URL(database.url);
    await run(database.url, `create database latin encoding 'LATIN1' locale 'C' template template0`);
    url.pathname = '/latin';
    expect((await faultOf(migrate(url.href, log))).message).toContain('LATIN1');
    await run(database.url, 'drop database latin');
  });

  it('refuses a server older than PostgreSQL 18', async () => {
    // A role that sees an old version: settings are found by search path, so its own current_setting answers first.
    await run(
      database.url,
      'create schema old',
      `create function old.current_setting(name text) returns text language sql as $$ select case name when 'server_version_num' then '170005' when 'server_version' then '17.5' else pg_catalog.current_setting(name) end $$`,
    );
    const url = new URL(database.url);
    url.searchParams.set('options', '-c search_path=old,pg_catalog,public');
    const fault = await faultOf(migrate(url.href, log));
    expect(fault.message).toContain('17.5');
    expect(fault.message).toContain('18 or newer');
  });

  it('says UNAVAILABLE when there is no server', async () => {
    const url = new URL(database.url);
    url.port = '1';
    await expect(migrate(url.href, log)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('holds no lock afterwards', async () => {
    await migrate(database.url, log);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      `select count(*)::int as n from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    await client.end();
    expect(rows).toEqual([{ n: 0 }]);
  });
});
