// Everything that is checked without a running server, in under a minute: one line a step, the whole output of a step that fails.
// Two steps run at a time. Exits with 1 if any failed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { refused } from './no-options.ts';

type Step = { readonly name: string; readonly command: string; readonly args: readonly string[] };
type Outcome = { readonly step: Step; readonly ok: boolean; readonly output: string; readonly tookMs: number };

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules/.bin');
const AT_ONCE = 2;

const tool = (name: string, command: string, ...args: string[]): Step => ({ name, command: join(BIN, command), args });

/** The longest first, so that the last ones fill the gaps. */
const STEPS: readonly Step[] = [
  tool('unit and architecture tests', 'vitest', 'run', '--project', 'unit', '--project', 'architecture'),
  tool('types', 'tsc', '-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tsc.json'),
  ...(existsSync(join(ROOT, 'web/tsconfig.json'))
    ? [
        tool(
          'types of the web app',
          'svelte-check',
          '--workspace',
          'web',
          '--tsconfig',
          'tsconfig.json',
          '--fail-on-warnings',
          '--output',
          'human',
        ),
      ]
    : []),
  tool('generated files', 'node', '.ci/gen.ts', '--check'),
  tool('unused code and dependencies', 'knip', '--no-progress'),
  tool('imports', 'depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'web', 'test', '.ci'),
  tool('style', 'biome', 'ci', '--colors=off', '--error-on-warnings', '--max-diagnostics=200'),
];

function runStep(step: Step): Promise<Outcome> {
  const startedAt = performance.now();
  const chunks: Buffer[] = [];
  const environment = { ...process.env, PATH: `${BIN}:${process.env.PATH ?? ''}`, NO_COLOR: '1', FORCE_COLOR: undefined };
  const child = spawn(step.command, step.args, { cwd: ROOT, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    const end = (ok: boolean, extra: string): void =>
      resolve({ step, ok, output: Buffer.concat(chunks).toString() + extra, tookMs: performance.now() - startedAt });
    child.on('error', (error) => end(false, String(error)));
    child.on('close', (code, signal) => end(code === 0, signal === null ? '' : `ended by ${signal}\n`));
  });
}

function report(outcome: Outcome): void {
  const seconds = (outcome.tookMs / 1_000).toFixed(1);
  process.stdout.write(`${outcome.ok ? 'ok    ' : 'FAILED'} ${outcome.step.name} (${seconds} s)\n`);
  if (!outcome.ok) process.stdout.write(`${outcome.output.trimEnd()}\n\n`);
}

async function worker(queue: Step[]): Promise<boolean> {
  let allOk = true;
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const outcome = await runStep(step);
    report(outcome);
    allOk &&= outcome.ok;
  }
  return allOk;
}

if (refused('npm run check', 'Runs everything that is checked without a running server.')) process.exit();
const startedAt = performance.now();
const queue = [...STEPS];
const results = await Promise.all(Array.from({ length: AT_ONCE }, () => worker(queue)));
const ok = results.every(Boolean);
process.stdout.write(`${ok ? 'all checks hold' : 'some checks FAILED'} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)\n`);
process.exitCode = ok ? 0 : 1;
