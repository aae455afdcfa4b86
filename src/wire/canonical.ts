// The bytes that are signed and hashed: RFC 8785 over a narrow kind of value. Nothing else makes signing bytes (I9).
// Taken are booleans, strings, safe integers, and arrays and plain objects of them; everything else, however deep, is a result and never a throw.
import canonicalize from 'canonicalize';
import { base64url, sha256 } from '../base/ids.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { plainKeys } from './kinds.ts';
import type { StatementOf } from './statements.ts';

export type CanonicalReason = 'too-deep' | 'too-large' | 'wrong-value';

/** A statement with the detached signatures of those who made it; armors are in normal form once accepted. */
export type Signed<T> = {
  readonly statement: T;
  readonly signatures: readonly { readonly key: string; readonly signature: string }[];
};

/** A signed statement that its server has countersigned. */
export type Certificate<T> = Signed<T> & {
  readonly countersignature: { readonly statement: StatementOf<'countersignature'>; readonly signature: string };
};

export type CanonicalLimits = { readonly depth: number; readonly bytes: number };

/** Levels and bytes of a statement. */
export const STATEMENT_LIMITS: CanonicalLimits = { depth: DEFAULT_LIMITS.statementDepth, bytes: DEFAULT_LIMITS.statementBytes };

type Budget = { nodes: number };

/** Looks at a value before it is printed, so that printing can neither throw, nor run long, nor change anything. */
function problemOf(value: unknown, depth: number, budget: Budget): CanonicalReason | null {
  if (--budget.nodes < 0) return 'too-large';
  switch (typeof value) {
    case 'boolean':
      return null;
    case 'string':
      budget.nodes -= value.length;
      if (budget.nodes < 0) return 'too-large';
      return value.isWellFormed() ? null : 'wrong-value';
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? null : 'wrong-value';
    case 'object':
      return value === null ? 'wrong-value' : containerProblem(value, depth, budget);
    default:
      return 'wrong-value';
  }
}

function containerProblem(value: object, depth: number, budget: Budget): CanonicalReason | null {
  if (depth === 0) return 'too-deep';
  if (Array.isArray(value)) {
    if (value.length > budget.nodes) return 'too-large';
    if (Object.getPrototypeOf(value) !== Array.prototype || Reflect.ownKeys(value).length !== value.length + 1) return 'wrong-value';
    for (let at = 0; at < value.length; at++) {
      const problem = problemOf(value[at], depth - 1, budget);
      if (problem !== null) return problem;
    }
    return null;
  }
  const keys = plainKeys(value);
  if (keys === null || keys.length !== Reflect.ownKeys(value).length) return 'wrong-value';
  if (keys.length > budget.nodes) return 'too-large';
  for (const key of keys) {
    const own = Object.getOwnPropertyDescriptor(value, key);
    if (own === undefined || !('value' in own)) return 'wrong-value';
    const problem = problemOf(key, depth, budget) ?? problemOf(own.value, depth - 1, budget);
    if (problem !== null) return problem;
  }
  return null;
}

/** The RFC 8785 bytes of a value, 4 levels and 16 KiB at most unless other limits are given. Never throws. */
export function canonicalBytes(
  value: unknown,
  limits: CanonicalLimits = STATEMENT_LIMITS,
): Result<Uint8Array<ArrayBuffer>, CanonicalReason> {
  const problem = problemOf(value, limits.depth, { nodes: limits.bytes });
  if (problem !== null) return fail(problem);
  const text = canonicalize(value);
  if (text === undefined) return fail('wrong-value');
  const bytes = new TextEncoder().encode(text);
  return bytes.length > limits.bytes ? fail('too-large') : ok(bytes);
}

/** base64url SHA-256 of canonical bytes: how statements and bodies are named. */
export const statementHash = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => base64url(await sha256(bytes));
