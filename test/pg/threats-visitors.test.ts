// Somebody without a session: what every route answers, and what a socket says before anybody signed in. A route that is added answers 401
// or stands in the list here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { base64url, cryptoRandom } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { makeMember } from '../support/members.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** What is open to everybody, with the fields of the answer to a request that says nothing; other answers carry an error. */
const OPEN: Readonly<Record<string, readonly string[]>> = {
  'GET /api/v1/server': ['document', 'id', 'limits', 'name', 'protocol', 'signup', 'time', 'version'],
  'GET /.well-known/reedbed': ['signatures', 'statement'],
  'GET /.well-known/reedbed/revocations': ['revocations'],
  'GET /healthz': ['status'],
  'GET /readyz': ['status'],
  'POST /api/v1/auth/challenge': ['expiresAt', 'nonce'],
  'POST /api/v1/auth/token': ['code', 'detail', 'status', 'title', 'type'],
  'POST /api/v1/devices': ['code', 'detail', 'status', 'title', 'type'],
  'POST /api/v1/keys/{id}/revocation': ['code', 'detail', 'status', 'title', 'type'],
  'POST /api/v1/users': ['code', 'detail', 'status', 'title', 'type'],
  'POST /api/v1/invites/check': ['code', 'detail', 'status', 'title', 'type'],
};

const SIGNED = { statement: {}, signatures: [{ key: 'x', signature: 'x' }] };
/** What routes with a session need to see before they ask for it: the shape of the request is looked at first. */
const SHAPED: Readonly<Record<string, { readonly query?: string; readonly body?: object }>> = {
  'GET /api/v1/users': { query: '?query=her' },
  'GET /api/v1/users/elsewhere': { query: '?query=her' },
  'POST /api/v1/users/me/identity': { body: SIGNED },
  'POST /api/v1/invites': { body: SIGNED },
  'POST /api/v1/keys': { body: { key: SIGNED } },
  'POST /api/v1/keys/{id}/revocation': { body: SIGNED },
  'POST /api/v1/users/me/removal': { body: SIGNED },
  'POST /api/v1/users/me/removal-withdrawal': { body: SIGNED },
  'POST /api/v1/reeds': { body: SIGNED },
  'POST /api/v1/threads': { body: SIGNED },
  'POST /api/v1/reeds/{id}/like': { body: SIGNED },
  'POST /api/v1/reeds/{id}/unlike': { body: SIGNED },
  'POST /api/v1/reeds/{id}/removal': { body: SIGNED },
  'POST /api/v1/threads/{id}/removal': { body: SIGNED },
  'POST /api/v1/users/{id}/follow': { body: SIGNED },
  'POST /api/v1/users/{id}/unfollow': { body: SIGNED },
  'POST /api/v1/users/{id}/block': { body: SIGNED },
  'POST /api/v1/users/{id}/unblock': { body: SIGNED },
  'POST /api/v1/admin/users/{id}/role': { body: SIGNED },
  'POST /api/v1/admin/peers/invite': { body: { act: SIGNED, key: 'x' } },
  'POST /api/v1/admin/peers/read': { body: { connection: 'x' } },
  'POST /api/v1/admin/peers/accept': { body: { act: SIGNED, connection: 'x' } },
  'POST /api/v1/admin/peers/{id}/approve': { body: SIGNED },
  'POST /api/v1/admin/peers/{id}/suspend': { body: SIGNED },
  'POST /api/v1/admin/peers/{id}/resume': { body: SIGNED },
  'POST /api/v1/admin/peers/{id}/revoke': { body: SIGNED },
};

let server: TestServer;
/** What members have made: ids and names that nobody outside may be told. */
let secrets: Readonly<Record<string, string>>;
let routes: string[];

beforeAll(async () => {
  server = await startServer({ config: { signup: 'open' }, limits: { failedSignInsPerMinute: 1_000 } });
  const member = await makeMember(server, { name: 'heron' });
  const { reedId, published } = await member.publish({ text: 'whispered words #pool' });
  await published;
  const { account } = member;
  await member.close();
  if (!account) throw new Error('not signed up');
  secrets = { user: account.user, reed: reedId, key: account.key, device: account.device, name: 'heron', tag: 'pool' };
  const api = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: Record<string, Record<string, unknown>> };
  routes = Object.entries(api.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
});
afterAll(() => server.close());

