// The API over HTTP: every route of these parts by its published name, its answers, its problem documents and its headers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import type { Api } from '../../src/http/api.ts';
import { CONTENT_SECURITY_POLICY } from '../../src/http/headers.ts';
import { heading } from '../../src/wire/statements.ts';
import { makeHttp } from '../support/http.ts';
import {
  identityStatement,
  makeInvite,
  makePerson,
  makeWorld,
  newReedId,
  type Person,
  publishReed,
  reedStatement,
  sign,
  signInBody,
  signUp,
  signUpBody,
  type World,
} from '../support/people.ts';

let world: World;
let app: Api;
let ann: Person & { token: string };
/** Tokens of a revoked key, an unlinked device and a removed account. */
let ended: string[];
beforeAll(async () => {
  world = await makeWorld({
    limits: {
      signUpsPerHour: 1_000,
      challengesPerHour: 10_000,
      failedSignInsPerMinute: 1_000,
      httpRequestsPerMinute: 100_000,
      actsBurst: 100_000,
    },
  });
  app = await makeHttp(world);
  ann = await signUp(world, { username: 'ann' });
  ended = await endedTokens();
});
afterAll(async () => {
  await app.close();
  await world.close();
});

async function endedTokens(): Promise<string[]> {
  const [revoked, unlinked, removed] = [await signUp(world), await signUp(world), await signUp(world)];
  const revocation = 'insert into key_revocations (key_id, statement_hash, seq) select id, statement_hash, 9 from keys where id = $1';
  await world.db.query({ text: revocation, values: [revoked.keyId] });
  await world.db.query({ text: 'update devices set unlinked_at = now() where user_id = $1', values: [unlinked.user] });
  await world.db.query({
    text: `insert into account_removals (user_id, statement, due_at) values ($1, '{}', now())`,
    values: [removed.user],
  });
  return [revoked.token, unlinked.token, removed.token];
}

