// Types of the database: kysely-codegen reads them from a throw-away Postgres to which all migrations were applied.
import { execFile } from 'node:child_process';
import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbedded } from '../../src/db/embedded.ts';

const run = promisify(execFile);

const HEADER = '// Generated from migrations/ by `npm run gen`; not edited by hand.\n';

async function applyMigrations(root: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const names = (await readdir(join(root, 'migrations'))).filter((name) => name.endsWith('.sql')).sort();
    for (const name of names) await client.query(await readFile(join(root, 'migrations', name), 'utf8'));
  } finally {
    await client.end();
  }
}

async function readTypes(root: string, scratch: string, url: string): Promise<string> {
  const target = join(scratch, 'types.ts');
  const codegen = join(root, 'node_modules/kysely-codegen/dist/cli/bin.js');
  // The mappings repeat what src/db/connection.ts reads: int8 as a number, date as its text.
  const mapping = ['--date-parser', 'string', '--type-mapping', '{"int8":"number"}'];
  const tables = ['--exclude-pattern', '(kysely_migration*|migration_hashes)'];
  await run(process.execPath, [codegen, '--dialect', 'postgres', '--url', url, ...mapping, ...tables, '--out-file', target], { cwd: root });
  return await readFile(target, 'utf8');
}

/** The module's text by its path. */
export async function generateDatabaseTypes(root: string, scratch: string): Promise<Map<string, string>> {
  // The database may run as another user, who has to pass through to its own folder.
  await chmod(scratch, 0o711);
  const log = pino({ level: 'warn' }, pino.destination(2));
  const database = await startEmbedded({ dataFolder: join(scratch, 'data'), log, settings: { fsync: 'off' } });
  try {
    await applyMigrations(root, database.url);
    return new Map([['src/db/types.ts', HEADER + (await readTypes(root, scratch, database.url))]]);
  } finally {
    await database.stop();
  }
}
