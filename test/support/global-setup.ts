// One embedded Postgres for a whole test run, in a temporary folder, with a migrated template that each test database is cloned from.
// Nothing is left behind: the server is stopped and the folder removed when the run ends.
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { TestProject } from 'vitest/node';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of the migrated template database. */
    templateUrl: string;
  }
}

type Run = { running: Promise<{ folder: string; server: Embedded }> | null; users: number };

// Vitest loads and runs this file anew for each project; one process is all they share.
const shared = globalThis as typeof globalThis & { reedbedTestRun?: Run };
shared.reedbedTestRun ??= { running: null, users: 0 };
const run = shared.reedbedTestRun;

const start = async (): Promise<{ folder: string; server: Embedded }> => {
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-test-'));
  // The system user that runs Postgres for root has to pass.
  await chmod(folder, 0o711);
  // For a run that ends before its teardown.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const log = pino({ level: 'warn' });
  const server = await startEmbedded({
    dataFolder: folder,
    log,
    settings: { fsync: 'off', max_connections: '300', max_locks_per_transaction: '256' },
  });
  await migrate(server.url, log);
  return { folder, server };
};

export const setup = async (project: TestProject): Promise<void> => {
  run.users += 1;
  run.running ??= start();
  const { server } = await run.running;
  project.provide('templateUrl', server.url);
};

export const teardown = async (): Promise<void> => {
  run.users -= 1;
  if (run.users > 0 || run.running === null) return;
  const { server, folder } = await run.running;
  run.running = null;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
};
