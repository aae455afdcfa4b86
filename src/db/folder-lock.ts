// One process per data folder. The lock is an exclusive SQLite transaction on `<data>/lock`, so the system releases it with the
// process however that ends, and no stale file has to be judged.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SetupError } from '../base/setup-error.ts';

export type FolderLock = { release(): void };

const BUSY = 5;

/**
 * Takes the data folder for this process.
 * @throws SetupError when another process has it, or the folder can't be written.
 */
export const lockFolder = (dataFolder: string): FolderLock => {
  try {
    const database = new DatabaseSync(join(dataFolder, 'lock'), { timeout: 0 });
    database.exec('pragma locking_mode = exclusive; begin exclusive');
    return { release: () => database.close() };
  } catch (error) {
    if ((error as { errcode?: number }).errcode === BUSY) {
      throw new SetupError(
        `Another Reedbed server is using the data folder ${dataFolder}.`,
        'Stop it first, or give this one a folder and port of its own with REEDBED_DATA and REEDBED_PORT.',
      );
    }
    throw new SetupError(
      `The data folder ${dataFolder} can't be written.`,
      'Change its owner or mode, or name another folder with REEDBED_DATA.',
      {
        cause: error,
      },
    );
  }
};
