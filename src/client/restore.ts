// Becoming the member's active device: by a backup, whose key becomes this device's, or once more with the key that is here already.
// A backup brings no reeds and the server lists none: a new device has what is opened on it and answers MISS for the rest.
import { AppError } from '../base/errors.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Result } from '../base/result.ts';
import {
  parseServerId,
  parseServerKeyId,
  parseUserId,
  parseUserKeyId,
  type ServerId,
  type ServerKeyId,
  type UserId,
  type UserKeyId,
} from '../wire/address.ts';
import type { Api } from './api.ts';
import type { BackupContents, BackupReason, KeyRing } from './key-ring.ts';
import { normalPassphrase } from './passphrase.ts';
import { requireNoOther } from './rotation.ts';
import type { PinnedServer } from './server.ts';
import type { ServerTime } from './server-time.ts';
import { challenge, signSession } from './session.ts';
import type { SignedUp } from './sign-up.ts';
import type { Store } from './store.ts';
import type { Account } from './types.ts';

export type RestoreDeps = {
  readonly api: Api;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly keyRing: KeyRing;
  readonly store: Store;
  server(id: ServerId): Promise<PinnedServer>;
};

/**
 * Links this device in place of the one that is active now. Its own device may be linked again.
 * @returns a token
 * @throws AppError UNAUTHENTICATED, KEY_REVOKED, UNAVAILABLE
 */
export async function linkDevice(
  deps: Pick<RestoreDeps, 'api' | 'keyRing' | 'time'>,
  member: Pick<Account, 'server' | 'user' | 'key' | 'device'>,
): Promise<string> {
  const { statement, signatures } = await signSession(deps, member, 'link-device', await challenge(deps.api));
  const body = { statement, signature: signatures[0]?.signature };
  const { token } = (await deps.api.call('devices', { method: 'POST', body })) as { token: string };
  return token;
}

/**
 * The backup's key becomes the ring's once the server has let it in, and not before: what the ring has may be all that is left of the account, when
 * its new key was certified and this backup is of the one before.
 * @throws AppError INVALID for a wrong passphrase or a file that is no backup; CONFLICT while another account's new key waits here; whatever the server
 *   answers to the linking
 */
export async function restoreAccount(
  deps: RestoreDeps,
  input: { readonly backup: string; readonly passphrase: string },
): Promise<SignedUp> {
  const { api, keyRing, time, random } = deps;
  try {
    const opened = await openWith(input.passphrase, (passphrase) => keyRing.restore(input.backup, passphrase));
    const { server, user, key } = opened;
    await requireNoOther(deps, user);
    const info = await (await deps.server(server)).info();
    requireContinued(opened.contents.serverKeys, info.keys);
    const member = { server, user, key, device: uuidv7(time.now(), random) };
    const token = await linkDevice(deps, member);
    await keyRing.keepRestored();
    const session = { token: async () => token, refused: () => undefined };
    const profile = (await api.call(`users/${encodeURIComponent(user)}`, { session })) as { username?: unknown };
    const account: Account = { ...member, username: String(profile.username ?? ''), serverKeys: info.keys, backedUp: true };
    return { account, token };
  } finally {
    keyRing.dropRestored();
  }
}

/**
 * Opens a backup by what was typed, as it is first: a passphrase that the person chose may have capitals.
 * @returns what is in it, and whose it is
 * @throws AppError INVALID for a wrong passphrase or what is no backup, with the mend
 */
export async function openWith<T extends BackupContents>(
  typed: string,
  open: (passphrase: string) => Promise<Result<T, BackupReason>>,
): Promise<{ readonly contents: T; readonly server: ServerId; readonly user: UserId; readonly key: UserKeyId }> {
  const asTyped = await open(typed);
  const opened = asTyped.ok ? asTyped : await open(normalPassphrase(typed));
  if (!opened.ok) throw opened.reason === 'passphrase' ? wrongPassphrase() : noBackup();
  const { value: contents } = opened;
  const [server, user, key] = [parseServerId(contents.server), parseUserId(contents.user), parseUserKeyId(contents.key)];
  if (!server || !user || !key) throw noBackup();
  return { contents, server, user, key };
}

const wrongPassphrase = (): AppError =>
  new AppError('INVALID', 'the passphrase does not open this backup; check the spelling of its words and their order');
const noBackup = (): AppError => new AppError('INVALID', 'this is no backup; choose the .asc file that was saved, whole');

/** The server's chain must continue the one in the backup: another chain is another server. */
export function requireContinued(pinned: readonly string[], found: readonly ServerKeyId[]): void {
  const isContinued = pinned.every((text, at) => parseServerKeyId(text) === found[at]);
  if (!isContinued)
    throw new AppError('INVALID', 'the server has other keys than when this backup was made; check its address, and ask its operator');
}
