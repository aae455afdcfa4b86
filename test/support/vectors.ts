// Holds this implementation against the frozen vectors in specs/vectors. Imports nothing of Node, because Chromium runs it too:
// what is signed in one place must verify in the other. Each failure is one line; none means that all of them hold.
import { fromHex, hex, uuidv7 } from '../../src/base/ids.ts';
import { verifyKeyChain } from '../../src/crypto/key-chain.ts';
import { decryptWithPassphrase, readPrivateKey, readPublicKey, verifyDetached } from '../../src/crypto/openpgp.ts';
import { bodyHash, openCopy, openThread, padmeSize } from '../../src/crypto/seal.ts';
import { verifyServerDocument, verifyWelcome } from '../../src/crypto/server-document.ts';
import { type KeyLookup, type KnownKey, type KnownServerKey, verifyCertificate, verifySigned } from '../../src/crypto/statement.ts';
import {
  parseFingerprint,
  parseInviteId,
  parseReedId,
  parseRequestId,
  parseServerId,
  parseServerKeyId,
  parseUserId,
  parseUserKeyId,
  parseUuid,
  serverIdFromFingerprint,
  userIdFromFingerprint,
  uuidTimeMs,
} from '../../src/wire/address.ts';
import type { Body } from '../../src/wire/body.ts';
import { canonicalBytes, STATEMENT_LIMITS, statementHash } from '../../src/wire/canonical.ts';
import { mentionsOf, tagsOf } from '../../src/wire/claims.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { checkStatement, type UserStatementType } from '../../src/wire/statements.ts';
import { parseStrictJson } from '../../src/wire/strict-json.ts';
import { checkUsername } from '../../src/wire/username.ts';

type Named = { readonly name: string };
type IdKind = 'server' | 'user' | 'userKey' | 'serverKey' | 'reed' | 'request' | 'invite' | 'fingerprint' | 'uuid';

export type IdVectors = {
  readonly valid: Readonly<Record<IdKind, readonly string[]>>;
  readonly invalid: Readonly<Record<IdKind, readonly string[]>>;
  readonly derived: readonly { readonly fingerprint: string; readonly server: string; readonly user: string }[];
  readonly uuids: readonly { readonly ms: number; readonly random: string; readonly uuid: string }[];
};
export type CanonicalVectors = {
  readonly accepted: readonly (Named & { readonly value: unknown; readonly text: string; readonly hash: string })[];
  readonly refused: readonly (Named & { readonly value: unknown; readonly reason: string })[];
  readonly refusedJson: readonly (Named & { readonly json: string; readonly reason: string })[];
};
export type StatementVectors = {
  readonly accepted: readonly { readonly statement: unknown; readonly text: string; readonly hash: string }[];
  readonly refused: readonly (Named & { readonly statement: unknown; readonly reason: string; readonly field: string })[];
};
type CertificateCase = Named & { readonly type: string; readonly certificate: unknown };
export type CertificateVectors = {
  readonly nowMs: number;
  readonly serverKeys: readonly { readonly id: string; readonly armor: string }[];
  readonly userKeys: readonly { readonly id: string; readonly armor: string; readonly recovery: string }[];
  readonly accepted: readonly (CertificateCase & { readonly hash: string; readonly seq: number; readonly signedAtMs: number })[];
  readonly refused: readonly (CertificateCase & { readonly reason: string })[];
  readonly signed: readonly (Named & { readonly type: string; readonly signed: unknown; readonly reason?: string })[];
  readonly documents: readonly (Named & { readonly server: string; readonly document: unknown; readonly reason?: string })[];
  readonly chains: readonly (Named & {
    readonly user: string;
    readonly entries: readonly unknown[];
    readonly keys?: readonly string[];
    readonly reason?: string;
  })[];
  readonly welcomes: readonly (Named & {
    readonly welcome: object;
    readonly kid: string;
    readonly signature: string;
    readonly transportKeys: unknown;
    readonly holds: boolean;
  })[];
};
type SignatureCase = Named & { readonly bytes: string; readonly key: string; readonly armor: string };
export type OpenpgpVectors = {
  readonly keys: readonly (Named & { readonly armor: string; readonly fingerprint?: string; readonly reason?: string })[];
  readonly signatures: readonly (SignatureCase & { readonly normal?: string; readonly reason?: string })[];
  readonly backups: readonly (Named & { readonly armor: string; readonly passphrase: string; readonly text: string })[];
};
export type CopyVectors = {
  readonly privateKey: string;
  readonly copies: readonly (Named & { readonly ciphertext: string; readonly opened?: unknown; readonly reason?: string })[];
  readonly threads: readonly (Named & { readonly ciphertext: string; readonly opened: unknown })[];
  readonly bodies: readonly { readonly body: Body; readonly hash: string }[];
  readonly claims: readonly { readonly text: string; readonly tags: readonly string[]; readonly mentions: readonly string[] }[];
  readonly padme: readonly (readonly [number, number])[];
  readonly usernames: readonly { readonly typed: string; readonly forms?: unknown; readonly reason?: string }[];
};
export type FrameVectors = {
  readonly limits: { readonly frameBytes: number; readonly relayResponseBytes: number };
  readonly accepted: readonly { readonly hex: string; readonly frame: unknown }[];
  readonly refused: readonly (Named & { readonly hex: string; readonly reason: string; readonly detail: string })[];
};
export type Vectors = {
  readonly ids: IdVectors;
  readonly canonical: CanonicalVectors;
  readonly statements: StatementVectors;
  readonly certificates: CertificateVectors;
  readonly openpgp: OpenpgpVectors;
  readonly copies: CopyVectors;
  readonly frames: FrameVectors;
};
export const VECTOR_FILES = [
  'ids',
  'canonical',
  'statements',
  'certificates',
  'openpgp',
  'copies',
  'frames',
] as const satisfies (keyof Vectors)[];

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string; readonly detail: string };

