// The tests of `npm run long`: what `npm test` shows with hundreds, with as many as it is promised for, and what it leaves out of tests that are dear
// (test/support/length.ts). One at a time.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { project, RUNNING } from './test/support/project.ts';
import { writeToMemory } from './test/support/temporary.ts';

process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/reedbed-tests');
process.env['REEDBED_TESTS'] = 'long';
writeToMemory();

/** Files of other projects whose rest is run here. */
const AT_LENGTH = [
  ...['kill-acks', 'kill-presence', 'kill-steps', 'demo', 'demo-end', 'process-restart', 'database-crash', 'leaks'].map(
    (name) => `test/faults/${name}.test.ts`,
  ),
  ...['pg/abuse-corpora', 'pg/abuse-generated', 'relay/bad-input'].map((name) => `test/${name}.test.ts`),
];

export default defineConfig({
  test: { ...RUNNING, maxWorkers: 1, projects: [project('long', { database: true, bundle: true, timeoutMs: 600_000, more: AT_LENGTH })] },
});
