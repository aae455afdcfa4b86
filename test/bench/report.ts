// What the bench prints: where it ran, one table a part, what limited it, and one JSON object.
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import type { Catchup, Stats } from './community.ts';
import type { Dormant } from './dormant.ts';
import type { Federation } from './federation.ts';
import type { Idle } from './idle.ts';
import type { Latency } from './latency.ts';
import type { Reach } from './many-peers.ts';
import type { SpreadResult } from './spread.ts';
import { median, spreadOf } from './statistics.ts';
import type { Round, Sizes, Throughput } from './throughput.ts';

export type Results = {
  readonly throughput?: Throughput;
  readonly latency?: { readonly perSecond: number; readonly bare: Latency; readonly reedbed: Latency };
  readonly idle?: Idle;
  readonly spread?: SpreadResult;
  readonly fanout?: SpreadResult;
  readonly catchup?: Catchup;
  readonly stats?: Stats;
  readonly dormant?: Dormant;
  readonly federation?: Federation;
};

const GIB = 2 ** 30;
const KIB = 2 ** 10;

const commit = (): string => {
  try {
    const run = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return `${run('rev-parse', '--short', 'HEAD')}${run('status', '--porcelain', 'src') === '' ? '' : ' with changes'}`;
  } catch {
    return 'unknown';
  }
};

export const machine = (): string => {
  const [first] = cpus();
  const load = loadavg()
    .map((share) => share.toFixed(1))
    .join(' ');
  return [
    `machine  ${cpus().length} × ${first?.model ?? 'unknown'}, ${(totalmem() / GIB).toFixed(0)} GiB, Linux ${release()}, Node ${process.version}`,
    `commit   ${commit()}`,
    `before   load average ${load}: what else runs here makes all absolute numbers smaller`,
  ].join('\n');
};

/** Columns as wide as what is in them. */
const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()).join('\n');
};

const whole = (value: number): string => value.toFixed(0);
const two = (value: number): string => value.toFixed(2);
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

const NAMES = { bare: 'bare ws', reedbed: 'Reedbed', statements: 'one by one' } as const;

const cpuOf = (
  rounds: readonly Round[],
): { server: number; loop: number; postgres: number; loads: number; machine: number; perDelivery: number } => {
  const of = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const loads = (round: Round): number => round.loads.reduce((sum, { cpu }) => sum + cpu, 0);
  return {
    ...{ server: of(({ server }) => server.cpu), loop: of(({ server }) => server.loop), postgres: of(({ postgresCpu }) => postgresCpu) },
    ...{ loads: of(loads), machine: of(({ machineCores }) => machineCores) },
    perDelivery: of((round) => ((round.server.cpu + round.postgresCpu + loads(round)) / round.perSecond) * 1e6),
  };
};

/** Who was at its end: the event loop of the server, the machine, or nobody, which is waiting for round trips. */
const limitOf = (cpu: ReturnType<typeof cpuOf>, cores: number): string => {
  const own = cpu.server + cpu.postgres + cpu.loads;
  if (cpu.server > 0.9) return "the server's one thread";
  if (cpu.machine > 0.9 * cores)
    return own > 0.9 * cores ? 'the machine, all of it ours' : `the machine, ${percent(1 - own / cpu.machine)} of it others'`;
  return 'round trips';
};

const throughput = (found: Throughput, sizes: Sizes): string => {
  const rows = (Object.keys(NAMES) as (keyof typeof NAMES)[]).map((name) => {
    const rounds = found.rounds[name];
    const rate = spreadOf(rounds.map(({ perSecond }) => perSecond));
    const cpu = cpuOf(rounds);
    return [
      ...[NAMES[name], whole(rate.median), `${whole(rate.min)}–${whole(rate.max)}`, two(cpu.server), two(cpu.postgres), two(cpu.loads)],
      ...[two(cpu.machine), percent(cpu.loop), `${whole(cpu.perDelivery)} µs`, limitOf(cpu, cpus().length)],
    ];
  });
  const { ratioToBare: bare, ratioToStatements: single } = found;
  return [
    `Full deliveries a second: ${sizes.members} members, ${sizes.holders} holders a reed, 2 KiB of ciphertext, ${sizes.outstanding} outstanding, ${found.rounds.reedbed.length} rounds in turn`,
    table([['', 'median', 'min–max', 'server', 'Postgres', 'load', 'machine', 'loop', 'CPU each', 'limited by'], ...rows]),
    '  server to machine: cores busy',
    `  to bare ws ${two(bare.median)} (${two(bare.min)}–${two(bare.max)}), to one by one ${two(single.median)} (${two(single.min)}–${two(single.max)}), ${found.statementsPerDelivery.toFixed(3)} statements a delivery`,
  ].join('\n');
};

