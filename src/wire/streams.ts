// The bodies of calls about authors' streams, persons and reeds: bytes to values and back. What can't be read is a result, never a throw.
// Certificates are carried as JSON; whether they hold is for who reads them to say.
import { fail, ok, type Result } from '../base/result.ts';
import { reedbed } from './gen/streams.js';
import { parseStrictJson } from './strict-json.ts';

const Wire = reedbed.v1;

/** What an item of a stream tells. `nothing`: a number that was given and tells nothing any more. */
export const STREAM_KINDS = [
  'nothing',
  'new-reed',
  'new-thread',
  'reed-removal',
  'thread-removal',
  'account-removal',
  'key',
  'key-revocation',
] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

export type StreamItem = {
  readonly number: number;
  readonly kind: StreamKind;
  /** Null for `nothing`. */
  readonly certificate: object | null;
  readonly broadcast: boolean;
  /** Of a new thread. */
  readonly parts: readonly object[];
  /** Of a thread's removal. */
  readonly record: object | null;
};

export type StreamRequest = {
  readonly authorId: string;
  readonly start: number;
  readonly cursor: number;
  /** The highest number that was ever sent before. */
  readonly sent: number;
  /** Of this request alone. */
  readonly token: string;
  readonly items: readonly StreamItem[];
  readonly replay: boolean;
};

/** accepted: taken now. known: taken before, or nothing to take. later: not now. refused: never, as it is. */
export const STREAM_VERDICTS = ['accepted', 'known', 'later', 'refused'] as const;
export type StreamVerdict = (typeof STREAM_VERDICTS)[number];
export type StreamOutcome = { readonly number: number; readonly verdict: StreamVerdict; readonly reason: string };
export type StreamAnswer = { readonly have: number; readonly outcomes: readonly StreamOutcome[] };

export type Position = { readonly authorId: string; readonly number: number };
/** A key's certificate and, if it was revoked, that of its revocation. */
export type KeyLink = { readonly certificate: object; readonly revocation?: object };
export type ProfileAnswer = { readonly identity: object; readonly chain: readonly KeyLink[] };
export type CertificateAnswer = { readonly certificate: object; readonly parts: readonly object[] };
const UTF8 = new TextEncoder();
const EMPTY = new Uint8Array(0);
const JSON_DEPTH = 16;

const json = (value: object | null): Uint8Array => (value === null ? EMPTY : UTF8.encode(JSON.stringify(value)));

class Malformed extends Error {}

function object(bytes: Uint8Array): object {
  const parsed = parseStrictJson(bytes, { depth: JSON_DEPTH, bytes: bytes.length });
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) throw new Malformed();
  return parsed.value;
}

const optional = (bytes: Uint8Array): object | null => (bytes.length === 0 ? null : object(bytes));

function read<T>(work: () => T): Result<T, 'malformed'> {
  try {
    return ok(work());
  } catch {
    return fail('malformed');
  }
}

/** A number of the stream: not below 0, and exact. */
function count(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new Malformed();
  return value;
}

function word<T extends string>(words: readonly T[], at: number): T {
  const found = words[at - 1];
  if (found === undefined) throw new Malformed();
  return found;
}

export const encodeStreamItem = ({ number, kind, certificate, broadcast, parts, record }: StreamItem) => ({
  ...{ number, kind: STREAM_KINDS.indexOf(kind) + 1, certificate: json(certificate), broadcast },
  ...{ parts: parts.map(json), record: json(record) },
});

/** What an item adds to a request's length. */
export const streamItemBytes = (item: StreamItem): number => Wire.StreamItem.encode(encodeStreamItem(item)).finish().length;

export function encodeStreamRequest({ items, ...rest }: StreamRequest): Uint8Array {
  return Wire.StreamRequest.encode({ ...rest, items: items.map(encodeStreamItem) }).finish();
}

