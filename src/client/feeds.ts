// The feeds in which a copy stands, and its place in each: a text whose order is the feed's order. Pure, so that every store keeps the same.
// Time is that of the server's signature, which every reader of a copy sees alike; a reed is published right after it.
import { userOf } from '../wire/address.ts';
import { parseTime } from '../wire/kinds.ts';
import type { CopyRecord, Feed } from './store.ts';

/** Stands in no feed's name, no time and no id. */
const GAP = '\u0000';
const AFTER_GAP = '\u0001';
/** The last millisecond that 13 digits hold. */
const LAST_MS = 9_999_999_999_999;
const DIGITS = 13;

const printed = (count: number): string => String(count).padStart(DIGITS, '0');

/** All places of a copy; none while it is on its way out. */
export function placesOf({ id, certificate, state }: CopyRecord): string[] {
  if (state === 'leaving') return [];
  const { statement, countersignature } = certificate;
  const at = parseTime(countersignature.statement.signedAt) ?? 0;
  const newestFirst = (feed: Feed): string => `${feed}${GAP}${printed(LAST_MS - at)}${GAP}${id}`;
  const { tags, mentions, replyTo, echoOf, thread } = statement;
  const places = [...tags.map((tag) => newestFirst(`tag ${tag}`)), ...mentions.map((user) => newestFirst(`mention ${user}`))];
  if (thread) places.push(`thread ${thread.head}${GAP}${printed(thread.index)}${GAP}${id}`);
  // A thread stands where its head stands.
  if (thread && thread.index > 0) return places;
  places.push(newestFirst('all'), newestFirst(`author ${statement.author}`));
  if (replyTo) places.push(`reply ${replyTo}${GAP}${printed(at)}${GAP}${id}`);
  if (echoOf) places.push(newestFirst(`echo ${echoOf}`));
  const answered = new Set([replyTo, echoOf].flatMap((reed) => (reed ? [userOf(reed)] : [])));
  for (const user of answered) places.push(newestFirst(`answers ${user}`));
  return places;
}

/** Between these two, both apart, are the places of a feed behind `after`. */
export const boundsOf = (feed: Feed, after?: string): { readonly from: string; readonly to: string } => ({
  from: after !== undefined && after > `${feed}${GAP}` ? after : `${feed}${GAP}`,
  to: `${feed}${AFTER_GAP}`,
});