const latency = ({ perSecond, bare, reedbed }: NonNullable<Results['latency']>): string => {
  const row = (name: string, { fromSchedule, fromAnswer }: Latency): string[] => [
    name,
    `${two(fromSchedule.p50Ms)} / ${two(fromSchedule.p99Ms)}`,
    `${two(fromAnswer.p50Ms)} / ${two(fromAnswer.p99Ms)}`,
    String(fromSchedule.count),
  ];
  return [
    `Latency at half load, open loop, ${whole(perSecond)} requests a second: p50 / p99 in ms`,
    table([['', 'scheduled request → copy', "holder's answer → copy", 'deliveries'], row('bare ws', bare), row('Reedbed', reedbed)]),
  ].join('\n');
};

const idle = (found: Idle): string =>
  [
    `${found.sockets} idle sockets`,
    table([
      ['', 'RSS each', 'of a core'],
      ['bare ws', `${(found.bareBytesPerSocket / KIB).toFixed(1)} KiB`, `${(found.bareCoreShare * 100).toFixed(1)} %`],
      [
        'Reedbed',
        `${(found.bytesPerSocket / KIB).toFixed(1)} KiB`,
        `${(found.coreShare * 100).toFixed(1)} % (without Postgres ${(found.serverCoreShare * 100).toFixed(1)} %)`,
      ],
    ]),
    `  signed in at ${whole(found.signInsPerSecond)} a second`,
  ].join('\n');

const spread = (name: string, found: SpreadResult): string =>
  `${name} of one reed from one holder to ${found.followers}: ${found.rounds.length} rounds (${found.rounds.join(', ')}), at most ${found.mostOfOneHolder} of one holder a round, ${found.statementsToOwe} statements until the first round stood, ${found.statements} ledger statements in all`;

const catchup = (found: Catchup): string =>
  `Catch-up with ${found.owed} reeds: ${whole(found.perSecond)} a second, ${two(found.statementsPerReed)} statements each, at most ${found.mostEvents} events in the ledger, ${(found.mostBytesMore / KIB / KIB).toFixed(0)} MiB more in the server while it went on`;

const stats = (found: Stats): string =>
  `Counts of one reed under ${found.watchers} watchers: ${found.changes} changes told in ${two(found.pushes)} pushes to each, ${found.statementsPerPush.toFixed(3)} statements and ${whole(found.cpuUsPerPush)} µs of CPU a push`;

const dormant = (found: Dormant): string =>
  [
    `Buffers touched with an empty ledger, and with ${found.sizes.dormant} dormant and ${found.sizes.waiting} waiting events (${found.sizes.holdersOfOne} holders of one reed, one holder of ${found.sizes.reedsOfOne})`,
    table([
      ['', 'empty', 'full', 'ratio'],
      ...found.touched.map(({ name, empty, full }) => [name, String(empty), String(full), two(full / empty)]),
    ]),
  ].join('\n');

const reachRow = (name: string, { p50Ms, p99Ms, perSecond }: Reach, alone: Reach): string[] => [
  ...[name, `${two(p50Ms)} / ${two(p99Ms)}`, whole(perSecond)],
  ...[two(p99Ms / alone.p99Ms), two(perSecond / alone.perSecond)],
];