type Answer = { readonly status: number; readonly text: string };

/** Asks a route as nobody; ids in its path are of what exists, or of what does not. */
async function ask(route: string, { existing = true, token = '' } = {}): Promise<Answer> {
  const [method = '', pattern = ''] = route.split(' ');
  const kind = /\/(users|keys|reeds|threads|invites)\/\{/.exec(pattern)?.[1] ?? '';
  const known = {
    users: secrets['user'],
    keys: secrets['key'],
    reeds: secrets['reed'],
    threads: secrets['reed'],
    invites: secrets['reed'],
  }[kind];
  const id = existing ? (known ?? '') : (known ?? '').replace(/^.{8}/, 'aaaaaaaa');
  const path = pattern.replace(/\{\w+\}/, encodeURIComponent(id));
  const headers = {
    ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  const { query = '', body = {} } = SHAPED[route] ?? {};
  const answer = await fetch(`${server.url}${path}${query}`, {
    method,
    headers,
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, text: await answer.text() };
}

const told = (text: string): string[] => Object.keys(secrets).filter((name) => text.includes(secrets[name] ?? ' '));

describe('somebody without a session', () => {
  test('is asked for one by every route but those that are open', async () => {
    expect(routes.length).toBeGreaterThan(20);
    const answers = await Promise.all(routes.map(async (route) => [route, (await ask(route)).status] as const));
    const open = answers.filter(([, status]) => status !== 401).map(([route]) => route);
    expect(open.sort()).toEqual(Object.keys(OPEN).sort());
  });

  test.each(Object.entries(OPEN))('reads these fields and no others: %s', async (route, fields) => {
    const { text } = await ask(route);
    expect(Object.keys(JSON.parse(text)).sort()).toEqual(fields);
    expect(told(text)).toEqual([]);
  });

  test('can not tell what exists from what does not, with no token or a wrong one', async () => {
    for (const route of routes.filter((one) => !(one in OPEN))) {
      for (const token of ['', base64url(cryptoRandom(32))]) {
        expect(await ask(route, { existing: false, token }), route).toEqual(await ask(route, { existing: true, token }));
      }
    }
  });

  test('gets the app for any other address, and no word about members', async () => {
    for (const path of [
      '/',
      `/u/${secrets['name']}`,
      `/r/${encodeURIComponent(secrets['reed'] ?? '')}`,
      '/api/v1/nothing',
      '/openapi.json',
    ]) {
      const text = await (await fetch(`${server.url}${path}`)).text();
      expect(told(text), path).toEqual([]);
    }
  });

  test('is told by a socket which server it is, what time it is and a nonce, and nothing by any frame it sends', async () => {
    const hello = await firstFrames();
    expect(hello).toEqual([{ id: '', type: 'hello', body: expect.anything() }]);
    expect(Object.keys(hello[0]?.body ?? {}).sort()).toEqual(['nonce', 'protocolMax', 'protocolMin', 'serverId', 'serverTime']);
    const request = {
      requestId: `${secrets['user']}/${crypto.randomUUID()}`,
      reedId: secrets['reed'] ?? '',
      authorId: secrets['user'] ?? '',
    };
    const afterwards = await firstFrames({ id: '', type: 'requestReed', body: request });
    expect(afterwards.map(({ type }) => type)).toEqual(['hello']);
    const refused = await firstFrames({
      id: '',
      type: 'authenticate',
      body: { statement: new Uint8Array(), signature: '', clientNonce: base64url(cryptoRandom(24)), token: base64url(cryptoRandom(32)) },
    });
    expect(refused.map(({ type }) => type)).toEqual(['hello', 'error']);
    expect(told(JSON.stringify([hello, afterwards, refused]))).toEqual([]);
  });
});

/** Opens a socket, sends the frame after HELLO if there is one, and gives back what came until the server or, after an answer, we closed. */
function firstFrames(sent?: Frame): Promise<Frame[]> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/socket`, 'reedbed.v1');
  const frames: Frame[] = [];
  socket.on('message', (data: Buffer) => {
    const decoded = decodeFrame(data, DEFAULT_LIMITS);
    if (!decoded.ok) throw new Error(decoded.reason);
    frames.push(decoded.value);
    if (frames.length === 1 && sent) socket.send(encodeFrame(sent));
    else socket.close();
  });
  return new Promise((resolve) => socket.once('close', () => resolve(frames)));
}
