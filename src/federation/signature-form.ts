// The one form in which a signature of RFC 9421 is read here. What is parsed has to print as it came, so that nothing that a laxer reader
// would pass over (a second label, a repeated parameter, another spelling) stands beside what is verified.
import { type InnerList, isInnerList, parseDictionary, serializeDictionary, serializeInnerList } from 'structured-headers';
import { fromBase64url } from '../base/ids.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { parseServerId, type ServerId } from '../wire/address.ts';
import { isContentDigest } from './digest.ts';

export const LABEL = 'reedbed';
export const TAG = 'reedbed-federation-1';
export const CONTENT_TYPE = 'application/protobuf';
export const REQUEST_COMPONENTS = '("@method" "@target-uri" "content-type" "content-digest")';
export const ANSWER_COMPONENTS = '("@status" "content-type" "content-digest" "signature";req)';

const REQUEST_PARAMETERS = ['created', 'expires', 'keyid', 'nonce', 'tag'];
const ANSWER_PARAMETERS = ['created', 'keyid', 'tag'];
const SIGNATURE_BYTES = 64;
export const NONCE_BYTES = 16;
const MOST_CHARS = 1_024;
const KID = /^[A-Za-z0-9_-]{1,64}$/;

/** Names and values in turn, as they came: `rawHeaders` of Node. */
export type Fields = readonly string[];

/** What is the same in both directions. */
export type SignedForm = {
  readonly server: ServerId;
  readonly kid: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly digest: string;
  readonly signature: Uint8Array;
  /** The whole `signature` field. */
  readonly signatureField: string;
  /** The components and parameters as they are signed. */
  readonly parameters: string;
};

export type RequestForm = SignedForm & { readonly expires: number; readonly nonce: Uint8Array };

type Shape = { readonly components: string; readonly parameters: readonly string[] };

/** The value of a field that came exactly once. */
function single(fields: Fields, name: string): string | null {
  const values = fields.filter((_value, at) => at % 2 === 1 && fields[at - 1]?.toLowerCase() === name);
  const [value = ''] = values;
  return values.length === 1 && value.length <= MOST_CHARS ? value : null;
}

const has = (fields: Fields, name: string): boolean => fields.some((field, at) => at % 2 === 0 && field.toLowerCase() === name);

/** The only member of a dictionary that prints as it was written. @throws what the parser throws */
function onlyMember(text: string) {
  const dictionary = parseDictionary(text);
  const member = dictionary.get(LABEL);
  return dictionary.size === 1 && member !== undefined && serializeDictionary(dictionary) === text ? member : null;
}

function signatureOf(text: string): Uint8Array | null {
  const member = onlyMember(text);
  if (member === null || isInnerList(member) || member[1].size > 0 || !(member[0] instanceof ArrayBuffer)) return null;
  const bytes = new Uint8Array(member[0]);
  return bytes.length === SIGNATURE_BYTES ? bytes : null;
}

function inputOf(text: string, { components, parameters }: Shape): InnerList | null {
  const member = onlyMember(text);
  if (member === null || !isInnerList(member)) return null;
  const [items, given] = member;
  if (serializeInnerList([items, new Map()]) !== components) return null;
  return [...given.keys()].sort().join() === parameters.join() && given.get('tag') === TAG ? member : null;
}

function signerOf(keyid: unknown): Pick<SignedForm, 'server' | 'kid'> | null {
  const [named = '', kid = '', ...rest] = typeof keyid === 'string' ? keyid.split('#') : [];
  const server = parseServerId(named);
  return server !== null && KID.test(kid) && rest.length === 0 ? { server, kid } : null;
}

const seconds = (value: unknown): number | null => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null);

function readForm(fields: Fields, shape: Shape): (SignedForm & { readonly given: InnerList[1] }) | null {
  const [inputField, signatureField] = [single(fields, 'signature-input'), single(fields, 'signature')];
  const digest = single(fields, 'content-digest');
  if (inputField === null || signatureField === null || digest === null || !isContentDigest(digest)) return null;
  if (single(fields, 'content-type') !== CONTENT_TYPE || has(fields, 'content-encoding')) return null;
  try {
    const [input, signature] = [inputOf(inputField, shape), signatureOf(signatureField)];
    if (input === null || signature === null) return null;
    const [signer, created] = [signerOf(input[1].get('keyid')), seconds(input[1].get('created'))];
    if (signer === null || created === null) return null;
    return { ...signer, created, digest, signature, signatureField, parameters: serializeInnerList(input), given: input[1] };
  } catch {
    return null;
  }
}

/** @param longestMs the longest that a request may say it is good for */
export function readRequestForm(fields: Fields, longestMs: number): Result<RequestForm, 'malformed'> {
  const read = readForm(fields, { components: REQUEST_COMPONENTS, parameters: REQUEST_PARAMETERS });
  if (read === null) return fail('malformed');
  const { given, ...form } = read;
  const [expires, nonce] = [seconds(given.get('expires')), given.get('nonce')];
  if (expires === null || expires <= form.created || (expires - form.created) * 1_000 > longestMs) return fail('malformed', 'expires');
  const bytes = typeof nonce === 'string' ? fromBase64url(nonce) : null;
  return bytes?.length === NONCE_BYTES ? ok({ ...form, expires, nonce: bytes }) : fail('malformed', 'nonce');
}

export function readAnswerForm(fields: Fields): Result<SignedForm, 'malformed'> {
  const read = readForm(fields, { components: ANSWER_COMPONENTS, parameters: ANSWER_PARAMETERS });
  if (read === null) return fail('malformed');
  const { given: _given, ...form } = read;
  return ok(form);
}
