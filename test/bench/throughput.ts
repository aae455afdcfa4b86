// Full deliveries a second, closed loop: the bare relay, Reedbed, and Reedbed with batches of one item, in turn in one run. What is compared
// are neighbours in time, since the machine's own speed varies more than the servers differ.
import { OffsetClock, pause } from '../../src/base/clock.ts';
import type { Child } from './calls.ts';
import { writeLibrary } from './library.ts';
import type { LoadApi } from './load-child.ts';
import { shapeFor } from './reedbed-member.ts';
import { machineDuring, type Server, type Shares, type Stage, share, sharesOf } from './stage.ts';
import { median, type Spread, spreadOf } from './statistics.ts';
import type { Usage } from './usage.ts';

export const CIPHERTEXT_BYTES = 2_048;

export type Sizes = {
  readonly members: number;
  readonly reeds: number;
  readonly holders: number;
  readonly outstanding: number;
  /** Of the side that takes one at a time: more would only wait until their holders' time is over. */
  readonly outstandingOneByOne: number;
  readonly rounds: number;
  /** No further round is begun after that. */
  readonly roundsMs: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
};

/** What is loaded: a name, and a look at the processes that serve it. */
type Side = {
  readonly of: 'bare' | 'reedbed' | 'statements';
  readonly used: () => Promise<Usage & { postgresCpuMs?: number; ledgerStatements?: number }>;
};

export type Round = {
  readonly perSecond: number;
  readonly server: Shares;
  readonly postgresCpu: number;
  readonly loads: readonly Shares[];
  readonly machineCores: number;
  readonly statements: number;
};

export type Arena = { readonly loads: readonly Child<LoadApi>[]; readonly sides: readonly Side[]; readonly reedbed: Server };

const clock = new OffsetClock();

const populate = async (server: Server, loads: readonly Child<LoadApi>[], of: { name: string; sizes: Sizes }): Promise<string> => {
  const accounts = await server.community.accounts(of.sizes.members);
  const library = await writeLibrary(server.community, accounts, { count: of.sizes.reeds, holders: of.sizes.holders });
  const numbered = accounts.map((account, index) => ({ account, index }));
  await Promise.all(
    loads.map((load, index) =>
      load.call('connect', {
        ...{ of: of.name, url: server.url, library, ciphertextBytes: CIPHERTEXT_BYTES },
        accounts: share(numbered, index, loads.length),
      }),
    ),
  );
  await server.child.call('settle', undefined as never);
  return accounts[0]?.userId ?? '';
};

/** Starts all three servers and signs everybody in. */
export const openArena = async (stage: Stage, sizes: Sizes): Promise<Arena> => {
  const [loads, bare, reedbed, statements] = await Promise.all([
    stage.loads(2),
    stage.bare(),
    stage.server(),
    stage.server({ limits: { batchItems: 1, assignTargets: 1, wakeHoldersPerBatch: 1 } }),
  ]);
  const [userId] = await Promise.all([
    populate(reedbed, loads, { name: 'reedbed', sizes }),
    populate(statements, loads, { name: 'statements', sizes }),
  ]);
  const { sizes: frames } = shapeFor(userId as never, CIPHERTEXT_BYTES);
  const { url } = await bare.call('start', frames);
  const indices = Array.from({ length: sizes.members }, (_, index) => index);
  const common = { of: 'bare', url, ciphertextBytes: CIPHERTEXT_BYTES, members: sizes.members, sizes: frames };
  await Promise.all(loads.map((load, index) => load.call('connectBare', { ...common, indices: share(indices, index, loads.length) })));
  return {
    ...{ loads, reedbed },
    sides: [
      { of: 'bare', used: () => bare.call('used', undefined as never) },
      { of: 'reedbed', used: () => reedbed.child.call('used', undefined as never) },
      { of: 'statements', used: () => statements.child.call('used', undefined as never) },
    ],
  };
};

/** Loads one server for a while. */
const measure = async ({ loads }: Arena, side: Side, sizes: Sizes): Promise<Round> => {
  const look = async () => ({
    server: await side.used(),
    loads: await Promise.all(loads.map((load) => load.call('counts', { of: side.of }))),
  });
  const outstanding = side.of === 'statements' ? sizes.outstandingOneByOne : sizes.outstanding;
  await Promise.all(loads.map((load) => load.call('keep', { of: side.of, outstanding: outstanding / loads.length })));
  await pause(clock, sizes.warmUpMs);
  const before = await look();
  const { cores } = await machineDuring(() => pause(clock, sizes.measuredMs));
  const after = await look();
  await Promise.all(loads.map((load) => load.call('drain', { of: side.of })));
  const passedMs = after.server.atMs - before.server.atMs;
  const done = (of: typeof before): number => of.loads.reduce((sum, { settled }) => sum + settled, 0);
  const deliveries = done(after) - done(before);
  return {
    perSecond: (deliveries / passedMs) * 1_000,
    server: sharesOf(before.server, after.server),
    postgresCpu: ((after.server.postgresCpuMs ?? 0) - (before.server.postgresCpuMs ?? 0)) / passedMs,
    loads: after.loads.map((load, index) => sharesOf(before.loads[index] as Usage, load)),
    machineCores: cores,
    statements: ((after.server.ledgerStatements ?? 0) - (before.server.ledgerStatements ?? 0)) / Math.max(1, deliveries),
  };
};

export type Throughput = {
  readonly rounds: Readonly<Record<Side['of'], readonly Round[]>>;
  readonly ratioToBare: Spread;
  readonly ratioToStatements: Spread;
  readonly statementsPerDelivery: number;
  readonly perSecond: number;
};

export const measureThroughput = async (arena: Arena, sizes: Sizes, tell: (line: string) => void): Promise<Throughput> => {
  const rounds = { bare: [] as Round[], reedbed: [] as Round[], statements: [] as Round[] };
  const startedAt = performance.now();
  for (let round = 0; round < sizes.rounds && performance.now() - startedAt < sizes.roundsMs; round += 1) {
    for (const side of arena.sides) {
      const measured = await measure(arena, side, sizes);
      rounds[side.of].push(measured);
      tell(`${side.of} round ${round + 1}: ${measured.perSecond.toFixed(0)} deliveries a second`);
    }
  }
  const ratios = (to: 'bare' | 'statements'): number[] =>
    rounds.reedbed.map(({ perSecond }, index) => perSecond / (rounds[to][index]?.perSecond ?? Number.NaN));
  return {
    rounds,
    ratioToBare: spreadOf(ratios('bare')),
    ratioToStatements: spreadOf(ratios('statements')),
    statementsPerDelivery: median(rounds.reedbed.map(({ statements }) => statements)),
    perSecond: median(rounds.reedbed.map(({ perSecond }) => perSecond)),
  };
};

/** Writes a CPU profile of the server under the same load to `file`. */
export const profileLoad = async (arena: Arena, sizes: Sizes, file: string): Promise<void> => {
  const side = arena.sides.find(({ of }) => of === 'reedbed');
  if (side === undefined) return;
  await arena.reedbed.child.call('profile', { file: null });
  await measure(arena, side, sizes);
  await arena.reedbed.child.call('profile', { file });
};
