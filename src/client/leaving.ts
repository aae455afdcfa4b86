// Ending a key or the account by the key that this device has.
import { verifyCertificate } from '../crypto/statement.ts';
import { heading } from '../wire/statements.ts';
import type { Api, TokenSource } from './api.ts';
import type { KeyRing } from './key-ring.ts';
import type { KeyDirectory } from './keys.ts';
import type { ServerTime } from './server-time.ts';
import type { Account } from './types.ts';

export type LeavingDeps = { readonly api: Api; readonly keyRing: KeyRing; readonly time: ServerTime };

/**
 * Revokes the member's key without a next one: the account is frozen until its recovery key makes one. Needs no session.
 * @throws AppError INVALID for a reason that is too long; KEY_REVOKED if it is revoked already
 */
export async function revokeKey(
  { api, keyRing, time }: LeavingDeps,
  { user, key }: Account,
  by: { readonly reason: string; readonly keys: KeyDirectory },
): Promise<void> {
  const statement = { ...heading('key-revocation'), user, key, reason: by.reason.normalize('NFC') };
  const body = await keyRing.sign(statement, time.now());
  const answer = await api.call(`keys/${encodeURIComponent(key)}/revocation`, { method: 'POST', body });
  const { certificate } = answer as { certificate?: unknown };
  const accepted = await verifyCertificate(certificate, 'key-revocation', by.keys.context);
  if (accepted.ok) await by.keys.revoked(key, certificate);
}

/**
 * Hides the account at once; for good from the time on that is given back.
 * @throws AppError INVALID for a note that is too long
 */
export async function removeAccount(
  { api, keyRing, time }: LeavingDeps,
  { user, key }: Account,
  by: { readonly note: string; readonly session: TokenSource },
): Promise<{ readonly dueAt: string }> {
  const statement = { ...heading('account-removal'), user, key, note: by.note.normalize('NFC') };
  const body = await keyRing.sign(statement, time.now());
  const { dueAt } = (await api.call('users/me/removal', { method: 'POST', body, session: by.session })) as { dueAt?: unknown };
  return { dueAt: String(dueAt ?? '') };
}
