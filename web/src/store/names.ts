// Members' names as their verified identity certificates had them, so that a list reads the same offline.
import type { Database, NameRecord } from './database.ts';

/** The last name known for a member; null if there is none. */
export const getName = async (database: Database, user: string): Promise<string | null> =>
  (await database.get('names', user))?.username ?? null;

export const putName = async (database: Database, record: NameRecord): Promise<void> => {
  await database.put('names', record);
};

export const allNames = (database: Database): Promise<NameRecord[]> => database.getAll('names');
