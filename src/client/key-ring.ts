// The port to a member's private keys. It offers acts (sign this statement, open this copy), never bare signing of bytes,
// so that it can live in a worker and whoever takes over the page gets no key out of it.
import type { Result } from '../base/result.ts';
import type { OpenedCopy, OpenedThread } from '../crypto/seal.ts';
import type { Signed } from '../wire/canonical.ts';
import type { Statement, StatementOf } from '../wire/statements.ts';

/** The public halves of what the ring holds. */
export type RingKeys = {
  readonly fingerprint: string;
  readonly armor: string;
  /** Fingerprint of the recovery key; absent once its private half was deleted from this device. */
  readonly recovery?: string;
};

/** What stands in a backup besides the private keys, which only the ring can add. */
export type BackupContents = {
  readonly server: string;
  readonly serverKeys: readonly string[];
  readonly user: string;
  /** Id of the member's current key. */
  readonly key: string;
  readonly follows: readonly string[];
};

/** A backup opened for its recovery key, which stays in the ring until `closeRecovery`. */
export type OpenedRecovery = BackupContents & {
  /** The public halves of the recovery key and of the member's key in the backup. */
  readonly recovery: string;
  readonly recoveryArmor: string;
  readonly keyArmor: string;
  /** Of the key in the backup, signed when the backup was made. */
  readonly revocation: Signed<StatementOf<'key-revocation'>>;
};

/** passphrase: wrong, or no message that a passphrase opens. not-a-backup: what came out is no backup of this version. */
export type BackupReason = 'passphrase' | 'not-a-backup';

export interface KeyRing {
  /** What the ring holds; null before `make` or `keepRestored`. */
  keys(): Promise<RingKeys | null>;
  /**
   * Makes the member's key and the recovery key, or gives back those that were made before.
   * @param dateMs the keys' date, on the server's clock
   */
  make(dateMs: number): Promise<RingKeys>;
  /** Signs a statement with the member's key. Throws if it is no statement or names another key. */
  sign<T extends Statement>(statement: T, dateMs: number): Promise<Signed<T>>;
  /** Decrypts a copy of a reed or a whole thread that was sealed for this member. */
  open(ciphertext: Uint8Array): Promise<Result<OpenedCopy | OpenedThread>>;
  /** A sealed backup of both keys: an armored OpenPGP message. Throws if the recovery key is no longer here. */
  backup(contents: BackupContents, passphrase: string, dateMs: number): Promise<string>;
  /** Opens a backup and gives back the rest: its member's key signs in place of the ring's own, which stays in the safe until `keepRestored`. */
  restore(backup: string, passphrase: string): Promise<Result<BackupContents, BackupReason>>;
  /** The key of the opened backup is the ring's from now on; a next key that waits goes on waiting. */
  keepRestored(): Promise<void>;
  /** The ring's own key signs again, unless the backup's was kept. */
  dropRestored(): void;
  /** Deletes the private half of the recovery key from this device. */
  forgetRecovery(): Promise<void>;
  /** Makes the member's next key and its recovery key, which wait until `takeNext`; or gives back those that wait. */
  makeNext(dateMs: number): Promise<Required<RingKeys>>;
  /**
   * Signs with the key that waits. Its own statement is signed by the key before it, too, or, if it has a recovery armor, by the recovery key of
   * the opened backup. Throws if it names another key, or if that is not there.
   */
  signNext<T extends StatementOf<'key' | 'session'>>(statement: T, dateMs: number): Promise<Signed<T>>;
  /** The key that waits is the member's from now on. The one before opens what was sealed to it until `untilMs`, of the server's clock. */
  takeNext(untilMs: number): Promise<void>;
  /** Deletes the key that waits, if one does. */
  dropNext(): Promise<void>;
  /** Deletes every key: the ring is as before `make`. */
  empty(): Promise<void>;
  /** Deletes replaced keys whose time is over. */
  forgetReplaced(nowMs: number): Promise<void>;
  /** Opens a backup for its recovery key; the ring's own key stays. */
  openRecovery(backup: string, passphrase: string): Promise<Result<OpenedRecovery, BackupReason>>;
  /** Signs with the recovery key of the opened backup. Throws if none is open. */
  signRecovery<T extends StatementOf<'session' | 'account-removal-withdrawal'>>(statement: T, dateMs: number): Promise<Signed<T>>;
  closeRecovery(): void;
}
