// The entry on a runtime that is too old: one line that says so, before anything is loaded that it could not read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.ts';
import { startChild } from '../support/child.ts';

const VERSION = '20.11.0';
const AS_OLD = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${VERSION}'}})`;

it('says in one line which Node it needs', async () => {
  const child = startChild('src/main.ts', { args: ['version'], env: { PATH: process.env['PATH'], NODE_OPTIONS: `--import=${AS_OLD}` } });
  expect(await child.exit).toEqual({ code: 1, signal: null });
  const { out, err } = child.output();
  expect(out).toBe('');
  expect(err).toBe(
    `reedbed: This is Node ${VERSION}; Reedbed needs 24 or newer. In a checkout, npm run reedbed -- <command> brings its own.\n`,
  );
});

it('loads nothing by name that an older Node lacks', () => {
  const entry = readFileSync(join(ROOT, 'src/main.ts'), 'utf8');
  const loaded = [...entry.matchAll(/^import (?!type)(.*) from '(.*)';/gm)].map(([, what, from]) => `${what} ${from}`);
  expect(loaded).toEqual(['* as nodeModule node:module', '{ join } node:path']);
});
