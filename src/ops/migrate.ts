// `reedbed migrate`: the migrations alone, for operators who run them apart from the start.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { SetupError } from '../base/setup-error.ts';
import type { Config } from '../config/config.ts';
import { type Embedded, startEmbedded } from '../db/embedded.ts';
import { FolderInUse } from '../db/folder-lock.ts';
import { migrate } from '../db/migrate.ts';
import { explainStart } from './setup-faults.ts';
import type { Terminal } from './terminal.ts';

export type MigrateCommand = { readonly config: Config; readonly terminal: Terminal; readonly dryRun: boolean; readonly log: Logger };

const startFor = async ({ config, log }: MigrateCommand): Promise<Embedded> => {
  try {
    return await startEmbedded({ dataFolder: config.data, log });
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    const mend = 'A running server has brought its database to its own version when it started. For another version stop it first.';
    throw new SetupError(`A Reedbed server is running on the data folder ${error.folder}.`, mend, { cause: error });
  }
};

/** Migrates, or says what is pending. The embedded database is started for it and stopped again. */
export const runMigrate = async (command: MigrateCommand): Promise<void> => {
  const { config, terminal, dryRun, log } = command;
  const folder = resolve(config.data);
  const isNew = config.databaseUrl === undefined && !existsSync(join(folder, 'postgres', 'PG_VERSION'));
  const embedded = config.databaseUrl === undefined ? await startFor(command) : null;
  try {
    const done = await migrate(embedded?.url ?? config.databaseUrl ?? '', log, { dryRun });
    const list = (names: readonly string[]): string => names.join(', ');
    const pending =
      done.pending.length > 0
        ? `Pending: ${list(done.pending)}. Run it without --dry-run to apply.`
        : `The schema is at ${done.version}; nothing to do.`;
    const made = isNew ? `There was no database in ${folder}: an empty one was made. ` : '';
    terminal.print(done, made + (done.applied.length > 0 ? `Applied: ${list(done.applied)}.` : pending));
  } catch (error) {
    throw explainStart(error, config);
  } finally {
    await embedded?.stop();
  }
};
