// The backup of a membership: everything that a new device needs, in one OpenPGP message that a passphrase opens (and gpg, too).
// It holds the recovery key and a revocation signed in advance, so that a lost device can be shut out without it.
import { fail, ok, type Result } from '../base/result.ts';
import { decryptWithPassphrase, encryptWithPassphrase } from '../crypto/openpgp.ts';
import { parseServerId, parseServerKeyId, parseUserId, parseUserKeyId, serverOf, userOf } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import type { StatementOf } from '../wire/statements.ts';
import { parseStrictJson } from '../wire/strict-json.ts';
import type { BackupContents, BackupReason } from './key-ring.ts';

const VERSION = 1;
const LIMITS = { depth: 8, bytes: 1024 * 1024 };

/** A backup in the clear. Private armors are unprotected: it must never be written anywhere as it is. */
export type Backup = BackupContents & {
  /** The member's private keys, the current one last. */
  readonly keys: readonly { readonly id: string; readonly armor: string }[];
  readonly recoveryKey: string;
  readonly revocation: Signed<StatementOf<'key-revocation'>>;
};

/** Seals a backup: an armored OpenPGP message. */
export async function makeBackup(backup: Backup, passphrase: string): Promise<string> {
  const { server, serverKeys, user, keys, recoveryKey, revocation, follows } = backup;
  const content = { v: VERSION, server, serverKeys, user, keys, recoveryKey, revocation, follows };
  return encryptWithPassphrase(new TextEncoder().encode(JSON.stringify(content)), passphrase);
}

/** Opens a backup. Whether its keys belong to its ids is proved when they are used: the server's chain decides. */
export async function openBackup(sealed: string, passphrase: string): Promise<Result<Backup, BackupReason>> {
  const opened = await decryptWithPassphrase(sealed, passphrase);
  // What is no message under a passphrase at all is no passphrase's fault.
  if (!opened.ok) return fail(opened.reason === 'undecryptable' ? 'passphrase' : 'not-a-backup', opened.reason);
  const value = parseStrictJson(opened.value, LIMITS);
  if (!value.ok) return fail('not-a-backup', value.reason);
  const problem = problemOf(value.value);
  if (problem !== null) return fail('not-a-backup', problem);
  const { v: _v, ...backup } = value.value as Omit<Backup, 'key'> & { v: number };
  return ok({ ...backup, key: backup.keys.at(-1)?.id ?? '' });
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** The first field that is not what a backup has there. */
function problemOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'form';
  const { v, server, serverKeys, user, keys, recoveryKey, revocation, follows } = value as Record<string, unknown>;
  if (v !== VERSION) return 'v';
  const serverId = typeof server === 'string' ? parseServerId(server) : null;
  if (!serverId) return 'server';
  if (!isTexts(serverKeys) || serverKeys.length === 0 || serverKeys.some((key) => !parseServerKeyId(key))) return 'serverKeys';
  const userId = typeof user === 'string' ? parseUserId(user) : null;
  if (!userId || serverOf(userId) !== serverId) return 'user';
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every((key) => isKeyOf(key, userId))) return 'keys';
  if (typeof recoveryKey !== 'string') return 'recoveryKey';
  if (typeof revocation !== 'object' || revocation === null) return 'revocation';
  return isTexts(follows) && follows.every((id) => parseUserId(id)) ? null : 'follows';
}

function isKeyOf(value: unknown, user: string): boolean {
  const { id, armor } = (value ?? {}) as Record<string, unknown>;
  const keyId = typeof id === 'string' ? parseUserKeyId(id) : null;
  return keyId !== null && userOf(keyId) === user && typeof armor === 'string';
}
