// One embedded Postgres for a whole test run, in a temporary folder, with a migrated template that each test database is cloned from.
// Nothing is left behind: the server is stopped and the folder removed when the run ends.
import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import pino, { type Logger } from 'pino';
import type { TestProject } from 'vitest/node';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { copyData } from './data-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of the migrated template database. */
    templateUrl: string;
    /** A data folder whose cluster and schema are made, and that no server ever used. */
    preparedData: string;
  }
}

type Started = { readonly folder: string; readonly preparedData: string; readonly server: Embedded; readonly url: string };
type Run = { running: Promise<Started> | null; users: number };

// Vitest loads and runs this file anew for each project; one process is all they share.
const shared = globalThis as typeof globalThis & { reedbedTestRun?: Run };
shared.reedbedTestRun ??= { running: null, users: 0 };
const run = shared.reedbedTestRun;

/**
 * Of the server that is shared: it has a database for each file at a time, all of them small. Each made or dropped is a walk through the buffers,
 * and looking after dozens by turns, none of which lives for a minute, was a tenth of a run. Servers that tests start themselves do as ever.
 */
const SHARED = { fsync: 'off', max_connections: '300', max_locks_per_transaction: '256', autovacuum: 'off', shared_buffers: '128MB' };
/** Of a socket's path, less its name: systems take about a hundred. */
const SOCKET_FOLDER_LENGTH = 85;

/** Where the shared server has a socket, in which a statement costs a third less than over TCP; null where it can have none. */
const makeSockets = async (folder: string): Promise<string | null> => {
  const sockets = join(folder, 's');
  if (process.platform === 'win32' || sockets.length > SOCKET_FOLDER_LENGTH) return null;
  await mkdir(sockets);
  await chmod(sockets, 0o777);
  return sockets;
};

/** Signs in with one round, where a test comes over TCP: what a password of random bytes costs whoever guesses it is no matter of these tests. */
const lightenPassword = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { username, password } = new URL(url);
  await client.query(
    `set scram_iterations = 1; alter role ${client.escapeIdentifier(username)} password ${client.escapeLiteral(password)}`,
  );
  await client.end();
};

/** Takes who comes by the socket at their word: tests connect by the thousand, and each round trip of a sign-in is the database's time as well. */
const trustSockets = async (folder: string): Promise<void> => {
  const file = join(folder, 'postgres/pg_hba.conf');
  await writeFile(file, `local all all trust\n${await readFile(file, 'utf8')}`);
};

/** Makes a cluster with our schema, once: every server of the run starts from a copy of it. */
const prepare = async (folder: string, log: Logger): Promise<string> => {
  const made = join(folder, 'made');
  const server = await startEmbedded({ dataFolder: made, log, settings: { fsync: 'off' } });
  await migrate(server.url, log);
  await lightenPassword(server.url);
  await server.stop();
  await trustSockets(made);
  await Promise.all(['lock', 'postgres.log'].map((name) => rm(join(made, name))));
  return made;
};

const start = async (): Promise<Started> => {
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-test-'));
  // The system user that runs Postgres for root has to pass.
  await chmod(folder, 0o711);
  // For a run that ends before its teardown.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const log = pino({ level: 'warn' });
  const preparedData = await prepare(folder, log);
  await copyData(preparedData, join(folder, 'run'));
  const sockets = await makeSockets(folder);
  const server = await startEmbedded({
    dataFolder: join(folder, 'run'),
    log,
    settings: sockets === null ? SHARED : { ...SHARED, unix_socket_directories: sockets },
  });
  const url = new URL(server.url);
  if (sockets !== null) url.searchParams.set('host', sockets);
  return { folder, preparedData, server, url: url.href };
};

export const setup = async (project: TestProject): Promise<void> => {
  run.users += 1;
  run.running ??= start();
  const { url, preparedData } = await run.running;
  project.provide('templateUrl', url);
  project.provide('preparedData', preparedData);
};

export const teardown = async (): Promise<void> => {
  run.users -= 1;
  if (run.users > 0 || run.running === null) return;
  const { server, folder } = await run.running;
  run.running = null;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
};
