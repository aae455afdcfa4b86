// kill -9 of a migration at each of its steps: nothing of it is there, its locks are gone, and the next one does all of it; after its commit
// all of it is there, though nobody was told.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { removeFolder, startChild } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { createDatabase, run, type TestDatabase } from '../support/database.ts';
import { byTurns, inTest } from '../support/length.ts';
import { PgProxy, type Point } from '../support/pg-proxy.ts';

const MIGRATIONS = (await readdir(join(import.meta.dirname, '../../migrations'))).map((name) => name.replace('.sql', '')).sort();
const FILE = /^\s*--.*create (unlogged )?table/s;

let database: TestDatabase;
let proxy: PgProxy;
let folder: string;
beforeAll(async () => {
  database = await createDatabase({ empty: true });
  proxy = await PgProxy.start(database.url);
  folder = await makeDataFolder();
});
afterAll(async () => {
  await proxy.close();
  await database.drop();
  await removeFolder(folder);
});

/** Starts a migration as its operator does and kills it at the point. */
const killAt = async (point: Point): Promise<void> => {
  const reached = proxy.at(point);
  const child = startChild('src/main.ts', {
    args: ['migrate'],
    cwd: folder,
    env: { PATH: process.env['PATH'], REEDBED_DATA: join(folder, 'data'), DATABASE_URL: proxy.url },
  });
  const hold = await Promise.race([reached, child.exit.then(() => Promise.reject(new Error(child.output().err)))]);
  child.send('SIGKILL');
  await child.exit;
  hold.cut();
  proxy.cutAll();
  const others = `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await run(database.url, others))[0]?.rows, { timeout: 20_000 }).toEqual([]);
};
const tables = async (): Promise<string[]> => {
  const [found] = await run(
    database.url,
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  return (found?.rows ?? []).map((row) => row.relname as string).filter((name) => !/^(kysely_|migration_)/.test(name));
};

describe('a migration', () => {
  const cases = [
    { step: 'before it takes its lock', point: { statement: /pg_advisory_lock/, side: 'before' } },
    { step: 'before its own table is made', point: { statement: /create table if not exists migration_hashes/, side: 'before' } },
    ...MIGRATIONS.flatMap((name): { step: string; point: Point }[] => [
      { step: `in ${name}, executed and not yet noted`, point: { statement: /insert into migration_hashes/, side: 'before', about: name } },
    ]),
    { step: 'before the first file', point: { statement: FILE, side: 'before' } },
    { step: 'before its commit', point: { statement: /insert into migration_hashes/, side: 'at-commit', about: MIGRATIONS.at(-1) ?? '' } },
  ] satisfies { step: string; point: Point }[];

  it.each(byTurns(cases, 4))('killed $step leaves nothing', async ({ point }) => {
    await killAt(point);
    expect(await tables()).toEqual([]);
    expect((await migrate(database.url, pino({ level: 'silent' }), { dryRun: true })).pending).toEqual(MIGRATIONS);
  });

  inTest(() => {
    it('killed after its commit, with nobody told, is there whole', async () => {
      await killAt({ statement: /insert into migration_hashes/, side: 'after', about: MIGRATIONS.at(-1) ?? '' });
      expect(await tables()).toContain('pending_events');
      expect(await migrate(database.url, pino({ level: 'silent' }))).toMatchObject({ applied: [], pending: [] });
    });
  });
});
