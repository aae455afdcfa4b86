// An embedded Postgres as its data folder shows it to whoever may read that: its processes, its address.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The postmaster of a data folder and all its backends. */
export const postgresOf = async (dataFolder: string): Promise<number[]> => {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => places[index] === join(dataFolder, 'postgres'));
};

const pidFile = async (dataFolder: string): Promise<readonly string[]> =>
  (await readFile(join(dataFolder, 'postgres/postmaster.pid'), 'utf8')).split('\n');

export const postmasterOf = async (dataFolder: string): Promise<number> => Number((await pidFile(dataFolder))[0]);

/** Where it listens. */
export const databaseUrlOf = async (dataFolder: string): Promise<string> => {
  const password = (await readFile(join(dataFolder, 'postgres-password'), 'utf8')).trim();
  return `postgres://reedbed:${password}@127.0.0.1:${(await pidFile(dataFolder))[3]}/reedbed`;
};

export const signalAll = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // Ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
};
