// A whole server in the test's process, on a database of its own.
import pino, { type Logger } from 'pino';
import { type App, createApp, type Overrides } from '../../src/app.ts';
import type { Limits } from '../../src/base/limits.ts';
import { type Config, configWith } from '../../src/config/config.ts';
import { createDatabase, type TestDatabase } from './database.ts';

export type TestServer = {
  readonly app: App;
  readonly url: string;
  readonly rootInvite: string;
  readonly database: TestDatabase;
  /** Everything the server logged so far. */
  readonly logged: () => string;
  settle(): Promise<void>;
  close(): Promise<void>;
  /** Ends the server and starts another one on the same database. */
  restart(): Promise<TestServer>;
};

export type TestServerOptions = {
  readonly config?: Partial<Omit<Config, 'limits'>>;
  readonly limits?: Partial<Limits>;
  readonly overrides?: Partial<Overrides>;
  readonly database?: TestDatabase;
};

// One process is one address here: what is counted per address would end a test of many members.
const OF_ONE_ADDRESS = {
  signUpsPerHour: 100_000,
  challengesPerHour: 100_000,
  httpRequestsPerMinute: 1_000_000,
  unauthenticatedSocketsPerAddress: 1_000,
};

export const startServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const database = options.database ?? (await createDatabase());
  const lines: string[] = [];
  const log: Logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const config = configWith({
    ...{ port: 0, host: '127.0.0.1', databaseUrl: database.url, passphrase: 'correct horse battery staple' },
    ...options.config,
    limits: { ...OF_ONE_ADDRESS, ...options.limits },
  });
  const app = await createApp(config, { log, ...options.overrides });
  return {
    ...{ app, database, url: app.url, rootInvite: app.rootInvite ?? '' },
    logged: () => lines.join(''),
    settle: () => app.settle(),
    close: async () => {
      await app.close();
      await database.drop();
    },
    restart: async () => {
      await app.close();
      return startServer({ ...options, database });
    },
  };
};
