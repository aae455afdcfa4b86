// What stands in place of a profile that can't be shown.
import type { RelationView } from '../link/community.ts';

const ROLES: Readonly<Record<string, string>> = {
  root: 'runs this server',
  admin: 'helps to run this server',
  archivist: 'archivist: keeps copies of what others write',
};

/** What a role means; empty for that of every member. */
export const roleText = (role: string): string => (role === 'user' ? '' : (ROLES[role] ?? role));

/** Null where the profile can be shown; `code` is the server's refusal, empty if there is none. */
export function profileEndText(code: string, relation: RelationView | null, name: string): string | null {
  if (relation?.blocks) return `You have blocked ${name}. Nothing of theirs comes to you, and nothing of yours to them.`;
  if (relation?.blocksMe || code === 'BLOCKED')
    return 'This member has blocked you. Nothing of theirs comes to you, and only they can end that.';
  if (code === 'REMOVED') return 'This member has removed their account. Their name is not given to anybody else for a year.';
  if (code === 'NOT_FOUND' || code === 'BAD_REQUEST') return 'There is no such member here. Check that the whole link was copied.';
  return null;
}
