// The member's key and account as acts: a new key, a frozen account and taking it back, leaving and coming back. What was ended here is
// remembered, so that the app says so after a reload instead of knocking at a closed door.

import type { Member } from '../../../src/client/member.ts';
import type { BackupInput } from '../../../src/client/recovery.ts';
import type { EndView } from '../link/community.ts';
import type { Database } from '../store/database.ts';
import { type BackupWish, requireOpens } from './opening.ts';

const META = 'account ended';

type Parts = { readonly member: Member; readonly database: Database; show(): Promise<void> };

const inputOf = ({ backup, words }: BackupWish): BackupInput => ({ backup, passphrase: words });

export class AccountActs {
  readonly #member: Member;
  readonly #database: Database;
  readonly #show: () => Promise<void>;
  #end: EndView | null = null;

  constructor({ member, database, show }: Parts) {
    this.#member = member;
    this.#database = database;
    this.#show = show;
  }

  /** How the account was ended on this device; null if it was not. */
  get end(): EndView | null {
    return this.#end;
  }

  async load(): Promise<void> {
    this.#end = ((await this.#database.get('meta', META))?.value as EndView | undefined) ?? null;
  }

  async rotateKey(): Promise<null> {
    await this.#member.rotateKey();
    await this.#show();
    return null;
  }

  async revokeKey({ reason }: { reason: string }): Promise<null> {
    await this.#member.revokeKey(reason);
    await this.#ended({ how: 'frozen', dueAt: '' });
    return null;
  }

  async removeAccount({ note }: { note: string }): Promise<null> {
    const { dueAt } = await this.#member.removeAccount(note);
    await this.#ended({ how: 'leaving', dueAt });
    return null;
  }

  /** Takes the account back with a new key, on this device; it may have had none. */
  async recover(wish: BackupWish): Promise<null> {
    await requireOpens(wish);
    await this.#member.recover(inputOf(wish));
    await this.#goOn();
    return null;
  }

  async withdrawRemoval(wish: BackupWish): Promise<null> {
    await requireOpens(wish);
    await this.#member.withdrawRemoval(inputOf(wish));
    await this.#goOn();
    return null;
  }

  async #ended(end: EndView): Promise<void> {
    this.#end = end;
    await this.#database.put('meta', { id: META, value: end });
    await this.#show();
  }

  async #goOn(): Promise<void> {
    this.#end = null;
    await this.#database.delete('meta', META);
    if (this.#member.account) this.#member.connect();
    await this.#show();
  }
}
