// The model test with runs of your own: `npm run model -- --runs N [--seed S] [--path P] [--profile NAME] [--no-shrink]`. Prints progress,
// every seed, and for a run that fails how to repeat it. What it does is in test/model.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string' },
    path: { type: 'string' },
    profile: { type: 'string' },
    'no-shrink': { type: 'boolean' },
  },
});

/** A path names one run. */
const runs = values.runs ?? (values.path === undefined ? '10000' : '1');
const asked = { MODEL_RUNS: runs, MODEL_SEED: values.seed, MODEL_PATH: values.path, MODEL_PROFILE: values.profile };
const env = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), ['run', 'test/model/ledger.test.ts'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, ...env, ...(values['no-shrink'] ? { MODEL_SHRINK: '0' } : {}) },
});
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
