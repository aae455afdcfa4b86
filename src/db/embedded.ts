// The database that comes with the server: a real Postgres under `<data>/postgres`, reachable on loopback only and by a password that is
// kept beside it (0600). While it is wanted it runs: it is started again if it ends by itself, and stop() leaves no process.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import { doubling } from '../base/backoff.ts';
import { type Clock, OffsetClock, pause } from '../base/clock.ts';
import { SetupError } from '../base/setup-error.ts';
import { FolderInUse, lockFolder } from './folder-lock.ts';
import { type Cluster, findBinaries, initialise, runningPort, startPostgres, stopLeftOver, stopPostgres } from './postgres-process.ts';
import { assertPassable, chooseUser } from './postgres-user.ts';

export type Embedded = {
  /** Where to connect; stays the same until stop(). */
  readonly url: string;
  /** Process id of the Postgres that runs now. */
  readonly pid: number;
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  readonly dataFolder: string;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Server settings over our own; the tests turn fsync off. */
  readonly settings?: Readonly<Record<string, string>>;
};

const DATABASE = 'reedbed';
const PASSWORD_FILE = 'postgres-password';
const START_TRIES = 5;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 5_000;

const loadPassword = async (file: string): Promise<string> => {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept !== '') return kept;
  const made = randomBytes(24).toString('base64url');
  await writeFile(file, `${made}\n`, { mode: 0o600 });
  return made;
};

/** A cluster appears under its final name only when it is whole, so a killed first start leaves nothing half made. */
const makeCluster = async (cluster: Cluster, password: string): Promise<void> => {
  const unfinished: Cluster = { ...cluster, folder: `${cluster.folder}.new` };
  const passwordFile = `${cluster.folder}.password`;
  await rm(unfinished.folder, { recursive: true, force: true });
  await mkdir(unfinished.folder, { mode: 0o700 });
  try {
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (cluster.runAs !== null) {
      await chown(unfinished.folder, cluster.runAs.uid, cluster.runAs.gid);
      await chown(passwordFile, cluster.runAs.uid, cluster.runAs.gid);
    }
    await initialise(unfinished, passwordFile);
    await rename(unfinished.folder, cluster.folder);
  } finally {
    await rm(passwordFile, { force: true });
  }
};

const freePort = (): Promise<number> =>
  new Promise((done, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === 'object' ? done(address.port) : failed(new Error('no port'))));
    });
  });

const serverUrlOf = (password: string, port: number): string => `postgres://reedbed:${password}@127.0.0.1:${port}`;

const createDatabase = async (serverUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const found = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
};

/** Keeps one Postgres running on one port. */
class Supervisor {
  readonly #cluster: Cluster;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #log: Logger;
  #child: ChildProcess | null = null;
  #stopping = false;
  #restarting: Promise<void> = Promise.resolve();
  port = 0;

  constructor(cluster: Cluster, settings: Readonly<Record<string, string>>, log: Logger) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#log = log;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** A port may be taken between choosing and using it, and backends of a killed postmaster take a moment to end: hence the tries. */
  async start(): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        this.port = await freePort();
        this.#watch(await startPostgres(this.#cluster, this.port, this.#settings));
        return;
      } catch (error) {
        if (failures === START_TRIES) throw error;
        await pause(this.#cluster.clock, doubling(failures, RETRY_FIRST_MS, RETRY_MAX_MS));
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#restarting;
    const child = this.#child;
    if (child?.pid !== undefined) await stopPostgres(this.#cluster, child.pid, () => child.exitCode !== null || child.signalCode !== null);
  }

  #watch(child: ChildProcess): void {
    this.#child = child;
    const ended = (): void => {
      if (!this.#stopping) this.#restarting = this.#restart();
    };
    if (child.exitCode !== null || child.signalCode !== null) ended();
    else child.once('exit', ended);
  }

  async #restart(): Promise<void> {
    this.#log.error('the embedded Postgres ended by itself; starting it again');
    this.#child = null;
    for (let failures = 1; !this.#stopping; failures += 1) {
      try {
        this.#watch(await startPostgres(this.#cluster, this.port, this.#settings));
        return;
      } catch (error) {
        this.#log.error(
          { reason: error instanceof SetupError ? error.message : 'unknown' },
          'the embedded Postgres could not be started again',
        );
        await pause(this.#cluster.clock, doubling(failures, RETRY_FIRST_MS, RETRY_MAX_MS));
      }
    }
  }
}

