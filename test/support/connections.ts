// Connections by which tests look at a database beside the server. Each new one is a process of Postgres, dearer than most of what tests ask: so one that
// is done with is kept for the next look at that database, for a while. What stands in a session must not matter to who has it next.
import pg from 'pg';

const IDLE_MS = 5000;
/** More than look at once; whoever is over it waits for another to end. */
const AT_ONCE = 64;

const pools = new Map<string, pg.Pool>();
const used = new WeakSet<pg.ClientBase>();

const poolOf = (url: string): pg.Pool => {
  const known = pools.get(url);
  if (known !== undefined) return known;
  const pool = new pg.Pool({ connectionString: url, max: AT_ONCE, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true });
  // An idle one may be ended with its database.
  pool.on('error', () => undefined);
  pools.set(url, pool);
  return pool;
};

/** One that is alive: of a server that was ended and started again the old ones may not have been heard to end. */
const take = async (pool: pg.Pool): Promise<pg.PoolClient> => {
  for (;;) {
    const client = await pool.connect();
    if (!used.has(client)) {
      used.add(client);
      client.on('error', () => undefined);
      return client;
    }
    try {
      await client.query('');
      return client;
    } catch {
      client.release(true);
    }
  }
};

/** Lets `use` have a connection. One that fails in its hands is not kept. */
export const connected = async <T>(url: string, use: (client: pg.ClientBase) => Promise<T>): Promise<T> => {
  const client = await take(poolOf(url));
  let isWhole = false;
  try {
    const result = await use(client);
    isWhole = true;
    return result;
  } finally {
    client.release(!isWhole);
  }
};

/** Ends those that are idle: of a database that is dropped. */
export const forget = async (url: string): Promise<void> => {
  const pool = pools.get(url);
  pools.delete(url);
  await pool?.end();
};
