// The journal format of the file store: batches of JSON lines, each closed by a line with a checksum of the batch.
// A batch without a good closing line never happened. A write cut short leaves, at the very end, whole lines that are records and then a
// part of a line; a closing line that does not fit, or a whole line that is no record, is damage wherever it stands.
import { crc32 } from 'node:zlib';
import { placesOf } from '../client/feeds.ts';
import type { Change, Collection, CopyRecord } from '../client/store.ts';
import { COLLECTIONS } from '../client/store.ts';

const NEWLINE = 0x0a;

/** Where a record's JSON stands: the line and, in it, nothing but `{"c":collection,"r":record}`. */
export type Place = { readonly offset: number; readonly bytes: number };

/** `feeds`: a copy's places in the feeds. */
export type Entry = {
  readonly collection: Collection;
  readonly id: string;
  readonly place: Place | null;
  readonly feeds?: readonly string[];
};

export type Batch = { readonly bytes: Buffer; readonly entries: readonly Entry[] };

/** A batch as bytes; places count from its beginning. Throws for what JSON can't hold. */
export function encodeBatch(changes: readonly Change[]): Batch {
  const lines: Buffer[] = [];
  const entries: Entry[] = [];
  let at = 0;
  for (const change of changes) {
    const line = Buffer.from(`${lineOf(change)}\n`, 'utf8');
    const place = 'put' in change ? { offset: at, bytes: line.length - 1 } : null;
    if (place === null || !('put' in change)) entries.push({ collection: collectionOf(change), id: idOf(change), place: null });
    else entries.push(entryFor(change.put, change.record, place));
    lines.push(line);
    at += line.length;
  }
  const body = Buffer.concat(lines);
  const end = Buffer.from(`${JSON.stringify({ end: changes.length, crc: crc32(body) })}\n`, 'utf8');
  return { bytes: Buffer.concat([body, end]), entries };
}

const collectionOf = (change: Change): Collection => ('put' in change ? change.put : change.delete);
const idOf = (change: Change): string => ('put' in change ? change.record.id : change.id);

const entryFor = (collection: Collection, record: { readonly id: string }, place: Place): Entry => ({
  ...{ collection, id: record.id, place },
  ...(collection === 'copies' ? { feeds: placesOf(record as CopyRecord) } : {}),
});

const lineOf = (change: Change): string =>
  'put' in change ? JSON.stringify({ c: change.put, r: change.record }) : JSON.stringify({ c: change.delete, d: change.id });

/** The record in a line that `encodeBatch` wrote. */
export const recordIn = (line: Buffer): unknown => (JSON.parse(line.toString('utf8')) as { r: unknown }).r;

/** Reads a journal piece by piece; `apply` gets the entries of each good batch, in order. */
export class JournalReader {
  readonly #apply: (entries: readonly Entry[]) => void;
  #rest: Buffer = Buffer.alloc(0);
  #offset: number;
  #lines: Buffer[] = [];
  #entries: Entry[] = [];
  #broken = false;
  /** Where the last good batch ends: what comes after it may be cut off. */
  goodEnd: number;
  /** Something that had been written whole can't be read any more. */
  damaged = false;

  constructor(start: number, apply: (entries: readonly Entry[]) => void) {
    this.#offset = start;
    this.goodEnd = start;
    this.#apply = apply;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let end = this.#rest.indexOf(NEWLINE, from); end >= 0; end = this.#rest.indexOf(NEWLINE, from)) {
      this.#line(this.#rest.subarray(from, end + 1));
      from = end + 1;
    }
    this.#rest = this.#rest.subarray(from);
  }

  #line(line: Buffer): void {
    const place = { offset: this.#offset, bytes: line.length - 1 };
    this.#offset += line.length;
    const value = parsed(line);
    if (value !== null && 'end' in value) return this.#end(value);
    this.#lines.push(line);
    const entry = value === null ? null : entryOf(value, place);
    if (entry) this.#entries.push(entry);
    else this.damaged = this.#broken = true;
  }

  #end(value: Record<string, unknown>): void {
    const good = !this.#broken && value.end === this.#entries.length && value.crc === crc32(Buffer.concat(this.#lines));
    if (good) {
      this.#apply(this.#entries);
      this.goodEnd = this.#offset;
    } else {
      this.damaged = true;
    }
    this.#lines = [];
    this.#entries = [];
    this.#broken = false;
  }
}

function parsed(line: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function entryOf(value: Record<string, unknown>, place: Place): Entry | null {
  const collection = COLLECTIONS.find((name) => name === value.c);
  if (!collection) return null;
  if (typeof value.d === 'string') return { collection, id: value.d, place: null };
  const record = value.r as { readonly id?: unknown } | undefined;
  return typeof record?.id === 'string' ? entryFor(collection, record as { readonly id: string }, place) : null;
}
