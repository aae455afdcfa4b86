// Floods from one address or member, over real connections: challenges, sign-ups, failed sign-ins, requests, acts. Each is counted for its network and refused with the time
// to wait; nobody else notices, forged addresses change nothing, and what is remembered is bounded (F19). A challenge works once (F24).
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { ActBudget } from '../../src/http/act-budget.ts';
import type { Api } from '../../src/http/api.ts';
import { AddressBudget } from '../../src/identity/address-budget.ts';
import type { UserId } from '../../src/wire/address.ts';
import { makeHttp } from '../support/http.ts';
import { besiege, isRefusal, type Siege } from '../support/http-siege.ts';
import { addressFor, bodyFor, readRoutes } from '../support/openapi-input.ts';
import { makePerson, signInBody, signUp, signUpBody } from '../support/people.ts';
import { exchange, type RawAnswer } from '../support/raw-http.ts';
import { recoverBody, rotationOf, withNextKey } from '../support/rotations.ts';

let siege: Siege;
const opened: Api[] = [];
beforeAll(async () => {
  siege = await besiege();
});
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close();
  await siege.stillServes();
});
afterAll(() => siege.end());

/** The same server as a stranger meets it: with the limits that it comes with. */
const asItComes = async (options: { trustProxy?: boolean; limits?: Partial<Limits> } = {}): Promise<number> => {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const app = await makeHttp({ ...siege.world, limits }, { trustProxy: options.trustProxy ?? false });
  opened.push(app);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
};
const send = async (port: number, path: string, body: unknown, fields = ''): Promise<RawAnswer> => {
  const text = body === null ? '' : JSON.stringify(body);
  const head = body === null ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  const answer = await exchange(port, `POST /api/v1/${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${fields}${head}\r\n${text}`);
  if (answer === null) throw new Error('no answer');
  return answer;
};
const isOver = (answer: RawAnswer, windowMs: number): void => {
  expect(isRefusal(answer, 'flood')).toBe('RATE_LIMITED');
  const { retryAfterMs } = JSON.parse(answer.body) as { retryAfterMs: number };
  expect([retryAfterMs > 0, retryAfterMs <= windowMs]).toEqual([true, true]);
  expect(Number(answer.headers.get('retry-after'))).toBe(Math.ceil(retryAfterMs / 1_000));
};

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

describe('a member who floods', () => {
  const by = (member: { token: string }, from: string) => `authorization: Bearer ${member.token}\r\nx-forwarded-for: ${from}\r\n`;

  test('with acts gets 300 at once and then one a second, from all its addresses together, and nobody else notices', async () => {
    const burst = 20;
    const port = await asItComes({ trustProxy: true, limits: { actsBurst: burst } });
    const { ann, world } = siege;
    const bob = { token: String((await siege.post('/api/v1/auth/token', await signInBody(world, await signUp(world)))).json()['token']) };
    const act = (member: { token: string }, at: number) => send(port, 'invites/x/revoke', null, by(member, `192.0.2.${at}`));
    const answers = await Promise.all(Array.from({ length: burst + 10 }, (_, at) => act(ann, at)));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(burst);
    for (const answer of answers.filter(({ status }) => status !== 400)) isOver(answer, 10 * SECOND_MS);
    expect((await act(bob, 1)).status).toBe(400);
    const reading = await exchange(port, `GET /api/v1/devices HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${by(ann, '192.0.2.1')}\r\n`);
    expect(reading?.status).toBe(200);
    world.clock.advance(SECOND_MS);
    expect((await act(ann, 1)).status).toBe(400);
    isOver(await act(ann, 2), SECOND_MS);
  });

  test('keeps nobody with the recovery key waiting: who has a session of theirs has not their whole budget', async () => {
    const port = await asItComes({ trustProxy: true, limits: { actsBurst: 1 } });
    const { world } = siege;
    const person = await signUp(world);
    const token = String((await siege.post('/api/v1/auth/token', await signInBody(world, person))).json()['token']);
    const act = () => send(port, 'invites/x/revoke', null, by({ token }, '192.0.2.1'));
    expect([(await act()).status, (await act()).status]).toEqual([400, 429]);
    const recovery = (await world.identity.recovery.signIn(await recoverBody(world, person))).token;
    const body = await rotationOf(world, person, await withNextKey(world, person), 'recovery');
    expect((await send(port, 'keys', body, by({ token: recovery }, '192.0.2.2'))).status).toBe(201);
  });

  test('is refused on every route that takes an act of a member', async () => {
    const port = await asItComes({ limits: { actsBurst: 0 } });
    const routes = readRoutes((await siege.call({ method: 'GET', url: '/openapi.json' })).json());
    // The one that only a recovery key opens knows no member's session.
    const acts = routes.filter(
      ({ method, needsSession, path }) => method === 'POST' && needsSession && !path.endsWith('/removal-withdrawal'),
    );
    expect(acts.length).toBeGreaterThanOrEqual(15);
    for (const route of acts) {
      const answer = await send(port, addressFor(route, 'x').replace('/api/v1/', ''), bodyFor(route) ?? null, by(siege.ann, '::1'));
      expect([route.path, answer.status]).toEqual([route.path, 429]);
    }
  });

  test('leaves no more behind than so many budgets', () => {
    const { clock } = siege.world;
    const budget = new ActBudget({ clock, limits: { actsPerMinute: 60, actsBurst: 1, budgetMembers: 2 } });
    const [one, two, three] = ['a', 'b', 'c'] as UserId[] as [UserId, UserId, UserId];
    expect([one, two, one].map((member) => budget.spend(member, 'member'))).toEqual([0, 0, SECOND_MS]);
    expect(budget.spend(three, 'member')).toBe(0);
    // Of three the one that was used longest ago is forgotten: as good as new.
    expect([one, two].map((member) => budget.spend(member, 'member'))).toEqual([SECOND_MS, 0]);
  });
});