const federation = ({ verified, stream, fold, many }: Federation): string =>
  [
    `Other servers: signed requests ${whole(verified.inProcess)} a second verified in one thread, ${whole(verified.overHttp)} answered over HTTP, ${whole(verified.cpuUs)} µs of CPU each`,
    `  Stream of ${stream.items} facts to another server: ${whole(stream.perSecond)} a second proven, stored and confirmed, ${two(stream.statementsHome)} + ${two(stream.statementsThere)} statements and ${whole(stream.cpuUs)} µs of CPU each`,
    `  ${fold.readers} readers there of one reed: ${whole(fold.tookMs)} ms until all had it, ${fold.crossings} copies crossed, at most ${fold.mostAtOnce} at once, ${fold.ledgerHome} + ${fold.ledgerThere} ledger statements`,
    `  Facts to ${many.good} peers that answer: p50 / p99 in ms from publication to peer at ${two(many.perSecond)} publications a second; items a second at all of them when many are published at once`,
    table([
      ['', 'p50 / p99', 'a second', 'p99 ratio', 'rate ratio'],
      reachRow('alone', many.alone, many.alone),
      reachRow(`beside one away that is owed ${many.owed}`, many.besideOwed, many.alone),
      reachRow(`beside that and ${many.holes} black holes, in their first seconds`, many.besideNewHoles, many.alone),
      reachRow('once those are known to be silent', many.besideHoles, many.alone),
    ]),
    `  ${(many.bytesMoreOwed / KIB / KIB).toFixed(0)} and ${(many.bytesMoreHoles / KIB / KIB).toFixed(0)} MiB more in the server than alone`,
  ].join('\n');

/** All tables of what was measured. */
export const tables = (results: Results, sizes: Sizes): string =>
  [
    results.throughput && throughput(results.throughput, sizes),
    results.latency && latency(results.latency),
    results.idle && idle(results.idle),
    results.spread && spread('Spread', results.spread),
    results.fanout && spread('Fan-out', results.fanout),
    results.catchup && catchup(results.catchup),
    results.stats && stats(results.stats),
    results.dormant && dormant(results.dormant),
    results.federation && federation(results.federation),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');

const rounded = (value: number | undefined, digits: number): number | null => (value === undefined ? null : Number(value.toFixed(digits)));

const federationSummary = (found: Federation | undefined) => ({
  signedPerSecond: rounded(found?.verified.inProcess, 0),
  signedRequestsPerSecond: rounded(found?.verified.overHttp, 0),
  streamItemsPerSecond: rounded(found?.stream.perSecond, 0),
  foldMs: rounded(found?.fold.tookMs, 0),
  foldCrossings: rounded(found?.fold.crossings, 0),
  foldCrossingsMax: rounded(found?.fold.mostAtOnce, 0),
  foldLedgerStatements: rounded(found && found.fold.ledgerHome + found.fold.ledgerThere, 0),
  blackHolesP99Ratio: rounded(found && found.many.besideHoles.p99Ms / found.many.alone.p99Ms, 3),
  blackHolesNewP99Ratio: rounded(found && found.many.besideNewHoles.p99Ms / found.many.alone.p99Ms, 3),
  blackHolesRateRatio: rounded(found && found.many.besideHoles.perSecond / found.many.alone.perSecond, 3),
  blackHolesBytesMore: rounded(found?.many.bytesMoreHoles, 0),
  outageP99Ratio: rounded(found && found.many.besideOwed.p99Ms / found.many.alone.p99Ms, 3),
  outageBytesMore: rounded(found?.many.bytesMoreOwed, 0),
});

export const summary = ({ throughput: full, latency: late, idle: still, spread: spreading, dormant: waiting, ...community }: Results) => ({
  ratioToBare: rounded(full?.ratioToBare.median, 3),
  ratioToStatements: rounded(full?.ratioToStatements.median, 2),
  statementsPerDelivery: rounded(full?.statementsPerDelivery, 4),
  p50Ms: rounded(late?.reedbed.fromSchedule.p50Ms, 2),
  p99Ms: rounded(late?.reedbed.fromSchedule.p99Ms, 2),
  bytesPerSocket: rounded(still?.bytesPerSocket, 0),
  idleCoreShare: rounded(still?.coreShare, 4),
  spreadRounds: spreading === undefined ? null : spreading.rounds.length,
  dormantBufferRatio: rounded(waiting?.worstRatio, 3),
  fanoutStatements: rounded(community.fanout?.statementsToOwe, 0),
  fanoutRounds: rounded(community.fanout?.rounds.length, 0),
  catchupPerSecond: rounded(community.catchup?.perSecond, 0),
  catchupBytesMore: rounded(community.catchup?.mostBytesMore, 0),
  statsUsPerPush: rounded(community.stats?.cpuUsPerPush, 1),
  ...federationSummary(community.federation),
});
