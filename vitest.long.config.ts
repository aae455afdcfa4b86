// The tests of `npm run long`: what `npm test` shows with hundreds, with as many as it is promised for. One at a time.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { project, RUNNING } from './test/support/project.ts';
import { writeToMemory } from './test/support/temporary.ts';

process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/reedbed-tests');
writeToMemory();

export default defineConfig({
  test: { ...RUNNING, maxWorkers: 1, projects: [project('long', { database: true, bundle: true, timeoutMs: 600_000 })] },
});
