// The documents: links lead to files that exist, and every decision has its number once.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, ROOT } from './sources.ts';

const pages = ['README.md', 'CONTRIBUTING.md', ...filesUnder('specs', /\.md$/)];

/** Relative links and pictures of a page that lead nowhere. */
function deadLinks(path: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map((match) => match[1] ?? '');
  const local = targets.filter((target) => !/^[a-z]+:/.test(target));
  return local.filter((target) => !existsSync(join(ROOT, dirname(path), target))).map((target) => `${path} → ${target}`);
}

test('links lead somewhere', () => {
  expect(deadLinks('README.md', '[a](specs/nowhere.md) [b](specs/README.md#x) [c](https://reeds.example/)')).toHaveLength(1);
  expect(pages.flatMap((path) => deadLinks(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
});

test('decisions are numbered without gap or double', () => {
  const numbers = readdirSync(join(ROOT, 'specs/decisions')).map((name) => Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1]));
  expect(numbers.sort((one, other) => one - other)).toEqual(numbers.map((_, index) => index + 1));
});