type Call = { token?: string | null; body?: unknown };
const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, { token = ann.token, body }: Call = {}) => {
  const answer = await app.inject({
    method,
    url: `/api/v1/${path}`,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, headers: answer.headers, json: answer.body === '' ? null : answer.json() };
};
const id = encodeURIComponent;

/** Every route that needs a session. */
const GUARDED = [
  ['GET', 'users?query=a'],
  ['GET', 'users/x'],
  ['POST', 'users/me/identity'],
  ['GET', 'keys/x'],
  ['GET', 'devices'],
  ['GET', 'invites'],
  ['POST', 'invites'],
  ['POST', 'invites/root/revoke'],
  ['POST', 'reeds'],
  ['GET', 'reeds/x'],
  ['POST', 'threads'],
  ['GET', 'threads/x'],
] as const;

describe('without a session', () => {
  test('GET server says who it is', async () => {
    const { status, json } = await call('GET', 'server', { token: null });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: world.identity.server.id,
      name: 'Test',
      signup: 'open',
      protocol: { min: 1, max: 1 },
      time: new Date(world.clock.now()).toISOString(),
      limits: { frameBytes: world.limits.frameBytes },
      document: { statement: { type: 'server-document' }, signatures: [{ key: world.identity.server.keyId }] },
    });
    const wellKnown = await app.inject({ url: '/.well-known/reedbed' });
    expect(wellKnown.json()).toEqual(json.document);
  });

  test('sign-up, sign-in, sign-out', async () => {
    const bob = await makePerson(world.identity.server.id, world.clock.now());
    const made = await call('POST', 'users', { token: null, body: await signUpBody(world, bob) });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      identity: { countersignature: expect.anything() },
      key: { countersignature: expect.anything() },
      expiresAt: expect.any(String),
    });
    const challenge = await call('POST', 'auth/challenge', { token: null });
    expect(challenge.json).toEqual({ nonce: expect.any(String), expiresAt: new Date(world.clock.now() + 60_000).toISOString() });
    const signedIn = await call('POST', 'auth/token', { token: null, body: await signInBody(world, bob, { nonce: challenge.json.nonce }) });
    expect(signedIn.status).toBe(200);
    const { token } = signedIn.json;
    expect((await call('GET', 'devices', { token })).json).toMatchObject({ devices: [{ id: bob.device, unlinkedAt: null }] });
    expect(await call('DELETE', 'auth/token', { token })).toMatchObject({ status: 204, json: null });
    expect(await call('GET', 'devices', { token })).toMatchObject({ status: 401, json: { code: 'UNAUTHENTICATED' } });
  });

  test('a device links itself by its statement', async () => {
    const bob = await signUp(world);
    const second = { ...bob, device: uuidv7(world.clock.now(), cryptoRandom) };
    const linked = await call('POST', 'devices', { token: null, body: await signInBody(world, second, { purpose: 'link-device' }) });
    expect(linked).toMatchObject({ status: 201, json: { device: second.device } });
    expect((await call('GET', 'devices', { token: bob.token })).status).toBe(401);
    expect((await call('GET', 'devices', { token: linked.json.token })).json.devices).toHaveLength(2);
  });

  test.each(GUARDED)('%s %s asks for one', async (method, path) => {
    const body =
      method === 'POST' && !path.endsWith('revoke') ? { body: { statement: {}, signatures: [{ key: 'k', signature: 's' }] } } : {};
    for (const token of [null, 'A'.repeat(43), 'x y', ...ended]) {
      const { status, json, headers } = await call(method, path, { token, ...body });
      expect([status, json.code]).toEqual([401, 'UNAUTHENTICATED']);
      expect(headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('a token elsewhere than in Authorization is nothing, and no cookie is set', async () => {
    const answer = await app.inject({ url: `/api/v1/devices`, headers: { cookie: `token=${ann.token}`, 'x-token': ann.token } });
    expect(answer.statusCode).toBe(401);
    expect((await app.inject({ url: `/api/v1/devices?token=${ann.token}` })).statusCode).toBe(401);
    const signedIn = await call('GET', 'devices');
    expect(signedIn.headers['set-cookie']).toBeUndefined();
    expect(signedIn.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('a member', () => {
  test('is found, read and renames', async () => {
    const bob = await signUp(world, { username: 'siskin' });
    expect((await call('GET', 'users?query=SISK')).json).toEqual({
      users: [{ id: bob.user, username: 'siskin', role: 'user' }],
      next: null,
    });
    const renamed = await call('POST', 'users/me/identity', {
      token: bob.token,
      body: await sign(bob, identityStatement(bob, world.clock.now(), 'serin'), world.clock.now()),
    });
    expect(renamed).toMatchObject({ status: 200, json: { certificate: { statement: { username: 'serin' } } } });
    expect((await call('GET', `users/${id(bob.user)}`)).json).toMatchObject({
      id: bob.user,
      username: 'serin',
      role: 'user',
      identity: { statement: { username: 'serin' } },
    });
  });

  test('reads keys', async () => {
    const bob = await signUp(world);
    const relay = await call('GET', `keys/${id(bob.keyId)}?for=relay`);
    expect(relay).toMatchObject({ status: 200, json: { certificate: { statement: { key: bob.keyId } } } });
    expect(relay.json.chain).toBeUndefined();
    expect((await call('GET', `keys/${id(bob.keyId)}?chain`)).json.chain).toHaveLength(1);
    expect((await call('GET', `keys/${id(bob.keyId)}?for=other`)).status).toBe(400);
    expect((await call('GET', `keys/${id((await makePerson(world.identity.server.id, world.clock.now())).keyId)}`)).status).toBe(404);
  });

  test('invites, lists, checks and revokes', async () => {
    const { post, secret } = await makeInvite(world, ann);
    expect((await call('POST', 'invites', { body: post })).status).toBe(201);
    expect((await call('POST', 'invites', { body: post })).status).toBe(200);
    expect((await call('GET', 'invites')).json.invites).toMatchObject([{ id: post.statement.id, role: 'user', claimedBy: null }]);
    const check = (body: object) => call('POST', 'invites/check', { token: null, body });
    expect(await check({ secret })).toMatchObject({ status: 200, json: { id: post.statement.id, inviter: ann.user, inviterName: 'ann' } });
    expect(await check({ secret, invite: 'root' })).toMatchObject({ status: 403, json: { code: 'INVITE_INVALID' } });
    expect(await call('POST', `invites/${id(post.statement.id)}/revoke`)).toMatchObject({ status: 204 });
    expect(await check({ secret })).toMatchObject({ status: 403, json: { code: 'INVITE_INVALID' } });
  });

  test('registers reeds and threads, and reads them when published', async () => {
    const statement = reedStatement(world, ann);
    const post = await sign(ann, statement, world.clock.now());
    const first = await call('POST', 'reeds', { body: post });
    expect(first).toMatchObject({ status: 201, json: { certificate: { statement: { id: statement.id } }, mentions: [] } });
    expect(await call('POST', 'reeds', { body: post })).toMatchObject({ status: 200, json: first.json });
    expect(await call('GET', `reeds/${id(statement.id)}`)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
    await world.reeds.publish.publishReady(ann.member, statement.id, true);
    expect(await call('GET', `reeds/${id(statement.id)}`)).toMatchObject({
      status: 200,
      json: { certificate: first.json.certificate, publishedAt: expect.any(String) },
    });
    const conflict = await call('POST', 'reeds', { body: await sign(ann, { ...statement, tags: ['other'] }, world.clock.now()) });
    expect(conflict).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
    const mismatch = await call('POST', 'reeds', {
      body: await sign(ann, reedStatement(world, ann, { previous: newReedId(world, ann) }), world.clock.now()),
    });
    expect(mismatch).toMatchObject({ status: 409, json: { code: 'TIP_MISMATCH', certificate: { statement: { id: statement.id } } } });
  });

  test('reads a thread', async () => {
    const head = newReedId(world, ann);
    const second = await publishReed(world, ann, { thread: { head, index: 1 } }, false);
    await publishReed(world, ann, { id: head, thread: { head, index: 0 } }, false);
    const post = await sign(
      ann,
      { ...heading('thread'), id: head, author: ann.user, key: ann.keyId, reeds: [head, second] },
      world.clock.now(),
    );
    expect((await call('POST', 'threads', { body: post })).status).toBe(201);
    expect((await call('GET', `threads/${id(head)}`)).status).toBe(404);
    await world.reeds.publish.publishReady(ann.member, head, true);
    expect((await call('GET', `threads/${id(head)}`)).json.reeds).toHaveLength(2);
  });

  test('reads a removed reed as 410 with its certificate', async () => {
    const reed = await publishReed(world, ann);
    await world.db.query({ text: 'update reeds set removed_at = now(), removal_hash = statement_hash where id = $1', values: [reed] });
    const { status, json, headers } = await call('GET', `reeds/${id(reed)}`);
    expect([status, json.code]).toEqual([410, 'REMOVED']);
    expect(json.certificate).toMatchObject({ countersignature: expect.anything() });
    expect(headers['content-type']).toContain('application/problem+json');
  });
});

const ROUTES = [
  'get /.well-known/reedbed',
  'get /api/v1/devices',
  'get /api/v1/invites',
  'get /api/v1/keys/{id}',
  'get /api/v1/reeds/{id}',
  'get /api/v1/server',
  'get /api/v1/threads/{id}',
  'get /api/v1/users',
  'get /api/v1/users/{id}',
  'get /api/v1/users/{id}/followers',
  'get /api/v1/users/{id}/following',
  'get /api/v1/users/me/blocks',
  'get /healthz',
  'get /readyz',
  'post /api/v1/auth/challenge',
  'post /api/v1/auth/token',
  'delete /api/v1/auth/token',
  'post /api/v1/devices',
  'post /api/v1/invites',
  'post /api/v1/invites/check',
  'post /api/v1/invites/{id}/revoke',
  'post /api/v1/reeds',
  'post /api/v1/threads',
  'get /api/v1/reeds/{id}/echoes',
  'get /api/v1/reeds/{id}/replies',
  'get /api/v1/users/me/allocations',
  'get /api/v1/users/me/likes',
  'get /api/v1/users/me/reeds',
  'post /api/v1/keys',
  'post /api/v1/keys/{id}/revocation',
  'post /api/v1/users/me/removal',
  'post /api/v1/users/me/removal-withdrawal',
  'post /api/v1/reeds/{id}/like',
  'post /api/v1/reeds/{id}/unlike',
  'post /api/v1/reeds/{id}/removal',
  'post /api/v1/threads/{id}/removal',
  'post /api/v1/users/{id}/follow',
  'post /api/v1/users/{id}/unfollow',
  'post /api/v1/users/{id}/block',
  'post /api/v1/users/{id}/unblock',
  'post /api/v1/users',
  'post /api/v1/users/me/identity',
  'get /.well-known/reedbed/revocations',
  'get /api/v1/peers',
  'get /api/v1/peers/{id}/document',
  'get /api/v1/users/elsewhere',
  'get /api/v1/admin/acts',
  'get /api/v1/admin/peers',
  'post /api/v1/admin/peers/accept',
  'post /api/v1/admin/peers/invite',
  'post /api/v1/admin/peers/read',
  'post /api/v1/admin/peers/{id}/approve',
  'post /api/v1/admin/peers/{id}/resume',
  'post /api/v1/admin/peers/{id}/revoke',
  'post /api/v1/admin/peers/{id}/suspend',
  'post /api/v1/admin/users/{id}/role',
];

describe('the description', () => {
  test('lists every route of the API with its answers', async () => {
    const { paths, openapi } = (await app.inject({ url: '/openapi.json' })).json();
    expect(openapi).toMatch(/^3\.1/);
    const described = Object.entries<Record<string, { responses: object }>>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(ROUTES.toSorted());
    expect(paths['/api/v1/reeds'].post.responses['409']).toMatchObject({
      description: expect.stringContaining('TIP_MISMATCH'),
      content: { 'application/problem+json': expect.anything() },
    });
  });
});

describe('every answer', () => {
  test.each([
    '/',
    '/healthz',
    '/api/v1/server',
    '/api/v1/nothing',
    '/api/v1/devices',
    '/openapi.json',
    '/%ff',
    '/reed/x',
    '/../../etc/passwd',
    '/assets/..%2f..%2fpackage.json',
  ])('%s carries the policy and the other headers', async (url) => {
    const { headers } = await app.inject({ url });
    expect(headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test('readiness follows the database', async () => {
    const away = await makeHttp(world, { ready: () => Promise.reject(new Error('away')) });
    expect((await away.inject({ url: '/readyz' })).statusCode).toBe(503);
    expect((await away.inject({ url: '/healthz' })).statusCode).toBe(200);
    expect((await app.inject({ url: '/readyz' })).statusCode).toBe(200);
    await away.close();
  });
});
