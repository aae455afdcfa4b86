// The envelope of every answer between servers: bytes to values and back. What can't be read is a result, never a throw.
import { ERROR_CODES, type ErrorCode, errorCodeOf } from '../base/codes.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { reedbed } from './gen/federation.js';
import { parseStrictJson } from './strict-json.ts';

const Wire = reedbed.v1.FederationAnswer;

/** Why a call was refused. */
export type Refusal = {
  readonly code: ErrorCode;
  readonly detail: string;
  /** Milliseconds after which it may succeed; 0: not said. */
  readonly retryAfterMs: number;
  /** The certificate that explains it. */
  readonly certificate?: object;
};

export type AnswerEnvelope = {
  /** Of the answering server's ledger; empty while it does not know. */
  readonly epoch: string;
  readonly body: Uint8Array;
  readonly refusal?: Refusal;
};

const EMPTY = new Uint8Array(0);
const JSON_DEPTH = 16;
const DETAIL_CHARS = 200;

/** Words of another server end up on a terminal of ours. */
const printable = (text: string): string => text.slice(0, DETAIL_CHARS).replace(/[^\x20-\x7e]/g, '?');

export function encodeAnswer({ epoch, body, refusal }: AnswerEnvelope): Uint8Array {
  if (refusal === undefined) return Wire.encode({ epoch, body }).finish();
  const { code, detail, retryAfterMs, certificate } = refusal;
  const explained = certificate === undefined ? EMPTY : new TextEncoder().encode(JSON.stringify(certificate));
  return Wire.encode({ epoch, body, code: ERROR_CODES[code].number, detail, retryAfterMs, certificate: explained }).finish();
}

function certificateOf(bytes: Uint8Array): { certificate?: object } | null {
  if (bytes.length === 0) return {};
  const parsed = parseStrictJson(bytes, { depth: JSON_DEPTH, bytes: bytes.length });
  const isObject = parsed.ok && typeof parsed.value === 'object' && parsed.value !== null;
  return isObject ? { certificate: parsed.value as object } : null;
}

export function decodeAnswer(bytes: Uint8Array): Result<AnswerEnvelope, 'malformed'> {
  try {
    const { epoch, body, code, detail, retryAfterMs, certificate } = Wire.decode(bytes);
    // Kept, compared and asked about whenever it is another one.
    if (epoch.length > DEFAULT_LIMITS.peerEpochChars) return fail('malformed', 'epoch');
    const explained = certificateOf(certificate);
    if (explained === null) return fail('malformed', 'certificate');
    if (code === 0 && detail === '') return ok({ epoch, body });
    return ok({ epoch, body, refusal: { code: errorCodeOf(code), detail: printable(detail), retryAfterMs, ...explained } });
  } catch {
    return fail('malformed');
  }
}
