// `npm run bench`: runs the parts that were asked for, one after the other, and prints what they found.
import { measureCatchup, measureStats } from './community.ts';
import { measureDormant } from './dormant.ts';
import { type FederationSizes, measureFederation } from './federation.ts';
import { measureIdle } from './idle.ts';
import { measureLatency } from './latency.ts';
import { HELP, type Options, type Part, readOptions, UsageError } from './options.ts';
import { machine, type Results, summary, tables } from './report.ts';
import { dismiss, gather, measureSpread, SPREAD_LIMITS } from './spread.ts';
import { Stage } from './stage.ts';
import { say, timed } from './telling.ts';
import { measureThroughput, openArena, profileLoad, type Sizes } from './throughput.ts';
import { ownCpuMs } from './usage.ts';

const FAULT = 1;
const WRONG_USE = 2;

const FULL = {
  load: {
    members: 1_000,
    reeds: 20_000,
    holders: 5,
    outstanding: 1_024,
    outstandingOneByOne: 64,
    rounds: 7,
    roundsMs: 600_000,
    warmUpMs: 2_000,
    measuredMs: 6_000,
  },
  latencyMs: 20_000,
  idle: { sockets: 10_000, warmUpSockets: 200, settleMs: 3_000, windowMs: 30_000 },
  followers: 1_000,
  catchup: { owed: 50_000, authors: 20 },
  stats: { changes: 100, everyMs: 50 },
  federation: {
    stream: { authors: 8, items: 2_000 },
    fold: { readers: 1_000 },
    many: {
      ...{ good: 60, holes: 140, owed: 10_000, requests: 20_000, inProcessMs: 2_000, peerCallMs: 10_000 },
      ...{ forMs: 20_000, newHolesMs: 12_000, burst: 80 },
    },
  } satisfies FederationSizes,
  dormant: { dormant: 100_000, dormantReeds: 50_000, waiting: 10_000, waitingHolders: 200, holdersOfOne: 10_000, reedsOfOne: 50_000 },
};
const QUICK: typeof FULL = {
  ...FULL,
  load: { ...FULL.load, reeds: 4_000, rounds: 3, roundsMs: 20_000, warmUpMs: 500, measuredMs: 1_400 },
  latencyMs: 2_500,
  idle: { ...FULL.idle, settleMs: 2_000, windowMs: 5_000 },
  catchup: { owed: 1_000, authors: 20 },
  stats: { changes: 40, everyMs: 50 },
  federation: {
    ...FULL.federation,
    stream: { authors: 8, items: 40 },
    many: { ...FULL.federation.many, requests: 600, inProcessMs: 300, forMs: 2_000, newHolesMs: 4_000, peerCallMs: 6_000, burst: 6 },
  },
  dormant: { dormant: 10_000, dormantReeds: 5_000, waiting: 1_000, waitingHolders: 200, holdersOfOne: 1_000, reedsOfOne: 5_000 },
};

/** On a slow machine, where as much time has passed by then, a part gets smaller: what was measured stands in the tables. */
const LATE_MS = { idle: 45_000, stream: 55_000, fold: 60_000, many: 70_000, stats: 75_000, catchup: 80_000 };
const LATE = {
  idle: { ...QUICK.idle, sockets: 2_000 },
  stream: { authors: 4, items: 16 },
  fold: { readers: 250 },
  many: { ...QUICK.federation.many, requests: 200, forMs: 1_000, newHolesMs: 2_000, burst: 2 },
  stats: { changes: 20, everyMs: 50 },
  catchup: { owed: 400, authors: 20 },
};

const quickAt = (passedMs: number): typeof FULL => {
  const late = <K extends keyof typeof LATE>(part: K, sizes: (typeof LATE)[K]): (typeof LATE)[K] =>
    passedMs < LATE_MS[part] ? sizes : LATE[part];
  const { stream, fold, many } = QUICK.federation;
  return {
    ...QUICK,
    ...{ idle: late('idle', QUICK.idle), stats: late('stats', QUICK.stats), catchup: late('catchup', QUICK.catchup) },
    federation: { stream: late('stream', stream), fold: late('fold', fold), many: late('many', many) },
  };
};

