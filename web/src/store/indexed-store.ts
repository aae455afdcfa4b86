// The member SDK's store over IndexedDB: one object store per collection, one transaction per write, durable when it resolves.
// Ids are compared by IndexedDB as UTF-16 code units, which is the order the port asks for.
import { boundsOf, placesOf } from '../../../src/client/feeds.ts';
import type { Change, Collection, CopyRecord, Feed, FeedItem, Page, Records, Store } from '../../../src/client/store.ts';
import type { CopyRow, Database } from './database.ts';

const EVERYTHING = undefined;

export class IndexedStore implements Store {
  readonly complete: boolean;
  readonly #database: Database;
  #closed = false;

  /** `complete`: false when an earlier database of this member is known to be gone. */
  constructor(database: Database, options: { readonly complete?: boolean } = {}) {
    this.#database = database;
    this.complete = options.complete ?? true;
  }

  async get<C extends Collection>(collection: C, id: string): Promise<Records[C] | null> {
    const record = await this.#open().get(collection, id);
    return record === undefined ? null : recordOf(collection, record);
  }

  async list<C extends Collection>(collection: C, page: Page = {}): Promise<Records[C][]> {
    if (page.limit === 0) return [];
    const range = page.after === undefined ? null : IDBKeyRange.lowerBound(page.after, true);
    const limit = page.limit === undefined || page.limit === Number.POSITIVE_INFINITY ? EVERYTHING : page.limit;
    return (await this.#open().getAll(collection, range, limit)).map((record) => recordOf(collection, record));
  }

  async feed(feed: Feed, { after, limit = Number.POSITIVE_INFINITY }: Page = {}): Promise<FeedItem[]> {
    const found: FeedItem[] = [];
    if (limit === 0) return found;
    const { from, to } = boundsOf(feed, after);
    const index = this.#open().transaction('copies').store.index('feeds');
    let cursor = await index.openCursor(IDBKeyRange.bound(from, to, true, true));
    while (cursor) {
      found.push({ place: String(cursor.key), copy: recordOf('copies', cursor.value) });
      cursor = found.length < limit ? await cursor.continue() : null;
    }
    return found;
  }

  async write(changes: readonly Change[]): Promise<void> {
    const database = this.#open();
    if (changes.length === 0) return;
    // What JSON can't carry is refused here, before anything has changed, as every other store does.
    const records = changes.map((change) => ('put' in change ? (JSON.parse(JSON.stringify(change.record)) as typeof change.record) : null));
    const names = new Set(changes.map((change) => ('put' in change ? change.put : change.delete)));
    const transaction = database.transaction([...names], 'readwrite', { durability: 'strict' });
    try {
      const requests = changes.map((change, at) => {
        const record = records[at];
        if ('put' in change && record) return transaction.objectStore(change.put).put(rowOf(change.put, record));
        return 'delete' in change ? transaction.objectStore(change.delete).delete(change.id) : undefined;
      });
      await Promise.all([...requests, transaction.done]);
    } catch (error) {
      abort(transaction);
      await transaction.done.catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#database.close();
  }

  #open(): Database {
    if (this.#closed) throw new Error('the store is closed');
    return this.#database;
  }
}

/** A copy's row names its places in the feeds, for their index. */
const rowOf = (collection: Collection, record: Records[Collection]): Records[Collection] =>
  collection === 'copies' ? ({ ...record, feeds: placesOf(record as CopyRecord) } as CopyRow) : record;

function recordOf<C extends Collection>(collection: C, row: unknown): Records[C] {
  if (collection !== 'copies') return row as Records[C];
  const { feeds: _feeds, ...record } = row as CopyRow;
  return record as unknown as Records[C];
}

function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already: then nothing of it was written, or the failure was told by `done`.
  }
}
