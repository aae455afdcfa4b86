// A member's store in a folder, for headless holders: an append-only journal with an index of it in memory.
// A write has reached the disk when it resolves; after kill -9 the store opens with every such write and no part of another.
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FeedIndex } from '../client/feed-index.ts';
import type { Change, Collection, Feed, FeedItem, Page, Records, Store } from '../client/store.ts';
import { COLLECTIONS } from '../client/store.ts';
import type { Batch, Entry, Place } from './file-journal.ts';
import { encodeBatch, JournalReader, recordIn } from './file-journal.ts';

const COMPACT_FROM_BYTES = 1024 * 1024;
/** By how much the journal grows until a compaction that failed is tried again: by more each time, since each try writes all that is alive. */
const RETRY_AFTER_BYTES = { least: COMPACT_FROM_BYTES, most: 64 * COMPACT_FROM_BYTES } as const;
const HEADER = 'reedbed-store 1';
const READ_BYTES = 256 * 1024;

type Waiting = { readonly batch: Batch; done(): void; failed(error: unknown): void };
type Index = Map<Collection, Map<string, Place>>;
type Rewritten = { readonly file: FileHandle; readonly entries: readonly Entry[]; readonly bytes: number };

/** Opens the store in `folder`, making both if needed. Rejects if another process has it open or if it is of an unknown version. */
export async function openFileStore(folder: string): Promise<FileStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const release = takeLock(join(folder, 'lock'));
  try {
    return await FileStore.open(join(folder, 'journal'), release);
  } catch (error) {
    await release();
    throw error;
  }
}

export class FileStore implements Store {
  complete = true;
  readonly #path: string;
  readonly #release: () => Promise<void>;
  readonly #index: Index = new Map(COLLECTIONS.map((name) => [name, new Map()]));
  readonly #feeds = new FeedIndex();
  #file: FileHandle;
  #bytes = 0;
  #liveBytes = 0;
  #compactFromBytes = COMPACT_FROM_BYTES;
  #retryAfterBytes: number = RETRY_AFTER_BYTES.least;
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  #ended: Error | null = null;

  private constructor(path: string, file: FileHandle, release: () => Promise<void>) {
    this.#path = path;
    this.#file = file;
    this.#release = release;
  }

