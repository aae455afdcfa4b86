// What a broken database does to us. These tests have a Postgres of their own, since a crash empties the UNLOGGED tables of every database in it.
import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/pool.ts';
import { startServer, type TestServer } from '../support/database.ts';

const log = pino({ level: 'silent' });
let server: TestServer;
let database: Database;
const epochs: string[] = [];

const isServing = (): Promise<boolean> =>
  database.query({ text: 'select 1' }).then(
    () => true,
    () => false,
  );
const backend = async (): Promise<number> =>
  (await database.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' }))[0]?.pid ?? 0;

const epoch = async (): Promise<string | undefined> =>
  (await database.query<{ epoch: string }>({ text: 'select epoch from ledger_epoch' }))[0]?.epoch;

beforeAll(async () => {
  server = await startServer();
  database = await openDatabase({ url: server.url, role: 'ledger', connections: 3, log, onEpoch: (epoch) => epochs.push(epoch) });
});

afterAll(async () => {
  await database.close();
  await server.stop();
});

it('does not call the epoch changed when it is not', async () => {
  await Promise.all([1, 2, 3].map(() => database.query({ text: 'select 1' })));
  expect(epochs).toEqual([]);
});

it('keeps the epoch when a connection is ended but nothing was lost', async () => {
  const pid = await backend();
  await database.query({ text: 'select pg_terminate_backend($1)', values: [pid] }).catch(() => undefined);
  await expect.poll(isServing).toBe(true);
  expect(await backend()).not.toBe(pid);
  expect(epochs).toEqual([]);
});

it('tells a new epoch once when a killed backend emptied the UNLOGGED tables', async () => {
  await database.query({ text: `insert into used_challenges values ('n', now())` });
  const before = await epoch();
  process.kill(await backend(), 'SIGKILL');
  await expect.poll(isServing, { timeout: 20_000 }).toBe(true);
  await Promise.all([1, 2, 3].map(() => database.query({ text: 'select 1' })));
  expect(epochs).toEqual([await epoch()]);
  expect(epochs).not.toContain(before);
  expect(await database.query({ text: 'select * from used_challenges' })).toEqual([]);
});

it('tells a new epoch when the tables were emptied by truncation', async () => {
  const told = epochs.length;
  await database.query({ text: 'truncate ledger_epoch' });
  // Only a new connection looks.
  const others = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'reedbed ledger' and pid <> pg_backend_pid()`;
  await database.query({ text: others });
  await database.query({ text: 'select pg_terminate_backend(pg_backend_pid())' }).catch(() => undefined);
  await expect.poll(epoch).toBeTypeOf('string');
  expect(epochs.slice(told)).toEqual([await epoch()]);
});

it('answers UNAVAILABLE to what the end of the server cut, and serves again by itself', async () => {
  const killed = server.pid;
  const cut = database.query({ text: 'select pg_sleep(600)' }).catch((error: unknown) => error);
  const cutInside = database.transaction((tx) => sql`select pg_sleep(600)`.execute(tx)).catch((error: unknown) => error);
  const busy = { text: `select from pg_stat_activity where query like '%sleep(600)' and state = 'active'` };
  await expect.poll(() => database.query(busy)).toHaveLength(2);
  process.kill(killed, 'SIGKILL');
  expect(await cut).toMatchObject({ code: 'UNAVAILABLE', retryAfterMs: 1_000 });
  expect(await cutInside).toMatchObject({ code: 'UNAVAILABLE' });
  await expect.poll(isServing, { timeout: 30_000 }).toBe(true);
  expect(server.pid).not.toBe(killed);
});

it('answers UNAVAILABLE while the server is away', async () => {
  await server.stop();
  await expect(database.query({ text: 'select 1' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(database.transaction((tx) => sql`select 1`.execute(tx))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(openDatabase({ url: server.url, role: 'application', connections: 1, log })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
