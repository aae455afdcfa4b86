// The tests of `npm test`, a project per layer. Layers with a database share one embedded Postgres for the whole run.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { writeToMemory } from './test/support/temporary.ts';

const HEADROOM = 20_000;

/** A project of the tests in test/<name>; `database` ones get the run's Postgres, one database cloned for each file. */
const project = (name: string, options: { database?: boolean; timeoutMs?: number } = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: options.timeoutMs ?? 10_000,
    hookTimeout: (options.timeoutMs ?? 10_000) + HEADROOM,
    ...(options.database === true ? { globalSetup: ['test/support/global-setup.ts'] } : {}),
  },
});

// Workers and the processes that tests start keep the code they compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/reedbed-tests');
writeToMemory();

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than there are cores: tests wait for processes and databases about as long as they compute.
    maxWorkers: 3,
    // Nothing replaces modules, so files of a project share what a worker has loaded: loading it anew for each was a fifth of the whole.
    isolate: false,
    passWithNoTests: true,
    projects: [
      project('unit'),
      project('pg', { database: true, timeoutMs: 30_000 }),
      project('relay', { database: true, timeoutMs: 60_000 }),
      project('federation', { database: true, timeoutMs: 60_000 }),
      project('faults', { database: true, timeoutMs: 120_000 }),
      project('model', { database: true, timeoutMs: 120_000 }),
      project('architecture', { timeoutMs: 60_000 }),
    ],
  },
});
