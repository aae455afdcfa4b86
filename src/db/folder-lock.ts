// One process per data folder. The lock is an exclusive SQLite transaction on `<data>/lock`, so the system releases it with the
// process however that ends, and no stale file has to be judged.
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SetupError } from '../base/setup-error.ts';
import { makeFolder } from '../config/folder.ts';

/** Another process has the data folder. */
export class FolderInUse extends SetupError {
  readonly folder: string;

  constructor(folder: string) {
    super(
      `Another Reedbed server is using the data folder ${folder}.`,
      'Stop it first, or give this one a folder and port of its own with --data and --port, or REEDBED_DATA and REEDBED_PORT.',
    );
    this.folder = folder;
  }
}

export type FolderLock = {
  /** The folder itself, by its real path. */
  readonly folder: string;
  /** May be called more than once. */
  release(): void;
};

const BUSY = 5;
const PASSABLE = 0o711;

const openFolder = async (dataFolder: string): Promise<string> => {
  try {
    await makeFolder(dataFolder, PASSABLE);
    return await realpath(dataFolder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') {
      const error = `The data folder ${resolve(dataFolder)} is a file, or lies under one.`;
      throw new SetupError(error, 'Name a folder with --data or REEDBED_DATA.', { cause });
    }
    throw new SetupError(
      `The data folder ${resolve(dataFolder)} can't be made.`,
      'Make it yourself, or name another folder with --data or REEDBED_DATA.',
      { cause },
    );
  }
};

/**
 * Takes the data folder for this process, and makes it if there is none.
 * @throws FolderInUse when another process has it; SetupError when the folder can't be made or written.
 */
export const lockFolder = async (dataFolder: string): Promise<FolderLock> => {
  const folder = await openFolder(dataFolder);
  try {
    const database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
    database.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive');
    return { folder, release: () => void (database.isOpen && database.close()) };
  } catch (error) {
    if ((error as { errcode?: number }).errcode === BUSY) throw new FolderInUse(folder);
    throw new SetupError(
      `The data folder ${folder} can't be written.`,
      'Change its owner or mode, or name another folder with --data or REEDBED_DATA.',
      {
        cause: error,
      },
    );
  }
};
