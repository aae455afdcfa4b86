// Makes folders. Node's own recursive mkdir never ends where the system answers that a folder can't be (/proc), and doesn't say that a file is in
// the way; this one does both.
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const PASSABLE = 0o711;

const isFolder = async (path: string): Promise<boolean | null> =>
  stat(path).then(
    (found) => found.isDirectory(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );

/**
 * Makes a folder and those above it, unless they are there. Those above are passable for everyone and readable for their owner only.
 * @throws the system's error; its code is ENOTDIR when a file is in the way.
 */
export const makeFolder = async (path: string, mode: number): Promise<void> => {
  const folder = resolve(path);
  const found = await isFolder(folder);
  if (found === true) return;
  if (found === false) throw Object.assign(new Error('a file is in the way'), { code: 'ENOTDIR' });
  await makeFolder(dirname(folder), PASSABLE);
  await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
};
