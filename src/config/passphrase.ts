// Where the passphrase of the server's keys comes from: environment, file, system credential, or one made here and kept in the data folder.
// In the last case the disk holds everything needed to be this server, which the start says.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SetupError } from '../base/setup-error.ts';
import type { Config } from './config.ts';

export type Passphrase = {
  readonly value: string;
  readonly source: 'environment' | 'file' | 'credential' | 'data';
  /** The file it came from, if any. */
  readonly file: string | null;
};

const CREDENTIAL = 'passphrase';
const MADE_BYTES = 24;

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

const loadOrMake = async (config: Config): Promise<Passphrase> => {
  const folder = resolve(config.data);
  const file = join(folder, 'passphrase');
  const kept = await firstLine(file);
  if (kept !== null) return { value: assertNotEmpty(kept, file), source: 'data', file };
  const value = randomBytes(MADE_BYTES).toString('base64url');
  try {
    await mkdir(folder, { recursive: true, mode: 0o711 });
    await writeFile(file, `${value}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return loadOrMake(config);
    throw new SetupError(
      `The data folder ${folder} can't be written.`,
      'Change its owner or mode, or name another folder with REEDBED_DATA.',
      { cause: error },
    );
  }
  return { value, source: 'data', file };
};

/** @param credentials systemd's CREDENTIALS_DIRECTORY. @throws SetupError when a named source is missing or empty. */
export const loadPassphrase = async (config: Config, credentials: string | undefined): Promise<Passphrase> => {
  if (config.passphrase !== undefined) return { value: config.passphrase, source: 'environment', file: null };
  if (config.passphraseFile !== undefined) {
    const file = resolve(config.passphraseFile);
    return { value: assertNotEmpty(await firstLine(file), file), source: 'file', file };
  }
  const credential = credentials === undefined || credentials === '' ? null : join(credentials, CREDENTIAL);
  const given = credential === null ? null : await firstLine(credential);
  if (credential !== null && given !== null) return { value: assertNotEmpty(given, credential), source: 'credential', file: credential };
  return loadOrMake(config);
};
