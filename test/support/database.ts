// Test databases: clones of the run's migrated template, and whole Postgres servers for tests that break theirs.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type pg from 'pg';
import pino from 'pino';
import { inject } from 'vitest';
import { startEmbedded } from '../../src/db/embedded.ts';
import { connected, forget } from './connections.ts';
import { copyData, makeDataFolder } from './data-folder.ts';

export type TestDatabase = { readonly url: string; drop(): Promise<void> };
export type TestServer = { readonly url: string; readonly pid: number; readonly folder: string; stop(): Promise<void> };

/** Runs statements, one after the other, beside whatever else goes on there. */
export const run = (url: string, ...statements: string[]): Promise<pg.QueryResult[]> =>
  connected(url, async (client) => {
    const results: pg.QueryResult[] = [];
    for (const statement of statements) results.push(await client.query(statement));
    return results;
  });

/** The way to a database that members of a network have, though the tests' own is a socket. */
export const overTcp = (url: string): string => {
  const changed = new URL(url);
  changed.searchParams.delete('host');
  return changed.href;
};

const inServer = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
};

/** A new database with all migrations (or empty). A crash of its server empties the UNLOGGED tables of everyone's: for that, use `startServer`. */
export const createDatabase = async (options: { empty?: boolean } = {}): Promise<TestDatabase> => {
  const template = inject('templateUrl');
  const server = inServer(template, 'postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying the files is several times faster than writing every page to the log.
  const source = options.empty ? 'template0' : new URL(template).pathname.slice(1);
  await run(server, `create database ${name} template ${source} strategy file_copy`);
  const url = inServer(template, name);
  return {
    url,
    drop: async () => {
      await forget(url);
      await run(server, `drop database if exists ${name} with (force)`);
    },
  };
};

/** Puts a cluster with our schema into a data folder, as if a server had been started there and ended before it made its keys. */
export const prepareData = (folder: string): Promise<void> => copyData(inject('preparedData'), folder);

/** A Postgres of the test's own, with all migrations. */
export const startServer = async (): Promise<TestServer> => {
  const folder = await makeDataFolder();
  await prepareData(folder);
  const server = await startEmbedded({ dataFolder: folder, log: pino({ level: 'silent' }), settings: { fsync: 'off' } });
  return {
    url: server.url,
    get pid() {
      return server.pid;
    },
    folder,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
