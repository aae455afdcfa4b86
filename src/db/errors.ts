// What a database error means to the rest of the program. The driver's own error never leaves src/db, since its text and detail
// quote row contents: what travels as the cause is SQLSTATE and constraint only.
import pg from 'pg';
import { AppError } from '../base/errors.ts';

/** The states that this program tells apart. */
export const SQLSTATE = {
  diskFull: '53100',
  uniqueViolation: '23505',
  foreignKeyViolation: '23503',
  checkViolation: '23514',
  notNullViolation: '23502',
  cardinalityViolation: '21000',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  queryCanceled: '57014',
  adminShutdown: '57P01',
  crashShutdown: '57P02',
  cannotConnectNow: '57P03',
  transactionTimeout: '25P04',
  idleInTransactionTimeout: '25P03',
  undefinedTable: '42P01',
  undefinedDatabase: '3D000',
  invalidPassword: '28P01',
  invalidAuthorization: '28000',
  insufficientPrivilege: '42501',
} as const;

/** Classes (first two characters) that say the database can't serve now: connection, resources, operator, system. */
const AWAY_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58']);
const RETRIED: ReadonlySet<string> = new Set([SQLSTATE.deadlockDetected, SQLSTATE.serializationFailure]);

/** A database error without its data. `sqlState` is null when the connection itself failed; `node` is then the system's code, if any. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';
  readonly sqlState: string | null;
  readonly constraint: string | null;
  readonly node: string | null;

  constructor(sqlState: string | null, constraint: string | null, node: string | null) {
    super([sqlState ?? node ?? 'connection lost', constraint].filter((part) => part !== null).join(' '));
    this.sqlState = sqlState;
    this.constraint = constraint;
    this.node = node;
  }
}

const failureOf = (error: unknown): DatabaseFailure | null => {
  if (error instanceof DatabaseFailure) return error;
  return error instanceof AppError && error.cause instanceof DatabaseFailure ? error.cause : null;
};

/** The SQLSTATE behind an error that came out of src/db, or null. */
export const sqlStateOf = (error: unknown): string | null => failureOf(error)?.sqlState ?? null;

/** Whether an error is a violation of the named constraint or unique index. */
export const violates = (error: unknown, constraint: string): boolean => failureOf(error)?.constraint === constraint;

/** Whether the same work may simply be done again: a deadlock's victim or a failed serialization had no effect. */
export const isRetried = (error: unknown): boolean => RETRIED.has(sqlStateOf(error) ?? '');

/**
 * Maps what `pg` threw: UNAVAILABLE when the database is away, INTERNAL else. AppErrors pass unchanged.
 * An error without SQLSTATE is the driver's report of a lost or refused connection, unless it is a programming error.
 */
export const toAppError = (error: unknown): unknown => {
  if (error instanceof AppError) return error;
  if (error instanceof pg.DatabaseError) {
    const state = error.code ?? 'XX000';
    const cause = new DatabaseFailure(state, error.constraint ?? null, null);
    if (AWAY_CLASSES.has(state.slice(0, 2)) && state !== SQLSTATE.queryCanceled) return away(cause);
    return new AppError('INTERNAL', 'The database refused a statement.', { cause });
  }
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return error;
  if (error instanceof Error) return away(new DatabaseFailure(null, null, (error as NodeJS.ErrnoException).code ?? null));
  return error;
};

const RETRY_AFTER_MS = 1_000;
const away = (cause: DatabaseFailure): AppError =>
  new AppError('UNAVAILABLE', 'The database is away for the moment.', { cause, retryAfterMs: RETRY_AFTER_MS });

const DIVISIBLE: ReadonlySet<string> = new Set([
  SQLSTATE.deadlockDetected,
  SQLSTATE.serializationFailure,
  SQLSTATE.foreignKeyViolation,
  SQLSTATE.uniqueViolation,
]);

/** Whether a failed batch may succeed in halves: one item may be to blame, or two batches met. */
export const isDivisible = (error: unknown): boolean => DIVISIBLE.has(sqlStateOf(error) ?? '');
