// One of a few, each equally likely.
import type { RandomBytes } from '../../../src/base/ids.ts';

const BYTE = 256;

/** A place from 0 to `count` - 1; `count` is 1 to 256. A byte that would make some places likelier is drawn again. */
export function pickPlace(count: number, random: RandomBytes): number {
  const fair = BYTE - (BYTE % count);
  for (;;) {
    const [byte = 0] = random(1);
    if (byte < fair) return byte % count;
  }
}
