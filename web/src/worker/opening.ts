// Whether a backup opens with the words that were typed, and if not, whose fault that is: the file's, or which word's.
import { openBackup } from '../../../src/client/backup.ts';
import { normalPassphrase, PASSPHRASE_WORDS } from '../../../src/client/passphrase.ts';
import { WORDS } from '../../../src/client/words.ts';

export type BackupWish = { readonly backup: string; readonly words: string };

/** A refusal of the app's own, by a word that pages have a sentence for, or with the sentence. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly detail: string;

  constructor(code: string, detail = '') {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}

/** Words of the list are told apart by so many letters. */
const TELLING = 4;

/** What is wrong with words that open nothing, if that can be seen from them alone; empty if not. */
export function wordsProblem(typed: string): string {
  const words = normalPassphrase(typed).split(' ');
  const wrong = words.filter((word) => !WORDS.includes(word));
  if (wrong.length > 0) {
    const named = wrong.map((word) => {
      const meant = WORDS.find((known) => known.slice(0, TELLING) === word.slice(0, TELLING));
      return meant === undefined ? `“${word}”` : `“${word}” (perhaps “${meant}”)`;
    });
    return `${named.join(', ')} ${wrong.length === 1 ? 'is none' : 'are none'} of the words that Reedbed makes backups with. Look at your paper again.`;
  }
  if (words.length === PASSPHRASE_WORDS) return '';
  return `A backup has ${PASSPHRASE_WORDS} words; you typed ${words.length}.`;
}

/** @throws Refusal */
export async function requireOpens({ backup, words }: BackupWish): Promise<void> {
  // As it was typed first: a passphrase that a person chose may have capitals.
  for (const passphrase of [words, normalPassphrase(words)]) {
    const opened = await openBackup(backup, passphrase);
    if (opened.ok) return;
    if (opened.reason !== 'passphrase') throw new Refusal('BAD_BACKUP');
  }
  const problem = wordsProblem(words);
  throw problem === '' ? new Refusal('WRONG_WORDS') : new Refusal('MISSPELT', problem);
}
