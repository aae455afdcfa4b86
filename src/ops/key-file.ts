// A headless member's private keys: one file that only its owner can read, replaced as a whole so that a crash leaves the old or the new one.
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SetupError } from '../base/setup-error.ts';
import type { KeySafe, KeySecrets } from '../client/memory-key-ring.ts';

/** Keeps the keys in `path`, whose folder is there. */
export const keyFile = (path: string): KeySafe => ({
  load: async () => {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return text === null ? null : secretsIn(text, path);
  },
  save: async (secrets) => {
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(secrets, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    const folder = await open(dirname(path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
});

function secretsIn(text: string, path: string): KeySecrets | null {
  try {
    const secrets = JSON.parse(text) as Partial<KeySecrets> | null;
    if (secrets === null) return null;
    const { key, recovery, next, replaced } = secrets;
    if (isText(key) && (next === undefined || isNext(next)) && (replaced === undefined || isReplaced(replaced)))
      return { key, ...(isText(recovery) ? { recovery } : {}), ...(next ? { next } : {}), ...(replaced ? { replaced } : {}) };
  } catch {
    // Told below, as for any other content.
  }
  throw new SetupError(`${path} holds no keys.`, 'Put a copy of the file back, or start with another --store.');
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isNext = (value: Partial<NonNullable<KeySecrets['next']>>): boolean => isText(value.key) && isText(value.recovery);

const isReplaced = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((old: { key?: unknown; untilMs?: unknown } | null) => isText(old?.key) && typeof old?.untilMs === 'number');
