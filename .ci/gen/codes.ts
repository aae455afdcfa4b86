// Makes src/base/codes.ts, the one table of error and close codes that server, client and web share.
import { closeRows, errorRows } from './proto-enums.ts';

const HEAD = `// Generated from proto/reedbed/v1/common.proto by \`npm run gen\`; not edited by hand.
// Every error and close code with what its receiver does about it.
`;

const TAIL = `
/** Whether a text names an error code. */
export const isErrorCode = (name: string): name is ErrorCode => Object.hasOwn(ERROR_CODES, name);

const ERROR_NAMES = new Map(Object.entries(ERROR_CODES).map(([name, { number }]) => [number, name as ErrorCode]));
const CLOSE_NAMES = new Map(Object.entries(CLOSE_CODES).map(([name, { number }]) => [number, name as CloseCode]));

/** The error code with this number on the wire; 'UNSPECIFIED' for a number that this version does not know. */
export const errorCodeOf = (number: number): ErrorCode => ERROR_NAMES.get(number) ?? 'UNSPECIFIED';

/** The close code with this number; 'CLOSE_UNSPECIFIED' for any other, such as the 1006 of a lost connection. */
export const closeCodeOf = (number: number): CloseCode => CLOSE_NAMES.get(number) ?? 'CLOSE_UNSPECIFIED';
`;

const union = (names: readonly string[]): string => names.map((name) => `\n  | '${name}'`).join('');

/** The module's text by its path. */
export async function generateCodes(root: string): Promise<Map<string, string>> {
  const [errors, closes] = await Promise.all([errorRows(root), closeRows(root)]);
  const errorTable = errors.map(
    (row) => `  ${row.name}: { number: ${row.number}, httpStatus: ${row.httpStatus}, retryable: ${row.retryable} },\n`,
  );
  const closeTable = closes.map((row) => `  ${row.name}: { number: ${row.number}, clientPolicy: '${row.clientPolicy}' },\n`);
  const text = `${HEAD}
export type ErrorCode =${union(errors.map((row) => row.name))};

export type CloseCode =${union(closes.map((row) => row.name))};

/** What a client does after a close: connect again with back-off, sign in anew, or stop. */
export type ClientPolicy = 'reconnect' | 'sign-in' | 'stop';

export type ErrorCodeEntry = { readonly number: number; readonly httpStatus: number; readonly retryable: boolean };
export type CloseCodeEntry = { readonly number: number; readonly clientPolicy: ClientPolicy };

export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorCodeEntry>> = {
${errorTable.join('')}};

export const CLOSE_CODES: Readonly<Record<CloseCode, CloseCodeEntry>> = {
${closeTable.join('')}};
${TAIL}`;
  return new Map([['src/base/codes.ts', text]]);
}
