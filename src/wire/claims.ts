// What a text claims: its tags and mentions. Composer, server and receiver read them with these functions, so that the lists in a
// reed's statement can be compared with its body; a list that differs is a claim mismatch.
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { parseUserId, type UserId } from './address.ts';

const TAG_SIGNS = `[\\p{L}\\p{N}\\p{M}_]{1,${LIMITS.tagCodePoints}}`;
const TAG = new RegExp(`^${TAG_SIGNS}$`, 'u');
const TAG_IN_TEXT = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}_&/#])#(${TAG_SIGNS})(?![\\p{L}\\p{N}\\p{M}_#])`, 'gu');
const MENTION_IN_TEXT = /(?<![A-Za-z0-9._/@-])@([a-z2-7]{16}@[a-z2-7]{16})(?![A-Za-z0-9_/@-])/g;

/** How a tag is written in statements and subscriptions: NFC and lower case. Not every result is a tag. */
export const foldTag = (tag: string): string => tag.normalize('NFC').toLowerCase().normalize('NFC');

/** Whether this is a tag in its folded form: 1 to 50 letters, digits, marks and underscores, not digits alone. */
export const isTag = (value: string): boolean => TAG.test(value) && /\p{L}/u.test(value) && foldTag(value) === value;

function firstDifferent<T extends string>(text: string, form: RegExp, most: number, read: (match: string) => T | null): T[] {
  const kept = new Set<T>();
  for (const match of text.matchAll(form)) {
    if (kept.size === most) break;
    const item = read(match[1] ?? '');
    if (item !== null) kept.add(item);
  }
  return [...kept];
}

/** The first 20 different hashtags of a text, folded, in the order of their first appearance. */
export function tagsOf(text: string): string[] {
  return firstDifferent(text, TAG_IN_TEXT, LIMITS.tags, (match) => {
    const tag = foldTag(match);
    return isTag(tag) ? tag : null;
  });
}

/** The first 30 different people mentioned as `@local@server`, in the order of their first appearance. */
export function mentionsOf(text: string): UserId[] {
  return firstDifferent(text, MENTION_IN_TEXT, LIMITS.mentions, parseUserId);
}
