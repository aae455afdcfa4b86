// What stands in place of a profile that can't be shown.
import type { RelationView } from '../link/community.ts';

/** Null where the profile can be shown; `code` is the server's refusal, empty if there is none. */
export function profileEndText(code: string, relation: RelationView | null, name: string): string | null {
  if (relation?.blocks) return `You have blocked ${name}. Nothing of theirs comes to you, and nothing of yours to them.`;
  if (relation?.blocksMe || code === 'BLOCKED')
    return 'This member has blocked you. Nothing of theirs comes to you, and only they can end that.';
  if (code === 'REMOVED') return 'This member has removed their account. Their name is not given to anybody else for a year.';
  if (code === 'NOT_FOUND' || code === 'BAD_REQUEST') return 'There is no such member here. Check that the whole link was copied.';
  return null;
}
