// `npm run bench`: runs the parts that were asked for, one after the other, and prints what they found.
import { measureCatchup, measureStats } from './community.ts';
import { measureDormant } from './dormant.ts';
import { type FederationSizes, measureFederation } from './federation.ts';
import { measureIdle } from './idle.ts';
import { measureLatency } from './latency.ts';
import { HELP, type Options, type Part, readOptions, UsageError } from './options.ts';
import { machine, type Results, summary, tables } from './report.ts';
import { measureSpread, SPREAD_LIMITS } from './spread.ts';
import { Stage } from './stage.ts';
import { measureThroughput, openArena, profileLoad, type Sizes } from './throughput.ts';

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
    warmUpMs: 2_000,
    measuredMs: 6_000,
  },
  latencyMs: 20_000,
  idle: { sockets: 10_000, warmUpSockets: 200, settleMs: 3_000, windowMs: 30_000 },
  followers: 1_000,
  catchup: { owed: 50_000, authors: 20 },
  stats: { watchers: 1_000, changes: 100, everyMs: 50 },
  federation: {
    stream: { authors: 8, items: 2_000 },
    fold: { readers: 1_000 },
    many: {
      ...{ good: 60, holes: 140, owed: 10_000, requests: 20_000, inProcessMs: 2_000 },
      ...{ forMs: 20_000, newHolesMs: 12_000, burst: 80 },
    },
  } satisfies FederationSizes,
  dormant: { dormant: 100_000, dormantReeds: 50_000, waiting: 10_000, waitingHolders: 200, holdersOfOne: 10_000, reedsOfOne: 50_000 },
};
const QUICK: typeof FULL = {
  ...FULL,
  load: { ...FULL.load, reeds: 10_000, rounds: 3, warmUpMs: 700, measuredMs: 2_000 },
  latencyMs: 3_000,
  idle: { ...FULL.idle, settleMs: 1_500, windowMs: 6_000 },
  catchup: { owed: 2_000, authors: 20 },
  stats: { watchers: 1_000, changes: 40, everyMs: 50 },
  federation: {
    ...FULL.federation,
    stream: { authors: 8, items: 80 },
    many: { ...FULL.federation.many, requests: 2_000, inProcessMs: 300, forMs: 2_500, newHolesMs: 5_000, burst: 8 },
  },
};

/** In a hurry, and only then, a slow machine gets smaller parts: what was measured stands in the tables. */
const HURRY = { idleAfterMs: 40_000, fewerSockets: 2_000, dormantAfterMs: 60_000, fewer: 10, federationAfterMs: 75_000, fewerReaders: 250 };

const hurried = (sizes: typeof FULL, passedMs: number): typeof FULL => {
  const tenth = (count: number): number => Math.round(count / HURRY.fewer);
  const { waitingHolders, ...counts } = sizes.dormant;
  const { dormant, dormantReeds, waiting, holdersOfOne, reedsOfOne } = counts;
  return {
    ...sizes,
    idle: passedMs < HURRY.idleAfterMs ? sizes.idle : { ...sizes.idle, sockets: HURRY.fewerSockets },
    federation: passedMs < HURRY.federationAfterMs ? sizes.federation : { ...sizes.federation, fold: { readers: HURRY.fewerReaders } },
    dormant:
      passedMs < HURRY.dormantAfterMs
        ? sizes.dormant
        : {
            ...{ dormant: tenth(dormant), dormantReeds: tenth(dormantReeds), waiting: tenth(waiting), waitingHolders },
            ...{ holdersOfOne: tenth(holdersOfOne), reedsOfOne: tenth(reedsOfOne) },
          },
  };
};

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const underLoad = async (options: Options, sizes: typeof FULL): Promise<Pick<Results, 'throughput' | 'latency'>> => {
  await using stage = new Stage();
  const arena = await openArena(stage, sizes.load);
  const throughput = await measureThroughput(arena, sizes.load, say);
  if (options.profile !== null) await profileLoad(arena, sizes.load, options.profile);
  if (!options.parts.has('latency')) return { throughput };
  const perSecond = throughput.perSecond / 2;
  say(`latency at ${perSecond.toFixed(0)} requests a second`);
  const by = { perSecond, forMs: sizes.latencyMs };
  return {
    throughput,
    latency: { perSecond, bare: await measureLatency(arena, 'bare', by), reedbed: await measureLatency(arena, 'reedbed', by) },
  };
};

const AT_REST = ['idle', 'spread', 'fanout', 'catchup', 'stats', 'dormant'] as const;
type AtRest = (typeof AT_REST)[number];

const atRest = async ({ parts }: Options, sizesNow: () => typeof FULL): Promise<Partial<Pick<Results, AtRest>>> => {
  await using stage = new Stage();
  const [loads, server] = await Promise.all([stage.loads(2), stage.server({ limits: SPREAD_LIMITS })]);
  const results: { -readonly [K in AtRest]?: NonNullable<Results[K]> } = {};
  const part = async <K extends keyof typeof results>(name: K, measure: () => Promise<NonNullable<Results[K]>>): Promise<void> => {
    if (!parts.has(name)) return;
    say(`${name} …`);
    (results as Record<K, unknown>)[name] = await measure();
  };
  await part('idle', () => measureIdle(stage, server, loads, sizesNow().idle));
  const arena = { server, loads };
  await part('spread', () => measureSpread(arena, sizesNow().followers, 'asked'));
  await part('fanout', () => measureSpread(arena, sizesNow().followers, 'published'));
  await part('catchup', () => measureCatchup(arena, sizesNow().catchup));
  await part('stats', () => measureStats(arena, sizesNow().stats));
  await part('dormant', () => measureDormant(server.databaseUrl, sizesNow().dormant));
  return results;
};

const borders = async ({ parts, profile }: Options, sizes: typeof FULL): Promise<Pick<Results, 'federation'>> => {
  if (!parts.has('federation')) return {};
  say('federation …');
  return { federation: await measureFederation(sizes.federation, parts.size === 1 ? profile : null) };
};

const anyOf = (options: Options, ...parts: Part[]): boolean => parts.some((part) => options.parts.has(part));

const run = async (options: Options): Promise<void> => {
  const sizes = options.quick ? QUICK : FULL;
  const startedAt = performance.now();
  const passedMs = (): number => performance.now() - startedAt;
  process.stdout.write(`${machine()}\n\n`);
  const results: Results = {
    ...(anyOf(options, 'throughput', 'latency') ? await underLoad(options, sizes) : {}),
    ...(anyOf(options, ...AT_REST) ? await atRest(options, () => (options.quick ? hurried(sizes, passedMs()) : sizes)) : {}),
    ...(await borders(options, options.quick ? hurried(sizes, passedMs()) : sizes)),
  };
  process.stdout.write(`${tables(results, sizes.load satisfies Sizes)}\n\ntook ${(passedMs() / 1_000).toFixed(0)} s\n`);
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
