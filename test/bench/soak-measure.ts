// What a server and its database hold at rest, as rows that can be compared: memory, handles, listeners, objects by class, maps, tables.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { takeHeapContents } from './soak-heap.ts';

export type Measured = Readonly<Record<string, number>>;
/** `allowed`: the most that is no leak. */
export type Row = { readonly what: string; readonly baseline: number; readonly end: number; readonly allowed: number };

type Memory = {
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  readonly resources: Readonly<Record<string, number>>;
  readonly files: number;
  readonly listeners: number;
};

const CHILD = join(import.meta.dirname, '../support/soak-server-child.ts');

/** A server in a process of its own, on a migrated database. */
export class SoakServer {
  url = '';
  serverId = '';
  readonly #child: ChildProcess;
  readonly #folder = mkdtempSync(join(tmpdir(), 'reedbed-soak-'));
  readonly #exit: Promise<void>;

  private constructor(databaseUrl: string) {
    this.#child = fork(CHILD, [databaseUrl], { execArgv: ['--expose-gc'] });
    this.#exit = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  static async start(databaseUrl: string): Promise<SoakServer> {
    const server = new SoakServer(databaseUrl);
    Object.assign(server, await server.#answer());
    return server;
  }

  async settle(): Promise<void> {
    this.#child.send({ ask: 'settle' });
    await this.#answer();
  }

  async measure(): Promise<Measured> {
    const snapshot = join(this.#folder, 'heap.heapsnapshot');
    this.#child.send({ ask: 'measure', snapshot });
    const memory = (await this.#answer()) as Memory;
    const { objects, collections } = await takeHeapContents(snapshot);
    return {
      'heap, bytes': memory.heapUsed,
      'outside the heap, bytes': memory.external + memory.arrayBuffers,
      'whole process, bytes': memory.rss,
      ...prefixed('handles', memory.resources),
      'open files': memory.files,
      'listeners of the process': memory.listeners,
      ...prefixed('map', collections),
      ...prefixed('objects', objects),
    };
  }

  /** Ends the process in order. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exit;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#child.once('message', resolve);
      void this.#exit.then(() => reject(new Error('the server ended')));
    });
  }
}

const prefixed = (prefix: string, counts: Measured): Measured =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix}: ${name}`, count]));

const TABLES = `select c.relname as name, c.relpersistence = 'u' as unlogged from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind = 'r' order by 1`;
const DEAD = `select relname as name, n_dead_tup::int as dead, n_live_tup::int as live from pg_stat_user_tables where schemaname = 'public'`;
/** From here on Postgres vacuums a table by itself, as it comes. */
const VACUUM_FROM = 50;
const VACUUM_SHARE = 0.2;
const LOOK_AGAIN_MS = 1_000;

/** The database, looked at from outside. */
export class SoakDatabase {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1 });
  }

  /** Rows of every table. Those of UNLOGGED ones are `waiting`: who is there and who waits for what. */
  async measure(): Promise<Measured> {
    const { rows: tables } = await this.#pool.query<{ name: string; unlogged: boolean }>(TABLES);
    const measured: Record<string, number> = {};
    for (const { name, unlogged } of tables) {
      const { rows } = await this.#pool.query<{ count: number }>(`select count(*)::int as count from ${name}`);
      measured[`${unlogged ? 'rows, unlogged' : 'rows'}: ${name}`] = rows[0]?.count ?? 0;
    }
    const { rows } = await this.#pool.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return { ...measured, 'connections to the database': rows[0]?.count ?? 0 };
  }

  /** Vacuums now what autovacuum would in its time: what is still dead after it is held by somebody. */
  async vacuum(): Promise<void> {
    await this.#pool.query('vacuum');
  }

  /** Dead rows by table, and those that autovacuum leaves alone. */
  async dead(): Promise<{ readonly rows: Measured; readonly left: Measured }> {
    await this.#pool.query('select pg_stat_clear_snapshot()');
    const { rows } = await this.#pool.query<{ name: string; dead: number; live: number }>(DEAD);
    return {
      rows: Object.fromEntries(rows.map(({ name, dead }) => [`dead rows: ${name}`, dead])),
      left: Object.fromEntries(
        rows.map(({ name, live }) => [`dead rows: ${name}`, VACUUM_FROM + Math.ceil(VACUUM_SHARE * live) + VACUUM_FROM]),
      ),
    };
  }

  /** Waits until autovacuum has been everywhere it has to be, `mostMs` at most. @returns dead rows as they are then */
  async afterAutovacuum(
    mostMs: number,
    pause: (ms: number) => Promise<void>,
  ): Promise<{ readonly rows: Measured; readonly left: Measured }> {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const dead = await this.dead();
      if (waitedMs >= mostMs || Object.entries(dead.rows).every(([name, count]) => count <= (dead.left[name] ?? 0))) return dead;
      await pause(LOOK_AGAIN_MS);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

const MIB = 1024 * 1024;

/** The most that something may be at the end and be no leak: what is counted may differ by a few, not by a share of `cycles`. */
function allowance(what: string, baseline: number, cycles: number): number {
  if (what.startsWith('whole process')) return Number.POSITIVE_INFINITY;
  if (what.endsWith('bytes')) return baseline * 1.1 + 4 * MIB;
  if (what.startsWith('rows, unlogged')) return baseline;
  if (what.startsWith('rows')) return Number.POSITIVE_INFINITY;
  if (what.startsWith('handles') || what.startsWith('open files') || what.startsWith('connections')) return baseline + 16;
  if (what.startsWith('listeners')) return baseline;
  const few = Math.max(100, cycles / 200);
  return what.startsWith('map') ? Math.max(baseline * 2, baseline + few * 16) : baseline * 1.05 + few;
}

/** Both measurements side by side, whatever is in either. */
export function compare(baseline: Measured, end: Measured, cycles: number): Row[] {
  const names = [...new Set([...Object.keys(baseline), ...Object.keys(end)])];
  return names.map((what) => {
    const [was, is] = [baseline[what] ?? 0, end[what] ?? 0];
    return { what, baseline: was, end: is, allowed: allowance(what, was, cycles) };
  });
}
