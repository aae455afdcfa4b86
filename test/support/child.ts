// Child processes of tests: started with our runtime, read line by line, and always ended by the pid we started.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };
export type Child = {
  readonly pid: number;
  /** The next line of standard output; rejects with what was written to standard error if the process ends first. */
  line(): Promise<string>;
  /** All that was written so far. */
  output(): { readonly out: string; readonly err: string };
  send(signal: NodeJS.Signals): void;
  readonly exit: Promise<Exit>;
};
export type ChildOptions = {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly cwd?: string;
};

const ROOT = join(import.meta.dirname, '../..');

const lineReader = (child: ChildProcess, ended: Promise<unknown>, errors: () => string): (() => Promise<string>) => {
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  if (child.stdout === null) throw new Error('no standard output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const next = waiting.shift();
    if (next === undefined) lines.push(line);
    else next(line);
  });
  return () => {
    const ready = lines.shift();
    if (ready !== undefined) return Promise.resolve(ready);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    waiting.push(resolve);
    void ended.then(() => reject(new Error(`the process ended without a line: ${errors()}`)));
    return promise;
  };
};

/** Starts a TypeScript file of the project, or one that was made of it. */
export const startChild = (script: string, options: ChildOptions = {}): Child => {
  const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const child = spawn(process.execPath, [resolve(ROOT, script), ...(options.args ?? [])], {
    ...identity,
    cwd: options.cwd ?? ROOT,
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...(options.env ?? process.env) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => {
    written.out += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    written.err += data.toString();
  });
  const exit = once(child, 'close').then(
    ([code, signal]): Exit => ({ code: code as number | null, signal: signal as NodeJS.Signals | null }),
  );
  return {
    pid: child.pid ?? 0,
    line: lineReader(child, exit, () => written.err),
    output: () => ({ ...written }),
    send: (signal) => void child.kill(signal),
    exit,
  };
};

export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Deletes a data folder. A Postgres whose owner was just killed may still be writing its last files: tried again until it is gone. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
