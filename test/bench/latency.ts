// Latency at half load, open loop: requests come on a schedule whatever becomes of those before. The way from the scheduled time of a request to the
// arrival of the copy holds everything that the server adds, since holders answer at once; it is what p50Ms and p99Ms of the JSON are.
import type { Samples } from './load.ts';
import { percentile } from './statistics.ts';
import type { Arena } from './throughput.ts';

export type Percentiles = { readonly p50Ms: number; readonly p99Ms: number; readonly count: number };

export type Latency = {
  /** Scheduled time of the request → copy at the requester. */
  readonly fromSchedule: Percentiles;
  /** The holder's answer → copy at the requester. */
  readonly fromAnswer: Percentiles;
};

const of = (samples: readonly Samples[], which: keyof Samples): Percentiles => {
  const all = samples.flatMap((sample) => [...sample[which]]);
  return { p50Ms: percentile(all, 0.5), p99Ms: percentile(all, 0.99), count: all.length };
};

export const measureLatency = async (
  { loads }: Arena,
  side: 'bare' | 'reedbed',
  by: { readonly perSecond: number; readonly forMs: number },
): Promise<Latency> => {
  const share = { of: side, perSecond: by.perSecond / loads.length };
  // What the first requests find cold is not measured.
  await Promise.all(loads.map((load) => load.call('schedule', { ...share, forMs: by.forMs / 5 })));
  const samples = await Promise.all(loads.map((load) => load.call('schedule', { ...share, forMs: by.forMs })));
  return { fromSchedule: of(samples, 'fromSchedule'), fromAnswer: of(samples, 'fromAnswer') };
};