describe('an address that floods', () => {
  test('with challenges gets 60 an hour, also all at once', async () => {
    const port = await asItComes();
    const answers = await Promise.all(Array.from({ length: 150 }, () => send(port, 'auth/challenge', null)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(DEFAULT_LIMITS.challengesPerHour);
    for (const answer of answers.filter(({ status }) => status !== 200)) isOver(answer, HOUR_MS);
    siege.world.clock.advance(HOUR_MS / 2);
    isOver(await send(port, 'auth/challenge', null), HOUR_MS / 2);
    siege.world.clock.advance(HOUR_MS / 2);
    expect((await send(port, 'auth/challenge', null)).status).toBe(200);
    await renew();
  });

  test('with sign-ups gets 10 an hour, whether or not they are right, and stores no more than it may', async () => {
    const port = await asItComes();
    const { world } = siege;
    const before = (await siege.stored())['users'] ?? 0;
    const bodies = await Promise.all(
      Array.from({ length: 16 }, async () => signUpBody(world, await makePerson(world.identity.server.id, world.clock.now()))),
    );
    const answers = await Promise.all(bodies.map((body, at) => send(port, 'users', at % 4 === 0 ? { ...body, inviteSecret: 'x' } : body)));
    const over = answers.filter(({ status }) => status === 429);
    expect(over).toHaveLength(16 - DEFAULT_LIMITS.signUpsPerHour);
    for (const answer of over) isOver(answer, HOUR_MS);
    expect((await siege.stored())['users']).toBe(before + answers.filter(({ status }) => status === 201).length);
  });

  test('with failed sign-ins, links and looks at invitations gets 5 a minute of all together', async () => {
    const port = await asItComes();
    const wrong = await signInBody(siege.world, siege.ann, { purpose: 'socket' });
    const tries = [
      ['auth/token', wrong],
      ['devices', wrong],
      ['invites/check', { secret: 'A'.repeat(43) }],
    ] as const;
    const answers: RawAnswer[] = [];
    for (let at = 0; at < 9; at++) {
      const [path, body] = tries[at % tries.length] as (typeof tries)[number];
      answers.push(await send(port, path, body));
    }
    expect(answers.map(({ status }) => status === 429)).toEqual([...Array(5).fill(false), ...Array(4).fill(true)]);
    for (const answer of answers.slice(5)) isOver(answer, MINUTE_MS);
    // A right one waits too: whoever guesses must not learn which guess was right.
    isOver(await send(port, 'auth/token', await signInBody(siege.world, siege.ann)), MINUTE_MS);
    siege.world.clock.advance(MINUTE_MS);
    expect((await send(port, 'auth/token', await signInBody(siege.world, siege.ann))).status).toBe(200);
  });

  test('with requests gets 600 a minute, on any route and none, and health beside them', async () => {
    const port = await asItComes({ limits: { httpRequestsPerMinute: 100 } });
    const routes = readRoutes((await siege.call({ method: 'GET', url: '/openapi.json' })).json()).filter(({ path }) => !path.endsWith('z'));
    const unrouted = [
      'GET /nothing',
      'BREW /',
      'OPTIONS *',
      'GET /%zz',
      'POST /healthz',
      'GET /federation/v1/notice',
      'POST /federation/v1/a/b',
    ];
    const lines = [...routes.map(({ method, path }) => `${method} ${path}`), ...unrouted];
    const ask = (line: string) => exchange(port, `${line} HTTP/1.1\r\nhost: a\r\n\r\n`);
    let counted = 0;
    for (let at = 0; counted < 100; at++) {
      const line = lines[at % lines.length] ?? '';
      const answer = await ask(line);
      // What is no method of HTTP is no request either: its connection ends.
      if (!line.startsWith('BREW')) counted++;
      expect([line, answer?.status]).not.toEqual([line, 429]);
    }
    for (const line of lines.filter((one) => !one.startsWith('BREW'))) isOver((await ask(line)) as RawAnswer, MINUTE_MS);
    for (const path of ['/healthz', '/readyz']) expect((await ask(`GET ${path}`))?.status).toBe(200);
    siege.world.clock.advance(MINUTE_MS);
    expect((await ask('GET /api/v1/server'))?.status).toBe(200);
  });

  test('is one address, whatever it says of itself', async () => {
    const port = await asItComes({ limits: { challengesPerHour: 3 } });
    const claims = [
      'x-forwarded-for: 192.0.2.1',
      'x-forwarded-for: ::1, 192.0.2.2',
      'forwarded: for=192.0.2.3',
      'x-real-ip: 192.0.2.4',
      'cf-connecting-ip: 192.0.2.5',
    ];
    const statuses: number[] = [];
    for (const claim of claims) statuses.push((await send(port, 'auth/challenge', null, `${claim}\r\n`)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  test('behind a trusted proxy is the one that the proxy names, and no other notices', async () => {
    const port = await asItComes({ trustProxy: true, limits: { challengesPerHour: 2 } });
    const from = async (address: string) => (await send(port, 'auth/challenge', null, `x-forwarded-for: ${address}\r\n`)).status;
    const flood: number[] = [];
    for (let host = 0; host < 6; host++) flood.push(await from(`2001:db8:1:2::${host}`));
    expect(flood).toEqual([200, 200, 429, 429, 429, 429]);
    expect(await from('2001:db8:1:3::1')).toBe(200);
    expect(await from('::ffff:192.0.2.9')).toBe(200);
    expect([await from('192.0.2.9'), await from('192.0.2.9')]).toEqual([200, 429]);
    // What is no address counts too, as what it is.
    for (const nonsense of ['', 'x', '999.1.1.1', '1.1.1.1:80', '[::1]', "'--", 'a'.repeat(5_000)])
      expect([200, 429]).toContain(await from(nonsense));
  });

  test('from a million networks is forgotten from the oldest on, and costs no more memory than its limit', () => {
    const limits = { ...DEFAULT_LIMITS, addressesCounted: 100, challengesPerHour: 1 };
    const budget = new AddressBudget({ clock: siege.world.clock, limits });
    budget.count('challenge', '192.0.2.1');
    expect(budget.waitMs('challenge', '192.0.2.1')).toBeGreaterThan(0);
    for (let at = 0; at < 1_000_000; at++)
      budget.count('challenge', `2001:db8:${(at >> 16).toString(16)}:${(at & 0xffff).toString(16)}::1`);
    expect(budget.waitMs('challenge', '192.0.2.1')).toBe(0);
    expect(budget.waitMs('challenge', '2001:db8:f:423f::1')).toBeGreaterThan(0);
  });
});

/** Ann signs in again after an hour has passed. */
const renew = async (): Promise<void> => {
  const answer = await siege.post('/api/v1/auth/token', await signInBody(siege.world, siege.ann));
  (siege.ann as { token: string }).token = String(answer.json()['token']);
};

describe('a challenge', () => {
  test('is never the same, and says nothing of its maker', async () => {
    const nonces = await Promise.all(
      Array.from({ length: 200 }, async () => String((await siege.post('/api/v1/auth/challenge', '{}')).json()['nonce'])),
    );
    expect(new Set(nonces).size).toBe(200);
    for (const nonce of nonces) expect(Buffer.from(nonce, 'base64url')).toHaveLength(38);
  });

  test('costs no row before it is used, and one after', async () => {
    const before = await siege.stored();
    for (let at = 0; at < 50; at++) await siege.post('/api/v1/auth/challenge', '{}');
    expect(await siege.stored()).toEqual(before);
    await siege.post('/api/v1/auth/token', await signInBody(siege.world, siege.ann));
    expect((await siege.stored())['used_challenges']).toBe((before['used_challenges'] ?? 0) + 1);
  });

  test('changed in any bit is none of ours', async () => {
    const { nonce } = await siege.world.identity.challenges.make();
    const bytes = Buffer.from(nonce, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ (1 << (at % 8));
      expect(await siege.world.identity.challenges.isGood(other.toString('base64url'))).toBe(false);
    }
    expect(await siege.world.identity.challenges.isGood(nonce)).toBe(true);
  });

  test('used for one purpose is used for all', async () => {
    const { world, ann } = siege;
    const { nonce } = await world.identity.challenges.make();
    expect((await siege.post('/api/v1/auth/token', await signInBody(world, ann, { nonce }))).status).toBe(200);
    const link = await signInBody(world, ann, { nonce, purpose: 'link-device' });
    expect(isRefusal(await siege.post('/api/v1/devices', link), 'link')).toBe('UNAUTHENTICATED');
    expect(isRefusal(await siege.post('/api/v1/auth/token', await signInBody(world, ann, { nonce })), 'token')).toBe('UNAUTHENTICATED');
  });
});
