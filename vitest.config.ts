// The tests of `npm test`, a project per layer. Layers with a database share one embedded Postgres for the whole run.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { writeToMemory } from './test/support/temporary.ts';

const HEADROOM = 20_000;
/** Of a second's work, on a machine that has much else to do. */
const GENEROUS_MS = 60_000;

/** A project of the tests in test/<name>; `database` ones get the run's Postgres, one database cloned for each file; `bundle` ones a bundled server. */
const project = (name: string, options: { database?: boolean; bundle?: boolean; timeoutMs?: number } = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: options.timeoutMs ?? GENEROUS_MS,
    hookTimeout: (options.timeoutMs ?? GENEROUS_MS) + HEADROOM,
    // What is waited for comes late on such a machine; a second, as is usual, is too short there.
    expect: { poll: { timeout: GENEROUS_MS / 2 } },
    ...(options.database === true ? { setupFiles: ['test/support/light-passphrases.ts'] } : {}),
    globalSetup: [
      ...(options.database === true ? ['test/support/global-setup.ts'] : []),
      ...(options.bundle === true ? ['test/support/bundled-server.ts'] : []),
    ],
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
      project('pg', { database: true }),
      project('relay', { database: true }),
      project('federation', { database: true }),
      project('faults', { database: true, bundle: true, timeoutMs: 120_000 }),
      project('model', { database: true, timeoutMs: 120_000 }),
      project('architecture'),
    ],
  },
});