const prepareCluster = async (data: string, clock: Clock): Promise<Cluster> => {
  const folder = join(data, 'postgres');
  const [binaries, runAs] = await Promise.all([findBinaries(), chooseUser(folder)]);
  await assertPassable(data, runAs);
  await assertPassable(dirname(binaries.postgres), runAs);
  await Promise.all([chmod(binaries.postgres, 0o755), chmod(binaries.initdb, 0o755)].map((done) => done.catch(() => undefined)));
  return { folder, logFile: join(data, 'postgres.log'), runAs, binaries, clock };
};

/**
 * Starts the embedded Postgres of a data folder, making it first if there is none, and ending the one a killed server left.
 * @throws SetupError with a mend: folder in use, not writable, not passable, Postgres does not start.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  const clock = options.clock ?? new OffsetClock();
  const lock = await lockFolder(options.dataFolder);
  const data = lock.folder;
  try {
    const cluster = await prepareCluster(data, clock);
    const password = await loadPassword(join(data, PASSWORD_FILE));
    const isNew = (await stat(join(cluster.folder, 'PG_VERSION')).catch(() => null)) === null;
    if (isNew) await makeCluster(cluster, password);
    if (await stopLeftOver(cluster)) options.log.warn('stopped a Postgres that an earlier server had left running');
    const supervisor = new Supervisor(cluster, options.settings ?? {}, options.log);
    await supervisor.start();
    const serverUrl = serverUrlOf(password, supervisor.port);
    let stopping: Promise<void> | null = null;
    const stop = (): Promise<void> => {
      stopping ??= supervisor.stop().finally(() => lock.release());
      return stopping;
    };
    await createDatabase(serverUrl).catch(async (error: unknown) => {
      await supervisor.stop();
      throw error;
    });
    return {
      url: `${serverUrl}/${DATABASE}`,
      get pid() {
        return supervisor.pid;
      },
      stop,
    };
  } catch (error) {
    lock.release();
    throw error;
  }
};

/** Ends the Postgres that a killed server left in a data folder, if it did, and starts none. @throws FolderInUse */
export const endLeftOver = async (dataFolder: string): Promise<void> => {
  const lock = await lockFolder(dataFolder);
  try {
    await stopLeftOver(await prepareCluster(lock.folder, new OffsetClock()));
  } finally {
    lock.release();
  }
};

export type Reached = { readonly url: string; stop(): Promise<void> };

/** Where the server that has `folder` keeps its database. @throws SetupError if that can't be found out */
const urlOfRunning = async (folder: string): Promise<string> => {
  const port = await runningPort(join(folder, 'postgres'));
  if (port === null)
    throw new SetupError(
      `A Reedbed server has the data folder ${folder}, but no embedded database is ready there.`,
      'If it is just starting or stopping, try again in a moment; if its database is an outside one, name it in DATABASE_URL here too.',
    );
  const password = await readFile(join(folder, PASSWORD_FILE), 'utf8').catch((cause: unknown) => {
    throw new SetupError(`The file ${join(folder, PASSWORD_FILE)} can't be read.`, 'Run this as the user who runs the server.', { cause });
  });
  return `${serverUrlOf(password.trim(), port)}/${DATABASE}`;
};

/**
 * The embedded database of a data folder for a command beside the server: that of the running server, or one that is started for it and ends
 * with stop(). @throws SetupError
 */
export const reachEmbedded = async (options: EmbeddedOptions): Promise<Reached> => {
  try {
    return await startEmbedded(options);
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    return { url: await urlOfRunning(error.folder), stop: async () => undefined };
  }
};
