// The body of a reed: what exists on devices only. Its form, its limits, and what its text claims.
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { mentionsOf, tagsOf } from './claims.ts';
import { binary, mismatch, text, time } from './kinds.ts';
import type { StatementOf } from './statements.ts';

/** `createdAt`: RFC 3339, by the author's word alone. `salt`: base64url of 16 bytes, so that a short text can't be guessed from its hash. */
export type Body = { readonly text: string; readonly createdAt: string; readonly salt: string };
export type BodyReason = 'malformed' | 'too-long';

export const SALT_BYTES = 16;

const FIELDS = { text: text(Number.MAX_SAFE_INTEGER), createdAt: time, salt: binary(SALT_BYTES) } as const;
const words = text(LIMITS.reedCodePoints);

/** Judges what claims to be a body: exactly its fields, NFC, at most 20,000 bytes and 5,000 code points. */
export function checkBody(value: unknown): Result<Body, BodyReason> {
  const found = mismatch(value, FIELDS);
  if (found !== null) return fail('malformed', found.field);
  const body = value as Body;
  const fits = words.is(body.text) && new TextEncoder().encode(body.text).length <= LIMITS.reedTextBytes;
  return fits ? ok(body) : fail('too-long', 'text');
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((item, at) => item === others[at]);

/** The first list of a reed's statement that its text does not bear out, order included; null if it says what the text says. */
export function falseClaim(reed: Pick<StatementOf<'reed'>, 'tags' | 'mentions'>, { text: said }: Body): 'tags' | 'mentions' | null {
  if (!isSame(reed.tags, tagsOf(said))) return 'tags';
  return isSame(reed.mentions, mentionsOf(said)) ? null : 'mentions';
}
