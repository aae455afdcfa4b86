// The database as the rest of the program sees it: statements, transactions, and word that the ledger was emptied. Only deadlock victims and
// failed serializations are done again here; everything else is the caller's to judge.
import { Kysely, type Transaction } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import { doubling } from '../base/backoff.ts';
import { type Clock, OffsetClock, pause } from '../base/clock.ts';
import { cancel, mapped, openPool, type Role } from './connection.ts';
import { isRetried } from './errors.ts';
import { type Counter, createDialect, TransactionGuard } from './kysely.ts';
import type { DB } from './types.ts';

/** A statement. With a name it is prepared once on each connection, so the text under a name must never vary. */
export type Sql = {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /**
   * Prepared nowhere, though it has a name: planned whenever it runs, for as many as are asked for and as there are. A plan that is kept reads a whole table
   * for them if it was made while that was small, until the table is counted again. For what runs seldom, and for what is cheap to plan
   * and dear to get wrong: chains of keys are read so for each request over a border.
   */
  readonly isPlannedAnew?: true;
};

export type DatabaseOptions = {
  readonly url: string;
  /** 'ledger' connections plan without sequential scans: only for statements that each have an index. */
  readonly role: Role;
  readonly connections: number;
  readonly log: Logger;
  /** Called when a connection finds another epoch than the one before: the UNLOGGED tables were emptied in between. */
  readonly onEpoch?: (epoch: string) => void;
  /** For the pauses between tries. */
  readonly clock?: Clock;
};

const TRIES = 5;
const RETRY_FIRST_MS = 5;
const RETRY_MAX_MS = 80;

export class Database {
  readonly kysely: Kysely<DB>;
  readonly #pool: pg.Pool;
  readonly #counter: Counter = { statements: 0 };
  readonly #clock: Clock;
  readonly #onEpoch: (epoch: string) => void;
  #epoch: string | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: DatabaseOptions) {
    this.#clock = options.clock ?? new OffsetClock();
    this.#onEpoch = options.onEpoch ?? (() => undefined);
    this.#pool = openPool({ ...options, onEpochSeen: (epoch) => this.#see(epoch) });
    this.kysely = new Kysely<DB>({ dialect: createDialect(this.#pool, this.#counter) });
  }

  /** How many statements were sent, begin and commit included, the look at the epoch not. */
  get statements(): number {
    return this.#counter.statements;
  }

  /**
   * Runs one autocommitted statement. An abort rejects at once with the signal's reason and cancels the statement in the background.
   * @throws AppError UNAVAILABLE when the database is away, INTERNAL else (see errors.ts for reading the SQLSTATE).
   */
  async query<Row>(sql: Sql, signal?: AbortSignal): Promise<Row[]> {
    return this.#retried(() => this.#once<Row>(sql, signal));
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED), again from its start if it was a deadlock's victim: so it must have no effect beside
   * its statements. What `work` throws passes through unchanged after the rollback.
   */
  async transaction<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
    return this.#retried(() =>
      this.kysely.transaction().execute(async (tx) => {
        const guard = new TransactionGuard();
        try {
          return await work(tx.withPlugin(guard));
        } finally {
          guard.end();
        }
      }),
    );
  }

  /** Ends all connections after their running statements. May be called more than once. */
  close(): Promise<void> {
    this.#closing ??= this.kysely.destroy().then(() => this.#pool.end());
    return this.#closing;
  }

  #see(epoch: string): void {
    const before = this.#epoch;
    this.#epoch = epoch;
    if (before !== null && before !== epoch) this.#onEpoch(epoch);
  }

  async #once<Row>(sql: Sql, signal: AbortSignal | undefined): Promise<Row[]> {
    signal?.throwIfAborted();
    const client = await mapped(() => this.#pool.connect());
    this.#counter.statements += 1;
    const running = mapped(async () => {
      try {
        const { isPlannedAnew, name, text, values = [] } = sql;
        const result = await client.query({ ...(name === undefined || isPlannedAnew ? {} : { name }), text, values: [...values] });
        client.release();
        return result.rows as Row[];
      } catch (error) {
        // A connection that failed with a SQLSTATE is fine; one that failed without is gone.
        client.release((error as { code?: string }).code === undefined || !(error as { severity?: string }).severity);
        throw error;
      }
    });
    return signal === undefined ? running : abortable(running, signal, () => cancel(client));
  }

  async #retried<T>(attempt: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (failures === TRIES || !isRetried(error)) throw error;
        await pause(this.#clock, doubling(failures, RETRY_FIRST_MS, RETRY_MAX_MS));
      }
    }
  }
}

/** The outcome of `running`, or the signal's reason as soon as it is aborted. */
const abortable = <T>(running: Promise<T>, signal: AbortSignal, stop: () => void): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      stop();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  });

/** Opens a database that is migrated already, and proves it by one connection. @throws AppError UNAVAILABLE when it can't be reached. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const database = new Database(options);
  try {
    await database.query({ text: 'select 1' });
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
};