/** JSON with sorted keys, so that two values are the same text if they are the same. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

class Report {
  readonly failures: string[] = [];

  same(what: string, actual: unknown, expected: unknown): void {
    if (stable(actual) !== stable(expected))
      this.failures.push(`${what}: ${stable(actual)?.slice(0, 200)} is not ${stable(expected)?.slice(0, 200)}`);
  }

  /** A result against the reason that it must fail with, or, without one, against nothing but success. */
  outcome(what: string, actual: Outcome, reason: string | undefined): void {
    this.same(what, actual.ok ? 'accepted' : actual.reason, reason ?? 'accepted');
  }
}

const PARSERS: Readonly<Record<IdKind, (text: string) => string | null>> = {
  server: parseServerId,
  user: parseUserId,
  userKey: parseUserKeyId,
  serverKey: parseServerKeyId,
  reed: parseReedId,
  request: parseRequestId,
  invite: parseInviteId,
  fingerprint: parseFingerprint,
  uuid: parseUuid,
};

async function checkIds(vectors: IdVectors, report: Report): Promise<void> {
  for (const [kind, parse] of Object.entries(PARSERS) as [IdKind, (text: string) => string | null][]) {
    for (const text of vectors.valid[kind]) report.same(`id ${kind}`, parse(text), text);
    for (const text of vectors.invalid[kind]) report.same(`no id ${kind} ${text}`, parse(text), null);
  }
  for (const { fingerprint, server, user } of vectors.derived) {
    const id = await serverIdFromFingerprint(fingerprint);
    report.same(`server of ${fingerprint}`, id, server);
    report.same(`user of ${fingerprint}`, await userIdFromFingerprint(fingerprint, id), user);
  }
  for (const { ms, random, uuid } of vectors.uuids) {
    report.same(
      `uuid at ${ms}`,
      uuidv7(ms, () => fromHex(random) ?? new Uint8Array(10)),
      uuid,
    );
    const parsed = parseUuid(uuid);
    report.same(`time of ${uuid}`, parsed && uuidTimeMs(parsed), ms);
  }
}

async function checkCanonical(vectors: CanonicalVectors, report: Report): Promise<void> {
  for (const { name, value, text, hash } of vectors.accepted) await checkBytes(`canonical ${name}`, value, { text, hash }, report);
  for (const { name, value, reason } of vectors.refused) report.outcome(`canonical ${name}`, canonicalBytes(value), reason);
  for (const { name, json, reason } of vectors.refusedJson) report.outcome(`json ${name}`, parseStrictJson(json, STATEMENT_LIMITS), reason);
}

