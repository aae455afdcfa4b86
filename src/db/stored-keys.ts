// Whether a database already belongs to a server, asked before anything is made that could take that server's place.
import pg from 'pg';
import { toAppError } from './errors.ts';

/** True if the private half of a server's key is in this migrated database. @throws AppError */
export const hasServerKeys = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query('select from server_keys where wrapped_private_key is not null limit 1');
    return rows.length > 0;
  } catch (error) {
    throw toAppError(error);
  } finally {
    await client.end();
  }
};
