// A store that lives as long as the process: for tests, demo members and load generators.
// Records go in and out as copies, so that nobody can change what is stored from outside.
import { FeedIndex } from './feed-index.ts';
import { placesOf } from './feeds.ts';
import type { Change, Collection, Feed, FeedItem, Page, Records, Store } from './store.ts';
import { COLLECTIONS } from './store.ts';

export class MemoryStore implements Store {
  readonly complete: boolean;
  readonly #collections = new Map<Collection, Map<string, string>>(COLLECTIONS.map((name) => [name, new Map()]));
  readonly #feeds = new FeedIndex();
  #closed = false;

  constructor(options: { complete?: boolean } = {}) {
    this.complete = options.complete ?? true;
  }

  async get<C extends Collection>(collection: C, id: string): Promise<Records[C] | null> {
    const text = this.#records(collection).get(id);
    return text === undefined ? null : (JSON.parse(text) as Records[C]);
  }

  async list<C extends Collection>(collection: C, page: Page = {}): Promise<Records[C][]> {
    const records = this.#records(collection);
    const { after, limit = Number.POSITIVE_INFINITY } = page;
    const ids = [...records.keys()].filter((id) => after === undefined || id > after).sort();
    return ids.slice(0, limit).map((id) => JSON.parse(records.get(id) ?? 'null') as Records[C]);
  }

  async feed(feed: Feed, page: Page = {}): Promise<FeedItem[]> {
    const copies = this.#records('copies');
    return this.#feeds.page(feed, page).map(({ place, id }) => ({ place, copy: JSON.parse(copies.get(id) ?? 'null') }));
  }

  async write(changes: readonly Change[]): Promise<void> {
    // Everything is turned into text first: what can't be stored fails before anything has changed.
    const texts = changes.map((change) => ('put' in change ? JSON.stringify(change.record) : ''));
    const places = changes.map((change) => ('put' in change && change.put === 'copies' ? placesOf(change.record) : []));
    for (const change of changes) this.#records('put' in change ? change.put : change.delete);
    changes.forEach((change, index) => {
      if ('put' in change) this.#records(change.put).set(change.record.id, texts[index] ?? '');
      else this.#records(change.delete).delete(change.id);
      if ('put' in change ? change.put === 'copies' : change.delete === 'copies')
        this.#feeds.set('put' in change ? change.record.id : change.id, places[index] ?? []);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #records(collection: Collection): Map<string, string> {
    if (this.#closed) throw new Error('the store is closed');
    const records = this.#collections.get(collection);
    if (!records) throw new Error('no such collection');
    return records;
  }
}
