// What a command prints and how it ends: results on standard output (one JSON line with --json), faults as one line with their mend on
// standard error. A fault that an operator can mend never shows a stack.
import { AppError } from '../base/errors.ts';
import { SetupError } from '../base/setup-error.ts';

export type Fault = { readonly error: string; readonly mend: string };

export type Terminal = {
  readonly isTerminal: boolean;
  /** Prints a result: `shown` for people, `value` as one line of JSON. */
  print(value: object, shown: string): void;
  fault(fault: Fault): void;
};

export const createTerminal = (json: boolean): Terminal => ({
  isTerminal: process.stdout.isTTY === true,
  print: (value, shown) => void process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${shown}\n`),
  fault: (fault) =>
    void process.stderr.write(
      json ? `${JSON.stringify(fault)}\n` : `reedbed: ${fault.error}${fault.error.includes('\n') ? '\n' : ' '}${fault.mend}\n`,
    ),
});

/** What to print for an error that nobody handled; null if it is none that an operator can mend. */
export const faultOf = (error: unknown): Fault | null => {
  if (error instanceof SetupError) return { error: error.message, mend: error.mend };
  if (error instanceof AppError) return { error: error.detail, mend: 'Try again; if it stays, the log says more.' };
  return null;
};
