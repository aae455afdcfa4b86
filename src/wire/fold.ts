// The bodies of the fold's calls: bytes to values and back. What can't be read is null, never a throw: it is another server's fault.
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { parseReedId, parseUserId, parseUserKeyId, parseUuid, type ReedId, type UserId, type UserKeyId, userOf } from './address.ts';
import { reedbed } from './gen/fold.js';
import { parseStrictJson } from './strict-json.ts';

const Wire = reedbed.v1;
const UTF8 = new TextEncoder();
const JSON_DEPTH = 16;
/** Of a subject, from one server. */
const COPIES_AT_ONCE = 3;
/** Several times what a peer may have open; a list of as many that are unknown still fits an answer. */
const MOST_CROSSINGS = 4 * DEFAULT_LIMITS.peerDormantEvents;
/** A statement with its signatures. */
const MOST_CERTIFICATE_BYTES = 2 * DEFAULT_LIMITS.statementBytes;

export type FoldRequest = {
  readonly peerRequestId: string;
  readonly reedId: ReedId;
  readonly isThread: boolean;
  readonly requesterId: UserId;
  readonly requesterKeyId: UserKeyId;
  readonly keyChain: readonly unknown[];
  /** Its place among the crossings of this subject: whatever had it before is over for who asks. */
  readonly slot: number;
};
/** takenBy: what has the slot of a request that is not taken, by its id. */
export type FoldRequestAnswer = { readonly onlineHolders: number; readonly certificate: Uint8Array; readonly takenBy: string | null };
export type FoldDelivery = { readonly peerRequestId: string; readonly ciphertext: Uint8Array; readonly threadRecord: object | null };
export type FoldWord = { readonly peerRequestId: string; readonly reason: string };
export type HolderWord = { readonly reedId: ReedId; readonly holding: boolean };

const read = <T>(decode: () => T | null): T | null => {
  try {
    return decode();
  } catch {
    return null;
  }
};

const json = (bytes: Uint8Array): unknown => {
  const parsed = parseStrictJson(bytes, { depth: JSON_DEPTH, bytes: bytes.length });
  return parsed.ok ? parsed.value : null;
};

export const encodeFoldRequest = (request: FoldRequest): Uint8Array =>
  Wire.FoldRequest.encode({ ...request, keyChain: UTF8.encode(JSON.stringify(request.keyChain)) }).finish();

export const decodeFoldRequest = (bytes: Uint8Array): FoldRequest | null =>
  read(() => {
    const { peerRequestId, reedId, isThread, requesterId, requesterKeyId, keyChain, slot } = Wire.FoldRequest.decode(bytes);
    const [id, reed, requester, key] = [
      parseUuid(peerRequestId),
      parseReedId(reedId),
      parseUserId(requesterId),
      parseUserKeyId(requesterKeyId),
    ];
    const chain = json(keyChain);
    if (!id || !reed || !requester || !key || userOf(key) !== requester || !Array.isArray(chain)) return null;
    if (slot < 1 || slot > COPIES_AT_ONCE) return null;
    return { peerRequestId: id, reedId: reed, isThread, requesterId: requester, requesterKeyId: key, keyChain: chain, slot };
  });

export const encodeFoldRequestAnswer = (onlineHolders: number, certificate?: object, takenBy = ''): Uint8Array =>
  Wire.FoldRequestAnswer.encode({
    ...{ onlineHolders, takenBy },
    certificate: certificate === undefined ? new Uint8Array(0) : UTF8.encode(JSON.stringify(certificate)),
  }).finish();

export const decodeFoldRequestAnswer = (bytes: Uint8Array): FoldRequestAnswer | null =>
  read(() => {
    const { onlineHolders, certificate, takenBy } = Wire.FoldRequestAnswer.decode(bytes);
    // It is passed on to the member who asked, unread.
    return certificate.length > MOST_CERTIFICATE_BYTES ? null : { onlineHolders, certificate, takenBy: parseUuid(takenBy) };
  });

export const encodeFoldDelivery = ({ peerRequestId, ciphertext, threadRecord }: FoldDelivery): Uint8Array =>
  Wire.FoldDelivery.encode({
    ...{ peerRequestId, ciphertext },
    threadRecord: threadRecord === null ? new Uint8Array(0) : UTF8.encode(JSON.stringify(threadRecord)),
  }).finish();

export const decodeFoldDelivery = (bytes: Uint8Array): FoldDelivery | null =>
  read(() => {
    const { peerRequestId, ciphertext, threadRecord } = Wire.FoldDelivery.decode(bytes);
    const id = parseUuid(peerRequestId);
    const record = threadRecord.length === 0 ? null : json(threadRecord);
    if (!id || ciphertext.length === 0 || (threadRecord.length > 0 && (typeof record !== 'object' || record === null))) return null;
    return { peerRequestId: id, ciphertext, threadRecord: record as object | null };
  });

export const encodeFoldWord = (word: FoldWord): Uint8Array => Wire.FoldWord.encode(word).finish();

export const decodeFoldWord = (bytes: Uint8Array): FoldWord | null =>
  read(() => {
    const { peerRequestId, reason } = Wire.FoldWord.decode(bytes);
    const id = parseUuid(peerRequestId);
    return id && { peerRequestId: id, reason };
  });

export const encodeFoldCrossings = (ids: readonly string[]): Uint8Array => Wire.FoldCrossings.encode({ peerRequestIds: [...ids] }).finish();

export const decodeFoldCrossings = (bytes: Uint8Array): string[] | null =>
  read(() => {
    const { peerRequestIds } = Wire.FoldCrossings.decode(bytes);
    return peerRequestIds.length <= MOST_CROSSINGS && peerRequestIds.every((id) => parseUuid(id) !== null) ? peerRequestIds : null;
  });

export const encodeHolderWord = (word: HolderWord): Uint8Array => Wire.HolderNotify.encode(word).finish();

export const decodeHolderWord = (bytes: Uint8Array): HolderWord | null =>
  read(() => {
    const { reedId, holding } = Wire.HolderNotify.decode(bytes);
    const reed = parseReedId(reedId);
    return reed && { reedId: reed, holding };
  });
