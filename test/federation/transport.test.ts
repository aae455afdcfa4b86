// The signed way between two servers: what reaches a leg, what is refused and how, and what a caller believes.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import type { LegAnswer } from '../../src/federation/legs.ts';
import { Nonces } from '../../src/federation/nonces.ts';
import { isSignedAnswer, signRequest } from '../../src/federation/signature.ts';
import { readAnswerForm } from '../../src/federation/signature-form.ts';
import { decodeAnswer } from '../../src/wire/federation.ts';
import { run } from '../support/database.ts';
import { type FederationWorld, makeFederation, signedFields } from '../support/federation-world.ts';
import { makeServerKeys, type ServerKeys } from '../support/transport-keys.ts';

const LIMIT_BYTES = 200_000;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

let there: FederationWorld;
let peer: ServerKeys;
const taken: { peer: string; body: string }[] = [];
let reply: () => LegAnswer | Promise<LegAnswer>;

beforeAll(async () => {
  there = await makeFederation({ limits: { httpRequestsPerMinute: 60 } });
  const handle = async (from: string, body: Uint8Array): Promise<LegAnswer> => {
    taken.push({ peer: from, body: Buffer.from(body).toString() });
    return reply();
  };
  there.legs.set('request', { limitBytes: LIMIT_BYTES, handle });
  there.legs.set('notice', { limitBytes: LIMIT_BYTES, beforeLive: true, handle });
});
afterAll(() => there.close());
beforeEach(() => {
  taken.length = 0;
  peer = there.peer();
  reply = () => ({ status: 200, body: bytes('done') });
});

type Sent = { leg?: string; path?: string; body?: Uint8Array; fields: Record<string, string> };

/** Sends what is given, signed or not, and looks at the answer as its caller would. */
async function send({ leg = 'request', path = `/federation/v1/${leg}`, body = new Uint8Array(), fields }: Sent) {
  const sent = await there.outbound.call(there.url, { method: 'POST', path, body, headers: fields });
  if (!sent.ok) throw new Error(sent.reason);
  const { status, headers, body: answer } = sent.value;
  const form = readAnswerForm(Object.entries(headers).flatMap(([name, value]) => [name, String(value)]));
  const isSigned = form.ok && isSignedAnswer(form.value, { status, requestSignature: fields['signature'] ?? '' }, there.own.keys);
  const envelope = isSigned ? decodeAnswer(answer) : null;
  return { status, isSigned, headers, text: Buffer.from(answer).toString(), refusal: envelope?.ok ? envelope.value.refusal : undefined };
}

const signed = (request: Partial<Parameters<typeof signedFields>[2]> = {}, by = peer) =>
  signedFields(there, by, { leg: 'request', ...request });
const nonces = async (): Promise<number> => (await run(there.world.databaseUrl, 'select from peer_nonces'))[0]?.rowCount ?? 0;

describe('a signed call', () => {
  test('reaches its leg with its sender, and brings back an answer with the epoch', async () => {
    const client = there.clientOf(peer);
    expect(await client.call(there.self, 'request', bytes('please'))).toEqual({
      ...{ kind: 'answer', status: 200, epoch: 'first' },
      body: Buffer.from('done'),
    });
    expect(taken).toEqual([{ peer: peer.id, body: 'please' }]);
    there.epoch.now = 'second';
    reply = () => ({ status: 204 });
    expect(await client.call(there.self, 'request', new Uint8Array())).toEqual({
      ...{ kind: 'answer', status: 200, epoch: 'second' },
      body: Buffer.alloc(0),
    });
  });

  test('gets a refusal of the leg with all that explains it', async () => {
    const certificate = { statement: { app: 'reedbed' } };
    reply = () => {
      throw new AppError('BLOCKED', 'the author blocks them', { certificate, retryAfterMs: 1_500 });
    };
    const answer = await send({ fields: signed() });
    expect(answer).toMatchObject({ status: 403, isSigned: true, headers: { 'retry-after': '2' } });
    expect(answer.refusal).toEqual({ code: 'BLOCKED', detail: 'the author blocks them', retryAfterMs: 1_500, certificate });
    reply = () => ({ status: 425 });
    expect(await send({ fields: signed() })).toMatchObject({ status: 425, isSigned: true, refusal: undefined });
  });

  test('learns nothing of what fails inside, and is answered all the same', async () => {
    reply = () => {
      throw new Error('row 7 of a table');
    };
    const answer = await send({ fields: signed() });
    expect(answer).toMatchObject({ status: 500, isSigned: true, refusal: { code: 'INTERNAL' } });
    expect(answer.text).not.toContain('row 7');
    reply = () => ({ status: 200, body: new Uint8Array(there.limits.peerAnswerBytes) });
    expect(await send({ fields: signed() })).toMatchObject({ status: 500, isSigned: true });
  });

  test('to a leg that is not there is told so, not that something was not found', async () => {
    expect(await send({ leg: 'nothing', fields: signed({ leg: 'nothing' }) })).toMatchObject({ status: 501, isSigned: true });
  });

  test('of a peer that is not live is refused before anything is kept, but on legs for that', async () => {
    const early = there.peer(false);
    const before = await nonces();
    const answer = await send({ fields: signed({}, early) });
    expect(answer).toMatchObject({ status: 403, isSigned: true, refusal: { code: 'FORBIDDEN' } });
    expect([taken.length, await nonces()]).toEqual([0, before]);
    expect(await send({ leg: 'notice', fields: signed({ leg: 'notice' }, early) })).toMatchObject({ status: 200, isSigned: true });
  });

  test('is for our own address, whatever its host fields say', async () => {
    const elsewhere = {
      host: 'other.example',
      'x-forwarded-host': 'other.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=other.example',
    };
    expect(await send({ fields: { ...signed(), ...elsewhere } })).toMatchObject({ status: 200 });
    const targetUri = 'https://other.example/federation/v1/request';
    expect(await send({ fields: { ...signed({ targetUri }), ...elsewhere } })).toMatchObject({ status: 403, isSigned: false });
    expect(await send({ path: '/federation/v1/request?x=1', fields: signed() })).toMatchObject({ status: 403, isSigned: false });
  });
});

