// How many bytes this process holds, what nobody refers to any more left out: garbage that is not collected yet says nothing.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of objects and buffers that something refers to. */
export const heldBytes = (): number => {
  collect();
  // Buffers are let go of beside the program; the second one waits for that.
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const held = (): number => process.memoryUsage().arrayBuffers;

/** How many bytes of buffers more than now were held at any look so far; each call is a look. */
export const watchBuffers = (): (() => number) => {
  collect();
  const before = held();
  let largest = 0;
  return () => {
    if (held() - before > largest) {
      collect();
      largest = Math.max(largest, held() - before);
    }
    return largest;
  };
};
