// The profile's IndexedDB: one object store per kind of record, all of them opened and upgraded here. Only the leading tab's
// worker opens it, so nobody else can write behind the member's back.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { placesOf } from '../../../src/client/feeds.ts';
import { COLLECTIONS, type CopyRecord, type Records } from '../../../src/client/store.ts';

const NAME = 'reedbed';
/** 2: copies by the time of their countersignature. 3: feeds; threads, removals, people. 4: what a new device asks back. A new collection is a new version. */
const VERSION = 4;

/** RFC 3339 in UTC with milliseconds throughout, so that the order of texts is the order of times. */
const SIGNED_AT = 'certificate.countersignature.statement.signedAt';

/** A secret under the sealing key; see secrets.ts. */
export type SealedSecret = { readonly iv: Uint8Array<ArrayBuffer>; readonly sealed: ArrayBuffer };

/** A member's name by their id; see names.ts. */
export type NameRecord = { readonly id: string; readonly username: string };

/** A copy with its places in the feeds. */
export type CopyRow = CopyRecord & { readonly feeds: readonly string[] };

export interface Schema extends DBSchema {
  copies: { key: string; value: Records['copies']; indexes: { signedAt: string; feeds: string } };
  keys: { key: string; value: Records['keys'] };
  requests: { key: string; value: Records['requests'] };
  outbox: { key: string; value: Records['outbox'] };
  meta: { key: string; value: Records['meta'] };
  threads: { key: string; value: Records['threads'] };
  tombstones: { key: string; value: Records['tombstones'] };
  follows: { key: string; value: Records['follows'] };
  blocks: { key: string; value: Records['blocks'] };
  blockers: { key: string; value: Records['blockers'] };
  marks: { key: string; value: Records['marks'] };
  recalls: { key: string; value: Records['recalls'] };
  secrets: { key: string; value: SealedSecret | CryptoKey };
  names: { key: string; value: NameRecord };
}

export type Database = IDBPDatabase<Schema>;

/** Opens the database, making it if need be. A newer tab that wants to upgrade it, or a person who clears it, closes it: `onLost`. */
export function openDatabase(onLost: () => void, name: string = NAME): Promise<Database> {
  return openDB<Schema>(name, VERSION, {
    async upgrade(database, from, _to, transaction) {
      for (const collection of COLLECTIONS) {
        if (!database.objectStoreNames.contains(collection)) database.createObjectStore(collection, { keyPath: 'id' });
      }
      if (from < 1) {
        database.createObjectStore('secrets');
        database.createObjectStore('names', { keyPath: 'id' });
      }
      if (from < 2) transaction.objectStore('copies').createIndex('signedAt', SIGNED_AT);
      if (from < 3) {
        const copies = transaction.objectStore('copies');
        copies.createIndex('feeds', 'feeds', { multiEntry: true });
        for (let cursor = await copies.openCursor(); cursor; cursor = await cursor.continue()) {
          const row: CopyRow = { ...cursor.value, feeds: placesOf(cursor.value) };
          await cursor.update(row);
        }
      }
    },
    blocking(_current, _blocked, event) {
      (event.target as IDBDatabase).close();
      onLost();
    },
    terminated: onLost,
  });
}
