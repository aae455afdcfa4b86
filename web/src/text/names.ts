// Names in a text that is being written: `@ben` stands for a member until it is published, then for their id. Also how names compare and show.
import { mentionsOf, tagsOf } from '../../../src/wire/claims.ts';

/** Starts and ends with a letter or digit, as names do, so that a full stop behind it is none of it. */
const NAME_IN_TEXT =
  /(?<![\p{L}\p{N}\p{M}._/@-])@([\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]{0,28}[\p{L}\p{M}\p{N}])?(?:@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::\d{1,5})?)?)(?![\p{L}\p{M}\p{N}_@-])/gu;
/** A person's id has the form of a name at a server, too. */
const ID = /^[a-z2-7]{16}@[a-z2-7]{16}$/;
const NAME_AT_END = /(?<![\p{L}\p{N}\p{M}._/@-])@([\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,29})$/u;
/** What follows the caret in the middle of a name; a full stop there ends a sentence more often. */
const REST_OF_NAME = /^[\p{L}\p{M}\p{N}_-]+/u;
/** How much of an id stands for somebody whose name is not known. */
const ID_SHOWN = 6;

/** Whether two spellings are one name: capitals make no difference. */
export const sameName = (one: string, other: string): boolean =>
  one.normalize('NFKC').toLowerCase() === other.normalize('NFKC').toLowerCase();

/** The different names that a text has after an @ sign, as they are written: `ben`, or `ben@reeds.example` for somebody of another server. */
export const namesIn = (text: string): string[] =>
  [...new Set([...text.matchAll(NAME_IN_TEXT)].map((match) => match[1] ?? ''))].filter((name) => !ID.test(name));

/** The beginning of a name right before the cursor; null if there is none. */
export const nameBefore = (text: string): string | null => NAME_AT_END.exec(text)?.[1] ?? null;

/** The text with a whole name in the place of the one that is begun right before `at`, and where one goes on writing. */
export function pickedName(text: string, at: number, name: string): { readonly text: string; readonly at: number } {
  const before = text.slice(0, at - (nameBefore(text.slice(0, at))?.length ?? 0));
  const after = text.slice(at).replace(REST_OF_NAME, '');
  const gap = /^\s/u.test(after) ? '' : ' ';
  return { text: `${before}${name}${gap}${after}`, at: before.length + name.length + 1 };
}

/** The text with every name that belongs to somebody replaced by their id, which is what a reed's mention is. */
export const withIds = (text: string, ids: Readonly<Record<string, string | null>>): string =>
  text.replaceAll(NAME_IN_TEXT, (whole, name: string) => (ids[name] ? `@${ids[name]}` : whole));

/** What a text says as a reed: its tags, and how many people it mentions by id. */
export const claimsIn = (text: string): { readonly tags: readonly string[]; readonly mentions: number } => {
  const normal = text.normalize('NFC');
  return { tags: tagsOf(normal), mentions: mentionsOf(normal).length };
};

type Named = { readonly name: string; readonly userId: string; readonly server: string };

/** Somebody's name alone, or, while it is not known, the beginning of their id. */
export const bareName = ({ name, userId }: Pick<Named, 'name' | 'userId'>): string =>
  name !== '' ? name : `member ${userId.slice(0, ID_SHOWN)}…`;

/** Somebody as they are called here: people of other servers with their server. */
export const personText = (person: Named): string => (person.server === '' ? bareName(person) : `${bareName(person)}@${person.server}`);

/** The name and the server of `name@server`; the server is empty for somebody here. */
export function splitName(name: string): { readonly name: string; readonly server: string } {
  const [bare = '', server = ''] = name.split('@', 2);
  return { name: bare, server };
}

/** The text with names in the place of ids, for where it is shown without links. */
export const withNames = (text: string, people: readonly Named[]): string =>
  people.reduce((now, person) => now.replaceAll(`@${person.userId}`, `@${personText(person)}`), text);
