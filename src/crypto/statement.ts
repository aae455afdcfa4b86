// One path signs statements and one verifies them, on servers and devices alike (I9).
// Every check stands in one order with one reason each, so that two parties never disagree about a certificate or about why it failed.
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { Fingerprint, ServerId, ServerKeyId, UserId, UserKeyId } from '../wire/address.ts';
import { serverOf } from '../wire/address.ts';
import { type CanonicalReason, type Certificate, canonicalBytes, type Signed, statementHash } from '../wire/canonical.ts';
import { parseTime, plainKeys } from '../wire/kinds.ts';
import {
  checkStatement,
  heading,
  type Statement,
  type StatementOf,
  type StatementReason,
  type StatementType,
  type UserStatementType,
} from '../wire/statements.ts';
import { type PrivateKey, type PublicKey, signDetached, verifyDetached } from './openpgp.ts';
import { signersOf } from './signers.ts';

/** A key on the chain of its person's id. */
export type KnownKey = {
  readonly id: UserKeyId;
  readonly publicKey: PublicKey;
  /** The recovery key that the key's statement names; needed where a recovery key signs. */
  readonly recovery?: Fingerprint;
  /** The seq of the revocation's countersignature, if the key was revoked. */
  readonly revokedSeq?: number;
};

/** A key on the chain of its server's id. */
export type KnownServerKey = { readonly id: ServerKeyId; readonly publicKey: PublicKey };

/** Finds keys that are known to be on their chain; null for every other. */
export interface KeyLookup {
  userKey(id: UserKeyId): Promise<KnownKey | null>;
  serverKey(id: ServerKeyId): Promise<KnownServerKey | null>;
}

/** `now`: milliseconds since the epoch on the server's clock. */
export type VerifyContext = { readonly keys: KeyLookup; readonly now: number };

export type VerifyReason =
  | StatementReason
  | CanonicalReason
  | 'malformed'
  | 'bad-key'
  | 'wrong-id'
  | 'unknown-key'
  | 'wrong-signers'
  | 'bad-signature'
  | 'other-statement'
  | 'other-server'
  | 'unknown-server-key'
  | 'bad-countersignature'
  | 'key-revoked'
  | 'dated-ahead'
  | 'expired'
  | 'broken-chain';

/** A statement whose signatures hold; `signed` has them in normal form, `bytes` are what was signed. */
export type AcceptedSigned<T extends StatementType> = {
  readonly signed: Signed<StatementOf<T>>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hash: string;
};

/** A certificate that holds, in the form to store and to pass on. */
export type AcceptedCertificate<T extends UserStatementType> = {
  readonly certificate: Certificate<StatementOf<T>>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hash: string;
  readonly seq: number;
  readonly signedAtMs: number;
};

/** Types whose signature stands beside the statement; the other two have one of their own kind. */
export type SignedType = Exclude<StatementType, 'countersignature' | 'welcome'>;

type Envelope = { readonly statement: unknown; readonly signatures: readonly { readonly key: string; readonly signature: string }[] };

const MOST_SIGNATURES = 2;

const hasExactly = (value: unknown, fields: readonly string[]): value is Readonly<Record<string, unknown>> => {
  const keys = plainKeys(value);
  return keys !== null && keys.length === fields.length && fields.every((field) => keys.includes(field));
};

const isEntry = (value: unknown): boolean =>
  hasExactly(value, ['key', 'signature']) && typeof value.key === 'string' && typeof value.signature === 'string';

function readEnvelope(value: Readonly<Record<string, unknown>>): Envelope | null {
  const { statement, signatures } = value;
  if (!Array.isArray(signatures) || signatures.length < 1 || signatures.length > MOST_SIGNATURES) return null;
  return signatures.every(isEntry) ? { statement, signatures } : null;
}

function bytesOf(statement: unknown): Uint8Array<ArrayBuffer> {
  const bytes = canonicalBytes(statement);
  if (!bytes.ok) throw new TypeError(`a statement of our own has no canonical form: ${bytes.reason}`);
  return bytes.value;
}

