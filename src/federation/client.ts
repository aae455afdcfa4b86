// Calls to peers: signed, sent once, and believed only if the answer is signed by the one that was asked, for this very request. Whatever else
// comes back, whatever its status, is a fault of transport after which nothing is known.
import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { Outbound } from '../net/outbound.ts';
import type { Answer, CallFailure } from '../net/peer-pool.ts';
import type { ServerId } from '../wire/address.ts';
import { type AnswerEnvelope, decodeAnswer, type Refusal } from '../wire/federation.ts';
import { matchesDigest } from './digest.ts';
import { isSignedAnswer, signRequest, type TransportKeys, type TransportSigner } from './signature.ts';
import { type Fields, NONCE_BYTES, readAnswerForm } from './signature-form.ts';

export type CalledPeer = {
  readonly id: ServerId;
  /** Its origin. */
  readonly baseUrl: string;
  readonly keys: TransportKeys;
};

/** `unsigned`: no signature, or one that is not the peer's for this request · `unknown-key`: by a key that we don't know of · `malformed` */
export type TransportFailure = CallFailure | 'unsigned' | 'unknown-key' | 'malformed';

export type CallResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: Uint8Array;
      /** Of the peer's ledger; empty: it did not know. */
      readonly epoch: string;
      readonly refusal?: Refusal;
    }
  | { readonly kind: 'transport'; readonly reason: TransportFailure };

export type PeerClientDeps = {
  readonly outbound: Pick<Outbound, 'call'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly signer: () => TransportSigner;
};

export class PeerClient {
  readonly #deps: PeerClientDeps;

  constructor(deps: PeerClientDeps) {
    this.#deps = deps;
  }

  /** Calls a leg of a peer once. An abort of `signal` ends as `closed`. Never throws. */
  async call(peer: CalledPeer, leg: string, body: Uint8Array, signal?: AbortSignal): Promise<CallResult> {
    const { outbound, clock, random, limits, signer } = this.#deps;
    const path = `/federation/v1/${leg}`;
    const dated = { now: clock.now(), lifeMs: limits.peerSignatureMs, nonce: random(NONCE_BYTES) };
    const headers = signRequest(signer(), { targetUri: `${peer.baseUrl}${path}`, body, ...dated });
    const sent = await outbound.call(peer.baseUrl, { method: 'POST', path, headers, body, ...(signal === undefined ? {} : { signal }) });
    if (!sent.ok) return { kind: 'transport', reason: sent.reason };
    const read = readAnswer(sent.value, peer, headers.signature);
    return read.ok ? { kind: 'answer', status: sent.value.status, ...read.value } : { kind: 'transport', reason: read.reason };
  }
}

/** The fields as pairs; one that came several times stands there as often. */
const pairsOf = (headers: Answer['headers']): Fields =>
  Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]));

function readAnswer(answer: Answer, peer: CalledPeer, requestSignature: string): Result<AnswerEnvelope, TransportFailure> {
  const form = readAnswerForm(pairsOf(answer.headers));
  if (!form.ok || form.value.server !== peer.id) return fail('unsigned');
  if (!peer.keys.has(form.value.kid)) return fail('unknown-key');
  if (!isSignedAnswer(form.value, { status: answer.status, requestSignature }, peer.keys)) return fail('unsigned');
  if (!matchesDigest(createHash('sha256').update(answer.body).digest(), form.value.digest)) return fail('unsigned', 'body');
  const envelope = decodeAnswer(answer.body);
  return envelope.ok ? ok(envelope.value) : envelope;
}