export const decodeStreamRequest = (bytes: Uint8Array): Result<StreamRequest, 'malformed'> =>
  read(() => {
    const { authorId, start, cursor, sent, token, items, replay } = Wire.StreamRequest.decode(bytes);
    return {
      ...{ authorId, start: count(start), cursor: count(cursor), sent: count(sent), token, replay },
      items: items.map((item) => ({
        number: count(item.number ?? 0),
        kind: word(STREAM_KINDS, item.kind ?? 0),
        certificate: optional(item.certificate ?? EMPTY),
        broadcast: item.broadcast ?? false,
        parts: (item.parts ?? []).map(object),
        record: optional(item.record ?? EMPTY),
      })),
    };
  });

export function encodeStreamAnswer({ have, outcomes }: StreamAnswer): Uint8Array {
  const numbered = outcomes.map(({ verdict, ...rest }) => ({ ...rest, verdict: STREAM_VERDICTS.indexOf(verdict) + 1 }));
  return Wire.StreamAnswer.encode({ have, outcomes: numbered }).finish();
}

export const decodeStreamAnswer = (bytes: Uint8Array): Result<StreamAnswer, 'malformed'> =>
  read(() => {
    const { have, outcomes } = Wire.StreamAnswer.decode(bytes);
    return {
      have: count(have),
      outcomes: outcomes.map(({ number, verdict, reason }) => ({
        ...{ number: count(number ?? 0), verdict: word(STREAM_VERDICTS, verdict ?? 0), reason: reason ?? '' },
      })),
    };
  });

/** A request and an answer have the same form. */
export const encodePositions = (positions: readonly Position[]): Uint8Array =>
  Wire.PositionsRequest.encode({ positions: [...positions] }).finish();
export const decodePositions = (bytes: Uint8Array): Result<readonly Position[], 'malformed'> =>
  read(() =>
    Wire.PositionsRequest.decode(bytes).positions.map(({ authorId, number }) => ({ authorId: authorId ?? '', number: count(number ?? 0) })),
  );

export const encodeAbout = (id: string): Uint8Array => Wire.AboutRequest.encode({ id }).finish();
export const decodeAbout = (bytes: Uint8Array): Result<string, 'malformed'> => read(() => Wire.AboutRequest.decode(bytes).id);

const encodeLink = ({ certificate, revocation }: KeyLink) => ({ certificate: json(certificate), revocation: json(revocation ?? null) });

function linkOf(link: { certificate?: Uint8Array | null; revocation?: Uint8Array | null }): KeyLink {
  const revocation = optional(link.revocation ?? EMPTY);
  const certificate = object(link.certificate ?? EMPTY);
  return revocation === null ? { certificate } : { certificate, revocation };
}

export const encodeKeyAnswer = (chain: readonly KeyLink[]): Uint8Array => Wire.KeyAnswer.encode({ chain: chain.map(encodeLink) }).finish();
export const decodeKeyAnswer = (bytes: Uint8Array): Result<readonly KeyLink[], 'malformed'> =>
  read(() => Wire.KeyAnswer.decode(bytes).chain.map(linkOf));

export const encodeProfileAnswer = ({ identity, chain }: ProfileAnswer): Uint8Array =>
  Wire.ProfileAnswer.encode({ identity: json(identity), chain: chain.map(encodeLink) }).finish();
export const decodeProfileAnswer = (bytes: Uint8Array): Result<ProfileAnswer, 'malformed'> =>
  read(() => {
    const { identity, chain } = Wire.ProfileAnswer.decode(bytes);
    return { identity: object(identity), chain: chain.map(linkOf) };
  });

export const encodeCertificateAnswer = ({ certificate, parts }: CertificateAnswer): Uint8Array =>
  Wire.CertificateAnswer.encode({ certificate: json(certificate), parts: parts.map(json) }).finish();

export const decodeCertificateAnswer = (bytes: Uint8Array): Result<CertificateAnswer, 'malformed'> =>
  read(() => {
    const { certificate, parts } = Wire.CertificateAnswer.decode(bytes);
    return { certificate: object(certificate), parts: parts.map(object) };
  });

export const encodeAct = (certificate: object): Uint8Array => Wire.ActRequest.encode({ certificate: json(certificate) }).finish();
export const decodeAct = (bytes: Uint8Array): Result<object, 'malformed'> => read(() => object(Wire.ActRequest.decode(bytes).certificate));