/**
 * Signs a statement of our own making, once for each signer, in the order that its type asks for.
 * @param dateMs the server's time in milliseconds since the epoch
 */
export async function signStatement<T extends Statement>(
  statement: T,
  signers: readonly { readonly key: PrivateKey; readonly keyId: string }[],
  dateMs: number,
): Promise<Signed<T>> {
  const bytes = bytesOf(statement);
  const signatures: { key: string; signature: string }[] = [];
  for (const { key, keyId } of signers) signatures.push({ key: keyId, signature: await signDetached(bytes, key, dateMs) });
  return { statement, signatures };
}

export type Countersigner = {
  readonly serverKey: PrivateKey;
  readonly serverKeyId: ServerKeyId;
  readonly server: ServerId;
  readonly seq: number;
  /** RFC 3339; also the date of the signature. */
  readonly signedAt: string;
};

/** Countersigns a statement that was verified before. */
export async function countersign<T extends UserStatementType>(
  signed: Signed<StatementOf<T>>,
  by: Countersigner,
): Promise<Certificate<StatementOf<T>>> {
  const subject = signed.statement as unknown as StatementOf<UserStatementType>;
  const statement = {
    ...heading('countersignature'),
    statementType: subject.type,
    statementHash: await statementHash(bytesOf(subject)),
    user: personOf(subject) as UserId,
    key: subject.key,
    server: by.server,
    serverKey: by.serverKeyId,
    seq: by.seq,
    signedAt: by.signedAt,
  };
  const signature = await signDetached(bytesOf(statement), by.serverKey, parseTime(by.signedAt) ?? Number.NaN);
  return { ...signed, countersignature: { statement, signature } };
}

/** Who a statement is of: its `user` or `author`; null for statements of servers. */
const personOf = (statement: Statement): UserId | null =>
  'author' in statement ? statement.author : 'user' in statement ? statement.user : null;

async function verifyEnvelope(
  envelope: Envelope,
  type: SignedType,
  context: VerifyContext,
): Promise<Result<AcceptedSigned<SignedType>, VerifyReason>> {
  const bytes = canonicalBytes(envelope.statement);
  if (!bytes.ok) return bytes;
  const statement = checkStatement(envelope.statement, type);
  if (!statement.ok) return statement;
  const named = envelope.signatures.map(({ key }) => key);
  const signers = await signersOf(statement.value, named, context.keys);
  if (!signers.ok) return signers;
  if (signers.value.length !== named.length) return fail('wrong-signers', 'signatures');
  const signatures: { key: string; signature: string }[] = [];
  for (const { id, publicKey } of signers.value) {
    const given = envelope.signatures.find(({ key }) => key === id);
    if (given === undefined) return fail('wrong-signers', 'signatures');
    const verified = await verifyDetached(bytes.value, given.signature, publicKey);
    if (!verified.ok) return fail('bad-signature', verified.reason);
    signatures.push({ key: id, signature: verified.value });
  }
  const hash = await statementHash(bytes.value);
  return ok({ signed: { statement: statement.value, signatures }, bytes: bytes.value, hash });
}

/**
 * Verifies `{statement, signatures}` of the given type: exactly its fields, signed by exactly who must sign it, under keys on their chains.
 * Whether a key is revoked is for the certificate, or for the server that is about to countersign, to say.
 */
export async function verifySigned<T extends SignedType>(
  value: unknown,
  type: T,
  context: VerifyContext,
): Promise<Result<AcceptedSigned<T>, VerifyReason>> {
  const envelope = hasExactly(value, ['statement', 'signatures']) ? readEnvelope(value) : null;
  if (envelope === null) return fail('malformed');
  return (await verifyEnvelope(envelope, type, context)) as Result<AcceptedSigned<T>, VerifyReason>;
}

type Countersignature = StatementOf<'countersignature'>;

function readCountersignature(value: unknown): Result<{ statement: Countersignature; signature: string }, VerifyReason> {
  if (!hasExactly(value, ['statement', 'signature']) || typeof value.signature !== 'string') return fail('malformed', 'countersignature');
  const statement = checkStatement(value.statement, 'countersignature');
  if (!statement.ok) return fail(statement.reason, `countersignature.${statement.detail}`);
  return ok({ statement: statement.value, signature: value.signature });
}

