// What is too dear for every `npm test`: it runs a part of such tests, and `npm run long` what it leaves out, from the same list in the same file
// (AT_LENGTH in vitest.long.config.ts names the files). Both together run all, as CI does.

/** Whether this is `npm run long`. */
const IS_LONG = process.env['REEDBED_TESTS'] === 'long';

/** Of cases in a row: one of `every` in `npm test`, the others in `npm run long`. */
export const byTurns = <Case>(cases: readonly Case[], every: number): Case[] => cases.filter((_, turn) => (turn % every === 0) !== IS_LONG);

/** Of so many runs with generated input: all of them in `npm run long`, a third in `npm test`, where each run of it has another seed. */
export const upTo = (runs: number): number => (IS_LONG ? runs : Math.ceil(runs / 3));

/** Defines its tests in `npm test`, or in `npm run long`. */
export const inTest = (define: () => void): void => {
  if (!IS_LONG) define();
};
export const atLength = (define: () => void): void => {
  if (IS_LONG) define();
};
