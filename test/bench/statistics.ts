// Medians, percentiles and spreads.

const sorted = (values: ArrayLike<number>): Float64Array => Float64Array.from(values).sort();

/** The value that so great a share of the values does not exceed; NaN for none. */
export const percentile = (values: ArrayLike<number>, share: number): number => {
  const order = sorted(values);
  return order[Math.min(order.length - 1, Math.max(0, Math.ceil(order.length * share) - 1))] ?? Number.NaN;
};

/** The middle value, or the mean of the two in the middle. */
export const median = (values: ArrayLike<number>): number => {
  const order = sorted(values);
  const upper = order[order.length >> 1] ?? Number.NaN;
  return order.length % 2 === 1 ? upper : (upper + (order[(order.length >> 1) - 1] ?? Number.NaN)) / 2;
};

export type Spread = { readonly median: number; readonly min: number; readonly max: number };

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});
