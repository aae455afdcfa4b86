// What stands in place of a profile that can't be shown.
import type { RelationView } from '../link/community.ts';
import type { Elsewhere } from './servers.ts';

const ROLES: Readonly<Record<string, string>> = {
  root: 'runs this server',
  admin: 'helps to run this server',
  archivist: 'archivist: keeps copies of what others write',
};

/** What a role means; empty for that of every member. */
export const roleText = (role: string): string => (role === 'user' ? '' : (ROLES[role] ?? role));

/** Of people of another server whom this one does not know yet. */
const UNKNOWN: Readonly<Record<Elsewhere['state'], (label: string) => string>> = {
  live: (label) => `There is no such member on ${label}. Check that the whole link was copied.`,
  away: (label) => `${label} is away at the moment, and nobody here has met this member yet. Come back when it can be asked again.`,
  ended: (label) => `This is a member of ${label}, with which your server exchanges nothing.`,
};

/** Whether the server's refusal means that nobody has such an id. */
export const isMissing = (code: string): boolean => code === 'NOT_FOUND' || code === 'BAD_REQUEST';

/**
 * Null where the profile can be shown; `code` is the server's refusal, empty if there is none.
 * @param from their server, if it is another one
 */
export function profileEndText(
  code: string,
  { relation, name, from }: { readonly relation: RelationView | null; readonly name: string; readonly from: Elsewhere | null },
): string | null {
  if (relation?.blocks) return `You have blocked ${name}. Nothing of theirs comes to you, and nothing of yours to them.`;
  if (relation?.blocksMe || code === 'BLOCKED')
    return 'This member has blocked you. Nothing of theirs comes to you, and only they can end that.';
  if (code === 'REMOVED') return 'This member has removed their account. Their name is not given to anybody else for a year.';
  if (code === 'NOT_FOUND' && from) return UNKNOWN[from.state](from.label);
  if (isMissing(code)) return 'There is no such member here. Check that the whole link was copied.';
  return null;
}