async function checkBytes(what: string, value: unknown, expected: { text: string; hash: string }, report: Report): Promise<void> {
  const bytes = canonicalBytes(value);
  report.outcome(what, bytes, undefined);
  if (!bytes.ok) return;
  report.same(what, new TextDecoder().decode(bytes.value), expected.text);
  report.same(`${what} hash`, await statementHash(bytes.value), expected.hash);
}

async function checkStatements(vectors: StatementVectors, report: Report): Promise<void> {
  for (const { statement, text, hash } of vectors.accepted) {
    const what = `statement ${(statement as { type: string }).type}`;
    report.outcome(what, checkStatement(statement), undefined);
    await checkBytes(what, statement, { text, hash }, report);
  }
  for (const { name, statement, reason, field } of vectors.refused) {
    const checked = checkStatement(statement);
    report.outcome(`statement ${name}`, checked, reason);
    if (!checked.ok) report.same(`statement ${name} field`, checked.detail, field);
  }
}

async function lookupOf(vectors: CertificateVectors, report: Report): Promise<KeyLookup> {
  const users = new Map<string, KnownKey>();
  const servers = new Map<string, KnownServerKey>();
  for (const { id, armor, recovery } of vectors.userKeys) {
    const [key, known] = [await readPublicKey(armor), parseUserKeyId(id)];
    report.outcome(`key ${id}`, key, undefined);
    const fingerprint = parseFingerprint(recovery);
    if (key.ok && known && fingerprint) users.set(id, { id: known, publicKey: key.value, recovery: fingerprint });
  }
  for (const { id, armor } of vectors.serverKeys) {
    const [key, known] = [await readPublicKey(armor), parseServerKeyId(id)];
    report.outcome(`key ${id}`, key, undefined);
    if (key.ok && known) servers.set(id, { id: known, publicKey: key.value });
  }
  return { userKey: async (id) => users.get(id) ?? null, serverKey: async (id) => servers.get(id) ?? null };
}

async function checkCertificates(vectors: CertificateVectors, report: Report): Promise<void> {
  const context = { keys: await lookupOf(vectors, report), now: vectors.nowMs };
  for (const { name, type, certificate, hash, seq, signedAtMs } of vectors.accepted) {
    const accepted = await verifyCertificate(certificate, type as UserStatementType, context);
    report.outcome(`certificate ${name}`, accepted, undefined);
    if (!accepted.ok) continue;
    const { bytes: _bytes, ...value } = accepted.value;
    report.same(`certificate ${name}`, value, { certificate, hash, seq, signedAtMs });
  }
  for (const { name, type, certificate, reason } of vectors.refused) {
    report.outcome(`certificate ${name}`, await verifyCertificate(certificate, type as UserStatementType, context), reason);
  }
  for (const { name, type, signed, reason } of vectors.signed) {
    report.outcome(`signed ${name}`, await verifySigned(signed, type as UserStatementType, context), reason);
  }
  await checkChains(vectors, context, report);
}

async function checkChains(vectors: CertificateVectors, context: { keys: KeyLookup; now: number }, report: Report): Promise<void> {
  for (const { name, server, document, reason } of vectors.documents) {
    const id = parseServerId(server);
    if (id === null) report.failures.push(`document ${name}: no server id`);
    else report.outcome(`document ${name}`, await verifyServerDocument(document, { server: id, now: context.now }), reason);
  }
  for (const { name, user, entries, keys, reason } of vectors.chains) {
    const id = parseUserId(user);
    if (id === null) report.failures.push(`chain ${name}: no user id`);
    const proven = id && (await verifyKeyChain(entries, id, context));
    if (!proven) continue;
    report.outcome(`chain ${name}`, proven, reason);
    if (proven.ok)
      report.same(
        `chain ${name}`,
        proven.value.map((key) => key.id),
        keys,
      );
  }
  for (const { name, welcome, kid, signature, transportKeys, holds } of vectors.welcomes) {
    type Parameters_ = Parameters<typeof verifyWelcome>;
    const verified = await verifyWelcome(welcome as Parameters_[0], { kid, signature }, transportKeys as Parameters_[2]);
    report.same(`welcome ${name}`, verified, holds);
  }
}

