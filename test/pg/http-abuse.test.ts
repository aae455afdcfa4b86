// What the internet sends: bodies that are no JSON or too much of it, wrong methods, hostile paths, floods. Each gets a clear 4xx, none a 5xx.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/http/api.ts';
import { CONTENT_SECURITY_POLICY } from '../../src/http/headers.ts';
import { networkOf } from '../../src/identity/address-budget.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { makeHttp } from '../support/http.ts';
import { makePerson, makeWorld, type Person, reedStatement, sign, signInBody, signUp, signUpBody, type World } from '../support/people.ts';

let world: World;
let app: Api;
let ann: Person & { token: string };
let port: number;
const ROOMY = {
  signUpsPerHour: 1_000,
  challengesPerHour: 10_000,
  failedSignInsPerMinute: 1_000,
  httpRequestsPerMinute: 100_000,
  actsBurst: 100_000,
};
beforeAll(async () => {
  world = await makeWorld({ limits: ROOMY });
  app = await makeHttp(world);
  ann = await signUp(world);
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as { port: number }).port;
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const post = async (path: string, payload: string | Buffer, headers: Record<string, string> = {}) => {
  const answer = await app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ann.token}`, ...headers },
    payload,
  });
  expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(answer.headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
  expect(answer.json()).toMatchObject({ status: answer.statusCode, code: expect.any(String), detail: expect.any(String) });
  return { status: answer.statusCode, code: answer.json().code, detail: String(answer.json().detail) };
};

const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });

describe('a body', () => {
  const reed = async (): Promise<string> => JSON.stringify(await sign(ann, reedStatement(world, ann), world.clock.now()));

  test.each([
    ['empty', ''],
    ['no JSON', 'nonsense'],
    ['cut off', '{"statement":{'],
    ['text', '"text"'],
    ['null', 'null'],
    ['a list', '[]'],
    ['with bad UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['with a byte order mark', '\ufeff{}'],
    ['of 5,000 levels of lists', '['.repeat(5_000) + ']'.repeat(5_000)],
    ['of 5,000 levels of objects', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
    ['with __proto__', '{"__proto__":{"statement":{}},"statement":{},"signatures":[]}'],
    ['with constructor', '{"constructor":{"prototype":{"x":1}},"statement":{},"signatures":[]}'],
  ])('%s is 400', async (_name, payload) => {
    for (const path of ['/api/v1/reeds', '/api/v1/users', '/api/v1/auth/token']) expect((await post(path, payload)).status).toBe(400);
  });

  test('with a duplicate key is 400, wherever it is', async () => {
    const body = await reed();
    expect(await post('/api/v1/reeds', body.replace('{"statement":', '{"statement":{},"statement":'))).toMatchObject({
      status: 400,
      detail: expect.stringContaining('duplicate-key'),
    });
    expect(await post('/api/v1/reeds', body.replace('"tags":[]', '"tags":[],"t\\u0061gs":["x"]'))).toMatchObject({
      status: 400,
      detail: expect.stringContaining('duplicate-key'),
    });
  });

  test('with a lone surrogate is 400, in a value and in a key', async () => {
    const body = await reed();
    expect((await post('/api/v1/reeds', body.replace('"tags":[]', '"tags":["\\ud800"]'))).status).toBe(400);
    expect((await post('/api/v1/reeds', body.replace('"tags":[]', '"t\\udfff":[]'))).status).toBe(400);
  });

  test('over the limit is 413, whether it says so or not', async () => {
    expect(await post('/api/v1/reeds', `"${'x'.repeat(world.limits.httpBodyBytes)}"`)).toMatchObject({ status: 413, code: 'TOO_LARGE' });
    const answer = await raw(
      'POST /api/v1/reeds HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 (401|413) /);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const chunked = await raw(
      `POST /api/v1/users HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    'of type %s is 415',
    async (type) => {
      expect(await post('/api/v1/reeds', await reed(), { 'content-type': type })).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    },
  );

  test.each([
    ['an extra field', (body: Record<string, unknown>) => ({ ...body, extra: 1 })],
    ['an extra field in a signature', (body: Record<string, unknown>) => ({ ...body, signatures: [{ key: 'k', signature: 's', x: 1 }] })],
    ['signatures that are a string', (body: Record<string, unknown>) => ({ ...body, signatures: 'x' })],
    ['signatures that are an object', (body: Record<string, unknown>) => ({ ...body, signatures: { 0: { key: 'k', signature: 's' } } })],
    ['a signature that is a number', (body: Record<string, unknown>) => ({ ...body, signatures: [{ key: 'k', signature: 7 }] })],
    ['a null signature', (body: Record<string, unknown>) => ({ ...body, signatures: [null] })],
    ['a null statement', (body: Record<string, unknown>) => ({ ...body, statement: null })],
    ['a missing statement', ({ signatures }: Record<string, unknown>) => ({ signatures })],
  ])('with %s is 400', async (_name, change) => {
    expect((await post('/api/v1/reeds', JSON.stringify(change(JSON.parse(await reed()))))).status).toBe(400);
  });

  test.each([
    ['an extra', { admin: true }],
    ['a null', { previous: null }],
    ['a number for a string', { bodyHash: 7 }],
    ['a string for a list', { tags: 'tag' }],
    ['a true for a list', { mentions: true }],
    ['another app', { app: 'other' }],
    ['another version', { v: 2 }],
    ['a version as text', { v: '1' }],
    ['a type it is not', { type: 'thread' }],
    ['a float', { v: 1.5 }],
  ])('whose statement has %s is refused, unchanged', async (_name, change) => {
    const signed = await sign(ann, reedStatement(world, ann), world.clock.now());
    const { status } = await post('/api/v1/reeds', JSON.stringify({ ...signed, statement: { ...signed.statement, ...change } }));
    expect([400, 422]).toContain(status);
    expect(await world.db.query({ text: 'select id from reeds where id = $1', values: [signed.statement.id] })).toEqual([]);
  });
});

