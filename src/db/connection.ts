// One pool of connections to Postgres: how values are read, what a session is set to, and the look at the ledger's epoch that every
// new connection begins with. Errors leave here mapped (errors.ts), and none of them may end the process.
import { connect as connectSocket } from 'node:net';
import pg from 'pg';
import type { Logger } from 'pino';
import { toAppError } from './errors.ts';

export type Role = 'application' | 'ledger';

export type ConnectionOptions = {
  readonly url: string;
  readonly role: Role;
  readonly connections: number;
  readonly log: Logger;
  /** Called with the epoch found on each new connection, before it is used. */
  readonly onEpochSeen: (epoch: string) => void;
};

const CONNECT_MS = 5_000;
const IDLE_MS = 60_000;
// Postgres ends what takes longer: a snapshot held for long stops vacuum and with it the ledger (specs/operations.md).
const TRANSACTION_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 5_000;
const OID = { int8: 20, int8Array: 1016, date: 1082 } as const;

const readInteger = (text: string): number | bigint => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
};
const readIntegers = (text: string): (number | bigint | null)[] =>
  text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((part) => (part === 'NULL' ? null : readInteger(part)));

/** int8 as a number (a bigint beyond 2^53), date as its text; the rest as `pg` reads it. */
const types = {
  getTypeParser: ((oid: number, format?: string) => {
    if (format !== 'binary') {
      if (oid === OID.int8) return readInteger;
      if (oid === OID.int8Array) return readIntegers;
      if (oid === OID.date) return String;
    }
    return pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

const sessionSettings = (role: Role): string =>
  [
    `set transaction_timeout = ${TRANSACTION_MS}`,
    `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    'set jit = off',
    "set timezone = 'UTC'",
    // Plans made while a ledger table was empty are scans of it, or of all of a partial index, and are kept; the ledger's statements all have
    // an index. Planning them takes longer than running them, so each is planned once for a connection.
    ...(role === 'ledger' ? ['set enable_seqscan = off', 'set enable_bitmapscan = off', 'set plan_cache_mode = force_generic_plan'] : []),
  ].join('; ');

const EPOCH = 'insert into ledger_epoch (epoch) values (gen_random_uuid()) on conflict do nothing; select epoch from ledger_epoch';

/** Settings and epoch in one round trip. Not one transaction: each `set` must outlive it, and does, since the whole succeeds or the connection is dropped. */
const begin = async (client: pg.ClientBase, role: Role): Promise<string> => {
  const results = (await client.query(`${sessionSettings(role)}; ${EPOCH}`)) as unknown as pg.QueryResult<{ epoch: string }>[];
  const epoch = results.at(-1)?.rows[0]?.epoch;
  if (epoch === undefined) throw new Error('ledger_epoch has no row');
  return epoch;
};

export const openPool = (options: ConnectionOptions): pg.Pool => {
  const settings: pg.PoolConfig = {
    connectionString: options.url,
    max: options.connections,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: `reedbed ${options.role}`,
    types: types as unknown as pg.CustomTypesConfig,
    onConnect: async (client) => {
      // Without a listener an error between two statements would end the process; the next statement reports it anyway.
      client.on('error', () => undefined);
      options.onEpochSeen(await begin(client, options.role));
    },
  };
  const pool = new pg.Pool(settings);
  // No warning: the next statement either gets a new connection or says that the database is away.
  pool.on('error', (error) =>
    options.log.debug({ sqlState: (error as { code?: string }).code ?? null }, 'an idle database connection was lost'),
  );
  return pool;
};

const CANCEL_REQUEST = 80_877_102;
const CANCEL_BYTES = 16;

/** Asks the server to end what `client` is doing (the protocol's CancelRequest, on a connection of its own). Nothing is heard back. */
export const cancel = (client: pg.PoolClient): void => {
  const { host, port, processID, secretKey } = client as unknown as { host: string; port: number; processID: number; secretKey: number };
  const message = Buffer.alloc(CANCEL_BYTES);
  message.writeInt32BE(CANCEL_BYTES, 0);
  message.writeInt32BE(CANCEL_REQUEST, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket(port, host);
  socket.on('error', () => socket.destroy());
  socket.setTimeout(CONNECT_MS, () => socket.destroy());
  socket.end(message);
};

/** Runs one call of the driver with its errors mapped. */
export const mapped = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw toAppError(error);
  }
};
