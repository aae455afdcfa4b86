// As whom the embedded Postgres runs. It refuses root, so for root a system user does; that user must be able to pass
// every folder above the data and above the binaries, and this file says which one is in the way.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SetupError } from '../base/setup-error.ts';

/** Ids for `spawn`; null when Postgres runs as whoever runs us. */
export type RunAs = { readonly uid: number; readonly gid: number } | null;

const SYSTEM_USER = 'postgres';
const run = promisify(execFile);

const idsOfSystemUser = async (): Promise<RunAs> => {
  try {
    const [user, group] = await Promise.all([run('id', ['-u', SYSTEM_USER]), run('id', ['-g', SYSTEM_USER])]);
    return { uid: Number.parseInt(user.stdout, 10), gid: Number.parseInt(group.stdout, 10) };
  } catch {
    return null;
  }
};

const createSystemUser = async (): Promise<RunAs> => {
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', SYSTEM_USER]);
  } catch (cause) {
    throw new SetupError(
      `Postgres refuses to run as root, and the system user ${SYSTEM_USER} can't be made.`,
      `Make it yourself (useradd --system ${SYSTEM_USER}), run Reedbed as an ordinary user, or name an outside database in DATABASE_URL.`,
      { cause },
    );
  }
  return idsOfSystemUser();
};

/** The user for a cluster in `cluster`: the owner of an existing one, else the system user when we are root. */
export const chooseUser = async (cluster: string): Promise<RunAs> => {
  if (process.getuid === undefined) return null;
  const owner = await stat(cluster).catch(() => null);
  const self = process.getuid();
  if (self === 0) {
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
    return (await idsOfSystemUser()) ?? (await createSystemUser());
  }
  if (owner && owner.uid !== self) {
    throw new SetupError(
      `The database folder ${cluster} belongs to another user (uid ${owner.uid}).`,
      'Run Reedbed as that user, or change the owner of the folder.',
    );
  }
  return null;
};

const mayPass = (mode: number, owner: { uid: number; gid: number }, as: { uid: number; gid: number }): boolean => {
  if (owner.uid === as.uid) return (mode & 0o100) !== 0;
  if (owner.gid === as.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
};

/** @throws SetupError that names the outermost folder of `path` (itself included) which `as` can't pass. */
export const assertPassable = async (path: string, as: RunAs): Promise<void> => {
  if (as === null) return;
  const folders: string[] = [];
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of folders) {
    const found = await stat(folder);
    if (!mayPass(found.mode, found, as)) {
      throw new SetupError(
        `The system user who runs the database (uid ${as.uid}, since Postgres refuses root) can't pass the folder ${folder}.`,
        `Allow it (chmod o+x ${folder}), keep program and data elsewhere, run Reedbed as an ordinary user, or name an outside database in DATABASE_URL.`,
      );
    }
  }
};
