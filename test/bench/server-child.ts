// The server under load in a process of its own: embedded Postgres, migrations and createApp as `reedbed serve` has them, with raised limits.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type App, createApp } from '../../src/app.ts';
import type { Limits } from '../../src/base/limits.ts';
import { type Config, configWith } from '../../src/config/config.ts';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { serveCalls } from './calls.ts';
import { familyCpuMs, type Usage, usage } from './usage.ts';

export type ServerUsage = Usage & {
  readonly postgresCpuMs: number;
  readonly ledgerStatements: number;
  readonly applicationStatements: number;
};

type Running = { readonly folder: string; readonly embedded: Embedded; readonly app: App };
let running: Running | null = null;

const up = (): Running => {
  if (running === null) throw new Error('the server was not started');
  return running;
};

export type StartOptions = {
  readonly limits: Partial<Limits>;
  readonly config?: Partial<Pick<Config, 'port' | 'publicUrl' | 'allowPrivatePeers' | 'signup'>>;
};

const start = async ({ limits, config: changes = {} }: StartOptions): Promise<{ url: string; serverId: string; databaseUrl: string }> => {
  const log = pino({ level: 'warn' }, pino.destination(2));
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-bench-'));
  // The system user that runs Postgres for root has to pass.
  await chmod(folder, 0o711);
  const embedded = await startEmbedded({ dataFolder: folder, log });
  await migrate(embedded.url, log);
  const config = configWith({
    ...{ port: 0, host: '127.0.0.1', data: folder, databaseUrl: embedded.url, passphrase: 'correct horse battery staple' },
    ...changes,
    limits,
  });
  const app = await createApp(config, { log });
  running = { folder, embedded, app };
  return { url: app.url, serverId: app.serverId, databaseUrl: embedded.url };
};

const used = (): ServerUsage => {
  const { app, embedded } = up();
  const { ledger, application } = app.statements();
  return { ...usage(), postgresCpuMs: familyCpuMs(embedded.pid), ledgerStatements: ledger, applicationStatements: application };
};

/** Memory after everything that can be collected is. */
const collected = (): Usage => {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  return usage();
};

const session = new Session();

/** Begins a CPU profile, or ends it and writes it to `file`. */
const profile = async ({ file }: { readonly file: string | null }): Promise<void> => {
  if (file === null) {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
    return;
  }
  const { profile: found } = await session.post('Profiler.stop');
  await writeFile(file, JSON.stringify(found));
};

const api = { start, used, collected, profile, settle: async (): Promise<void> => up().app.settle() };
export type ServerApi = typeof api;

serveCalls(api, async () => {
  await running?.app.close();
  await running?.embedded.stop();
  if (running) await rm(running.folder, { recursive: true, force: true });
});
