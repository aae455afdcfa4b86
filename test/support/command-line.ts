// A command line run in the test's process, with what it prints. It loads no server: for what is answered before one is needed.
import { vi } from 'vitest';
import { runCommandLine } from '../../src/ops/cli.ts';

export const neverLoaded = (): Promise<never> => Promise.reject(new Error('this needs no server'));

/** What a command line prints, and its exit code. */
export const runLine = async (...args: string[]): Promise<{ code: number; out: string; error: string }> => {
  const [out, error]: [string[], string[]] = [[], []];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => error.push(String(text)) > 0),
  ];
  try {
    return { code: await runCommandLine(args, neverLoaded), out: out.join(''), error: error.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
};
