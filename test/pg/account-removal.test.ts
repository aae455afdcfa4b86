// Leaving for good: hidden at once, final after a day, taken back by the recovery key until then; and what sessions by that key open, and what not.
import type { InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../../src/http/api.ts';
import { dropHoldings } from '../../src/ledger/ends.ts';
import { FIRST_LEAVINGS, type LeavingsPlace, Voiding } from '../../src/reeds/voiding.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading } from '../../src/wire/statements.ts';
import { makeHttp } from '../support/http.ts';
import {
  makePerson,
  makeWorld,
  type Person,
  publishReed,
  sign,
  signInBody,
  signUp,
  signUpBody,
  socketSignIn,
  type World,
} from '../support/people.ts';
import { rightRequests } from '../support/right-requests.ts';
import {
  keyAfter,
  recoverBody,
  recovering,
  removalOf,
  revocationOf,
  rotate,
  rotationOf,
  withdrawalOf,
  withNextKey,
} from '../support/rotations.ts';

const DAY = 86_400_000;

let world: World;
let app: Api;
let ann: Person & { token: string };
let bob: Person & { token: string };
beforeEach(async () => {
  world = await makeWorld({ limits: { failedSignInsPerMinute: 1_000 } });
  app = await makeHttp(world);
  [ann, bob] = [await signUp(world, { username: 'ann' }), await signUp(world)];
});
afterEach(async () => {
  await app.close();
  await world.close();
});

const code = (value: string) => expect.objectContaining({ code: value });
const removals = () => world.identity.accountRemovals;
const leave = async (person: Person) => removals().request(person.member, await removalOf(world, person));
const post = async (path: string, body: object, token?: string) => {
  const call: InjectOptions = { method: 'POST', url: `/api/v1/${path}`, payload: body };
  const answer = await app.inject(token === undefined ? call : { ...call, headers: { authorization: `Bearer ${token}` } });
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
};
const recoverToken = async (person: Person): Promise<string> => {
  const { body } = await post('auth/token', await recoverBody(world, person));
  return String(body['token']);
};
const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  world.db.query<Row>({ text, values });
const profile = (person: Person) => world.identity.users.profile(bob.user, person.user);
const follow = async (person: Person, target: Person) => {
  const createdAt = printTime(world.clock.now());
  const statement = { ...heading('follow'), user: person.user, key: person.keyId, target: target.user, createdAt };
  await world.identity.follows.set(person.member, target.user, 'follow', await sign(person, statement as never, world.clock.now()));
};

describe('the removal of an account', () => {
  test('hides it at once, ends its sessions, and takes nothing of it away yet', async () => {
    const reed = await publishReed(world, ann);
    expect(await leave(ann)).toEqual({ dueAtMs: world.clock.now() + DAY });
    await expect(profile(ann)).rejects.toEqual(code('NOT_FOUND'));
    await expect(world.reeds.reading.reed(bob.user, reed)).rejects.toEqual(code('NOT_FOUND'));
    expect(await world.identity.sessions.authenticateToken(ann.token)).toBeNull();
    expect(world.ended).toEqual([{ user: ann.user, reason: 'ended' }]);
    await expect(world.identity.sessions.signIn(await signInBody(world, ann))).rejects.toEqual(code('UNAUTHENTICATED'));
    expect(await rows('select removed_at from reeds')).toEqual([{ removed_at: null }]);
  });

  test('is for good after a day: everything answers with its certificate, for ever', async () => {
    const reed = await publishReed(world, ann);
    await follow(ann, bob);
    await leave(ann);
    world.clock.advance(DAY - 1);
    await removals().finish();
    await expect(profile(ann)).rejects.toEqual(code('NOT_FOUND'));
    world.clock.advance(1);
    await Promise.all([removals().finish(), removals().finish()]);
    await world.reeds.voiding.account(ann.user, '');
    const explained = { code: 'REMOVED', certificate: { statement: { type: 'account-removal', user: ann.user } } };
    await expect(profile(ann)).rejects.toMatchObject(explained);
    await expect(world.reeds.reading.reed(bob.user, reed)).rejects.toMatchObject(explained);
    expect(await rows('select active from follows')).toEqual([{ active: false }]);
    expect(await rows(`select kind, subject_id from pending_ends`)).toEqual([{ kind: 'account-removal', subject_id: ann.user }]);
    expect(await rows(`select kind from author_facts order by number`)).toEqual([{ kind: 'reed' }, { kind: 'account-removal' }]);
    world.clock.advance(100 * DAY);
    await removals().finish();
    await expect(profile(ann)).rejects.toMatchObject(explained);
  });

  test('takes what it wrote, liked, declined and held a page at a time, each page after the one before', async () => {
    const perPage = 2;
    const voiding = new Voiding({ db: world.db, clock: world.clock, limits: { ...world.limits, endedPerPage: perPage } });
    const own: ReedId[] = [];
    for (let at = 0; at < 5; at++) own.push(await publishReed(world, ann, at === 0 ? {} : { previous: own[at - 1] as ReedId }, at !== 2));
    const others: ReedId[] = [];
    for (let at = 0; at < 5; at++) others.push(await publishReed(world, bob, at === 0 ? {} : { previous: others[at - 1] as ReedId }));
    await rows(
      `with l as (insert into likes (user_id, target, active, seq, statement_hash) select u.id, r, true, 1, u.identity_hash from users u, unnest($2::text[]) r where u.id = $1),
        d as (insert into reed_declines (user_id, reed_id) select $1, unnest($2::text[]))
        insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select $1, unnest($2::text[]), 'd', current_date`,
      [ann.user, others],
    );
    await leave(ann);
    world.clock.advance(DAY);
    await removals().finish();
    const dropped: (readonly ReedId[])[] = [];
    for (let from: LeavingsPlace | null = FIRST_LEAVINGS; from !== null; ) from = await voiding.leavings(ann.user, from);
    for (let after: ReedId | '' | null = ''; after !== null; ) {
      dropped.push(await dropHoldings(world.db, { user: ann.user, after, limit: perPage }));
      after = dropped.at(-1)?.at(-1) ?? null;
    }
    const gone: (readonly ReedId[])[] = [];
    for (let after: ReedId | '' | null = ''; after !== null; ) {
      const page = await voiding.account(ann.user, after);
      gone.push(page.gone);
      after = page.next;
    }
    expect(Math.max(...dropped.map(({ length }) => length), ...gone.map(({ length }) => length))).toBe(perPage);
    expect(dropped.flat()).toEqual(expect.arrayContaining(others));
    // What was never published is nobody's to be told of; it is removed all the same.
    expect(gone.flat()).toEqual(own.filter((_, at) => at !== 2).sort());
    expect(await rows('select id from reeds where author_id = $1 and removed_at is null', [ann.user])).toEqual([]);
    expect(await rows('select target from likes where user_id = $1 and active', [ann.user])).toEqual([]);
    for (const table of ['reed_declines where user_id', 'reed_allocations where holder_user_id'])
      expect(await rows(`select reed_id from ${table} = $1`, [ann.user])).toEqual([]);
  });

  test('keeps the name from others for a year', async () => {
    await leave(ann);
    world.clock.advance(DAY);
    await removals().finish();
    const other = await makePerson(world.identity.server.id, world.clock.now(), 'ann');
    await expect(world.identity.signUp.run(await signUpBody(world, other))).rejects.toEqual(code('USERNAME_TAKEN'));
    world.clock.advance(366 * DAY);
    await expect(world.identity.signUp.run(await signUpBody(world, other))).resolves.toMatchObject({});
  });

  test('asked for twice is due when the first one is', async () => {
    const first = await leave(ann);
    world.clock.advance(DAY / 2);
    expect(await leave(ann)).toEqual(first);
  });

  test('in the name of another, or by a key that was revoked, is refused', async () => {
    await expect(removals().request(bob.member, await removalOf(world, ann))).rejects.toEqual(code('FORBIDDEN'));
    await rotate(world, ann);
    await expect(leave(ann)).rejects.toEqual(code('KEY_REVOKED'));
    expect(await rows('select user_id from account_removals')).toEqual([]);
  });

  test('ends with the key that signed it: who has only the key is stopped by its revocation', async () => {
    await leave(ann);
    await world.identity.rotation.revoke(ann.keyId, await revocationOf(world, ann));
    world.clock.advance(2 * DAY);
    await removals().finish();
    await expect(profile(ann)).resolves.toMatchObject({ username: 'ann' });
  });

  test('is not undone by a rotation of the key alone, but by one of the recovery key', async () => {
    await leave(ann);
    const next = await withNextKey(world, ann);
    await expect(world.identity.rotation.rotate({ userId: ann.user }, await rotationOf(world, ann, next))).rejects.toEqual(
      code('FORBIDDEN'),
    );
    await world.identity.rotation.rotate(recovering(ann), await rotationOf(world, ann, next, 'recovery'));
    await expect(profile(ann)).resolves.toMatchObject({ username: 'ann' });
  });

  test('once it is for good, stands against the recovery key too', async () => {
    await leave(ann);
    world.clock.advance(DAY);
    await removals().finish();
    const next = await withNextKey(world, ann);
    await expect(world.identity.rotation.rotate(recovering(ann), await rotationOf(world, ann, next, 'recovery'))).rejects.toEqual(
      code('REMOVED'),
    );
    await expect(removals().withdraw(recovering(ann), await withdrawalOf(world, ann))).rejects.toMatchObject({
      code: 'REMOVED',
      certificate: {},
    });
    await expect(world.identity.recovery.signIn(await recoverBody(world, ann))).rejects.toEqual(code('UNAUTHENTICATED'));
  });
});

describe('its withdrawal', () => {
  test('shows the account again as it was, and lets its key sign in', async () => {
    const reed = await publishReed(world, ann);
    await leave(ann);
    const { status, body } = await post('users/me/removal-withdrawal', await withdrawalOf(world, ann), await recoverToken(ann));
    expect([status, body]).toMatchObject([200, { certificate: { statement: { type: 'account-removal-withdrawal' } } }]);
    await expect(profile(ann)).resolves.toMatchObject({ username: 'ann' });
    await expect(world.reeds.reading.reed(bob.user, reed)).resolves.toMatchObject({});
    await expect(world.identity.sessions.signIn(await signInBody(world, ann))).resolves.toMatchObject({});
    world.clock.advance(2 * DAY);
    await removals().finish();
    await expect(profile(ann)).resolves.toMatchObject({});
  });

  test('takes every later removal back as well, though it is the same statement', async () => {
    const withdrawal = await withdrawalOf(world, ann);
    await leave(ann);
    const first = await removals().withdraw(recovering(ann), withdrawal);
    await leave(ann);
    expect(await removals().withdraw(recovering(ann), withdrawal)).toEqual(first);
    await expect(profile(ann)).resolves.toMatchObject({});
  });

  test('that nothing waits for is refused, and so is one by another recovery key or of another member', async () => {
    await expect(removals().withdraw(recovering(ann), await withdrawalOf(world, ann))).rejects.toEqual(code('NOT_FOUND'));
    await leave(ann);
    await expect(removals().withdraw(recovering(ann), await withdrawalOf(world, ann, bob.recovery))).rejects.toEqual(code('INVALID'));
    await expect(removals().withdraw(recovering(bob), await withdrawalOf(world, ann))).rejects.toEqual(code('FORBIDDEN'));
    await expect(profile(ann)).rejects.toEqual(code('NOT_FOUND'));
  });

  test('and the moment of its end at once leave one of the two', async () => {
    await leave(ann);
    world.clock.advance(DAY);
    const withdrawal = await withdrawalOf(world, ann);
    const [, withdrawn] = await Promise.allSettled([removals().finish(), removals().withdraw(recovering(ann), withdrawal)]);
    const seen = await profile(ann).then(
      () => 'there',
      (error: { code: string }) => error.code,
    );
    expect(seen).toBe(withdrawn.status === 'fulfilled' ? 'there' : 'REMOVED');
  });
});

describe('a session by the recovery key', () => {
  test('rotates by that key alone', async () => {
    const token = await recoverToken(ann);
    const next = await withNextKey(world, ann);
    expect((await post('keys', await rotationOf(world, ann, next), token)).body['code']).toBe('FORBIDDEN');
    expect((await post('keys', await rotationOf(world, ann, next, 'recovery'), token)).status).toBe(201);
    expect((await post('keys', await rotationOf(world, ann, next, 'recovery'), token)).status).toBe(401);
  });

  test('opens nothing else: no other route, no socket', async () => {
    const token = await recoverToken(ann);
    const { paths } = (await app.inject({ url: '/openapi.json' })).json<{
      paths: Record<string, Record<string, { security?: unknown }>>;
    }>();
    const requests = await rightRequests(world, ann);
    const opened: string[] = [];
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { security }] of Object.entries(methods)) {
        // Whoever has a token may end it.
        if (security === undefined || method === 'delete') continue;
        const right = (requests as Record<string, { path?: string; body?: object } | undefined>)[path];
        const url = (right?.path ?? path).replace('{id}', encodeURIComponent(ann.user));
        const answer = await app.inject({
          method: method.toUpperCase() as 'GET',
          url: `${url}${['/api/v1/users', '/api/v1/users/elsewhere'].includes(path) ? '?query=a' : ''}`,
          headers: { authorization: `Bearer ${token}` },
          ...(method === 'post' ? { payload: right?.body ?? { statement: {}, signatures: [{ key: 'x', signature: 'x' }] } } : {}),
        });
        if (answer.statusCode !== 401) opened.push(`${method} ${path} ${answer.statusCode}`);
      }
    expect(opened.map((line) => line.split(' ').slice(0, 2).join(' ')).sort()).toEqual([
      'post /api/v1/keys',
      'post /api/v1/users/me/removal-withdrawal',
    ]);
    expect(await world.identity.sessions.authenticateToken(token)).toBeNull();
  });

  test('is given for the statement of a recovery key named on the chain, once, and for no other', async () => {
    const good = await recoverBody(world, ann);
    expect((await post('auth/token', good)).status).toBe(200);
    const tries = {
      replayed: good,
      'by another recovery key': await recoverBody(world, ann, { by: bob.recovery }),
      'with an armor that is not the key': { ...(await recoverBody(world, ann)), recoveryArmor: bob.recovery.publicKey.armor },
      'by the key of the member': await recoverBody(world, ann, { by: ann.key }),
      'of another purpose': await recoverBody(world, ann, { purpose: 'token' }),
      'without the armor': { statement: good.statement, signature: good.signature },
      'over a made-up nonce': await recoverBody(world, ann, { nonce: 'A'.repeat(51) }),
    };
    for (const [name, body] of Object.entries(tries)) expect((await post('auth/token', body)).status, name).toBe(401);
  });

  test('is none of the other kinds: no device is linked and no socket opened by it', async () => {
    const { statement, signature } = await recoverBody(world, ann);
    expect((await post('devices', { statement, signature })).status).toBe(401);
    const body = await socketSignIn(world, { ...ann, key: ann.recovery, keyId: statement.key }, 'A'.repeat(32));
    expect(await world.identity.sessions.authenticateStatement(body, 'A'.repeat(32))).toMatchObject({ ok: false });
  });

  test('of a member who rotated goes on opening, for the recovery key of the key before', async () => {
    await rotate(world, ann);
    const token = await recoverToken(ann);
    const owner = await withNextKey(world, ann);
    expect((await post('keys', { key: await keyAfter(world, ann, owner, 'recovery') }, token)).status).toBe(201);
  });

  test('ends by itself', async () => {
    const token = await recoverToken(ann);
    world.clock.advance(world.limits.tokenIdleMs);
    expect(await world.identity.recovery.authenticateToken(token)).toBeNull();
  });
});

