// What the bench says on standard error while it goes on.
export const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Says when something begins and how long it took. */
export const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  say(`${name} …`);
  const from = performance.now();
  const found = await work();
  say(`${name}: ${((performance.now() - from) / 1_000).toFixed(1)} s`);
  return found;
};
