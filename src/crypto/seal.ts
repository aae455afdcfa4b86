// The wrapping of copies: certificate and body as JSON, padded to a Padmé size, encrypted to one recipient alone, fresh for each.
// Opening says only that it is a copy in form; certificate, body and their agreement are for the caller to verify before storing.
import { fail, ok, type Result } from '../base/result.ts';
import type { Body } from '../wire/body.ts';
import { type CanonicalLimits, canonicalBytes, statementHash } from '../wire/canonical.ts';
import { plainKeys } from '../wire/kinds.ts';
import { parseStrictJson } from '../wire/strict-json.ts';
import { decryptWith, encryptTo, type MessageReason, type PrivateKey, type PublicKey } from './openpgp.ts';

export type Copy = { readonly certificate: object; readonly body: Body };
export type ThreadCopy = { readonly record: object; readonly parts: readonly Copy[] };
export type OpenedCopy = { readonly certificate: unknown; readonly body: unknown };
export type OpenedThread = { readonly record: unknown; readonly parts: readonly OpenedCopy[] };
export type CopyReason = MessageReason | 'not-a-copy';

/** A body's text may be longer in JSON than a statement: 5,000 signs of six bytes each. */
const BODY_LIMITS: CanonicalLimits = { depth: 1, bytes: 32 * 1024 };
const COPY_LIMITS = { depth: 6, bytes: 4 * 1024 * 1024 };

/** The next Padmé size: at most 12 % more, and few enough sizes that a length tells little (PURBs, 2019). */
export function padmeSize(bytes: number): number {
  if (bytes < 2) return bytes;
  const exponent = Math.floor(Math.log2(bytes));
  const significant = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** Math.max(0, exponent - significant);
  return Math.ceil(bytes / step) * step;
}

async function seal(copy: Copy | ThreadCopy, recipient: PublicKey): Promise<Uint8Array<ArrayBuffer>> {
  const json = new TextEncoder().encode(JSON.stringify(copy));
  const padded = new Uint8Array(padmeSize(json.length)).fill(0x20);
  padded.set(json);
  return encryptTo(padded, recipient);
}

/** A reed's copy for one reader: ASCII-armored bytes. */
export const sealCopy = (copy: Copy, recipient: PublicKey): Promise<Uint8Array<ArrayBuffer>> => seal(copy, recipient);

/** A thread's record and all its parts for one reader. */
export const sealThread = (copy: ThreadCopy, recipient: PublicKey): Promise<Uint8Array<ArrayBuffer>> => seal(copy, recipient);

function hasFields(value: unknown, ...fields: readonly string[]): boolean {
  const keys = plainKeys(value);
  return keys !== null && keys.length === fields.length && fields.every((field) => keys.includes(field));
}

const isCopy = (value: unknown): value is OpenedCopy => hasFields(value, 'certificate', 'body');

async function open(ciphertext: Uint8Array, keys: readonly PrivateKey[]): Promise<Result<unknown, CopyReason>> {
  const opened = await decryptWith(ciphertext, keys);
  if (!opened.ok) return opened;
  const value = parseStrictJson(opened.value, COPY_LIMITS);
  return value.ok ? value : fail('not-a-copy', value.reason);
}

/** Decrypts what a holder sealed, a reed's copy or a thread's, with whichever of our keys it is for. */
export async function openContent(
  ciphertext: Uint8Array,
  keys: readonly PrivateKey[],
): Promise<Result<OpenedCopy | OpenedThread, CopyReason>> {
  const value = await open(ciphertext, keys);
  if (!value.ok) return value;
  return isCopy(value.value) ? ok(value.value) : threadIn(value.value);
}

/** Decrypts a copy with whichever of our keys it is for. */
export async function openCopy(ciphertext: Uint8Array, keys: readonly PrivateKey[]): Promise<Result<OpenedCopy, CopyReason>> {
  const value = await open(ciphertext, keys);
  if (!value.ok) return value;
  return isCopy(value.value) ? ok(value.value) : fail('not-a-copy');
}

/** Decrypts a thread's copy with whichever of our keys it is for. */
export async function openThread(ciphertext: Uint8Array, keys: readonly PrivateKey[]): Promise<Result<OpenedThread, CopyReason>> {
  const value = await open(ciphertext, keys);
  return value.ok ? threadIn(value.value) : value;
}

function threadIn(value: unknown): Result<OpenedThread, CopyReason> {
  if (!hasFields(value, 'record', 'parts')) return fail('not-a-copy');
  const { record, parts } = value as { readonly record: unknown; readonly parts: unknown };
  return Array.isArray(parts) && parts.every(isCopy) ? ok({ record, parts }) : fail('not-a-copy', 'parts');
}

/** base64url SHA-256 of the body's canonical JSON, as the reed's statement names it. The body has been checked before. */
export async function bodyHash(body: Body): Promise<string> {
  const bytes = canonicalBytes(body, BODY_LIMITS);
  if (!bytes.ok) throw new TypeError(`a body without a canonical form: ${bytes.reason}`);
  return statementHash(bytes.value);
}