describe('over HTTP', () => {
  test('a revocation needs no session, a rotation and a removal do', async () => {
    const path = `keys/${encodeURIComponent(ann.keyId)}/revocation`;
    expect((await post('keys', await rotationOf(world, ann, await withNextKey(world, ann)))).status).toBe(401);
    expect((await post('users/me/removal', await removalOf(world, ann))).status).toBe(401);
    expect((await post(path, await revocationOf(world, ann, { successor: bob.keyId.replace(bob.user, ann.user) as never }))).status).toBe(
      422,
    );
    expect((await post(path, await revocationOf(world, ann))).status).toBe(200);
    expect(await post(path, await revocationOf(world, ann, { reason: 'again' }))).toMatchObject({
      status: 403,
      body: { code: 'KEY_REVOKED', certificate: { statement: { key: ann.keyId } } },
    });
  });

  test('a rotation answers 201, and 200 with the same for a retry; too early, 429 and when', async () => {
    const next = await withNextKey(world, ann);
    const request = await rotationOf(world, ann, next);
    const first = await post('keys', request, ann.token);
    expect(first).toMatchObject({
      status: 201,
      body: { certificate: { statement: { key: next.keyId } }, revocation: { statement: { key: ann.keyId } } },
    });
    const { token } = await world.identity.sessions.signIn(await signInBody(world, next));
    expect(await post('keys', request, token)).toEqual({ ...first, status: 200 });
    const early = await post('keys', await rotationOf(world, next, await withNextKey(world, next)), token);
    expect(early).toMatchObject({ status: 429, body: { retryAfterMs: DAY } });
  });

  test('a removal answers 202 and when it is for good', async () => {
    const answer = await post('users/me/removal', await removalOf(world, ann), ann.token);
    expect(answer).toEqual({ status: 202, body: { dueAt: printTime(world.clock.now() + DAY) } });
  });
});
