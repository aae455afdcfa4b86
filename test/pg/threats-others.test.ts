// What one member reads of another over HTTP: names, ids, keys and what was signed and published; not who holds a copy, who asks, who is
// online, on which device, with which invite.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/http/api.ts';
import { makeHttp } from '../support/http.ts';
import { makeInvite, makeWorld, type Person, publishReed, signUp, type World } from '../support/people.ts';

let world: World;
let app: Api;
let heron: Person & { token: string };
let stranger: Person & { token: string };
let reed: string;

beforeAll(async () => {
  world = await makeWorld();
  app = await makeHttp(world);
  heron = await signUp(world, { username: 'heron' });
  stranger = await signUp(world, { username: 'bittern' });
  reed = await publishReed(world, heron, { tags: ['pool'] });
  await world.identity.invites.create(heron.member, (await makeInvite(world, heron)).post);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const read = async (path: string): Promise<{ status: number; body: Record<string, unknown>; text: string }> => {
  const answer = await app.inject({ url: `/api/v1/${path}`, headers: { authorization: `Bearer ${stranger.token}` } });
  return { status: answer.statusCode, body: answer.json(), text: answer.body };
};

/** Every name of a field in it, however deep. */
function fieldsOf(value: unknown): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(fieldsOf))];
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.entries(value).flatMap(([name, inner]) => [name, ...fieldsOf(inner)]))].sort();
}

const CERTIFICATE = ['app', 'countersignature', 'key', 'seq', 'server', 'serverKey', 'signature', 'signatures', 'signedAt', 'statement'];
const COUNTERSIGNED = [...CERTIFICATE, 'statementHash', 'statementType', 'type', 'user', 'v'];

describe('another member', () => {
  test.each([
    [
      'a member',
      () => `users/${encodeURIComponent(heron.user)}`,
      [
        ...['archive', 'bio', 'counts', 'createdAt', 'followers', 'following', 'follows', 'id', 'identity', 'pinned', 'reeds', 'role'],
        'username',
      ],
    ],
    ['a key', () => `keys/${encodeURIComponent(heron.keyId)}?for=relay`, ['armor', 'certificate', 'recovery']],
    ['a reed', () => `reeds/${encodeURIComponent(reed)}`, ['author', 'bodyHash', 'certificate', 'id', 'mentions', 'publishedAt', 'tags']],
  ])('reads what was signed and when: %s', async (_, path, fields) => {
    const { status, body } = await read(path());
    expect(status).toBe(200);
    expect(fieldsOf(body)).toEqual([...new Set([...COUNTERSIGNED, ...fields])].sort());
  });

  test('finds members by the beginning of a name or id, and reads three things of each', async () => {
    const { body } = await read('users?query=her');
    expect(fieldsOf(body)).toEqual(['id', 'next', 'role', 'username', 'users']);
  });

  test('reads what answers a reed as it reads any reed, and whom it holds, likes or blocks of itself alone', async () => {
    expect(await read(`reeds/${encodeURIComponent(reed)}/replies`)).toMatchObject({ status: 200, body: { reeds: [], next: null } });
    for (const list of ['reeds', 'allocations', 'likes'])
      expect((await read(`users/me/${list}`)).body, list).toEqual({ reeds: [], next: null });
  });

  test('reads of devices and invites only their own', async () => {
    const devices = await read('devices');
    expect(devices.body['devices']).toMatchObject([{ id: stranger.device }]);
    expect((await read('invites')).body['invites']).toEqual([]);
  });

  test('is told by no answer on which device a member is, or which invites there are', async () => {
    for (const path of [
      `users/${encodeURIComponent(heron.user)}`,
      `reeds/${encodeURIComponent(reed)}`,
      'users?query=her',
      'devices',
      'invites',
    ]) {
      const { text } = await read(path);
      expect(text).not.toContain(heron.device);
      expect(text).not.toMatch(/holder|online|allocation|delivered|tokenHash/i);
    }
  });

  test('opens only reads that are listed here: a new one is thought about first', async () => {
    const { paths } = (await app.inject({ url: '/openapi.json' })).json() as { paths: Record<string, Record<string, unknown>> };
    const reads = Object.keys(paths).filter((path) => path.startsWith('/api/v1/') && paths[path]?.['get'] !== undefined);
    expect(reads.map((path) => path.slice('/api/v1/'.length)).sort()).toEqual(
      [
        // What admins did is for every member to read.
        'admin/acts',
        // 403.
        'admin/peers',
        'devices',
        'invites',
        'keys/{id}',
        'peers',
        'peers/{id}/document',
        'reeds/{id}',
        'reeds/{id}/echoes',
        'reeds/{id}/replies',
        'server',
        'threads/{id}',
        'users',
        'users/elsewhere',
        'users/me/allocations',
        'users/me/blocks',
        'users/me/likes',
        'users/me/reeds',
        'users/{id}',
        'users/{id}/followers',
        'users/{id}/following',
      ].sort(),
    );
  });
});
