// What a command prints and how it ends: results on standard output (one JSON line with --json), so that it can be kept in a file as it is; words
// around them, and faults as one line with their mend, on standard error. A fault that an operator can mend never shows a stack.
import { createInterface } from 'node:readline/promises';
import { AppError } from '../base/errors.ts';
import { SetupError } from '../base/setup-error.ts';

export type Fault = { readonly error: string; readonly mend: string };

export type Terminal = {
  readonly isTerminal: boolean;
  /** Prints a result: `shown` for people, `value` as one line of JSON. */
  print(value: object, shown: string): void;
  fault(fault: Fault): void;
};

/** For commands with more than one result. */
export type ListTerminal = Terminal & {
  /** Words around the results, for people only. */
  note(words: string): void;
  /** Whether nobody reads any more, as with `| head`. */
  isGone(): boolean;
};

export const createTerminal = (json: boolean): ListTerminal => ({
  isTerminal: process.stdout.isTTY === true,
  print: (value, shown) => void process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${shown}\n`),
  note: (words) => {
    if (!json) process.stderr.write(`${words}\n`);
  },
  isGone: () => process.stdout.destroyed,
  fault: (fault) =>
    void process.stderr.write(
      json ? `${JSON.stringify(fault)}\n` : `reedbed: ${fault.error}${fault.error.includes('\n') ? '\n' : ' '}${fault.mend}\n`,
    ),
});

/** A time as people read it, in whole seconds. */
export const seconds = (at: Date): string => at.toISOString().replace(/\.\d{3}Z$/, 'Z');

/** `1 item`, `2 items`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** What to print for an error that nobody handled; null if it is none that an operator can mend. */
export const faultOf = (error: unknown): Fault | null => {
  if (error instanceof SetupError) return { error: error.message, mend: error.mend };
  if (error instanceof AppError) return { error: error.detail, mend: 'Try again; if it stays, the log says more.' };
  return null;
};

/** Asks on standard error, so that standard output holds results only. @returns whether the answer was yes; an end of input is a no */
export const confirm = async (question: string, signal: AbortSignal): Promise<boolean> => {
  // Not as a terminal of its own: Ctrl-C stays a signal, and whoever waits for the answer ends as for any other one.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    const ended = new Promise<string>((done) => lines.once('close', () => done('')));
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
};
