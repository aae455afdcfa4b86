// The tests of `npm test`, a project per layer. Layers with a database share one embedded Postgres for the whole run.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { project, RUNNING } from './test/support/project.ts';
import { writeToMemory } from './test/support/temporary.ts';

// Workers and the processes that tests start keep the code they compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/reedbed-tests');
writeToMemory();

export default defineConfig({
  test: {
    ...RUNNING,
    // One more than there are cores: tests wait for processes and databases about as long as they compute.
    maxWorkers: 3,
    passWithNoTests: true,
    projects: [
      project('unit'),
      project('pg', { database: true }),
      project('relay', { database: true }),
      project('federation', { database: true }),
      project('faults', { database: true, bundle: true, timeoutMs: 120_000 }),
      project('model', { database: true, timeoutMs: 120_000 }),
      project('architecture'),
    ],
  },
});