describe('a request', () => {
  test('for nothing is 404, with another method 405 and the ones there are', async () => {
    const nothing = await app.inject({ method: 'GET', url: '/api/v1/nothing' });
    expect([nothing.statusCode, nothing.json().code]).toEqual([404, 'NOT_FOUND']);
    for (const [method, url, allow] of [
      ['DELETE', '/api/v1/server', 'GET, HEAD'],
      ['GET', '/api/v1/auth/challenge', 'POST'],
      ['PUT', `/api/v1/users/${encodeURIComponent(ann.user)}`, 'GET, HEAD'],
      ['OPTIONS', '/api/v1/reeds', 'POST'],
      ['PATCH', '/api/v1/devices', 'GET, HEAD, POST'],
    ] as const) {
      const answer = await app.inject({ method, url });
      expect([url, answer.statusCode, answer.headers.allow]).toEqual([url, 405, allow]);
      expect(answer.json().code).toBe('METHOD_NOT_ALLOWED');
    }
  });

  test.each([
    '/%ff',
    '/api/v1/users/%zz',
    `/api/v1/users/${'a'.repeat(2_000)}`,
    '/api/v1/reeds/%00',
    '/api/v1/users/me',
    '/api/v1/keys/..%2f..%2fetc',
    '/api/v1/users?query=a&query=b',
    '/api/v1/users?query=',
    '/api/v1/users?query=a%00b',
    '/api/v1/users?query=a&cursor=%00',
    '/api/v1/users?query=a&cursor=nobody',
    '/api/v1/users',
    '/api/v1/users?query=a&x=1',
    "/api/v1/users/'%20or%201=1",
  ])('for %s is a 4xx', async (url) => {
    const answer = await app.inject({ url, headers: { authorization: `Bearer ${ann.token}` } });
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  test('that is no HTTP gets an answer with all headers', async () => {
    const answer = await raw('nonsense\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(`content-security-policy: ${CONTENT_SECURITY_POLICY}`);
    const long = await raw(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('leaves no member, address, token or line of its own making in the log', async () => {
    const lines: string[] = [];
    const log = createLog('trace', { write: (line: string) => void lines.push(line) });
    const logged = await makeHttp(world, { log, trustProxy: true, webFolder: null });
    const call = (url: string, headers: Record<string, string> = {}) =>
      logged.inject({
        url,
        headers: { authorization: `Bearer ${ann.token}`, 'x-forwarded-for': '198.51.100.7', 'user-agent': 'agent\nforged', ...headers },
      });
    await call(`/api/v1/users/${encodeURIComponent(ann.user)}`);
    await call(`/api/v1/keys/${encodeURIComponent(ann.keyId)}`);
    await call('/api/v1/nothing%0a{"level":60,"msg":"forged"}');
    await call('/%ff-forged');
    await logged.close();
    const text = lines.join('');
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1)).toBe(true);
    for (const secret of [ann.user.split('@')[0] ?? '', ann.token, '198.51.100.7', 'forged', ann.key.fingerprint])
      expect(text).not.toContain(secret);
  });

  test('that fails inside says nothing of it', async () => {
    const broken = await makeHttp(world, {
      identity: { ...world.identity, challenges: { make: () => Promise.reject(new Error('secret /path')) } as never },
    });
    const answer = await broken.inject({ method: 'POST', url: '/api/v1/auth/challenge' });
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'INTERNAL']);
    expect(answer.body).not.toContain('secret');
    await broken.close();
  });
});

describe('an address without a session', () => {
  const limited = async (limits: Partial<World['limits']>, run: (api: Api) => Promise<void>): Promise<void> => {
    const api = await makeHttp({ ...world, limits: { ...world.limits, ...limits } }, { trustProxy: true });
    await run(api);
    await api.close();
  };
  const from = (address: string) => ({ 'x-forwarded-for': address });

  test('gets so many challenges an hour, counted for a whole /64', () =>
    limited({ challengesPerHour: 3 }, async (api) => {
      const challenge = async (address: string) => api.inject({ method: 'POST', url: '/api/v1/auth/challenge', headers: from(address) });
      for (const last of [1, 2, 3]) expect((await challenge(`2001:db8:0:1::${last}`)).statusCode).toBe(200);
      const refused = await challenge('2001:db8:0:1:ffff::9');
      expect([refused.statusCode, refused.json().code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(refused.headers['retry-after'])).toBe(3_600);
      expect((await challenge('2001:db8:0:2::1')).statusCode).toBe(200);
      world.clock.advance(3_600_000);
      expect((await challenge('2001:db8:0:1::1')).statusCode).toBe(200);
    }));

  test('gets so many sign-ups an hour', () =>
    limited({ signUpsPerHour: 2 }, async (api) => {
      const tryIt = async () => {
        const body = await signUpBody(world, await makePerson(world.identity.server.id, world.clock.now()));
        return (await api.inject({ method: 'POST', url: '/api/v1/users', payload: body, headers: from('192.0.2.1') })).statusCode;
      };
      expect([await tryIt(), await tryIt(), await tryIt()]).toEqual([201, 201, 429]);
    }));

  test('gets so many failed sign-ins a minute; those that succeed are free', () =>
    limited({ failedSignInsPerMinute: 2 }, async (api) => {
      const signIn = async (good: boolean) => {
        const { statement, signature } = await signInBody(world, ann);
        const payload = { statement: good ? statement : { ...statement, purpose: 'socket' }, signature };
        return (await api.inject({ method: 'POST', url: '/api/v1/auth/token', payload, headers: from('192.0.2.2') })).statusCode;
      };
      for (let count = 0; count < 4; count++) expect(await signIn(true)).toBe(200);
      expect([await signIn(false), await signIn(false), await signIn(true)]).toEqual([401, 401, 429]);
      world.clock.advance(60_000);
      expect(await signIn(true)).toBe(200);
    }));

  test('gets no more failed sign-ins by making them at once', () =>
    limited({ failedSignInsPerMinute: 5 }, async (api) => {
      const payload = { secret: 'A'.repeat(43) };
      const tryIt = async () =>
        (await api.inject({ method: 'POST', url: '/api/v1/invites/check', payload, headers: from('192.0.2.7') })).statusCode;
      const statuses = await Promise.all(Array.from({ length: 20 }, tryIt));
      expect(statuses.filter((status) => status !== 429)).toHaveLength(5);
    }));

  test('gets so many requests a minute in all, health apart', () =>
    limited({ httpRequestsPerMinute: 3 }, async (api) => {
      const get = async (url: string) => (await api.inject({ url, headers: from('192.0.2.3') })).statusCode;
      expect([await get('/api/v1/server'), await get('/nothing'), await get('/api/v1/server'), await get('/api/v1/server')]).toEqual([
        200, 404, 200, 429,
      ]);
      expect(await get('/healthz')).toBe(200);
    }));

  test('is what the socket says unless a proxy is trusted', async () => {
    const api = await makeHttp({ ...world, limits: { ...world.limits, challengesPerHour: 1 } });
    const challenge = async (address: string) =>
      (await api.inject({ method: 'POST', url: '/api/v1/auth/challenge', headers: from(address) })).statusCode;
    expect([await challenge('192.0.2.4'), await challenge('192.0.2.5')]).toEqual([200, 429]);
    await api.close();
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:DB8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:1:2:3:4', '2001:db8:0:0'],
    ['2001:0db8:0001::', '2001:db8:1:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('%s is of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('the web app', () => {
  let folder: string;
  let web: Api;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reedbed-web-'));
    await mkdir(join(folder, 'dist', 'assets'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'outside');
    await writeFile(join(folder, 'dist', 'index.html'), '<!doctype html><title>page</title>');
    await writeFile(join(folder, 'dist', 'sw.js'), '//worker');
    await writeFile(join(folder, 'dist', '.hidden'), 'hidden');
    await writeFile(join(folder, 'dist', 'assets', 'app-1a2b.js'), '//app');
    web = await makeHttp(world, { webFolder: join(folder, 'dist') });
  });
  afterAll(async () => {
    await web.close();
    await rm(folder, { recursive: true });
  });
  const get = (url: string) => web.inject({ url, headers: { accept: 'text/html' } });

  test.each(['/', '/join', '/reed/abc%40def%2F0190', '/pipe/tag'])('serves its page for %s, never cached', async (url) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain('text/html');
    expect(answer.body).toContain('<title>page</title>');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
  });

  test('serves hashed assets for ever, the worker anew, both with the policy', async () => {
    const asset = await get('/assets/app-1a2b.js');
    expect([asset.statusCode, asset.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    const worker = await get('/sw.js');
    expect([worker.statusCode, worker.headers['cache-control']]).toEqual([200, 'no-store']);
    for (const answer of [asset, worker]) expect(answer.headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
  });

  test.each(['/api/v1/nothing', '/assets/gone-1a2b.js', '/federation/v2/request', '/socket', '/.well-known/other', '/gone.js'])(
    'serves no page for %s',
    async (url) => {
      const answer = await get(url);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    },
  );

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/.hidden',
    '//etc/passwd',
  ])('gives nothing away for %s', async (url) => {
    const answer = await get(url);
    expect(answer.body).not.toContain('outside');
    expect(answer.body).not.toContain('hidden');
    expect(answer.statusCode).toBeLessThan(500);
  });

  test('changes nothing of the API: its errors are problem documents, its answers JSON', async () => {
    const refused = await get('/api/v1/devices');
    expect([refused.statusCode, refused.json().code]).toEqual([401, 'UNAUTHENTICATED']);
    const invalid = await web.inject({ method: 'POST', url: '/api/v1/auth/token', payload: { statement: {}, signature: 7 } });
    expect([invalid.statusCode, invalid.json().code]).toEqual([400, 'BAD_REQUEST']);
    for (const answer of [refused, invalid]) expect(answer.headers['content-type']).toContain('application/problem+json');
    expect((await get('/api/v1/server')).json()).toMatchObject({ id: world.identity.server.id });
    expect((await web.inject({ method: 'DELETE', url: '/api/v1/server' })).statusCode).toBe(405);
  });

  test('takes no other method', async () => {
    expect((await web.inject({ method: 'POST', url: '/join' })).statusCode).toBe(404);
  });
});
