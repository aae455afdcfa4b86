// The judgement on a delivered copy, before anything of it is stored: decrypt, compare, verify. The order is fixed, so that a fault always has the same name.
// A copy that does not open, is another or breaks a signature accuses its holder; a text that contradicts its own statement accuses the author.
import { fail, ok, type Result } from '../base/result.ts';
import { bodyHash } from '../crypto/seal.ts';
import { type VerifyContext, type VerifyReason, verifyCertificate } from '../crypto/statement.ts';
import type { ReedId } from '../wire/address.ts';
import { type Body, checkBody, falseClaim } from '../wire/body.ts';
import type { InvalidReason } from '../wire/frames.ts';
import type { KeyRing } from './key-ring.ts';
import type { ReedCertificate, ReedStatement } from './types.ts';

export type CheckedCopy = { readonly certificate: ReedCertificate; readonly body: Body };

/** Faults of the author's signature; every other fault is one of the certificate around it. */
const SIGNATURE_FAULTS: ReadonlySet<VerifyReason> = new Set<VerifyReason>(['bad-signature', 'wrong-signers', 'unknown-key', 'bad-key']);

/**
 * Opens a ciphertext and judges what is in it as the copy of `reedId`.
 * @throws AppError if a key that is needed can't be fetched now: that says nothing about the copy
 */
export async function checkCopy(
  ciphertext: Uint8Array,
  reedId: ReedId,
  deps: { readonly keyRing: KeyRing; readonly context: VerifyContext },
): Promise<Result<CheckedCopy, InvalidReason>> {
  const opened = await deps.keyRing.open(ciphertext);
  if (!opened.ok) return fail('UNDECRYPTABLE', opened.reason);
  const { certificate, body } = opened.value;
  if (idIn(certificate) !== reedId) return fail('OTHER_REED');
  const accepted = await verifyCertificate(certificate, 'reed', deps.context);
  if (!accepted.ok) return fail(SIGNATURE_FAULTS.has(accepted.reason) ? 'BAD_SIGNATURE' : 'BAD_CERTIFICATE', accepted.reason);
  const kept = accepted.value.certificate;
  const said = await judgeBody(body, kept.statement);
  return said.ok ? ok({ certificate: kept, body: said.value }) : said;
}

/** A body that the author did not sign is the holder's doing; one that breaks the rules under a good signature is the author's. */
async function judgeBody(value: unknown, reed: ReedStatement): Promise<Result<Body, InvalidReason>> {
  const checked = checkBody(value);
  if (!checked.ok && checked.reason === 'malformed') return fail('BAD_SIGNATURE', `body.${checked.detail}`);
  const body = value as Body;
  if ((await hashOf(body)) !== reed.bodyHash) return fail('BAD_SIGNATURE', 'bodyHash');
  if (!checked.ok) return fail('CLAIM_MISMATCH', checked.detail);
  const claim = falseClaim(reed, body);
  return claim === null ? ok(body) : fail('CLAIM_MISMATCH', claim);
}

/** Null for a body so long that it has no hash. */
async function hashOf(body: Body): Promise<string | null> {
  try {
    return await bodyHash(body);
  } catch {
    return null;
  }
}

function idIn(certificate: unknown): unknown {
  const statement = (certificate as { statement?: { id?: unknown } | null } | null)?.statement;
  return statement?.id;
}
