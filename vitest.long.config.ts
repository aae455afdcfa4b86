// The tests of `npm run long`: what `npm test` shows with hundreds, with as many as it is promised for, and what it leaves out of tests that are dear
// (test/support/length.ts). First the long ones, one at a time, then the rest as `npm test` runs them.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { project, RUNNING } from './test/support/project.ts';
import { writeToMemory } from './test/support/temporary.ts';

process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/reedbed-tests');
process.env['REEDBED_TESTS'] = 'long';
writeToMemory();

/** Files of other projects whose rest is run here. */
const AT_LENGTH = [
  ...[
    'kill-acks',
    'kill-presence',
    'kill-steps',
    'demo',
    'demo-end',
    'process-restart',
    'database-crash',
    'process-stop',
    'process-embedded',
    'frozen-postgres',
    'migration-killed',
  ].map((name) => `test/faults/${name}.test.ts`),
  ...['pg/abuse-corpora', 'pg/abuse-generated', 'relay/bad-input'].map((name) => `test/${name}.test.ts`),
];

const NEEDS = { database: true, bundle: true, timeoutMs: 600_000 };
const long = project('long', NEEDS);
const rest = project('rest', { ...NEEDS, more: AT_LENGTH });

export default defineConfig({
  test: {
    ...RUNNING,
    projects: [
      { test: { ...long.test, ...RUNNING, maxWorkers: 1, sequence: { groupOrder: 0 } } },
      { test: { ...rest.test, ...RUNNING, maxWorkers: 3, sequence: { groupOrder: 1 } } },
    ],
  },
});
