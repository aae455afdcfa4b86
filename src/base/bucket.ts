// A bucket that fills at a steady rate up to its burst: how often something may be done, without a memory of when it was.

/** `at` is when `level` was true. */
export type Bucket = { level: number; at: number };

export type Rate = { readonly burst: number; readonly perMs: number };

/** What sums of fractions may be off by. */
const ROUNDING = 1e-6;

/** Takes `cost`. @returns 0, or after how many ms there would be enough; then nothing is taken. */
export function take(bucket: Bucket, { burst, perMs }: Rate, cost: number, now: number): number {
  bucket.level = Math.min(burst, bucket.level + (now - bucket.at) * perMs);
  bucket.at = now;
  if (bucket.level + ROUNDING >= cost) {
    bucket.level -= cost;
    return 0;
  }
  return Math.max(1, Math.ceil((cost - ROUNDING - bucket.level) / perMs));
}
