// How the demo ends when somebody ends it: nothing of it is left, and a scenario that was cut short is no success.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Child, isRunning, removeFolder, startChild } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { atLength, inTest } from '../support/length.ts';
import { postgresOf, postmasterOf } from '../support/processes.ts';

let folder: string;
let child: Child;

const begin = (...args: string[]): void => {
  child = startChild('src/main.ts', { args: ['demo', ...args], cwd: folder, env: { PATH: process.env['PATH'], TMPDIR: folder } });
};

const postgresPid = async (): Promise<number> => {
  const [stage] = await readdir(folder);
  return postmasterOf(join(folder, stage ?? ''));
};

const nextEvent = async (pattern: RegExp): Promise<void> => {
  for (let line = await child.line(); !pattern.test((JSON.parse(line) as { event: string }).event); line = await child.line());
};

beforeEach(async () => {
  folder = await makeDataFolder();
});

afterEach(async () => {
  child.send('SIGKILL');
  await child.exit;
  await removeFolder(folder);
});

inTest(() => {
  test('Ctrl-C ends what there is to see with 0, and leaves no process and no folder', async () => {
    begin('--json');
    await nextEvent(/ answered /);
    const pid = await postgresPid();
    expect(isRunning(pid)).toBe(true);
    child.send('SIGINT');
    expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(isRunning(pid)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });
});

atLength(() => {
  test('a scenario that is interrupted ends with 1 and without a summary, and leaves nothing either', async () => {
    begin('--headless', '--json');
    await expect.poll(() => child.output().err, { timeout: 60_000 }).toContain('have signed up');
    const pid = await postgresPid();
    child.send('SIGTERM');
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(child.output().out).toBe('');
    expect(isRunning(pid)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });

  test('two servers that are interrupted leave nothing either', async () => {
    begin('--json', '--scenario', 'federation');
    await nextEvent(/servers are running/);
    const [stage] = await readdir(folder);
    const data = ['a', 'b'].map((server) => join(folder, stage ?? '', server, 'data'));
    expect((await Promise.all(data.map(postgresOf))).every((pids) => pids.length > 0)).toBe(true);
    child.send('SIGINT');
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect((await Promise.all(data.map(postgresOf))).flat()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});
