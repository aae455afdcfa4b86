// How a list that somebody is reading takes in a newer answer: nothing above what is read moves unless they asked for it or wrote it.
import type { CopyList, CopyView } from '../link/community.ts';

export type Row = { readonly copy: CopyView; readonly gone: boolean };

/** `fresh`: how many came that are not shown yet. */
export type Merged = { readonly rows: readonly Row[]; readonly fresh: number };

const rowOf = (copy: CopyView): Row => ({ copy, gone: false });

/** Everything as it is now. */
export const shownNow = (answer: readonly CopyView[]): Merged => ({ rows: answer.map(rowOf), fresh: 0 });

/**
 * The rows as they stand, each as it is now; what is gone keeps its place. One's own new reeds are put above, older ones below; what others
 * wrote meanwhile is counted, and so are one's own answers: they are written in the middle of the list, which must not move then.
 */
export function merge(rows: readonly Row[], { shown: answer, more }: CopyList): Merged {
  if (rows.length === 0) return shownNow(answer);
  const now = new Map(answer.map((copy) => [copy.reedId, copy]));
  const standing = rows.map(({ copy, gone }): Row => {
    const current = now.get(copy.reedId);
    return current ? rowOf(current) : { copy, gone: gone || !(more && isBelow(copy, answer)) };
  });
  const known = new Set(rows.map(({ copy }) => copy.reedId));
  const lastKnown = answer.findLastIndex(({ reedId }) => known.has(reedId));
  const above: Row[] = [];
  const below: Row[] = [];
  let fresh = 0;
  for (const [at, copy] of answer.entries()) {
    if (known.has(copy.reedId)) continue;
    if (copy.own && !copy.replyTo && !copy.echoOf) above.push(rowOf(copy));
    else if (lastKnown >= 0 && at > lastKnown) below.push(rowOf(copy));
    else fresh++;
  }
  return { rows: [...above, ...standing, ...below], fresh };
}

/** Pushed off the end of the answer by newer ones, rather than gone. */
const isBelow = (copy: CopyView, answer: readonly CopyView[]): boolean => {
  const last = answer.at(-1);
  return last !== undefined && timeOf(copy) < timeOf(last);
};

const timeOf = (copy: CopyView): string => (copy.countersignedAt === '' ? copy.createdAt : copy.countersignedAt);