describe('a stranger', () => {
  test.each<[string, () => Record<string, string>]>([
    ['nobody knows', () => signed({}, makeServerKeys())],
    ['has another key', () => signed({}, makeServerKeys(peer.id))],
    ['has another key of the same name', () => signed({}, makeServerKeys(peer.id, peer.kid))],
    ['signs for another leg', () => signed({ leg: 'notice' })],
    ['signs nothing', () => ({ 'content-type': 'application/protobuf' })],
    ['says nothing at all', () => ({})],
    ['speaks JSON', () => ({ ...signed(), 'content-type': 'application/json' })],
  ])('that %s gets a bare 403', async (_name, fields) => {
    const answer = await send({ body: bytes('{}'), fields: fields() });
    expect(answer).toMatchObject({ status: 403, isSigned: false, headers: { connection: 'close' } });
    expect(JSON.parse(answer.text)).toEqual({ type: 'about:blank', title: 'Forbidden', status: 403, code: 'FORBIDDEN', detail: '' });
    expect(taken).toEqual([]);
  });

  test('is counted by address, a peer of the same address is not', async () => {
    const left = there.limits.httpRequestsPerMinute;
    let status = 403;
    for (let turn = 0; turn <= left && status === 403; turn += 1) ({ status } = await send({ fields: {} }));
    expect(status).toBe(429);
    expect(await send({ fields: signed() })).toMatchObject({ status: 200, isSigned: true });
    there.clock.advance(60_000);
    expect((await send({ fields: {} })).status).toBe(403);
  });
});

