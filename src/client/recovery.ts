// What only the recovery key of a backup can do: take the account back with a new key, also from who has the key itself, and undo the removal of
// the account. The recovery key is in the ring's memory for as long as it takes, and never in its safe.
import { AppError } from '../base/errors.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import { fingerprintOf, type ServerId, type UserId, type UserKeyId, userKeyId } from '../wire/address.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { TokenSource } from './api.ts';
import type { OpenedRecovery } from './key-ring.ts';
import { linkDevice, openWith, requireContinued } from './restore.ts';
import { isNextWaiting, type RotationDeps, requireNoOther, rotate } from './rotation.ts';
import type { PinnedServer } from './server.ts';
import { challenge } from './session.ts';
import type { SignedUp } from './sign-up.ts';
import type { Change } from './store.ts';
import type { Account } from './types.ts';

export type RecoveryDeps = RotationDeps & {
  readonly random: RandomBytes;
  server(id: ServerId): Promise<PinnedServer>;
};

export type BackupInput = { readonly backup: string; readonly passphrase: string };

type Opened = {
  readonly backup: OpenedRecovery;
  readonly server: ServerId;
  readonly user: UserId;
  readonly key: UserKeyId;
  readonly pinned: PinnedServer;
};

/**
 * Takes the account back: the recovery key makes a new key in place of the one in the backup, and this device is linked.
 * @param account of this device, if it has one
 * @throws AppError INVALID for a wrong passphrase or no backup of this account; CONFLICT if a later backup is needed, it is too late, or another
 *   account's new key waits here; UNAUTHENTICATED, REMOVED if there is no such account any more
 */
export async function recover(
  deps: RecoveryDeps,
  input: BackupInput,
  account: Account | null,
): Promise<SignedUp & { readonly changes: readonly Change[] }> {
  const { api, keyRing, random, time } = deps;
  try {
    const opened = await open(deps, input, account);
    await requireNoOther(deps, opened.user);
    // Without a key of its own this device begins with the one in the backup, and so can open what was sealed to it.
    if ((await keyRing.keys()) === null) {
      await openWith(input.passphrase, (passphrase) => keyRing.restore(input.backup, passphrase));
      await keyRing.keepRestored();
    }
    const { server, user, key, pinned, backup } = opened;
    const device = account?.device ?? uuidv7(time.now(), random);
    const owner = { server, user, device };
    const before = {
      ...{ key, armor: backup.keyArmor },
      recovery: { fingerprint: backup.recovery, armor: backup.recoveryArmor, revocation: backup.revocation },
    };
    const by = { server: pinned, session: recoverySession(deps, owner, backup) };
    const rotated = await rotate(deps, owner, before, by).catch(async (error: unknown) => {
      if (account === null) await leaveNothingOf(deps, key);
      throw error;
    });
    const member = { ...owner, key: rotated.key };
    const token = await linkDevice(deps, member);
    const session = { token: async () => token, refused: () => undefined };
    const profile = (await api.call(`users/${encodeURIComponent(user)}`, { session })) as { username?: unknown };
    const { keys: serverKeys } = await pinned.info();
    const taken: Account = { ...member, username: String(profile.username ?? ''), serverKeys, backedUp: false };
    return { account: taken, token, changes: rotated.changes };
  } finally {
    keyRing.closeRecovery();
  }
}

/** Empties the ring of the key that only the backup brought, unless a next one waits that may be certified: this device may be anybody's. */
async function leaveNothingOf({ keyRing, store }: RecoveryDeps, key: UserKeyId): Promise<void> {
  const isOfBackup = (await keyRing.keys())?.fingerprint === fingerprintOf(key);
  if (isOfBackup && !(await isNextWaiting({ store }))) await keyRing.empty();
}

/** Takes back the removal of the account, as long as it is not for good. @throws AppError INVALID, NOT_FOUND, REMOVED, UNAUTHENTICATED */
export async function withdrawRemoval(deps: RecoveryDeps, input: BackupInput, account: Account | null): Promise<void> {
  const { api, keyRing, time } = deps;
  try {
    const { server, user, key, backup } = await open(deps, input, account);
    const statement = { ...heading('account-removal-withdrawal'), user, key, note: '', recoveryArmor: backup.recoveryArmor };
    const body = await keyRing.signRecovery(statement, time.now());
    const session = recoverySession(deps, { server, user, device: account?.device ?? uuidv7(time.now(), deps.random) }, backup);
    await api.call('users/me/removal-withdrawal', { method: 'POST', body, session });
  } finally {
    keyRing.closeRecovery();
  }
}

async function open(deps: RecoveryDeps, { backup, passphrase }: BackupInput, account: Account | null): Promise<Opened> {
  const { contents, server, user, key } = await openWith(passphrase, (word) => deps.keyRing.openRecovery(backup, word));
  if (account && account.user !== user)
    throw new AppError('INVALID', 'this is the backup of another account; choose the one of the account on this device');
  const pinned = await deps.server(server);
  requireContinued(contents.serverKeys, (await pinned.info()).keys);
  return { backup: contents, server, user, key, pinned };
}

/** Sessions of purpose `recover`: each opens rotation and the withdrawal of a removal, and ends with them. */
function recoverySession(
  { api, keyRing, time }: RecoveryDeps,
  owner: { readonly server: ServerId; readonly user: UserId; readonly device: string },
  { recovery, recoveryArmor }: OpenedRecovery,
): TokenSource {
  let token: string | null = null;
  const open = async (): Promise<string> => {
    const key = userKeyId(owner.user, recovery);
    const statement = { ...heading('session'), ...owner, key, nonce: await challenge(api), purpose: 'recover' } as StatementOf<'session'>;
    const signed = await keyRing.signRecovery(statement, time.now());
    const body = { statement: signed.statement, signature: signed.signatures[0]?.signature, recoveryArmor };
    return ((await api.call('auth/token', { method: 'POST', body })) as { token: string }).token;
  };
  return {
    token: async () => {
      token ??= await open();
      return token;
    },
    refused: () => {
      token = null;
    },
  };
}
