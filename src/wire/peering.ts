// Bodies of the legs of peering: bytes to values and back. What can't be read is a result, never a throw.
import { fail, ok, type Result } from '../base/result.ts';
import { reedbed } from './gen/peering.js';
import { parseStrictJson } from './strict-json.ts';

const { Connect, Connected, Notice, NoticeKind: KINDS } = reedbed.v1;

export type NoticeKind = 'approved' | 'going-away' | 'back' | 'disconnected' | 'compromised';
export type NoticeBody = {
  readonly kind: NoticeKind;
  /** With `compromised`. */
  readonly revocation?: unknown;
  /** With `back`, if it was sent: what the sender says of itself now. */
  readonly document?: unknown;
};
export type ConnectBody = { readonly secret: Uint8Array; readonly document: unknown };

const NUMBERS: Readonly<Record<NoticeKind, number>> = {
  approved: KINDS.NOTICE_APPROVED,
  'going-away': KINDS.NOTICE_GOING_AWAY,
  back: KINDS.NOTICE_BACK,
  disconnected: KINDS.NOTICE_DISCONNECTED,
  compromised: KINDS.NOTICE_COMPROMISED,
};
const NAMES = new Map(Object.entries(NUMBERS).map(([name, number]) => [number, name as NoticeKind]));

/** Deeper than a statement by what stands around it. */
const JSON_DEPTH = 6;
const JSON_BYTES = 32 * 1024;

const json = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** JSON as another server sent it: one that means one thing only. */
export const parseJson = (bytes: Uint8Array): Result<unknown, string> => parseStrictJson(bytes, { depth: JSON_DEPTH, bytes: JSON_BYTES });

export const encodeConnect = (secret: Uint8Array, document: object): Uint8Array =>
  Connect.encode({ secret, document: json(document) }).finish();

export const encodeConnected = (document: object): Uint8Array => Connected.encode({ document: json(document) }).finish();

type NoticeToSend = { readonly kind: NoticeKind; readonly revocation?: object; readonly document?: object };

export const encodeNotice = ({ kind, revocation, document }: NoticeToSend): Uint8Array =>
  Notice.encode({
    kind: NUMBERS[kind],
    ...(revocation === undefined ? {} : { revocation: json(revocation) }),
    ...(document === undefined ? {} : { document: json(document) }),
  }).finish();

function decoded<T>(decode: () => T): Result<T, 'malformed'> {
  try {
    return ok(decode());
  } catch {
    return fail('malformed');
  }
}

export function decodeConnect(bytes: Uint8Array): Result<ConnectBody, 'malformed'> {
  const read = decoded(() => Connect.decode(bytes));
  if (!read.ok) return read;
  const document = parseJson(read.value.document);
  return document.ok ? ok({ secret: read.value.secret, document: document.value }) : fail('malformed', 'document');
}

/** The document of the server that was called. */
export function decodeConnected(bytes: Uint8Array): Result<unknown, 'malformed'> {
  const read = decoded(() => Connected.decode(bytes));
  if (!read.ok) return read;
  const document = parseJson(read.value.document);
  return document.ok ? document : fail('malformed', 'document');
}

export function decodeNotice(bytes: Uint8Array): Result<NoticeBody, 'malformed'> {
  const read = decoded(() => Notice.decode(bytes));
  if (!read.ok) return read;
  const kind = NAMES.get(read.value.kind);
  if (kind === undefined) return fail('malformed', 'kind');
  if (kind === 'back' && read.value.document.length > 0) {
    const document = parseJson(read.value.document);
    return document.ok ? ok({ kind, document: document.value }) : fail('malformed', 'document');
  }
  if (kind !== 'compromised') return ok({ kind });
  const revocation = parseJson(read.value.revocation);
  return revocation.ok ? ok({ kind, revocation: revocation.value }) : fail('malformed', 'revocation');
}
