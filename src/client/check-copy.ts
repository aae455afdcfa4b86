// The judgement on a delivered copy, before anything of it is stored: decrypt, compare, verify. The order is fixed, so that a fault always has the same name.
// A copy that does not open, is another or breaks a signature accuses its holder; a text that contradicts its own statement accuses the author.
import { fail, ok, type Result } from '../base/result.ts';
import { bodyHash, type OpenedCopy } from '../crypto/seal.ts';
import { type VerifyContext, type VerifyReason, verifyCertificate } from '../crypto/statement.ts';
import type { ReedId } from '../wire/address.ts';
import { type Body, checkBody, falseClaim } from '../wire/body.ts';
import type { InvalidReason } from '../wire/frames.ts';
import type { KeyRing } from './key-ring.ts';
import type { ReedCertificate, ReedStatement, ThreadCertificate } from './types.ts';

export type CheckedCopy = { readonly certificate: ReedCertificate; readonly body: Body };
/** A reed, or a thread by its head, with the record and the other parts in their order. */
export type CheckedContent = CheckedCopy & {
  readonly thread?: { readonly record: ThreadCertificate; readonly rest: readonly CheckedCopy[] };
};

type CheckDeps = { readonly keyRing: KeyRing; readonly context: VerifyContext };

/** Faults of the author's signature; every other fault is one of the certificate around it. */
const SIGNATURE_FAULTS: ReadonlySet<VerifyReason> = new Set<VerifyReason>(['bad-signature', 'wrong-signers', 'unknown-key', 'bad-key']);

/**
 * Opens a ciphertext and judges what is in it as the copy of `reedId`, or of the whole thread that it is the head of.
 * @throws AppError if a key that is needed can't be fetched now: that says nothing about the copy
 */
export async function checkCopy(ciphertext: Uint8Array, reedId: ReedId, deps: CheckDeps): Promise<Result<CheckedContent, InvalidReason>> {
  const opened = await deps.keyRing.open(ciphertext);
  if (!opened.ok) return fail('UNDECRYPTABLE', opened.reason);
  return 'record' in opened.value
    ? judgeThread(opened.value.record, opened.value.parts, reedId, deps)
    : judgeCopy(opened.value, reedId, deps);
}

async function judgeCopy(copy: OpenedCopy, reedId: ReedId, { context }: CheckDeps): Promise<Result<CheckedCopy, InvalidReason>> {
  const { certificate, body } = copy;
  if (idIn(certificate) !== reedId) return fail('OTHER_REED');
  const accepted = await verifyCertificate(certificate, 'reed', context);
  if (!accepted.ok) return certificateFault(accepted.reason);
  const kept = accepted.value.certificate;
  const said = await judgeBody(body, kept.statement);
  return said.ok ? ok({ certificate: kept, body: said.value }) : said;
}

/** All parts that the author's record names, each in its place and naming it; else the holder left something out or put it together. */
async function judgeThread(
  record: unknown,
  parts: readonly OpenedCopy[],
  head: ReedId,
  deps: CheckDeps,
): Promise<Result<CheckedContent, InvalidReason>> {
  if (idIn(record) !== head) return fail('OTHER_REED');
  const accepted = await verifyCertificate(record, 'thread', deps.context);
  if (!accepted.ok) return certificateFault(accepted.reason);
  const { certificate } = accepted.value;
  const { reeds } = certificate.statement;
  if (parts.length !== reeds.length) return fail('OTHER_REED', 'parts');
  const checked: CheckedCopy[] = [];
  for (const [index, part] of parts.entries()) {
    const judged = await judgeCopy(part, reeds[index] as ReedId, deps);
    if (!judged.ok) return judged;
    const { thread } = judged.value.certificate.statement;
    if (thread?.head !== head || thread.index !== index) return fail('CLAIM_MISMATCH', 'thread');
    checked.push(judged.value);
  }
  const [first, ...rest] = checked as [CheckedCopy, ...CheckedCopy[]];
  return ok({ ...first, thread: { record: certificate, rest } });
}

const certificateFault = (reason: VerifyReason): Result<never, InvalidReason> =>
  fail(SIGNATURE_FAULTS.has(reason) ? 'BAD_SIGNATURE' : 'BAD_CERTIFICATE', reason);

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
