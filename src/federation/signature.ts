// Signs and verifies requests and answers between servers: RFC 9421 with Ed25519. An answer covers its request's signature, so that it is an
// answer to that request and to no other. What the fields look like is judged before, in signature-form.ts.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { base64url, fromBase64url } from '../base/ids.ts';
import { isWeakPoint } from '../crypto/packets.ts';
import { contentDigest } from './digest.ts';
import { ANSWER_COMPONENTS, CONTENT_TYPE, LABEL, REQUEST_COMPONENTS, type RequestForm, type SignedForm, TAG } from './signature-form.ts';

/** A transport key of this server. */
export type TransportSigner = {
  /** `server#kid`. */
  readonly keyId: string;
  /** Plain Ed25519. */
  sign(bytes: Uint8Array): Uint8Array;
};

/** Public transport keys by their kid; base64url. */
export type TransportKeys = ReadonlyMap<string, string>;

type SignedFields = {
  readonly 'content-type': string;
  readonly 'content-digest': string;
  readonly 'signature-input': string;
  readonly signature: string;
};

const POINT_BYTES = 32;

const text = (value: string): string => `"${value}"`;

const requestLines = (targetUri: string, digest: string): string[] => [
  '"@method": POST',
  `"@target-uri": ${targetUri}`,
  `"content-type": ${CONTENT_TYPE}`,
  `"content-digest": ${digest}`,
];

const answerLines = (status: number, digest: string, requestSignature: string): string[] => [
  `"@status": ${status}`,
  `"content-type": ${CONTENT_TYPE}`,
  `"content-digest": ${digest}`,
  `"signature";req: ${requestSignature}`,
];

const baseOf = (lines: readonly string[], parameters: string): Uint8Array =>
  Buffer.from([...lines, `"@signature-params": ${parameters}`].join('\n'));

function fieldsOf(
  signer: TransportSigner,
  { lines, parameters, digest }: { lines: string[]; parameters: string; digest: string },
): SignedFields {
  const signature = Buffer.from(signer.sign(baseOf(lines, parameters))).toString('base64');
  return {
    'content-type': CONTENT_TYPE,
    'content-digest': digest,
    'signature-input': `${LABEL}=${parameters}`,
    signature: `${LABEL}=:${signature}:`,
  };
}

/**
 * The fields of a signed POST.
 * @param request `targetUri` is the whole address; `now` and `lifeMs` are milliseconds; `nonce` is 16 random bytes
 */
export function signRequest(
  signer: TransportSigner,
  request: {
    readonly targetUri: string;
    readonly body: Uint8Array;
    readonly now: number;
    readonly lifeMs: number;
    readonly nonce: Uint8Array;
  },
): SignedFields {
  const created = Math.floor(request.now / 1_000);
  const dates = `created=${created};expires=${created + Math.floor(request.lifeMs / 1_000)}`;
  const parameters = `${REQUEST_COMPONENTS};tag=${text(TAG)};${dates};nonce=${text(base64url(request.nonce))};keyid=${text(signer.keyId)}`;
  const digest = contentDigest(request.body);
  return fieldsOf(signer, { lines: requestLines(request.targetUri, digest), parameters, digest });
}

/** The fields of the answer to the request that has this `signature` field. */
export function signAnswer(
  signer: TransportSigner,
  answer: { readonly status: number; readonly body: Uint8Array; readonly now: number; readonly requestSignature: string },
): SignedFields {
  const parameters = `${ANSWER_COMPONENTS};tag=${text(TAG)};created=${Math.floor(answer.now / 1_000)};keyid=${text(signer.keyId)}`;
  const digest = contentDigest(answer.body);
  return fieldsOf(signer, { lines: answerLines(answer.status, digest, answer.requestSignature), parameters, digest });
}

/** Made keys by their text, so that a request costs no more than its signature; the oldest leaves. */
const madeKeys = new Map<string, KeyObject>();
const KEYS_KEPT = 4_096;

function keyOf(text: string): KeyObject | null {
  const known = madeKeys.get(text);
  if (known !== undefined) return known;
  const made = publicKeyOf(text);
  if (made === null) return null;
  const [oldest] = madeKeys.keys();
  if (madeKeys.size >= KEYS_KEPT && oldest !== undefined) madeKeys.delete(oldest);
  madeKeys.set(text, made);
  return made;
}

/** A key to verify with; null for what is no point of the curve that only one secret can sign for. */
function publicKeyOf(key: string): KeyObject | null {
  const point = fromBase64url(key);
  if (point === null || point.length !== POINT_BYTES || isWeakPoint({ use: 'sign', point })) return null;
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
  } catch {
    return null;
  }
}

function isSigned(form: SignedForm, lines: readonly string[], keys: TransportKeys): boolean {
  const named = keys.get(form.kid);
  const key = named === undefined ? null : keyOf(named);
  return key !== null && verify(null, baseOf(lines, form.parameters), key, form.signature);
}

/** Whether one of these keys signed this POST to `targetUri`, which is our own address and the target as it came. */
export const isSignedRequest = (form: RequestForm, targetUri: string, keys: TransportKeys): boolean =>
  isSigned(form, requestLines(targetUri, form.digest), keys);

/** Whether one of these keys signed this answer to the request that had `requestSignature`. */
export const isSignedAnswer = (
  form: SignedForm,
  answered: { readonly status: number; readonly requestSignature: string },
  keys: TransportKeys,
): boolean => isSigned(form, answerLines(answered.status, form.digest, answered.requestSignature), keys);