  static async open(path: string, release: () => Promise<void>): Promise<FileStore> {
    await rm(`${path}.new`, { force: true });
    const file = await open(path, 'a+', 0o600);
    const store = new FileStore(path, file, release);
    try {
      await store.#load();
      return store;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async get<C extends Collection>(collection: C, id: string): Promise<Records[C] | null> {
    this.#check();
    const place = this.#index.get(collection)?.get(id);
    return place ? ((await this.#read(place)) as Records[C]) : null;
  }

  async list<C extends Collection>(collection: C, page: Page = {}): Promise<Records[C][]> {
    this.#check();
    const places = this.#index.get(collection) ?? new Map<string, Place>();
    const { after, limit = Number.POSITIVE_INFINITY } = page;
    const ids = [...places.keys()].filter((id) => after === undefined || id > after).sort();
    const found = ids.slice(0, limit).flatMap((id) => places.get(id) ?? []);
    return Promise.all(found.map((place) => this.#read(place) as Promise<Records[C]>));
  }

  async feed(feed: Feed, page: Page = {}): Promise<FeedItem[]> {
    this.#check();
    const copies = this.#index.get('copies');
    const found = this.#feeds.page(feed, page).flatMap(({ place, id }) => {
      const at = copies?.get(id);
      return at ? [{ place, at }] : [];
    });
    return Promise.all(found.map(async ({ place, at }) => ({ place, copy: (await this.#read(at)) as Records['copies'] })));
  }

  async write(changes: readonly Change[]): Promise<void> {
    this.#check();
    if (changes.length === 0) return;
    const batch = encodeBatch(changes);
    await new Promise<void>((done, failed) => {
      this.#waiting.push({ batch, done, failed });
      this.#working ??= this.#work();
    });
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    while (this.#working) await this.#working;
    this.#ended = new Error('the store is closed');
    await this.#file.close();
    await this.#release();
  }

  #check(): void {
    if (this.#ended) throw this.#ended;
  }

  /** The handle is taken when the read starts: a compaction closes the old file only after the reads that use it. */
  async #read(place: Place): Promise<unknown> {
    const buffer = Buffer.alloc(place.bytes);
    const reading = this.#file.read(buffer, 0, place.bytes, place.offset);
    this.#reads.add(reading);
    try {
      const { bytesRead } = await reading;
      if (bytesRead !== place.bytes) throw new Error('the store lost the end of its journal');
      return recordIn(buffer);
    } finally {
      this.#reads.delete(reading);
    }
  }

  readonly #reads = new Set<Promise<unknown>>();

  /** Writes everything that waits with one flush, until nothing waits. Never rejects. */
  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      await this.#append(taken);
      if (!this.#ended && this.#bytes > this.#compactFromBytes && this.#liveBytes * 2 < this.#bytes) await this.#compact();
    }
    // In the same turn as the last look at what waits, so that no write falls in between.
    this.#working = null;
  }

  async #append(taken: readonly Waiting[]): Promise<void> {
    if (this.#ended) {
      for (const { failed } of taken) failed(this.#ended);
      return;
    }
    try {
      await this.#file.appendFile(Buffer.concat(taken.map(({ batch }) => batch.bytes)));
      await this.#file.datasync();
    } catch (error) {
      await this.#cutBack(error);
      for (const { failed } of taken) failed(error);
      return;
    }
    for (const { batch, done } of taken) {
      this.#apply(batch.entries, this.#bytes);
      this.#bytes += batch.bytes.length;
      done();
    }
  }

  /** What was written in part is cut off again; if even that fails, nothing here can be trusted until it is opened anew. */
  async #cutBack(cause: unknown): Promise<void> {
    try {
      await this.#file.truncate(this.#bytes);
    } catch {
      await this.#fail('the store failed and must be opened again', cause);
    }
  }

  async #fail(message: string, cause: unknown): Promise<void> {
    this.#ended = new Error(message, { cause });
    await this.#file.close().catch(() => undefined);
    await this.#release();
  }

  #apply(entries: readonly Entry[], offset: number): void {
    for (const { collection, id, place: relative, feeds } of entries) {
      if (collection === 'copies') this.#feeds.set(id, feeds ?? []);
      const place = relative && { offset: relative.offset + offset, bytes: relative.bytes };
      const places = this.#index.get(collection) as Map<string, Place>;
      this.#liveBytes += (place?.bytes ?? 0) - (places.get(id)?.bytes ?? 0);
      if (place) places.set(id, place);
      else places.delete(id);
    }
  }

  async #load(): Promise<void> {
    const { size } = await this.#file.stat();
    const header = Buffer.alloc(HEADER.length + 2);
    await this.#file.read(header, 0, header.length, 0);
    const line = header.toString('utf8');
    if (size < header.length) return this.#start();
    if (!line.startsWith(HEADER)) throw new Error(`${this.#path} is no store of this version`);
    this.complete = line[HEADER.length] !== '-';
    const reader = new JournalReader(header.length, (entries) => this.#apply(entries, 0));
    const buffer = Buffer.alloc(READ_BYTES);
    for (let at = header.length; at < size; ) {
      const { bytesRead } = await this.#file.read(buffer, 0, READ_BYTES, at);
      if (bytesRead === 0) break;
      reader.push(Buffer.from(buffer.subarray(0, bytesRead)));
      at += bytesRead;
    }
    if (reader.damaged) await this.#markIncomplete();
    this.#bytes = reader.goodEnd;
    if (reader.goodEnd < size) await this.#file.truncate(reader.goodEnd);
  }

  /** On the disk before anything is cut off: after that the journal alone would not show that something was lost. */
  async #markIncomplete(): Promise<void> {
    this.complete = false;
    // The store's own handle only appends.
    const file = await open(this.#path, 'r+');
    try {
      await file.write(headerLine(false), 0);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async #start(): Promise<void> {
    await this.#file.truncate(0);
    await this.#file.appendFile(headerLine(true));
    await this.#file.sync();
    this.#bytes = HEADER.length + 2;
    await syncFolder(this.#path);
  }

  /** Rewrites what is alive into a new file and puts it in the old one's place. Until it is there, the old one stays the journal. */
  async #compact(): Promise<void> {
    const next = await this.#rewritten();
    if (next === null) {
      this.#compactFromBytes = this.#bytes + this.#retryAfterBytes;
      this.#retryAfterBytes = Math.min(this.#retryAfterBytes * 2, RETRY_AFTER_BYTES.most);
      return;
    }
    this.#compactFromBytes = COMPACT_FROM_BYTES;
    this.#retryAfterBytes = RETRY_AFTER_BYTES.least;
    const old = this.#file;
    this.#file = next.file;
    for (const places of this.#index.values()) places.clear();
    this.#liveBytes = 0;
    this.#apply(next.entries, 0);
    this.#bytes = next.bytes;
    await Promise.allSettled(this.#reads);
    await old.close().catch(() => undefined);
    // A folder that may still name the old file would lose every write from here on.
    await syncFolder(this.#path).catch((error: unknown) => this.#fail('the store failed and must be opened again', error));
  }

  /** The new file, flushed and under the journal's name; null, and nothing left of it, if that failed. */
  async #rewritten(): Promise<Rewritten | null> {
    const path = `${this.#path}.new`;
    let file: FileHandle | null = null;
    try {
      await rm(path, { force: true });
      file = await open(path, 'ax+', 0o600);
      const written = await this.#rewrite(file);
      await rename(path, this.#path);
      return { file, ...written };
    } catch {
      await file?.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
      return null;
    }
  }

  async #rewrite(file: FileHandle): Promise<{ entries: Entry[]; bytes: number }> {
    const header = headerLine(this.complete);
    await file.appendFile(header);
    const entries: Entry[] = [];
    let at = Buffer.byteLength(header);
    for (const [collection, places] of this.#index) {
      for (const place of places.values()) {
        const record = (await this.#read(place)) as never;
        const batch = encodeBatch([{ put: collection, record } as Change]);
        await file.appendFile(batch.bytes);
        for (const entry of batch.entries) {
          if (entry.place) entries.push({ ...entry, place: { ...entry.place, offset: entry.place.offset + at } });
        }
        at += batch.bytes.length;
      }
    }
    await file.sync();
    return { entries, bytes: at };
  }
}

const headerLine = (complete: boolean): string => `${HEADER}${complete ? '+' : '-'}\n`;

/** A rename or a new file is only durable once its folder was flushed. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(join(path, '..'), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** An exclusive SQLite transaction on a file beside the journal: the system releases it with the process, however that ends. */
function takeLock(path: string): () => Promise<void> {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (cause) {
    database.close();
    throw new Error('the store is already open', { cause });
  }
  return async () => {
    if (database.isOpen) database.close();
  };
}
