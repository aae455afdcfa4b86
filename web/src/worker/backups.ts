// The backup that a new member has still to save: made once and kept sealed until it is, so that a page that is loaded anew shows the words that may
// stand on paper already. Gone with the recovery key once it is saved.
import { cryptoRandom } from '../../../src/base/ids.ts';
import type { Member } from '../../../src/client/member.ts';
import { makePassphrase } from '../../../src/client/passphrase.ts';
import type { NewBackup } from '../link/protocol.ts';
import type { Database } from '../store/database.ts';
import { deleteSecret, getSecret, putSecret } from '../store/secrets.ts';
import { pickPlace } from './pick.ts';

/** Of which key it is: another one has another backup. */
type Kept = NewBackup & { readonly key: string };

export class Backups {
  readonly #member: Member;
  readonly #database: Database;
  #making: Promise<NewBackup> | null = null;

  constructor({ member, database }: { readonly member: Member; readonly database: Database }) {
    this.#member = member;
    this.#database = database;
  }

  /** Forgets what a stop between the two deletions left. */
  async load(): Promise<void> {
    if (this.#member.account?.backedUp !== false) await deleteSecret(this.#database, 'backup');
  }

  /** The same for every tab that asks. Throws AppError FORBIDDEN once it was saved. */
  make(): Promise<NewBackup> {
    this.#making ??= this.#keptOrMade().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  async saved(): Promise<void> {
    await this.#member.backupSaved();
    await deleteSecret(this.#database, 'backup');
  }

  async #keptOrMade(): Promise<NewBackup> {
    const key = this.#member.account?.key ?? '';
    const kept = (await getSecret(this.#database, 'backup').catch(() => null)) as Kept | null;
    if (kept?.key === key) {
      const { key: _key, ...backup } = kept;
      return backup;
    }
    const made = await this.#made();
    await putSecret(this.#database, 'backup', { ...made, key } satisfies Kept);
    return made;
  }

  async #made(): Promise<NewBackup> {
    const passphrase = makePassphrase(cryptoRandom);
    const words = passphrase.split(' ');
    const { username = '', server = '' } = this.#member.account ?? {};
    const safe = username.replace(/[^\p{L}\p{N}_-]+/gu, '_');
    return {
      fileName: `reedbed-${safe}-${server.slice(0, 6)}.asc`,
      backup: await this.#member.backup(passphrase),
      words,
      asked: pickPlace(words.length, cryptoRandom),
    };
  }
}
