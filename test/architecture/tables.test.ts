// Every table has an owner, and only its owner writes it. Reads the migrations and the SQL and Kysely calls of src/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, ROOT, sourcesIn } from './sources.ts';
import { TABLE_WRITERS } from './table-owners.ts';

const CREATE = /create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)/g;
const WRITES = [
  /\b(?:insert|merge)\s+into\s+(?:only\s+)?"?(\w+)/gi,
  /\bupdate\s+(?:only\s+)?"?(\w+)"?\s+(?:(?:as\s+)?\w+\s+)?set\b/gi,
  /\bdelete\s+from\s+(?:only\s+)?"?(\w+)/gi,
  /\bcopy\s+(\w+)\s+from\b/gi,
  /\.(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*['"](\w+)/g,
];
const TRUNCATE = /\btruncate\s+(?:table\s+)?((?:\w+\s*,\s*)*\w+)/gi;

const migrations = filesUnder('migrations', /\.sql$/).map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const tables = migrations.flatMap(({ text }) => [...text.matchAll(CREATE)].map((match) => match[1] ?? ''));

function tablesWritten(text: string): string[] {
  const direct = WRITES.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
  const truncated = [...text.matchAll(TRUNCATE)].flatMap((match) => (match[1] ?? '').split(',').map((name) => name.trim()));
  return [...new Set([...direct, ...truncated])];
}

test('every table has its writers written down, and no writer names a table that is gone', () => {
  expect(Object.keys(TABLE_WRITERS).sort()).toEqual([...tables].sort());
});

test('every migration that makes tables says who owns them', () => {
  const silent = migrations.filter(({ text }) => /create\s+(unlogged\s+)?table/.test(text) && !/^--.*\bOwners?:/m.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

/** Writes rows of a database that is its own, which nobody else will ever use: the people that the demo needs and does not make one by one. */
const STRANGERS: ReadonlySet<string> = new Set(['src/ops/demo/crowd.ts', 'src/ops/demo/light.ts']);

test('only the owner writes a table', () => {
  expect(tablesWritten("insert into users (id) …; update reeds r set …; truncate a, b; db.deleteFrom('keys')").sort()).toEqual([
    'a',
    'b',
    'keys',
    'reeds',
    'users',
  ]);
  const known = new Set(tables);
  const inside = sourcesIn('src').filter(({ path }) => !STRANGERS.has(path));
  const trespasses = inside.flatMap(({ path, text }) => {
    const module = path.split('/')[1] ?? '';
    const written = tablesWritten(text).filter((table) => known.has(table));
    return written.filter((table) => !(TABLE_WRITERS[table] ?? []).includes(module)).map((table) => `${path} writes ${table}`);
  });
  expect(trespasses).toEqual([]);
});

test('no table has a column for a body or a ciphertext', () => {
  const suspicious = migrations.flatMap(({ path, text }) =>
    [...text.matchAll(/^\s+(\w*(?:body|ciphertext|plaintext)\w*)\s+(?!check)\w+/gm)].map((match) => `${path}: ${match[1]}`),
  );
  expect(suspicious).toEqual([]);
});
