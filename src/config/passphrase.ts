// Where the passphrase of the server's keys comes from: environment, file, system credential, or one made here and kept in the data folder.
// In the last case the disk holds everything needed to be this server, which the start says. None is made where keys wait for theirs.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SetupError } from '../base/setup-error.ts';
import type { Config } from './config.ts';
import { makeFolder } from './folder.ts';

export type PassphraseSources = {
  /** systemd's CREDENTIALS_DIRECTORY. */
  readonly credentials: string | undefined;
  /** Whether the database has a server's private keys already, so that a new passphrase could only be a wrong one. */
  readonly hasKeys: () => Promise<boolean>;
};

export type Passphrase = {
  readonly value: string;
  readonly source: 'environment' | 'file' | 'credential' | 'data';
  /** The file it came from, if any. */
  readonly file: string | null;
};

const CREDENTIAL = 'passphrase';
const MADE_BYTES = 24;
const PASSABLE = 0o711;

const firstLine = async (file: string): Promise<string | null> => {
  try {
    return (await readFile(file, 'utf8')).split(/\r?\n/, 1)[0] ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new SetupError(`The passphrase file ${file} can't be read.`, 'Let the user who runs the server read it.', { cause: error });
  }
};

const assertNotEmpty = (value: string | null, file: string): string => {
  if (value !== null && value !== '') return value;
  throw new SetupError(`The passphrase file ${file} is ${value === null ? 'missing' : 'empty'}.`, 'Put the passphrase on its first line.');
};

const loadOrMake = async (config: Config, hasKeys: () => Promise<boolean>): Promise<Passphrase> => {
  const folder = resolve(config.data);
  const file = join(folder, 'passphrase');
  const kept = await firstLine(file);
  if (kept !== null) return { value: assertNotEmpty(kept, file), source: 'data', file };
  if (await hasKeys()) {
    throw new SetupError(
      `This database has the keys of a server, but no passphrase is set and ${file} is missing.`,
      'Put that file back, or set REEDBED_PASSPHRASE or REEDBED_PASSPHRASE_FILE to the passphrase the keys were made with.',
    );
  }
  const value = randomBytes(MADE_BYTES).toString('base64url');
  try {
    await makeFolder(folder, PASSABLE);
    await writeFile(file, `${value}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return loadOrMake(config, hasKeys);
    throw new SetupError(
      `The data folder ${folder} can't be written.`,
      'Change its owner or mode, or name another folder with --data or REEDBED_DATA.',
      { cause: error },
    );
  }
  return { value, source: 'data', file };
};

/** @throws SetupError when a named source is missing or empty, or when there are keys and nothing that could open them. */
export const loadPassphrase = async (config: Config, { credentials, hasKeys }: PassphraseSources): Promise<Passphrase> => {
  if (config.passphrase !== undefined) return { value: config.passphrase, source: 'environment', file: null };
  if (config.passphraseFile !== undefined) {
    const file = resolve(config.passphraseFile);
    return { value: assertNotEmpty(await firstLine(file), file), source: 'file', file };
  }
  const credential = credentials === undefined || credentials === '' ? null : join(credentials, CREDENTIAL);
  const given = credential === null ? null : await firstLine(credential);
  if (credential !== null && given !== null) return { value: assertNotEmpty(given, credential), source: 'credential', file: credential };
  return loadOrMake(config, hasKeys);
};