async function checkOpenpgp(vectors: OpenpgpVectors, report: Report): Promise<void> {
  for (const { name, armor, fingerprint, reason } of vectors.keys) {
    const key = await readPublicKey(armor);
    report.outcome(`key ${name}`, key, reason);
    if (key.ok) report.same(`key ${name}`, key.value.fingerprint, fingerprint);
  }
  for (const { name, bytes, key: keyName, armor, normal, reason } of vectors.signatures) {
    const key = await readPublicKey(vectors.keys.find((entry) => entry.name === keyName)?.armor ?? '');
    if (!key.ok) report.failures.push(`signature ${name}: no key`);
    else {
      const verified = await verifyDetached(fromHex(bytes) ?? new Uint8Array(0), armor, key.value);
      report.outcome(`signature ${name}`, verified, reason);
      if (verified.ok) report.same(`signature ${name}`, verified.value, normal);
    }
  }
  for (const { name, armor, passphrase, text } of vectors.backups) {
    const opened = await decryptWithPassphrase(armor, passphrase);
    report.outcome(`backup ${name}`, opened, undefined);
    if (opened.ok) report.same(`backup ${name}`, new TextDecoder().decode(opened.value), text);
  }
}

async function checkCopies(vectors: CopyVectors, report: Report): Promise<void> {
  const key = await readPrivateKey(vectors.privateKey);
  report.outcome('private key', key, undefined);
  const keys = key.ok ? [key.value] : [];
  for (const { name, ciphertext, opened, reason } of vectors.copies) {
    const copy = await openCopy(new TextEncoder().encode(ciphertext), keys);
    report.outcome(`copy ${name}`, copy, reason);
    if (copy.ok) report.same(`copy ${name}`, copy.value, opened);
  }
  for (const { name, ciphertext, opened } of vectors.threads) {
    const thread = await openThread(new TextEncoder().encode(ciphertext), keys);
    report.outcome(`thread ${name}`, thread, undefined);
    if (thread.ok) report.same(`thread ${name}`, thread.value, opened);
  }
  for (const { body, hash } of vectors.bodies) report.same(`body ${body.text.slice(0, 20)}`, await bodyHash(body), hash);
  for (const { text, tags, mentions } of vectors.claims)
    report.same(`claims of ${text}`, { tags: tagsOf(text), mentions: mentionsOf(text) }, { tags, mentions });
  for (const [bytes, size] of vectors.padme) report.same(`size ${bytes}`, padmeSize(bytes), size);
  for (const { typed, forms, reason } of vectors.usernames) {
    const checked = checkUsername(typed);
    report.same(`username ${typed}`, checked.ok ? checked.value : checked.reason, forms ?? reason);
  }
}

/** Bytes of a frame's body, written as `{"hex": …}` in the vectors. */
const withBytes = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { hex: hex(value) };
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withBytes(inner)]));
};

async function checkFrames(vectors: FrameVectors, report: Report): Promise<void> {
  for (const { hex: digits, frame } of vectors.accepted) {
    const bytes = fromHex(digits) ?? new Uint8Array(0);
    const decoded = decodeFrame(bytes, vectors.limits);
    const what = `frame ${(frame as Frame).type}`;
    report.outcome(what, decoded, undefined);
    if (!decoded.ok) continue;
    report.same(what, withBytes(decoded.value), frame);
    report.same(`${what} written`, hex(encodeFrame(decoded.value)), digits);
  }
  for (const { name, hex: digits, reason, detail } of vectors.refused) {
    const decoded = decodeFrame(fromHex(digits) ?? new Uint8Array(0), vectors.limits);
    report.outcome(`frame ${name}`, decoded, reason);
    if (!decoded.ok) report.same(`frame ${name} detail`, decoded.detail, detail);
  }
}

const CHECKS: { readonly [K in keyof Vectors]: (vectors: Vectors[K], report: Report) => Promise<void> } = {
  ids: checkIds,
  canonical: checkCanonical,
  statements: checkStatements,
  certificates: checkCertificates,
  openpgp: checkOpenpgp,
  copies: checkCopies,
  frames: checkFrames,
};

const checkFile = <K extends keyof Vectors>(name: K, vectors: Vectors, report: Report): Promise<void> =>
  CHECKS[name](vectors[name], report);

/** One line for each vector that does not hold here; an empty list if all do. `files`: which of them to look at. */
export async function checkVectors(vectors: Vectors, files: readonly (keyof Vectors)[] = VECTOR_FILES): Promise<string[]> {
  const report = new Report();
  for (const name of files) await checkFile(name, vectors, report);
  return report.failures;
}
