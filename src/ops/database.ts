// The database for a command beside the server: the outside one, that of the running server, or the embedded one, which is started for the
// command and stopped whatever ends it. A schema that this program does not fit is refused, and left as it is.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { SetupError } from '../base/setup-error.ts';
import type { Config } from '../config/config.ts';
import { type Reached, reachEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { type Database, openDatabase } from '../db/pool.ts';
import { explainStart } from './setup-faults.ts';

export type Beside = { readonly config: Config; readonly log: Logger };

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const reach = async ({ config, log }: Beside): Promise<Reached> => {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, stop: async () => undefined };
  const folder = resolve(config.data);
  if (!existsSync(join(folder, 'postgres')))
    throw new SetupError(
      `There is no database in ${folder}.`,
      'Name the data folder of the server with --data or REEDBED_DATA, or its outside database in DATABASE_URL; reedbed serve makes a new one.',
    );
  return reachEmbedded({ dataFolder: config.data, log });
};

const assertSchema = async (url: string, log: Logger): Promise<void> => {
  const { pending } = await migrate(url, log, { dryRun: true });
  if (pending.length > 0)
    throw new SetupError(
      `The database is older than this program: ${pending.join(', ')} pending.`,
      'Start the server of this version, or run: reedbed migrate',
    );
};

/** Runs `work`; a signal aborts it, and what was started is stopped before this returns. @throws SetupError */
export const withDatabase = async <T>(beside: Beside, work: (db: Database, signal: AbortSignal) => Promise<T>): Promise<T> => {
  const { config, log } = beside;
  const ending = new AbortController();
  const onSignal = (): void => ending.abort(new SetupError('Interrupted.', 'What is not said to be done was not done.'));
  for (const name of SIGNALS) process.on(name, onSignal);
  let reached: Reached | null = null;
  let db: Database | null = null;
  try {
    reached = await reach(beside);
    ending.signal.throwIfAborted();
    await assertSchema(reached.url, log);
    db = await openDatabase({ url: reached.url, role: 'application', connections: 1, log });
    ending.signal.throwIfAborted();
    return await work(db, ending.signal);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : explainStart(error, config);
  } finally {
    await db?.close();
    await reached?.stop();
    for (const name of SIGNALS) process.off(name, onSignal);
  }
};
