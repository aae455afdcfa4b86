// The key ring itself: private keys in memory while it is open, in a safe in between. A safe is a port: a 0600 file, a record encrypted
// under a key that the browser does not give out, or nothing but memory.
import { AppError } from '../base/errors.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { Slots } from '../base/slots.ts';
import { generatePrivateKey, type PrivateKey, readPrivateKey } from '../crypto/openpgp.ts';
import { type OpenedCopy, type OpenedThread, openContent } from '../crypto/seal.ts';
import { signStatement } from '../crypto/statement.ts';
import { fingerprintOf, parseUserKeyId, type UserId, type UserKeyId, userKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { checkStatement, heading, type Statement, type StatementOf } from '../wire/statements.ts';
import { type Backup, makeBackup, openBackup } from './backup.ts';
import type { BackupContents, BackupReason, KeyRing, OpenedRecovery, RingKeys } from './key-ring.ts';

/** Unprotected private armors. */
export type KeySecrets = {
  readonly key: string;
  readonly recovery?: string;
  /** Made for a rotation that is not certified yet. */
  readonly next?: { readonly key: string; readonly recovery: string };
  /** Keys before this one, each until a time of the server's clock. */
  readonly replaced?: readonly { readonly key: string; readonly untilMs: number }[];
};

export interface KeySafe {
  load(): Promise<KeySecrets | null>;
  /** Durable when it resolves; replaces what was there. null: nothing is kept. */
  save(secrets: KeySecrets | null): Promise<void>;
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

type Pair = { readonly key: PrivateKey; readonly recovery: PrivateKey };
type Replaced = { readonly key: PrivateKey; readonly untilMs: number };
type Held = {
  readonly key: PrivateKey;
  readonly recovery: PrivateKey | null;
  readonly next: Pair | null;
  readonly replaced: readonly Replaced[];
};
const ALONE = { recovery: null, next: null, replaced: [] } as const;

/** Opens the ring over a safe. Throws if the safe holds something that is no key. */
export async function openKeyRing(safe: KeySafe): Promise<KeyRing> {
  const secrets = await safe.load();
  return new MemoryKeyRing(safe, secrets && (await heldIn(secrets)));
}

async function heldIn({ key, recovery, next, replaced = [] }: KeySecrets): Promise<Held> {
  return {
    key: await readSecret(key),
    recovery: recovery === undefined ? null : await readSecret(recovery),
    next: next === undefined ? null : { key: await readSecret(next.key), recovery: await readSecret(next.recovery) },
    replaced: await Promise.all(replaced.map(async (old) => ({ key: await readSecret(old.key), untilMs: old.untilMs }))),
  };
}

const secretsOf = ({ key, recovery, next, replaced }: Held): KeySecrets => ({
  key: key.armor,
  ...(recovery ? { recovery: recovery.armor } : {}),
  ...(next ? { next: { key: next.key.armor, recovery: next.recovery.armor } } : {}),
  ...(replaced.length > 0 ? { replaced: replaced.map((old) => ({ key: old.key.armor, untilMs: old.untilMs })) } : {}),
});

async function readSecret(armor: string): Promise<PrivateKey> {
  const key = await readPrivateKey(armor);
  if (!key.ok) throw new AppError('INVALID', `the private key can not be read: ${key.reason}`);
  return key.value;
}

class MemoryKeyRing implements KeyRing {
  readonly #safe: KeySafe;
  /** One change after the other, so that none undoes what another saved meanwhile. */
  readonly #changes = new Slots(1);
  #held: Held | null;
  /** Never in the safe. */
  #opened: PrivateKey | null = null;
  /** Of a backup, not in the safe yet. */
  #restored: PrivateKey | null = null;

  constructor(safe: KeySafe, held: Held | null) {
    this.#safe = safe;
    this.#held = held;
  }

  async keys(): Promise<RingKeys | null> {
    return this.#held && publicHalves(this.#held);
  }

  make(dateMs: number): Promise<RingKeys> {
    return this.#changes.run(async () => {
      if (this.#held) return publicHalves(this.#held);
      const [key, recovery] = await Promise.all([generatePrivateKey(dateMs), generatePrivateKey(dateMs)]);
      const held = { ...ALONE, key, recovery };
      await this.#keep(held);
      return publicHalves(held);
    });
  }

  async sign<T extends Statement>(statement: T, dateMs: number): Promise<Signed<T>> {
    const { key } = this.#own();
    const checked = checkStatement(statement);
    if (!checked.ok) throw new AppError('INVALID', `not a statement: ${checked.reason} ${checked.detail}`);
    return signStatement(statement, [{ key, keyId: requireNamed(statement, key) }], dateMs);
  }

  async open(ciphertext: Uint8Array): Promise<Result<OpenedCopy | OpenedThread>> {
    const { key, replaced } = this.#own();
    return openContent(ciphertext, [key, ...replaced.map((old) => old.key)]);
  }

  async backup(contents: BackupContents, passphrase: string, dateMs: number): Promise<string> {
    const { key, recovery } = this.#own();
    if (!recovery)
      throw new AppError(
        'FORBIDDEN',
        'the recovery key is no longer on this device; a rotation makes another, and a backup of it can be made',
      );
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
    this.#restored = key.value;
    return ok({ server, serverKeys, user, key: keyId, follows });
  }

  keepRestored(): Promise<void> {
    return this.#changes.run(async () => {
      // The recovery key stays in the backup: a device needs it only to be made.
      await this.#keep(this.#own());
      this.#restored = null;
    });
  }

  dropRestored(): void {
    this.#restored = null;
  }

  forgetRecovery(): Promise<void> {
    return this.#changes.run(() => this.#keep({ ...this.#own(), recovery: null }));
  }

  makeNext(dateMs: number): Promise<Required<RingKeys>> {
    return this.#changes.run(async () => {
      const held = this.#own();
      const next = held.next ?? { key: await generatePrivateKey(dateMs), recovery: await generatePrivateKey(dateMs) };
      if (!held.next) await this.#keep({ ...held, next });
      return { fingerprint: next.key.fingerprint, armor: next.key.publicKey.armor, recovery: next.recovery.fingerprint };
    });
  }

  async signNext<T extends StatementOf<'key' | 'session'>>(statement: T, dateMs: number): Promise<Signed<T>> {
    const { next, key } = this.#own();
    if (!next) throw new AppError('FORBIDDEN', 'no next key was made');
    const signers = [{ key: next.key, keyId: requireNamed(statement, next.key) as string }];
    if (statement.type === 'key') {
      const before = statement.recoveryArmor === undefined ? key : this.#recovery();
      signers.push({ key: before, keyId: userKeyId(statement.user, before.fingerprint) });
    }
    return signStatement(statement, signers, dateMs);
  }

  takeNext(untilMs: number): Promise<void> {
    return this.#changes.run(async () => {
      const { key, next, replaced } = this.#own();
      if (!next) throw new AppError('FORBIDDEN', 'no next key was made');
      await this.#keep({ ...next, next: null, replaced: [{ key, untilMs }, ...replaced] });
    });
  }

  dropNext(): Promise<void> {
    return this.#changes.run(async () => {
      if (this.#held?.next) await this.#keep({ ...this.#held, next: null });
    });
  }

  empty(): Promise<void> {
    return this.#changes.run(async () => {
      await this.#safe.save(null);
      this.#held = null;
    });
  }

  forgetReplaced(nowMs: number): Promise<void> {
    return this.#changes.run(async () => {
      const replaced = this.#held?.replaced.filter(({ untilMs }) => untilMs > nowMs);
      if (this.#held && replaced && replaced.length < this.#held.replaced.length) await this.#keep({ ...this.#held, replaced });
    });
  }

  async openRecovery(backup: string, passphrase: string): Promise<Result<OpenedRecovery, BackupReason>> {
    const opened = await openBackup(backup, passphrase);
    if (!opened.ok) return opened;
    const { keys, recoveryKey, revocation, server, serverKeys, user, key, follows } = opened.value;
    const [member, recovery] = await Promise.all([readPrivateKey(keys.at(-1)?.armor ?? ''), readPrivateKey(recoveryKey)]);
    if (!member.ok || !key.endsWith(`/${member.value.fingerprint}`)) return fail('not-a-backup', 'keys');
    if (!recovery.ok) return fail('not-a-backup', 'recoveryKey');
    this.#opened = recovery.value;
    const contents = { server, serverKeys, user, key, follows };
    const { fingerprint, publicKey } = recovery.value;
    const keyArmor = member.value.publicKey.armor;
    return ok({ ...contents, revocation, recovery: fingerprint, recoveryArmor: publicKey.armor, keyArmor });
  }

  async signRecovery<T extends StatementOf<'session' | 'account-removal-withdrawal'>>(statement: T, dateMs: number): Promise<Signed<T>> {
    const key = this.#recovery();
    const checked = checkStatement(statement);
    if (!checked.ok) throw new AppError('INVALID', `not a statement: ${checked.reason} ${checked.detail}`);
    return signStatement(statement, [{ key, keyId: userKeyId(statement.user, key.fingerprint) }], dateMs);
  }

  closeRecovery(): void {
    this.#opened = null;
  }

  #recovery(): PrivateKey {
    if (!this.#opened) throw new AppError('FORBIDDEN', 'no backup is open for its recovery key');
    return this.#opened;
  }

  async #revocation({ user, key }: BackupContents, dateMs: number): Promise<Signed<StatementOf<'key-revocation'>>> {
    const statement = { ...heading('key-revocation'), user: user as UserId, key: key as UserKeyId, reason: '' };
    return this.sign(statement, dateMs);
  }

  async #keep(held: Held): Promise<void> {
    await this.#safe.save(secretsOf(held));
    this.#held = held;
  }

  #own(): Held {
    if (this.#restored) return { ...ALONE, key: this.#restored, next: this.#held?.next ?? null };
    if (!this.#held) throw new AppError('UNAUTHENTICATED', 'there is no key on this device');
    return this.#held;
  }
}

/** @throws AppError INVALID unless the statement names this key */
function requireNamed(statement: Statement, key: PrivateKey): UserKeyId {
  const keyId = 'key' in statement ? parseUserKeyId(statement.key) : null;
  if (!keyId || fingerprintOf(keyId) !== key.fingerprint) throw new AppError('INVALID', 'the statement names another key');
  return keyId;
}

const publicHalves = ({ key, recovery }: Held): RingKeys => ({
  fingerprint: key.fingerprint,
  armor: key.publicKey.armor,
  ...(recovery ? { recovery: recovery.fingerprint } : {}),
});
