// Retry delays as pure values: doubling from a first delay up to a cap.

/** The delay before try number `failures` + 1, in ms: first, 2·first, 4·first … at most `capMs`. */
export const doubling = (failures: number, firstMs: number, capMs: number): number =>
  Math.min(capMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), 30));

/** Full jitter: a random part of `delayMs`, never under a tenth of it. `random` gives 0 ≤ x < 1. */
export const jittered = (delayMs: number, random: () => number): number => Math.round(delayMs * (0.1 + 0.9 * random()));