const underLoad = async (stage: Stage, options: Options, sizes: typeof FULL): Promise<Pick<Results, 'throughput' | 'latency'>> => {
  const arena = await timed('servers for the load', () => openArena(stage, sizes.load));
  const throughput = await timed('throughput', () => measureThroughput(arena, sizes.load, say));
  if (options.profile !== null) await profileLoad(arena, sizes.load, options.profile);
  if (!options.parts.has('latency')) return { throughput };
  const by = { perSecond: throughput.perSecond / 2, forMs: sizes.latencyMs };
  return timed('latency', async () => {
    const [bare, reedbed] = [await measureLatency(arena, 'bare', by), await measureLatency(arena, 'reedbed', by)];
    return { throughput, latency: { perSecond: by.perSecond, bare, reedbed } };
  });
};

const AT_REST = ['idle', 'spread', 'fanout', 'stats', 'catchup', 'dormant'] as const;
type AtRest = (typeof AT_REST)[number];

const atRest = async (stage: Stage, { parts }: Options, sizesNow: () => typeof FULL): Promise<Partial<Pick<Results, AtRest>>> => {
  const [loads, server] = await timed('a server at rest', () => Promise.all([stage.loads(2), stage.server({ limits: SPREAD_LIMITS })]));
  const results: { -readonly [K in AtRest]?: NonNullable<Results[K]> } = {};
  const part = async <K extends keyof typeof results>(name: K, measure: () => Promise<NonNullable<Results[K]>>): Promise<void> => {
    if (parts.has(name)) (results as Record<K, unknown>)[name] = await timed(name, measure);
  };
  await part('idle', () => measureIdle(stage, server, loads, sizesNow().idle));
  const arena = { server, loads };
  if (parts.has('spread') || parts.has('fanout') || parts.has('stats')) {
    const crowd = await timed('a crowd', () => gather(arena, sizesNow().followers));
    await part('spread', () => measureSpread(crowd, 'asked'));
    await part('fanout', () => measureSpread(crowd, 'published'));
    await part('stats', () => measureStats(crowd, sizesNow().stats));
    await dismiss(crowd);
  }
  await part('catchup', () => measureCatchup(arena, sizesNow().catchup));
  await part('dormant', () => measureDormant(server.databaseUrl, sizesNow().dormant));
  return results;
};

const borders = async (stage: Stage, { parts, profile }: Options, sizesNow: () => typeof FULL): Promise<Pick<Results, 'federation'>> =>
  parts.has('federation')
    ? { federation: await measureFederation(stage, () => sizesNow().federation, parts.size === 1 ? profile : null) }
    : {};

/** Throughput and latency have the machine for themselves. With `--quick` all that follows shares it, the end of the servers before included. */
const measureAll = async (options: Options, sizesNow: () => typeof FULL): Promise<Results> => {
  await using loaded = new Stage();
  await using rest = new Stage();
  await using border = new Stage();
  const anyOf = (...parts: Part[]): boolean => parts.some((part) => options.parts.has(part));
  const load = anyOf('throughput', 'latency') ? await underLoad(loaded, options, sizesNow()) : {};
  const ended = loaded[Symbol.asyncDispose]();
  if (!options.quick) await ended;
  const still = anyOf(...AT_REST) ? atRest(rest, options, sizesNow) : {};
  if (!options.quick) await still;
  const [waiting, others] = await Promise.all([still, borders(border, options, sizesNow), ended]);
  return { ...load, ...waiting, ...others };
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(0)} s`;

const run = async (options: Options): Promise<void> => {
  const startedAt = performance.now();
  const passedMs = (): number => performance.now() - startedAt;
  const sizesNow = (): typeof FULL => (options.quick ? quickAt(passedMs()) : FULL);
  process.stdout.write(`${machine()}\n\n`);
  const results = await measureAll(options, sizesNow);
  process.stdout.write(`${tables(results, FULL.load satisfies Sizes)}\n\ntook ${seconds(passedMs())}, ${seconds(ownCpuMs())} of CPU\n`);
  if (options.json) process.stdout.write(`${JSON.stringify(summary(results))}\n`);
};

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) process.stdout.write(HELP);
  else await run(options);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof UsageError ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exitCode = error instanceof UsageError ? WRONG_USE : FAULT;
}
