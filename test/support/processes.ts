// The processes of an embedded Postgres, found by the folder they stand in.
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The postmaster of a data folder and all its backends. */
export const postgresOf = async (dataFolder: string): Promise<number[]> => {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => places[index] === join(dataFolder, 'postgres'));
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
