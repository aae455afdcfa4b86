// The model tests with runs of your own. Prints progress, every seed, and for a run that fails how to repeat it. What it does is in test/model.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FOLD_PROFILES, OWED_PROFILES, PROFILES } from '../test/model/settings.ts';

const ROOT = join(import.meta.dirname, '..');
const TESTS = { 'ledger.test.ts': PROFILES, 'owed.test.ts': OWED_PROFILES, 'fold.test.ts': FOLD_PROFILES };
const ALL = Object.values(TESTS).flatMap((profiles) => profiles.map(({ name }) => name));
const NAMES = ALL.join(', ');
const USAGE = `npm run model -- [--runs N] [--seed S] [--path P] [--profile NAME] [--no-shrink]

  --runs N        how many runs: 10000, or 1 with --path; without --profile they are shared out
  --seed S        the seed; without it a random one, which is printed
  --path P        one run again, with the seed and the profile that were printed with it
  --profile NAME  only this one: ${NAMES}
  --no-shrink     stop at the first run that fails instead of making it smaller`;

const options = {
  runs: { type: 'string' },
  seed: { type: 'string' },
  path: { type: 'string' },
  profile: { type: 'string' },
  'no-shrink': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** What is wrong with the options; null: nothing. */
const wrong = ({ path, profile, runs, seed }: Values): string | null => {
  if (runs !== undefined && !/^[1-9]\d{0,8}$/.test(runs)) return `--runs must be a number of runs, not ${runs}`;
  if (seed !== undefined && !/^-?\d{1,10}$/.test(seed)) return `--seed must be a whole number, not ${seed}`;
  if (path !== undefined && !/^\d+(:\d+)*$/.test(path)) return `--path must be numbers with colons between them, not ${path}`;
  if (profile !== undefined && !ALL.includes(profile)) return `--profile must be one of ${NAMES}, not ${profile}`;
  if (path !== undefined && (seed === undefined || profile === undefined))
    return '--path needs the --seed and --profile it was printed with';
  return null;
};

const parsed = (): Values | null => {
  try {
    const { values } = parseArgs({ options });
    const reason = wrong(values);
    if (reason === null) return values;
    process.stderr.write(`${reason}\n\n${USAGE}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}\n`);
  }
  return null;
};

const run = (values: Values): void => {
  /** A path names one run. */
  const runs = values.runs ?? (values.path === undefined ? '10000' : '1');
  const asked = {
    MODEL_RUNS: runs,
    MODEL_SEED: values.seed ?? String(randomInt(2 ** 31)),
    MODEL_PATH: values.path,
    MODEL_PROFILE: values.profile,
  };
  const env = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const tests = Object.entries(TESTS).flatMap(([file, profiles]) =>
    values.profile === undefined || profiles.some(({ name }) => name === values.profile) ? [`test/model/${file}`] : [],
  );
  const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), ['run', '--bail=1', ...tests], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env, ...(values['no-shrink'] ? { MODEL_SHRINK: '0' } : {}) },
  });
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
};

const values = parsed();
if (values === null) process.exitCode = 2;
else if (values.help) process.stdout.write(`${USAGE}\n`);
else run(values);
