// What a caller believes: an answer that its peer signed for this request, and nothing else, whatever its status.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cryptoRandom } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { PeerClient } from '../../src/federation/client.ts';
import { signAnswer } from '../../src/federation/signature.ts';
import { Outbound } from '../../src/net/outbound.ts';
import { resolverFor } from '../../src/net/resolve.ts';
import { encodeAnswer } from '../../src/wire/federation.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Answering, type OtherServer, startOther } from '../support/other-server.ts';
import { makeServerKeys } from '../support/transport-keys.ts';

const rules = { allowPrivate: true };
const clock = new ManualClock();
const limits = DEFAULT_LIMITS;
const outbound = new Outbound({ clock, limits, rules, resolve: resolverFor(rules) });
const us = makeServerKeys();
const peer = makeServerKeys();
const client = new PeerClient({ outbound, clock, limits, random: cryptoRandom, signer: () => us.signer });
const body = encodeAnswer({ epoch: 'e', body: new Uint8Array([1, 2, 3]) });

let server: OtherServer;
let answer: Answering = () => undefined;
beforeAll(async () => {
  server = await startOther((request, response) => answer(request, response));
});
afterAll(async () => {
  await outbound[Symbol.asyncDispose]();
  await server.close();
});

const call = () =>
  client.call({ id: peer.id, baseUrl: `http://127.0.0.1:${server.port}`, keys: peer.keys }, 'request', new Uint8Array([9]));

type Change = {
  by?: typeof peer;
  status?: number;
  signedStatus?: number;
  sent?: Uint8Array;
  to?: string;
  fields?: (fields: Record<string, string>) => Record<string, string | string[]>;
};

/** A right answer, but for what is changed. */
const answering =
  ({ by = peer, status = 200, signedStatus = status, sent = body, to, fields = (same) => same }: Change = {}): Answering =>
  (request, response) => {
    const requestSignature = to ?? String(request.headers['signature']);
    const signed = signAnswer(by.signer, { status: signedStatus, body, now: clock.now(), requestSignature });
    response.writeHead(status, fields({ ...signed })).end(sent);
  };

describe('an answer', () => {
  test('that the peer signed for this request is believed, whatever its status', async () => {
    for (const status of [200, 404, 425, 429, 500, 503]) {
      answer = answering({ status });
      expect(await call()).toEqual({ kind: 'answer', status, epoch: 'e', body: Buffer.from([1, 2, 3]) });
    }
  });

  test('brings a refusal with its certificate', async () => {
    const refusal = { code: 'BLOCKED', detail: 'no', retryAfterMs: 7, certificate: { a: 1 } } as const;
    const refused = encodeAnswer({ epoch: '', body: new Uint8Array(), refusal });
    answer = (request, response) => {
      const signed = { status: 403, body: refused, now: clock.now(), requestSignature: String(request.headers['signature']) };
      response.writeHead(403, { ...signAnswer(peer.signer, signed) }).end(refused);
    };
    expect(await call()).toEqual({ kind: 'answer', status: 403, epoch: '', body: Buffer.alloc(0), refusal });
  });

  const altered = Uint8Array.from(body, (byte, at) => (at === 2 ? byte ^ 1 : byte));
  test.each<[string, Answering]>([
    ['is a page', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>')],
    ['is a 404 of somebody on the way', (_request, response) => void response.writeHead(404).end()],
    ['is a bare 204', (_request, response) => void response.writeHead(204).end()],
    ['is for another request', answering({ to: `reedbed=:${Buffer.alloc(64).toString('base64')}:` })],
    ['has another status than was signed', answering({ status: 200, signedStatus: 404 })],
    ['has another body', answering({ sent: altered })],
    ['has a shorter body', answering({ sent: body.subarray(1) })],
    ['has no signature', answering({ fields: ({ signature: _left, ...rest }) => rest })],
    ['has two', answering({ fields: (fields) => ({ ...fields, signature: [String(fields['signature']), 'x=:AAAA:'] }) })],
    ['has another type', answering({ fields: (fields) => ({ ...fields, 'content-type': 'text/html' }) })],
    ['is signed by another server', answering({ by: makeServerKeys() })],
    ['is signed by another key of that name', answering({ by: makeServerKeys(peer.id, peer.kid) })],
  ])('that %s is none', async (_name, given) => {
    answer = given;
    expect(await call()).toEqual({ kind: 'transport', reason: 'unsigned' });
  });

  test('signed by a key that is not known yet says so', async () => {
    answer = answering({ by: makeServerKeys(peer.id) });
    expect(await call()).toEqual({ kind: 'transport', reason: 'unknown-key' });
  });

  test('that is signed and is no envelope is malformed', async () => {
    const nonsense = new Uint8Array([255, 255, 255]);
    answer = (request, response) => {
      const signed = { status: 200, body: nonsense, now: clock.now(), requestSignature: String(request.headers['signature']) };
      response.writeHead(200, { ...signAnswer(peer.signer, signed) }).end(nonsense);
    };
    expect(await call()).toEqual({ kind: 'transport', reason: 'malformed' });
  });

  test('that redirects, breaks off or does not come in time is a fault of transport', async () => {
    answer = answering({ status: 302, fields: (fields) => ({ ...fields, location: 'http://127.0.0.1:1/' }) });
    expect(await call()).toEqual({ kind: 'transport', reason: 'redirect' });
    answer = (_request, response) => void response.destroy();
    expect(await call()).toEqual({ kind: 'transport', reason: 'unreachable' });
    answer = () => clock.advance(limits.peerCallMs);
    expect(await call()).toEqual({ kind: 'transport', reason: 'timeout' });
  });
});
