// specs/invariants.md, comparison.md, threats.md, faults.md and abuse.md name the tests that prove each line; those tests have to exist.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './sources.ts';

const INVARIANTS = Array.from({ length: 17 }, (_, index) => `I${index + 1}`);
const TEST_PATH = /test\/[\w./-]+\.test\.ts/g;

const page = (name: string): string => readFileSync(join(ROOT, 'specs', name), 'utf8');
const rowOf = (name: string): string =>
  page('invariants.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`)) ?? '';

test.each(INVARIANTS)('%s is listed with a test', (name) => {
  expect(rowOf(name).match(TEST_PATH) ?? []).not.toEqual([]);
});

test.each(['invariants.md', 'comparison.md', 'threats.md', 'faults.md', 'abuse.md'])('every test that %s names exists', (name) => {
  const missing = (page(name).match(TEST_PATH) ?? []).filter((path) => !existsSync(join(ROOT, path)));
  expect(missing).toEqual([]);
});
