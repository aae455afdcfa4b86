// Looks for bodies where none may be: in every column of every table, in every file of the data folder, in every line of the log. A body is
// known by a mark that its text carries, a ciphertext by how it begins; each is looked for in the forms in which bytes get written down.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

export type Wanted = {
  /** Stands in every text that was written. At least 8 characters, printable ASCII. */
  readonly mark: string;
  /** Beginnings of ciphertexts in base64, a multiple of four characters each. */
  readonly openings: readonly string[];
};

const MARK_CHARS_MIN = 8;
const BASE64_SHIFTS = [0, 1, 2] as const;

/** The part of a text's base64 that is the same whatever stands before and after it, with `shift` bytes before. */
const base64Core = (bytes: Buffer, shift: number): string => {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const first = Math.ceil((shift * 8) / 6);
  const last = Math.floor(((shift + bytes.length) * 8) / 6);
  return text.slice(first, last);
};

const urlForm = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/** Every form in which one of the wanted could stand somewhere. @throws RangeError for a mark that is too short to be telling */
export const formsOf = ({ mark, openings }: Wanted): readonly Buffer[] => {
  if (mark.length < MARK_CHARS_MIN) throw new RangeError('the mark is too short');
  const text = Buffer.from(mark);
  const encoded = BASE64_SHIFTS.map((shift) => base64Core(text, shift));
  const texts = [mark, text.toString('hex'), ...encoded, ...encoded.map(urlForm)];
  const ciphers = openings.flatMap((opening) => {
    const raw = Buffer.from(opening, 'base64');
    return [
      Buffer.from(opening),
      Buffer.from(urlForm(opening)),
      Buffer.from(Buffer.from(opening).toString('hex')),
      raw,
      Buffer.from(raw.toString('hex')),
    ];
  });
  const all = [...texts.map((form) => Buffer.from(form)), ...ciphers];
  return [...new Map(all.map((form) => [form.toString('latin1'), form])).values()];
};

/** How often any of the forms stands in `bytes`. */
export const countIn = (bytes: Buffer, forms: readonly Buffer[]): number => {
  let hits = 0;
  for (const form of forms) for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1)) hits += 1;
  return hits;
};

type Table = { readonly schema: string; readonly name: string };

const TABLES = `
  select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`;

/** Hits in all columns of all tables. @throws what the database throws */
export const countInTables = async (databaseUrl: string, forms: readonly Buffer[]): Promise<number> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows: tables } = await client.query<Table>(TABLES);
    if (tables.length === 0) throw new Error('there are no tables to search');
    let hits = 0;
    for (const { schema, name } of tables) {
      const table = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`;
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${table} t`);
      hits += countIn(Buffer.from(rows.map(({ row }) => row).join('\n')), forms);
    }
    // What was written is in the files then, also what was written and deleted.
    await client.query('checkpoint');
    return hits;
  } finally {
    await client.end();
  }
};

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Hits in all files under a folder. A file that is deleted meanwhile is passed over. */
export const countInFiles = async (folder: string, forms: readonly Buffer[]): Promise<number> => {
  let hits = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch((error: unknown) => {
      if (isGone(error)) return Buffer.alloc(0);
      throw error;
    });
    hits += countIn(bytes, forms);
  }
  return hits;
};
