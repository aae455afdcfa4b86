// What the operator of a running server does on the command line beside it.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RunningServer } from './running-server.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** Runs a command and gives what it prints; rejects with what it says if it fails. */
export async function operate({ data, options }: RunningServer, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, ...options.settings };
  const { stdout } = await run(process.execPath, ['src/main.ts', ...args, '--data', data], { cwd: ROOT, env, timeout: 60_000 });
  return stdout;
}

/** Makes two servers peers by the steps that `reedbed peers --help` names; `folder` is for what the operators send each other. */
export async function becomePeers(one: RunningServer, other: RunningServer, folder: string): Promise<void> {
  const [key, string] = ['key.asc', 'connection'].map((name) => join(folder, `${one.serverId}-${other.serverId}-${name}`)) as [
    string,
    string,
  ];
  await writeFile(key, await operate(other, 'keys', 'print'));
  await writeFile(string, await operate(one, 'peers', 'invite', '--key', key));
  await operate(other, 'peers', 'accept', string, '--yes');
  await operate(one, 'peers', 'approve', other.serverId);
  await operate(other, 'peers', 'approve', one.serverId);
}