describe('a replay', () => {
  test('is refused, by a server that was restarted too', async () => {
    const fields = signed({ body: bytes('once') });
    expect((await send({ body: bytes('once'), fields })).status).toBe(200);
    expect(await send({ body: bytes('once'), fields })).toMatchObject({
      status: 401,
      isSigned: true,
      refusal: { code: 'UNAUTHENTICATED' },
    });
    there.restart();
    expect((await send({ body: bytes('once'), fields })).status).toBe(401);
    expect(taken).toHaveLength(1);
  });

  test('at the same time is taken once', async () => {
    const fields = signed();
    const answers = await Promise.all(Array.from({ length: 6 }, () => send({ fields })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
  });

  test('by another peer is another request', async () => {
    const nonce = new Uint8Array(16).fill(1);
    const other = there.peer();
    for (const by of [peer, other]) {
      const made = {
        targetUri: `${there.url}/federation/v1/request`,
        body: new Uint8Array(),
        now: there.clock.now(),
        lifeMs: 60_000,
        nonce,
      };
      expect((await send({ fields: signRequest(by.signer, made) })).status).toBe(200);
    }
  });

  test('is remembered longer than a request is good for, and not for ever', async () => {
    for (let turn = 0; turn < 3; turn += 1) await send({ fields: signed() });
    there.clock.advance(there.limits.peerNonceMs - 1);
    await send({ fields: signed() });
    expect(await nonces()).toBeGreaterThanOrEqual(4);
    expect(there.limits.peerNonceMs).toBeGreaterThan(2 * there.limits.peerClockMs + there.limits.peerSignatureMs);
    there.clock.advance(2);
    await send({ fields: signed() });
    await send({ fields: signed() });
    expect(await nonces()).toBe(3);
  });
});

test('nonces of peers that have gone silent are forgotten so many at a time, by nobody’s call', async () => {
  const { clock, limits, world } = there;
  const over = new Nonces({ db: world.db, clock, limits: { ...limits, peerNoncesPerSweep: 2 } });
  while ((await over.sweep()) > 0);
  for (let turn = 0; turn < 3; turn += 1) await send({ fields: signed() });
  expect(await over.sweep()).toBe(0);
  clock.advance(limits.peerNonceMs + 1);
  const before = await nonces();
  expect([await over.sweep(), await nonces()]).toEqual([2, before - 2]);
  while ((await over.sweep()) > 0);
  expect(await nonces()).toBe(0);
});

describe('a clock', () => {
  test.each([
    [-301_000, 'your request is dated 301 s behind the clock here'],
    [302_000, 'your request is dated 302 s ahead of the clock here'],
  ])('that is %i ms off is named', async (aheadMs, detail) => {
    const answer = await send({ fields: signed({ aheadMs }) });
    expect(answer).toMatchObject({ status: 401, isSigned: true, refusal: { code: 'CLOCK_DIFFERS', detail } });
    expect(taken).toEqual([]);
  });

  test.each([-299_000, 299_000])('may be %i ms off', async (aheadMs) => {
    expect((await send({ fields: signed({ aheadMs }) })).status).toBe(200);
  });
});

describe('a body', () => {
  const agreed = new Uint8Array(LIMIT_BYTES).fill(97);

  test('of the longest length is taken', async () => {
    expect((await send({ body: agreed, fields: signed({ body: agreed }) })).status).toBe(200);
    expect(taken[0]?.body).toHaveLength(LIMIT_BYTES);
  });

  test('one byte longer is not, and its end is let through', async () => {
    const body = new Uint8Array(LIMIT_BYTES + 1);
    const answer = await send({ body, fields: signed({ body }) });
    expect(answer).toMatchObject({ status: 413, isSigned: true, refusal: { code: 'TOO_LARGE' }, headers: { connection: 'keep-alive' } });
    expect(taken).toEqual([]);
  });

  test('without an end is not read for ever', async () => {
    const answer = await new Promise<{ status: number | undefined; connection: string | undefined }>((resolve) => {
      const sent = httpRequest(`${there.url}/federation/v1/request`, { method: 'POST', headers: signed() }, (response) => {
        resolve({ status: response.statusCode, connection: response.headers.connection });
        sent.destroy();
      });
      sent.on('error', () => undefined);
      const more = (): void => void (sent.destroyed || sent.write(new Uint8Array(65_536), more));
      more();
    });
    expect(answer).toEqual({ status: 413, connection: 'close' });
    expect(taken).toEqual([]);
  });

  test.each<[string, Uint8Array]>([
    ['other', new Uint8Array(LIMIT_BYTES).fill(98)],
    ['shorter', new Uint8Array(LIMIT_BYTES - 1).fill(97)],
    ['missing', new Uint8Array()],
  ])('%s than the one that was signed is refused', async (_name, body) => {
    expect(await send({ body, fields: signed({ body: agreed }) })).toMatchObject({
      status: 400,
      isSigned: true,
      refusal: { code: 'BAD_REQUEST' },
    });
    expect(taken).toEqual([]);
  });

  test('that breaks off reaches no leg, and its request can not be sent again', async () => {
    const body = bytes('whole');
    const fields = signed({ body });
    const before = await nonces();
    await new Promise<void>((resolve) => {
      const sent = httpRequest(`${there.url}/federation/v1/request`, { method: 'POST', headers: { ...fields, 'content-length': '5' } });
      sent.on('error', () => resolve());
      sent.write('who', () => sent.destroy(new Error('enough')));
    });
    await expect.poll(nonces).toBe(before + 1);
    expect((await send({ body, fields })).status).toBe(401);
    expect(taken).toEqual([]);
  });

  test('of a refused caller that is known is still let through, so that the answer is read', async () => {
    const early = there.peer(false);
    const body = new Uint8Array(LIMIT_BYTES);
    for (let turn = 0; turn < 5; turn += 1) {
      const answer = await send({ body, fields: signed({ body }, early) });
      expect(answer).toMatchObject({ status: 403, isSigned: true });
      expect(answer.headers['connection']).not.toBe('close');
    }
  });
});

describe('a budget', () => {
  test('is so many calls at once', async () => {
    const { peerRequestsAtOnce: most } = there.limits;
    const gate = Promise.withResolvers<LegAnswer>();
    reply = () => gate.promise;
    const client = there.clientOf(peer);
    const running = Array.from({ length: most }, () => client.call(there.self, 'request', new Uint8Array()));
    await expect.poll(() => taken.length).toBe(most);
    // Its own pool lets no ninth one go: it comes from another process of the peer.
    const ninth = await new Promise<{ status: number | undefined; wait: string | undefined }>((resolve) => {
      const sent = httpRequest(`${there.url}/federation/v1/request`, { method: 'POST', headers: signed() }, (answer) =>
        resolve({ status: answer.resume().statusCode, wait: answer.headers['retry-after'] }),
      );
      sent.end();
    });
    expect(ninth).toEqual({ status: 429, wait: '1' });
    gate.resolve({ status: 200 });
    expect((await Promise.all(running)).map((result) => result.kind === 'answer' && result.status)).toEqual(running.map(() => 200));
    reply = () => ({ status: 200 });
    expect((await send({ fields: signed() })).status).toBe(200);
  });

  test('is so many calls a second, of each peer', async () => {
    const { peerRequestsPerSecond: most } = there.limits;
    const other = there.peer();
    for (let turn = 0; turn < most; turn += 1) expect((await send({ fields: signed() })).status).toBe(200);
    expect(await send({ fields: signed() })).toMatchObject({
      status: 429,
      isSigned: true,
      refusal: { code: 'RATE_LIMITED', retryAfterMs: 20 },
    });
    expect((await send({ fields: signed({}, other) })).status).toBe(200);
    there.clock.advance(20);
    expect((await send({ fields: signed() })).status).toBe(200);
    expect((await send({ fields: signed() })).status).toBe(429);
  });
});

test('calls that do not hold cost more than others, so that their number is small', async () => {
  const { peerBytesPerMinute, peerFaultBytes } = there.limits;
  reply = () => {
    throw new AppError('INVALID', 'not so');
  };
  const body = bytes('{}');
  for (let turn = 0; turn < peerBytesPerMinute / peerFaultBytes; turn += 1) {
    there.clock.advance(20);
    expect((await send({ body, fields: signed({ body }) })).status).toBe(422);
  }
  there.clock.advance(20);
  // As much as comes back within these seconds.
  for (let more = 0; (await send({ body, fields: signed({ body }) })).status === 422; more += 1) expect(more).toBeLessThan(8);
  there.clock.advance(60_000);
  expect((await send({ body, fields: signed({ body }) })).status).toBe(422);
});

describe('an introduction', () => {
  const newcomer = makeServerKeys();
  const introduce = (keys = newcomer) =>
    there.introductions.set('connect', {
      limitBytes: 100,
      introduce: async (body) =>
        Buffer.from(body).toString() === 'secret' ? { server: keys.id, keys: keys.keys, handle: async () => ({ status: 200 }) } : null,
    });
  const connect = (body: string, by = newcomer) => ({
    leg: 'connect',
    body: bytes(body),
    fields: signed({ leg: 'connect', body: bytes(body) }, by),
  });

  test('with the secret is answered, once', async () => {
    introduce();
    const call = connect('secret');
    expect(await send(call)).toMatchObject({ status: 200, isSigned: true });
    expect(await send(call)).toMatchObject({ status: 401, isSigned: true });
  });

  test('without it finds nothing', async () => {
    introduce();
    for (const call of [connect('guess'), connect('x'.repeat(101)), { ...connect('guess'), body: bytes('secret') }])
      expect(await send(call)).toMatchObject({ status: 404, isSigned: false });
  });

  test('that is signed by somebody else is none', async () => {
    introduce();
    expect(await send(connect('secret', makeServerKeys()))).toMatchObject({ status: 400, isSigned: false });
    expect(await send(connect('secret', makeServerKeys(newcomer.id, newcomer.kid)))).toMatchObject({ status: 400, isSigned: false });
    introduce({ ...newcomer, id: makeServerKeys().id });
    expect(await send(connect('secret'))).toMatchObject({ status: 400, isSigned: false });
  });

  test('is heard whoever else sends slowly', async () => {
    introduce();
    const slow = Array.from({ length: 2 * there.limits.introductionsAtOnce }, (_, at) => {
      const { fields } = connect(`never ${at}`);
      const sent = httpRequest(`${there.url}/federation/v1/connect`, { method: 'POST', headers: { ...fields, 'content-length': '50' } });
      sent.on('error', () => undefined);
      return new Promise<() => void>((resolve) => sent.write('never', () => resolve(() => sent.destroy())));
    });
    const ends = await Promise.all(slow);
    expect(await send(connect('secret'))).toMatchObject({ status: 200, isSigned: true });
    for (const end of ends) end();
  });

  test('by a wrong clock is told so', async () => {
    introduce();
    const body = bytes('secret');
    const fields = signed({ leg: 'connect', body, aheadMs: 400_000 }, newcomer);
    expect(await send({ leg: 'connect', body, fields })).toMatchObject({ status: 401, isSigned: true, refusal: { code: 'CLOCK_DIFFERS' } });
  });
});
