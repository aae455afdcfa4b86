// The search for bodies on a server: what was put somewhere in any form is found there, and nothing else is.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countIn, countInFiles, countInTables, formsOf } from '../../src/ops/demo/search.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { createDatabase, run, type TestDatabase } from '../support/database.ts';

const MARK = 'mark0123456789abcdef';
const OPENING = 'wV4DAbCd+/12EfGh';
const forms = formsOf({ mark: MARK, openings: [OPENING] });
const raw = Buffer.from(OPENING, 'base64');

const written: readonly (readonly [string, Buffer])[] = [
  ['text', Buffer.from(`{"text":"so ${MARK}"}`)],
  ['hexadecimal text', Buffer.from(Buffer.from(`so ${MARK}.`).toString('hex'))],
  ...['', 'a', 'ab', 'abc'].map(
    (before) => [`base64 after ${before.length} bytes`, Buffer.from(Buffer.from(`${before}${MARK}.`).toString('base64'))] as const,
  ),
  ['armored ciphertext', Buffer.from(`-----BEGIN PGP MESSAGE-----\n\n${OPENING}AAAA\n`)],
  ['binary ciphertext', Buffer.concat([Buffer.from([0, 255]), raw, Buffer.from([1])])],
  ['ciphertext in hexadecimal', Buffer.from(raw.toString('hex'))],
];

describe('a body', () => {
  test.each(written)('is found as %s', (_, bytes) => {
    expect(countIn(bytes, forms)).toBe(1);
  });

  test('is counted as often as it is there, and not where it is not', () => {
    expect(countIn(Buffer.from(`${MARK} ${MARK}`), forms)).toBe(2);
    expect(countIn(Buffer.from(MARK.slice(0, -1)), forms)).toBe(0);
    expect(countIn(Buffer.from('-----BEGIN PGP MESSAGE-----\n\nwV4DAbCd+/12EfGi'), forms)).toBe(0);
  });

  test('without a telling mark can not be looked for', () => {
    expect(() => formsOf({ mark: 'short', openings: [] })).toThrow(RangeError);
  });
});

describe('in a database', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  test('any column of any table of any schema is looked at', async () => {
    expect(await countInTables(database.url, forms)).toBe(0);
    await run(
      database.url,
      'create schema aside',
      'create table aside."Odd table" (id int, list text[], bytes bytea, json jsonb)',
      `insert into aside."Odd table" values (1, '{"so ${MARK}"}', '\\x${raw.toString('hex')}', '{"text": "${MARK}"}')`,
      'create unlogged table passing (value text)',
      `insert into passing values ('${MARK}')`,
    );
    expect(await countInTables(database.url, forms)).toBe(4);
  });

  test('without tables nothing is called clean', async () => {
    const empty = await createDatabase({ empty: true });
    await expect(countInTables(empty.url, forms)).rejects.toThrow('no tables');
    await empty.drop();
  });
});

test('in a folder every file at any depth is looked at', async () => {
  const folder = await makeDataFolder();
  await mkdir(join(folder, 'a/b'), { recursive: true });
  await writeFile(join(folder, 'clean'), 'nothing');
  await writeFile(join(folder, 'top'), MARK);
  await writeFile(join(folder, 'a/b/deep'), Buffer.concat([Buffer.alloc(70_000), raw]));
  expect(await countInFiles(folder, forms)).toBe(2);
  await rm(folder, { recursive: true });
});
