// Data folders of tests. A cluster takes longer to make than a server to start on it, so it is made once for a run and copied, except where
// the first start itself is what a test is about.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A temporary folder that the system user of an embedded Postgres can pass. The caller removes it. */
export const makeDataFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-data-'));
  await chmod(folder, 0o711);
  return folder;
};

/** Copies a data folder that nobody uses, with owners and modes. Most of a write-ahead log is zeros, which take no room in the copy. */
export const copyData = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o711);
  await run('cp', ['-a', '--sparse=always', `${from}/.`, to]);
};
