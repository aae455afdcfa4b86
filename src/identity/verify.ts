// Judges what a caller sent as a signed statement. A failure is the caller's and names the field, never its content (I9: before anything is stored).
import { AppError } from '../base/errors.ts';
import { type KeyLookup, verifySigned } from '../crypto/statement.ts';
import type { StatementOf, UserStatementType } from '../wire/statements.ts';
import type { Verified } from './countersign.ts';

export type VerifyContext = { readonly keys: KeyLookup; readonly now: number };

/** @throws AppError INVALID, with the field and the reason as its detail */
export async function requireSigned<T extends UserStatementType>(
  value: unknown,
  type: T,
  context: VerifyContext,
): Promise<Verified<T> & { statement: StatementOf<T> }> {
  const result = await verifySigned(value, type, context);
  if (!result.ok) throw new AppError('INVALID', result.detail === '' ? `${type}: ${result.reason}` : `${result.detail}: ${result.reason}`);
  const { signed, hash } = result.value;
  return { signed, hash, statement: signed.statement };
}
