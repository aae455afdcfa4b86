// Sessions that are over, on every route that the OpenAPI document names, so that a new route is covered by being there: the key revoked, the device
// unlinked, the account removed, the token a day old though in use, signed out, or idle. And statements that would buy a new one.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { base64url, cryptoRandom } from '../../src/base/ids.ts';
import { besiege, isRefusal, type Member, type Siege } from '../support/http-siege.ts';
import { type ApiRoute, addressFor, bodyFor, readRoutes } from '../support/openapi-input.ts';
import { makePerson, type Person, sessionStatement, sign, signInBody, signUp, signUpBody } from '../support/people.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let siege: Siege;
let guarded: ApiRoute[];
beforeAll(async () => {
  siege = await besiege();
  const routes = readRoutes((await siege.call({ method: 'GET', url: '/openapi.json' })).json());
  guarded = routes.filter(({ needsSession }) => needsSession);
});
afterEach(() => siege.stillServes());
afterAll(() => siege.end());

const json = { 'content-type': 'application/json' };
/** A call that nothing is wrong with but, perhaps, its session. */
const tryRoute = (route: ApiRoute, token: string) =>
  siege.call({
    method: route.method,
    url: addressFor(route, siege.ann.user),
    headers: { authorization: `Bearer ${token}`, ...(route.body === null ? {} : json) },
    ...(route.body === null ? {} : { body: JSON.stringify(bodyFor(route)) }),
  });

/** Each route refuses the token. Signing out is last, and is no error for a session that is over. */
const isOverEverywhere = async (token: string): Promise<void> => {
  const before = await siege.stored();
  const last = guarded.filter(({ method }) => method === 'DELETE');
  for (const route of guarded.filter((one) => !last.includes(one))) {
    const place = `${route.method} ${route.path}`;
    expect([place, isRefusal(await tryRoute(route, token), place)]).toEqual([place, 'UNAUTHENTICATED']);
  }
  expect(await siege.stored()).toEqual(before);
  for (const route of last) expect((await tryRoute(route, token)).status).toBe(204);
  expect(
    isRefusal(await siege.call({ method: 'GET', url: '/api/v1/devices', headers: { authorization: `Bearer ${token}` } }), 'after'),
  ).toBe('UNAUTHENTICATED');
};

/** Revokes a key in the database, as a revocation's transaction will. */
const revoke = (person: Person) =>
  siege.world.db.query({
    text: `insert into key_revocations (key_id, seq, statement_hash) select $1, last_seq + 1, identity_hash from users where id = $2`,
    values: [person.keyId, person.user],
  });
const removeAccount = (person: Person) =>
  siege.world.db.query({
    text: `insert into account_removals (user_id, statement, due_at, statement_hash) select id, '{}', now(), identity_hash from users where id = $1`,
    values: [person.user],
  });
const link = async (person: Person, device: string) => {
  const other = { ...person, device };
  const answer = await siege.post('/api/v1/devices', await signInBody(siege.world, other, { purpose: 'link-device' }));
  expect(answer.status).toBe(201);
  return { ...other, token: String(answer.json()['token']) };
};
const newDevice = (): string => `${randomUUID().slice(0, 14)}7${randomUUID().slice(15)}`;

/** Takes no member's session: only one that the recovery key signed. */
const BY_RECOVERY = '/api/v1/users/me/removal-withdrawal';

describe('every route with a session', () => {
  test('is in the document and takes a living one', async () => {
    expect(guarded.length).toBeGreaterThan(12);
    const bea = await signUp(siege.world);
    for (const route of guarded.filter(({ method, path }) => method !== 'DELETE' && path !== BY_RECOVERY)) {
      const place = `${route.method} ${route.path}`;
      expect([place, (await tryRoute(route, bea.token)).status]).not.toEqual([place, 401]);
    }
  });

  test('refuses the session of a revoked key', async () => {
    const bea = await signUp(siege.world);
    await revoke(bea);
    await isOverEverywhere(bea.token);
  });

  test('refuses the session of an unlinked device, and takes that of the one linked after it', async () => {
    const bea = await signUp(siege.world);
    const second = await link(bea, newDevice());
    await isOverEverywhere(bea.token);
    expect((await siege.call({ method: 'GET', url: '/api/v1/devices', headers: { authorization: `Bearer ${second.token}` } })).status).toBe(
      200,
    );
  });

  test('refuses the session of a removed account', async () => {
    const bea = await signUp(siege.world);
    await removeAccount(bea);
    await isOverEverywhere(bea.token);
  });

  test('refuses a session that was signed out', async () => {
    const bea = await signUp(siege.world);
    const authorization = `Bearer ${bea.token}`;
    expect((await siege.call({ method: 'DELETE', url: '/api/v1/auth/token', headers: { authorization } })).status).toBe(204);
    await isOverEverywhere(bea.token);
  });

  test('refuses a token 24 hours after its signature, though it was in use all the time', async () => {
    const { world } = siege;
    const bea = await signUp(world);
    const authorization = `Bearer ${bea.token}`;
    const use = async () => (await siege.call({ method: 'GET', url: '/api/v1/devices', headers: { authorization } })).status;
    for (let hour = 0; hour < 24; hour++) {
      expect(await use()).toBe(200);
      world.clock.advance(HOUR_MS - 1);
    }
    // 24 ms before its end, so that what ends it is not that nobody used it.
    expect(await use()).toBe(200);
    world.clock.advance(24);
    await isOverEverywhere(bea.token);
    await renew();
  });

  test('refuses a token an hour after its last use', async () => {
    const bea = await signUp(siege.world);
    siege.world.clock.advance(HOUR_MS);
    await isOverEverywhere(bea.token);
    await renew();
  });
});

