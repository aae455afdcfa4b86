// One soak: warm up, measure, let members vanish and events be relayed, wait until all is quiet, measure again. Whatever grew has a name.
import { LightCommunity } from '../support/light-member.ts';
import { makeCast, relay, vanish } from './soak-load.ts';
import { compare, type Measured, type Row, SoakDatabase, SoakServer } from './soak-measure.ts';

export type SoakOptions = {
  readonly databaseUrl: string;
  readonly cycles: number;
  readonly events: number;
  /** Waits for autovacuum so long; without it the database is vacuumed by hand. */
  readonly autovacuum?: { readonly mostMs: number; pause(ms: number): Promise<void> };
  /** Told after each cycle and each event. */
  progress?(phase: Phase, done: number, of: number): void;
};
export type Phase = 'warm-up' | 'vanishing' | 'relaying' | 'settling';

/** Fills caches, pools and compiled code once: every way to vanish by every member, and every reed some times. */
const warmUp = (cycles: number, events: number): { readonly cycles: number; readonly events: number } => ({
  cycles: Math.min(2_000, Math.max(350, cycles / 10)),
  events: Math.min(10_000, Math.max(800, events / 10)),
});

/** So often a round of the sweeper is waited for; what is there after that stays, and is named. */
const LOOKS = 500;

const waiting = (measured: Measured): number =>
  (measured['rows, unlogged: pending_events'] ?? 0) + (measured['rows, unlogged: online_users'] ?? 0);

async function atRest(server: SoakServer, database: SoakDatabase): Promise<Measured> {
  await server.settle();
  let rows = await database.measure();
  // Departures end when their frames and their database work have.
  for (let looks = 0; waiting(rows) > 0 && looks < LOOKS; looks += 1) {
    await server.settle();
    rows = await database.measure();
  }
  return { ...(await server.measure()), ...rows };
}

/** @returns every measured thing with its baseline and its end */
export async function soak({ databaseUrl, cycles, events, autovacuum, progress }: SoakOptions): Promise<Row[]> {
  const server = await SoakServer.start(databaseUrl);
  const database = new SoakDatabase(databaseUrl);
  const counting = (phase: Phase, of: number): (() => void) => {
    let done = 0;
    return () => progress?.(phase, ++done, of);
  };
  try {
    const cast = await makeCast(server.url, new LightCommunity(databaseUrl, server.serverId));
    const warm = warmUp(cycles, events);
    const warmed = counting('warm-up', warm.cycles + warm.events);
    await vanish(cast, warm.cycles, warmed);
    await relay(cast, warm.events, warmed);
    const baseline = await atRest(server, database);
    await vanish(cast, cycles, counting('vanishing', cycles));
    await relay(cast, events, counting('relaying', events));
    progress?.('settling', 0, 1);
    const end = await atRest(server, database);
    if (!autovacuum) await database.vacuum();
    const dead = autovacuum ? await database.afterAutovacuum(autovacuum.mostMs, autovacuum.pause) : await database.dead();
    const rows = compare(baseline, end, cycles + events);
    const deadRows = Object.entries(dead.rows).map(([what, count]) => ({ what, baseline: 0, end: count, allowed: dead.left[what] ?? 0 }));
    return [...rows, ...deadRows];
  } finally {
    await database.close();
    await server.stop();
  }
}

export const grown = (rows: readonly Row[]): Row[] => rows.filter(({ end, allowed }) => end > allowed);