/** What ties a countersignature to its statement, before its signature is looked at. */
function tieProblem(countersignature: Countersignature, { signed, hash }: AcceptedSigned<SignedType>): VerifyReason | null {
  const statement = signed.statement as StatementOf<UserStatementType>;
  const person = personOf(statement);
  const isOf =
    countersignature.statementType === statement.type &&
    countersignature.statementHash === hash &&
    countersignature.user === person &&
    countersignature.key === statement.key;
  if (!isOf) return 'other-statement';
  return countersignature.server === serverOf(countersignature.user) ? null : 'other-server';
}

/** Whether the key could still sign at that seq. A key's revocation is the last thing it does. */
async function isRevokedAt(statement: StatementOf<UserStatementType>, seq: number, keys: KeyLookup): Promise<boolean> {
  const revokedSeq = (await keys.userKey(statement.key))?.revokedSeq;
  if (revokedSeq === undefined) return false;
  return statement.type === 'key-revocation' ? seq > revokedSeq : seq >= revokedSeq;
}

async function verifyCountersignature(
  accepted: AcceptedSigned<SignedType>,
  value: unknown,
  context: VerifyContext,
): Promise<Result<{ statement: Countersignature; signature: string }, VerifyReason>> {
  const read = readCountersignature(value);
  if (!read.ok) return read;
  const { statement, signature } = read.value;
  const untied = tieProblem(statement, accepted);
  if (untied !== null) return fail(untied, 'countersignature');
  const serverKey = serverOf(statement.serverKey) === statement.server ? await context.keys.serverKey(statement.serverKey) : null;
  if (serverKey === null) return fail('unknown-server-key', 'serverKey');
  const verified = await verifyDetached(bytesOf(statement), signature, serverKey.publicKey);
  if (!verified.ok) return fail('bad-countersignature', verified.reason);
  if (await isRevokedAt(accepted.signed.statement as StatementOf<UserStatementType>, statement.seq, context.keys))
    return fail('key-revoked', 'key');
  if ((parseTime(statement.signedAt) as number) > context.now + LIMITS.clockAheadMs) return fail('dated-ahead', 'signedAt');
  return ok({ statement, signature: verified.value });
}

/**
 * Accepts a certificate. In this order, with one reason each: its form; the statement's fields and persons; the signatures, under keys on the
 * chain of the id; the countersignature's fields, statement, server, key and signature; the key's revocation; the date.
 */
export async function verifyCertificate<T extends UserStatementType>(
  value: unknown,
  type: T,
  context: VerifyContext,
): Promise<Result<AcceptedCertificate<T>, VerifyReason>> {
  const envelope = hasExactly(value, ['statement', 'signatures', 'countersignature']) ? readEnvelope(value) : null;
  if (envelope === null) return fail('malformed');
  const accepted = await verifyEnvelope(envelope, type, context);
  if (!accepted.ok) return accepted;
  const countersignature = await verifyCountersignature(accepted.value, (value as { countersignature: unknown }).countersignature, context);
  if (!countersignature.ok) return countersignature;
  const { signed, bytes, hash } = accepted.value as unknown as AcceptedSigned<T>;
  const { seq, signedAt } = countersignature.value.statement;
  const certificate = { ...signed, countersignature: countersignature.value };
  return ok({ certificate, bytes, hash, seq, signedAtMs: parseTime(signedAt) as number });
}

/** A certificate that was accepted before, as it was stored then: nothing of it is verified again. */
export async function acceptedBefore<T extends UserStatementType>(
  certificate: Certificate<StatementOf<T>>,
): Promise<AcceptedCertificate<T>> {
  const bytes = bytesOf(certificate.statement);
  const { seq, signedAt } = certificate.countersignature.statement;
  return { certificate, bytes, hash: await statementHash(bytes), seq, signedAtMs: parseTime(signedAt) as number };
}
