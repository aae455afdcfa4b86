// Passphrases for backups: the app makes them, since people choose badly. Seven of 2,048 words are 77 bits.
// Words are drawn without bias: 2,048 divides 2^16, so two random bytes give each word equally often.
import type { RandomBytes } from '../base/ids.ts';
import { WORDS } from './words.ts';

export const PASSPHRASE_WORDS = 7;

/** Seven words with a space between. */
export function makePassphrase(random: RandomBytes): string {
  const bytes = random(PASSPHRASE_WORDS * 2);
  const words = Array.from({ length: PASSPHRASE_WORDS }, (_, at) => {
    const number = ((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0);
    return WORDS[number % WORDS.length] ?? '';
  });
  return words.join(' ');
}

/** What a person typed, as `makePassphrase` would have written it: case, hyphens and stray spaces make no difference. */
export const normalPassphrase = (typed: string): string =>
  typed
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .split(/[\s\-–]+/)
    .join(' ');
