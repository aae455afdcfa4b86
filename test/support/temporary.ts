// Where a test run writes: a folder in memory where the system has one with room, since data folders and databases by the dozen keep a disk
// busier than the processors. A TMPDIR that was set stands.
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Several times what a run takes at once. */
const ROOM_BYTES = 4 * 1024 ** 3;

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
};

/** Lets this process and all that it starts take a folder in memory for the temporary one; it is removed when this process ends. */
export const writeToMemory = (): void => {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return;
  const folder = mkdtempSync(join(MEMORY, 'reedbed-tests-'));
  // The system user that runs Postgres for root has to pass.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
};
