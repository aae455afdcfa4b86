// The ground that the demo plays on: a temporary folder, a Postgres in it, and one whole server whose log is kept in memory. Everything
// here is gone after close(), also when the start fails half way.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Limits } from '../../base/limits.ts';
import { configWith } from '../../config/config.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { migrate } from '../../db/migrate.ts';
import { createLog } from '../../telemetry/log.ts';
import type { CreateApp, RunningApp } from '../serve.ts';

// All members of the demo, and a crowd of one scenario, come from one address, and the live view never ends; what one member may have open stays as
// it is.
export const DEMO_LIMITS: Partial<Limits> = {
  signUpsPerHour: 1_000,
  challengesPerHour: 10_000,
  unauthenticatedSocketsPerAddress: 1_000,
  httpRequestsPerMinute: 100_000,
  costPerMinute: 6_000,
  actsPerMinute: 6_000,
  openInvitesPerMember: 1_000,
};

/** Lines of the server's log; the oldest leave when there are more than are kept. */
class LogLines {
  readonly #lines: string[] = [];
  readonly #kept: number;

  constructor(kept: number) {
    this.#kept = kept;
  }

  write(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > this.#kept) this.#lines.shift();
  }

  text(): string {
    return this.#lines.join('');
  }
}

export type Stage = {
  readonly app: RunningApp;
  readonly folder: string;
  readonly databaseUrl: string;
  /** What the server logged so far. */
  logged(): string;
  /** The database ends at once, as by a fault, and comes back by itself; what was in its UNLOGGED tables is gone. */
  crash(): void;
  /** Ends server and database; the folder stays. May be called more than once. */
  stop(): Promise<void>;
  /** Ends everything and removes the folder. May be called more than once. */
  close(): Promise<void>;
};

export type StageOptions = {
  readonly createApp: CreateApp;
  readonly logLevel: string;
  readonly linesKept: number;
};

/** Undoes in the opposite order, each step once, and goes on after one that fails. */
class Undo {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** Runs until `left` steps are left. @throws what the first failing step threw, after all of them */
  async run(left = 0): Promise<void> {
    const errors: unknown[] = [];
    while (this.#steps.length > left)
      await this.#steps
        .pop()?.()
        .catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}

/** Makes the ground and starts the server on it. @throws SetupError when Postgres can't be started here */
export const openStage = async ({ createApp, logLevel, linesKept }: StageOptions): Promise<Stage> => {
  const lines = new LogLines(linesKept);
  const log = createLog(logLevel, { write: (line) => lines.write(line) });
  const undo = new Undo();
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-demo-'));
  undo.add(() => rm(folder, { recursive: true, force: true }));
  try {
    // Run by root, Postgres is another user's and has to pass.
    await chmod(folder, 0o711);
    const database = await startEmbedded({ dataFolder: folder, log });
    undo.add(() => database.stop());
    await migrate(database.url, log);
    const passphrase = randomBytes(24).toString('base64url');
    const place = { port: 0, host: '127.0.0.1', data: folder, name: 'Reedbed demo' };
    const app = await createApp(configWith({ ...place, databaseUrl: database.url, passphrase, limits: DEMO_LIMITS }), { log });
    undo.add(() => app.close());
    const ending = { tail: Promise.resolve() };
    const end = (left: number): Promise<void> => {
      ending.tail = ending.tail.catch(() => undefined).then(() => undo.run(left));
      return ending.tail;
    };
    return {
      ...{ app, folder, databaseUrl: database.url },
      logged: () => lines.text(),
      crash: () => void process.kill(database.pid, 'SIGQUIT'),
      stop: () => end(1),
      close: () => end(0),
    };
  } catch (error) {
    await undo.run().catch(() => undefined);
    throw error;
  }
};
