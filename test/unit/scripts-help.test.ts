// Scripts that take no values: whoever asks for help, or mistypes, has nothing run.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const run = (script: string, ...args: string[]) => {
  const file = join(import.meta.dirname, '../../.ci', script);
  const { status, stderr, stdout } = spawnSync(process.execPath, [file, ...args], { encoding: 'utf8' });
  return { status, stderr, stdout };
};

test.each(['check.ts', 'gen.ts', 'build.ts'])('%s says how it is used, and runs nothing', (script) => {
  expect(run(script, '--help')).toEqual({ status: 0, stderr: '', stdout: expect.stringMatching(/^Usage: npm run /) });
  expect(run(script, 'toString').status).toBe(2);
  expect(run(script, '--hepl')).toEqual({ status: 2, stderr: expect.stringMatching(/^There is no option --hepl\.\nUsage: /), stdout: '' });
});
