// Which known name was probably meant by one that is unknown.

/** How many letters have to be put in, left out, replaced or swapped with their neighbour to make one word of the other. */
const distanceOf = (one: string, other: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const costs = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1)];
      if (isSwapped) costs.push((beforeLast[j - 2] ?? 0) + 1);
      row.push(Math.min(...costs));
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
};

/** The known name nearest to `name`, if at most a third of its letters differ; else null. */
export const nearest = (name: string, known: readonly string[]): string | null => {
  const [best] = known.map((other) => ({ other, distance: distanceOf(name, other) })).toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.other : null;
};
