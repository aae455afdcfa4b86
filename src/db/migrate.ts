// Brings a database to this program's schema, forward only. All pending migrations run in one transaction, so a killed one leaves nothing;
// an advisory lock lets two starters take turns; and a database that this program can't be right about is refused.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import type { Logger } from 'pino';
import { SetupError } from '../base/setup-error.ts';
import { sqlStateOf, toAppError } from './errors.ts';

export type Migrated = { readonly applied: readonly string[]; readonly pending: readonly string[]; readonly version: string };
export type MigrateOptions = {
  /** Where the .sql files are; the program's own by default. */
  readonly folder?: string;
  /** Only says what is pending. */
  readonly dryRun?: boolean;
};

type MigrationFile = { readonly name: string; readonly text: string; readonly hash: string };

const OWN_FOLDER = join(import.meta.dirname, '../../migrations');
const LOCK_KEY = 7_214_065_318;
const OLDEST_POSTGRES = 180_000;

const readFiles = async (folder: string): Promise<MigrationFile[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name: name.slice(0, -'.sql'.length), text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
};

const assertUsable = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ version: number; shown: string; encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as shown, current_setting('server_encoding') as encoding`,
  );
  const server = rows[0];
  if (server === undefined || server.version < OLDEST_POSTGRES) {
    throw new SetupError(
      `The database is PostgreSQL ${server?.shown ?? '?'}; Reedbed needs 18 or newer.`,
      'Upgrade it, or leave DATABASE_URL out to use the embedded one.',
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new SetupError(
      `The database's encoding is ${server.encoding}; Reedbed needs UTF8.`,
      "Make it anew with: create database reedbed encoding 'UTF8' template template0.",
    );
  }
};

/** What the database says was applied, oldest first. The hash is kept beside Kysely's own table, in the same transaction. */
const readApplied = async (client: pg.Client): Promise<{ name: string; hash: string | null }[]> => {
  const { rows: found } = await client.query<{ table: string | null }>(`select to_regclass('kysely_migration')::text as table`);
  if (found[0]?.table == null) return [];
  const { rows } = await client.query<{ name: string; hash: string | null }>(
    'select m.name, h.hash from kysely_migration m left join migration_hashes h using (name) order by m.name',
  );
  return rows;
};

const BACKUP = 'Start the version that made it, or restore a backup.';

const assertContinuous = (files: readonly MigrationFile[], applied: readonly { name: string; hash: string | null }[]): void => {
  const byName = new Map(files.map((file) => [file.name, file]));
  const unknown = applied.find((row) => !byName.has(row.name));
  if (unknown !== undefined) {
    throw new SetupError(
      `The database is newer than this program: it has the migration ${unknown.name}, which is unknown here.`,
      'Start the newer program, or restore a backup from before the upgrade.',
    );
  }
  for (const [index, file] of files.slice(0, applied.length).entries()) {
    const row = applied[index];
    if (row?.name !== file.name)
      throw new SetupError(`The database has a gap: it lacks the migration ${file.name} but has a later one.`, BACKUP);
    if (row.hash !== file.hash)
      throw new SetupError(
        `The migration ${file.name} was edited after it was applied.`,
        'Put the original file back; a change to the schema is a new migration.',
      );
  }
  for (const [index, file] of files.entries()) {
    if (Number.parseInt(file.name, 10) !== index + 1)
      throw new SetupError(`The migration files have a gap before ${file.name}.`, 'Install the program again.');
  }
};

const toMigration = (file: MigrationFile): Migration => ({
  up: async (db: Kysely<never>) => {
    await sql.raw(file.text).execute(db);
    await sql`insert into migration_hashes (name, hash) values (${file.name}, ${file.hash})`.execute(db);
  },
});

const apply = async (url: string, files: readonly MigrationFile[]): Promise<string[]> => {
  // A connection that is lost between two statements must not end the process; the next statement reports it.
  const onConnect = (client: pg.ClientBase): void => void client.on('error', () => undefined);
  const pool = new pg.Pool({ connectionString: url, max: 1, onConnect });
  pool.on('error', () => undefined);
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  try {
    const provider = { getMigrations: async () => Object.fromEntries(files.map((file) => [file.name, toMigration(file)])) };
    const { error, results } = await new Migrator({ db, provider }).migrateToLatest();
    if (error === undefined) return (results ?? []).map((result) => result.migrationName);
    const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'none';
    const cause = toAppError(error);
    throw new SetupError(
      `The migration ${failed} failed (${sqlStateOf(cause) ?? 'connection lost'}); nothing was changed.`,
      'Start again; if it fails again, report it with this line.',
      { cause },
    );
  } finally {
    await db.destroy();
  }
};

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw toAppError(error);
  }
};

/**
 * Migrates the database at `url` to this program's schema.
 * @throws SetupError when it is too old, newer, with a gap, edited or failing; AppError UNAVAILABLE when it can't be reached.
 */
export const migrate = async (url: string, log: Logger, options: MigrateOptions = {}): Promise<Migrated> => {
  const files = await readFiles(options.folder ?? OWN_FOLDER);
  const client = await connect(url);
  try {
    await assertUsable(client);
    // Held by this connection until it ends, whatever becomes of the process.
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
    const done = await readApplied(client);
    assertContinuous(files, done);
    const pending = files.slice(done.length).map((file) => file.name);
    const version = files.at(-1)?.name ?? 'none';
    if (pending.length === 0 || options.dryRun === true) return { applied: [], pending, version };
    await client.query('create table if not exists migration_hashes (name text primary key, hash text not null)');
    const applied = await apply(url, files);
    log.info({ applied }, 'migrated the database');
    return { applied, pending: [], version };
  } catch (error) {
    throw error instanceof SetupError ? error : toAppError(error);
  } finally {
    await client.end();
  }
};
