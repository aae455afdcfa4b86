// Tells that reeds by others were on the screen, so that no list counts them as new. A tab in the background shows nobody anything.
import type { CopyView } from '../link/community.ts';
import { session } from './session.svelte.ts';

const told = new Set<string>();

export function lookedAt(copies: readonly CopyView[]): void {
  if (document.hidden) return;
  const reedIds = copies.filter(({ own, storedAt, reedId }) => !own && storedAt > 0 && !told.has(reedId)).map(({ reedId }) => reedId);
  if (reedIds.length === 0) return;
  for (const reedId of reedIds) told.add(reedId);
  session.calls.ask('lookedAt', { reedIds }).catch(() => undefined);
}
