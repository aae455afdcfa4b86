// The judgement on a delivered copy, before anything of it is stored: decrypt, compare, verify. One order, one reason per fault.
// The first four reasons accuse the copy and so its holder; a text that contradicts its own statement accuses the author.
import { fail, ok, type Result } from '../base/result.ts';
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { bodyHash } from '../crypto/seal.ts';
import { type CertificateContext, verifyCertificate } from '../crypto/statement.ts';
import type { ReedId } from '../wire/address.ts';
import { mentionsOf, tagsOf } from '../wire/claims.ts';
import type { InvalidReason } from '../wire/frames.ts';
import { parseTime } from '../wire/kinds.ts';
import type { KeyRing } from './key-ring.ts';
import type { Body, ReedCertificate, ReedStatement } from './types.ts';

export type CheckedCopy = { readonly certificate: ReedCertificate; readonly body: Body };

const SALT_BYTES = 16;

/**
 * Opens a ciphertext and judges what is in it as the copy of `reedId`.
 * @throws AppError if a key that is needed can't be fetched now: that says nothing about the copy
 */
export async function checkCopy(
  ciphertext: Uint8Array,
  reedId: ReedId,
  deps: { readonly keyRing: KeyRing; readonly context: CertificateContext },
): Promise<Result<CheckedCopy, InvalidReason>> {
  const opened = await deps.keyRing.open(ciphertext);
  if (!opened.ok) return fail('UNDECRYPTABLE', opened.reason);
  const { certificate, body } = opened.value;
  if (idIn(certificate) !== reedId) return fail('OTHER_REED');
  const accepted = await verifyCertificate(certificate, 'reed', deps.context);
  if (!accepted.ok) return fail(isSignatureFault(accepted.reason) ? 'BAD_SIGNATURE' : 'BAD_CERTIFICATE', accepted.reason);
  const kept = accepted.value.certificate;
  const checkedBody = await checkBody(body, kept.statement);
  return checkedBody.ok ? ok({ certificate: kept, body: checkedBody.value }) : checkedBody;
}

function idIn(certificate: unknown): unknown {
  const statement = (certificate as { statement?: { id?: unknown } | null } | null)?.statement;
  return statement?.id;
}
