// The key ring itself: private keys in memory while it is open, in a safe in between. A safe is a port: a 0600 file, a record encrypted
// under a key that the browser does not give out, or nothing but memory.
import { AppError } from '../base/errors.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { generatePrivateKey, type PrivateKey, readPrivateKey } from '../crypto/openpgp.ts';
import { type OpenedCopy, type OpenedThread, openContent } from '../crypto/seal.ts';
import { signStatement } from '../crypto/statement.ts';
import { fingerprintOf, parseUserKeyId, type UserId, type UserKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { checkStatement, heading, type Statement, type StatementOf } from '../wire/statements.ts';
import { type Backup, makeBackup, openBackup } from './backup.ts';
import type { BackupContents, BackupReason, KeyRing, RingKeys } from './key-ring.ts';

/** Unprotected private armors. */
export type KeySecrets = { readonly key: string; readonly recovery?: string };

export interface KeySafe {
  load(): Promise<KeySecrets | null>;
  /** Durable when it resolves; replaces what was there. */
  save(secrets: KeySecrets): Promise<void>;
}

/** A safe that forgets everything with the process. */
export function memoryKeySafe(secrets: KeySecrets | null = null): KeySafe {
  let kept = secrets;
  return {
    load: async () => kept,
    save: async (next) => {
      kept = next;
    },
  };
}

type Held = { readonly key: PrivateKey; readonly recovery: PrivateKey | null };

/** Opens the ring over a safe. Throws if the safe holds something that is no key. */
export async function openKeyRing(safe: KeySafe): Promise<KeyRing> {
  const secrets = await safe.load();
  return new MemoryKeyRing(safe, secrets && (await heldIn(secrets)));
}

async function heldIn({ key, recovery }: KeySecrets): Promise<Held> {
  return { key: await readSecret(key), recovery: recovery === undefined ? null : await readSecret(recovery) };
}

async function readSecret(armor: string): Promise<PrivateKey> {
  const key = await readPrivateKey(armor);
  if (!key.ok) throw new AppError('INVALID', `the private key can not be read: ${key.reason}`);
  return key.value;
}

class MemoryKeyRing implements KeyRing {
  readonly #safe: KeySafe;
  #held: Held | null;

  constructor(safe: KeySafe, held: Held | null) {
    this.#safe = safe;
    this.#held = held;
  }

  async keys(): Promise<RingKeys | null> {
    return this.#held && publicHalves(this.#held);
  }

  async make(dateMs: number): Promise<RingKeys> {
    if (this.#held) return publicHalves(this.#held);
    const [key, recovery] = await Promise.all([generatePrivateKey(dateMs), generatePrivateKey(dateMs)]);
    await this.#keep({ key, recovery });
    return publicHalves({ key, recovery });
  }

  async sign<T extends Statement>(statement: T, dateMs: number): Promise<Signed<T>> {
    const { key } = this.#opened();
    const checked = checkStatement(statement);
    if (!checked.ok) throw new AppError('INVALID', `not a statement: ${checked.reason} ${checked.detail}`);
    const keyId = 'key' in statement ? parseUserKeyId(statement.key) : null;
    if (!keyId || fingerprintOf(keyId) !== key.fingerprint) throw new AppError('INVALID', 'the statement names another key');
    return signStatement(statement, [{ key, keyId }], dateMs);
  }

  async open(ciphertext: Uint8Array): Promise<Result<OpenedCopy | OpenedThread>> {
    return openContent(ciphertext, [this.#opened().key]);
  }

  async backup(contents: BackupContents, passphrase: string, dateMs: number): Promise<string> {
    const { key, recovery } = this.#opened();
    if (!recovery) throw new AppError('FORBIDDEN', 'the recovery key is no longer on this device');
    const revocation = await this.#revocation(contents, dateMs);
    const keys = [{ id: contents.key, armor: key.armor }];
    const backup: Backup = { ...contents, keys, recoveryKey: recovery.armor, revocation };
    return makeBackup(backup, passphrase);
  }

  async restore(backup: string, passphrase: string): Promise<Result<BackupContents, BackupReason>> {
    const opened = await openBackup(backup, passphrase);
    if (!opened.ok) return opened;
    const { keys, server, serverKeys, user, key: keyId, follows } = opened.value;
    const current = keys.at(-1);
    const key = current && (await readPrivateKey(current.armor));
    if (!key?.ok || !keyId.endsWith(`/${key.value.fingerprint}`)) return fail('not-a-backup', 'keys');
    // The recovery key stays in the backup: a device needs it only to be made.
    await this.#keep({ key: key.value, recovery: null });
    return ok({ server, serverKeys, user, key: keyId, follows });
  }

  async forgetRecovery(): Promise<void> {
    const { key } = this.#opened();
    await this.#keep({ key, recovery: null });
  }

  async #revocation({ user, key }: BackupContents, dateMs: number): Promise<Signed<StatementOf<'key-revocation'>>> {
    const statement = { ...heading('key-revocation'), user: user as UserId, key: key as UserKeyId, reason: '' };
    return this.sign(statement, dateMs);
  }

  async #keep({ key, recovery }: Held): Promise<void> {
    await this.#safe.save({ key: key.armor, ...(recovery ? { recovery: recovery.armor } : {}) });
    this.#held = { key, recovery };
  }

  #opened(): Held {
    if (!this.#held) throw new AppError('UNAUTHENTICATED', 'there is no key on this device');
    return this.#held;
  }
}

const publicHalves = ({ key, recovery }: Held): RingKeys => ({
  fingerprint: key.fingerprint,
  armor: key.publicKey.armor,
  ...(recovery ? { recovery: recovery.fingerprint } : {}),
});
