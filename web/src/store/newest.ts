// The newest copies of this device by the server's signature, whatever their ids; found by an index, so that only what is
// shown is ever in memory.
import type { Records } from '../../../src/client/store.ts';
import type { Database } from './database.ts';

/** At most `limit` copies, the newest first. */
export async function newestCopies(database: Database, limit: number): Promise<Records['copies'][]> {
  const found: Records['copies'][] = [];
  let cursor = limit > 0 ? await database.transaction('copies').store.index('signedAt').openCursor(null, 'prev') : null;
  while (cursor) {
    found.push(cursor.value);
    cursor = found.length < limit ? await cursor.continue() : null;
  }
  return found;
}