/** Ann signs in again, after the clock has ended her session too. */
const renew = async (): Promise<void> => {
  const answer = await siege.post('/api/v1/auth/token', await signInBody(siege.world, siege.ann));
  (siege.ann as { token: string }).token = String(answer.json()['token']);
};

describe('a statement that would buy a session', () => {
  const refusedWith = async (path: string, body: unknown): Promise<string> => {
    // A refused sign-in may use its nonce up; that is all it may do.
    const { used_challenges: _before, ...before } = await siege.stored();
    const code = isRefusal(await siege.post(path, body), path);
    expect(await siege.stored()).toMatchObject(before);
    return code;
  };
  const ways = [
    ['/api/v1/auth/token', 'token'],
    ['/api/v1/devices', 'link-device'],
  ] as const;

  test.each(ways)('by a revoked key is refused at %s', async (path, purpose) => {
    const bea = await signUp(siege.world);
    await revoke(bea);
    expect(await refusedWith(path, await signInBody(siege.world, bea, { purpose }))).toBe('KEY_REVOKED');
  });

  test('by a revoked key is refused as a sign-up that repeats itself', async () => {
    const person = await makePerson(siege.world.identity.server.id, siege.world.clock.now());
    const body = await signUpBody(siege.world, person);
    expect((await siege.post('/api/v1/users', body)).status).toBe(201);
    await revoke(person);
    const again = { ...body, session: (await signUpBody(siege.world, person)).session };
    expect(await refusedWith('/api/v1/users', again)).toBe('KEY_REVOKED');
  });

  test.each(ways)('of a removed account is refused at %s', async (path, purpose) => {
    const bea = await signUp(siege.world);
    await removeAccount(bea);
    expect(['UNAUTHENTICATED', 'FORBIDDEN', 'REMOVED']).toContain(await refusedWith(path, await signInBody(siege.world, bea, { purpose })));
  });

  test('from an unlinked device is refused', async () => {
    const bea = await signUp(siege.world);
    await link(bea, newDevice());
    expect(await refusedWith('/api/v1/auth/token', await signInBody(siege.world, bea))).toBe('FORBIDDEN');
  });

  test.each(ways)('works once at %s, also when 50 try it at once', async (path, purpose) => {
    const bea = await signUp(siege.world);
    const body = await signInBody(siege.world, bea, { purpose });
    const answers = await Promise.all(Array.from({ length: 50 }, () => siege.post(path, body)));
    const refused = answers.filter(({ status }) => status >= 300);
    expect(answers.length - refused.length).toBe(1);
    for (const answer of refused) expect(isRefusal(answer, path)).toBe('UNAUTHENTICATED');
    expect(await refusedWith(path, body)).toBe('UNAUTHENTICATED');
  });

  test.each(ways)('over a challenge that ended, is of another server, or is made up is refused at %s', async (path, purpose) => {
    const { world } = siege;
    const bea = await signUp(world);
    const late = await signInBody(world, bea, { purpose });
    world.clock.advance(MINUTE_MS);
    expect(await refusedWith(path, late)).toBe('UNAUTHENTICATED');
    for (const length of [16, 38, 64])
      expect(await refusedWith(path, await signInBody(world, bea, { purpose, nonce: base64url(cryptoRandom(length)) }))).toBe(
        'UNAUTHENTICATED',
      );
    const elsewhere = await signInBody(world, bea, { purpose, server: 'aaaaaaaaaaaaaaaa' as never });
    expect(await refusedWith(path, elsewhere)).toBe('UNAUTHENTICATED');
  });

  test('of one purpose serves no other', async () => {
    const { world } = siege;
    const bea = await signUp(world);
    for (const purpose of ['signup', 'socket', 'token', 'link-device', 'recover'] as const)
      for (const [path, wanted] of ways)
        if (purpose !== wanted) expect(await refusedWith(path, await signInBody(world, bea, { purpose }))).toBe('UNAUTHENTICATED');
    const { nonce } = await world.identity.challenges.make();
    const session = await sign(bea, sessionStatement(bea, world.identity.server.id, nonce, 'token'), world.clock.now());
    const stranger: Person = await makePerson(world.identity.server.id, world.clock.now());
    expect(isRefusal(await siege.post('/api/v1/users', { ...(await signUpBody(world, stranger)), session }), 'sign-up')).toBe(
      'UNAUTHENTICATED',
    );
  });
});

describe('a token', () => {
  test('counts in Authorization alone, as Bearer, once', async () => {
    const { token }: Member = siege.ann;
    const url = '/api/v1/devices';
    for (const headers of [
      { cookie: `token=${token}` },
      { 'x-token': token },
      { 'proxy-authorization': `Bearer ${token}` },
      { authorization: token },
      { authorization: `bearer ${token}` },
      { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` },
      { authorization: `Bearer ${token} x` },
      { authorization: `Bearer ${token},Bearer ${token}` },
      { authorization: `Bearer ${token.slice(0, -1)}` },
      { authorization: `Bearer ${token}=` },
      { authorization: `Bearer ${token.toUpperCase()}` },
    ])
      expect(isRefusal(await siege.call({ method: 'GET', url, headers }), JSON.stringify(Object.keys(headers)))).toBe('UNAUTHENTICATED');
    expect(isRefusal(await siege.call({ method: 'GET', url: `${url}?token=${token}&access_token=${token}` }), 'query')).toBe(
      'UNAUTHENTICATED',
    );
  });
});
