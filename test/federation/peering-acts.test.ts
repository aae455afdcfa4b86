// What admins and the operator do about peers and roles, as acts: who may, two of them where there are two, and what of it is logged.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  actOf,
  advance,
  keyOf,
  makeAdmin,
  moveBy,
  type PeerServer,
  post,
  settlePeers,
  startPeerServer,
  stateAt,
} from '../support/peer-world.ts';
import { makeInvite, signUp } from '../support/people.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

let a: PeerServer;
let b: PeerServer;
beforeAll(async () => {
  [a, b] = [await startPeerServer(), await startPeerServer()];
});
afterEach(async () => {
  await Promise.all([a, b].map((server) => server.forget()));
});
afterAll(async () => {
  await Promise.all([a, b].map((server) => server.close()));
});

const states = async (): Promise<(string | null)[]> => [await stateAt(a, b.id), await stateAt(b, a.id)];
const invite = async (): Promise<string> => (await a.federation.peering.invite('operator', await keyOf(b))).connection;
const operator = (server: PeerServer, moving: 'approve' | 'suspend' | 'resume' | 'revoke', target: string) =>
  server.federation.peering.move('operator', moving, target);

describe('admins', () => {
  test('make peers by signed acts over HTTP, two of them where there are two, and the same act again answers the same', async () => {
    const [ann, bea] = [await makeAdmin(a, 'root'), await makeAdmin(a)];
    const carl = await makeAdmin(b, 'root');
    const key = await keyOf(b);
    const target = b.world.identity.server.keyId;
    const act = await actOf(a, ann, { act: 'peer-invite', target });
    const lost = await post(a, ann, 'peers/invite', { act, key });
    const invited = await post(a, ann, 'peers/invite', { act, key });
    expect(lost.status, JSON.stringify(lost.body)).toBe(200);
    expect(invited.body['certificate']).toEqual(lost.body['certificate']);
    const { connection } = invited.body;

    const read = await post(b, carl, 'peers/read', { connection: connection ?? '' });
    expect(read).toMatchObject({ status: 200, body: { server: a.id, baseUrl: a.url, key: a.world.identity.server.keyId } });
    const accepting = await actOf(b, carl, { act: 'peer-accept', target: read.body['key'] ?? '' });
    for (let time = 0; time < 2; time += 1)
      expect(await post(b, carl, 'peers/accept', { act: accepting, connection: connection ?? '' })).toMatchObject({
        status: 200,
        body: { state: 'pending' },
      });
    // The only admin there may do both.
    expect(await moveBy(b, carl, 'approve', a.id)).toMatchObject({ status: 200, body: { state: 'approved-by-us' } });

    expect(await moveBy(a, ann, 'approve', b.id)).toMatchObject({ status: 403 });
    expect(await moveBy(a, bea, 'approve', b.id)).toMatchObject({ status: 200, body: { outcome: 'done' } });
    await settlePeers(a, b);
    expect(await states()).toEqual(['live', 'live']);
    const log = await a.world.identity.adminActs.list({ after: 0, limit: 10 });
    expect(log.map(({ by, act: done }) => [by, done])).toEqual([
      [ann.user, 'peer-invite'],
      [bea.user, 'peer-approve'],
    ]);
    expect(log.every(({ certificate }) => 'countersignature' in certificate)).toBe(true);
  });

  test('do not confirm what the one who made or invited them began, for a week', async () => {
    const ann = await makeAdmin(a, 'root');
    const { post: body, secret } = await makeInvite(a.world, ann);
    await a.world.identity.invites.create(ann.member, body);
    const invitee = await signUp(a.world, { inviteSecret: secret });
    await a.world.db.query({ text: `update users set role = 'admin' where id = $1`, values: [invitee.user] });
    const bea = { ...invitee, member: { ...invitee.member, role: 'admin' as const } };
    const act = await actOf(a, ann, { act: 'peer-invite', target: b.world.identity.server.keyId });
    const { body: invited } = await post(a, ann, 'peers/invite', { act, key: await keyOf(b) });
    await b.federation.peering.accept('operator', invited['connection'] ?? '');
    expect(await moveBy(a, bea, 'approve', b.id)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('invited you') as string },
    });
    advance(7 * DAY, a, b);
    const later = { member: bea.member, value: await actOf(a, bea, { act: 'peer-approve', target: b.id }) };
    expect(await a.federation.peering.move(later, 'approve', b.id)).toMatchObject({ state: 'approved-by-us' });
  });

  test('end a peering by two, and pause it by one', async () => {
    const [ann, bea] = [await makeAdmin(a, 'root'), await makeAdmin(a)];
    await b.federation.peering.accept('operator', await invite());
    expect(await moveBy(a, ann, 'approve', b.id)).toMatchObject({ status: 200 });
    await operator(b, 'approve', a.id);
    await settlePeers(a, b);
    expect(await moveBy(a, ann, 'revoke', b.id)).toMatchObject({ status: 200, body: { outcome: 'asked', state: 'live' } });
    expect(await moveBy(a, ann, 'revoke', b.id)).toMatchObject({ body: { outcome: 'asked', state: 'live' } });
    expect((await a.federation.directory.details(b.id))[0]).toMatchObject({ endAsked: { by: ann.user } });
    expect(await moveBy(a, ann, 'suspend', b.id)).toMatchObject({ body: { outcome: 'done', state: 'suspended' } });
    expect(await moveBy(a, bea, 'revoke', b.id)).toMatchObject({ body: { outcome: 'done', state: 'revoked' } });
    await settlePeers(a, b);
    expect(await stateAt(b, a.id)).toBe('revoked');
  });

  test('are who acts: no member else, none by another act, target or date, and no nonce twice', async () => {
    const ann = await makeAdmin(a, 'root');
    const member = await makeAdmin(a, 'user');
    await b.federation.peering.accept('operator', await invite());
    expect(await moveBy(a, member, 'approve', b.id)).toMatchObject({ status: 403 });
    const send = async (said: Parameters<typeof actOf>[2], by = ann) =>
      (await post(a, ann, `peers/${b.id}/approve`, await actOf(a, by, said))).status;
    const act = 'peer-approve';
    expect(await send({ act: 'peer-revoke', target: b.id })).toBe(422);
    expect(await send({ act, target: a.id })).toBe(422);
    expect(await send({ act, target: b.id }, member)).toBe(403);
    expect(await send({ act, target: b.id, createdAt: new Date(a.clock.now() - HOUR).toISOString() })).toBe(422);
    expect(await stateAt(a, b.id)).toBe('pending');
    const nonce = 'n'.repeat(32);
    expect(await send({ act, target: b.id, nonce })).toBe(200);
    advance(1_000, a, b);
    expect(await send({ act, target: b.id, nonce })).toBe(409);
    expect(await a.world.identity.adminActs.list({ after: 1, limit: 10 })).toHaveLength(1);
  });

  test('give roles that others depend on by two, and take another one away by two', async () => {
    const [ann, bea] = [await makeAdmin(a, 'root'), await makeAdmin(a)];
    const cal = await signUp(a.world);
    const give = async (by: typeof ann, role: 'admin' | 'user' | 'root' | 'archivist', user = cal.user) =>
      post(a, by, `users/${user}/role`, await actOf(a, by, { act: `role-${role}`, target: user }));
    const roleOf = async (user: string) =>
      (await a.world.db.query<{ role: string }>({ text: 'select role from users where id = $1', values: [user] }))[0]?.role;
    expect(await give(ann, 'archivist')).toMatchObject({ status: 200, body: { outcome: 'asked' } });
    expect(await roleOf(cal.user)).toBe('user');
    expect(await give(bea, 'archivist')).toMatchObject({ body: { outcome: 'done' } });
    expect(await give(bea, 'user')).toMatchObject({ body: { outcome: 'done' } });
    expect(await give(bea, 'root')).toMatchObject({ status: 403 });
    expect(await give(ann, 'user', bea.user)).toMatchObject({ body: { outcome: 'asked' } });
    expect(await roleOf(bea.user)).toBe('admin');
    expect(await give(bea, 'user', bea.user)).toMatchObject({ body: { outcome: 'done' } });
    expect(await give(ann, 'admin')).toMatchObject({ body: { outcome: 'done' } });
    expect(await roleOf(cal.user)).toBe('admin');
    const log = () => a.world.identity.adminActs.list({ after: 0, limit: 50 });
    const before = await log();
    expect(await give(ann, 'admin'), 'what is so already').toMatchObject({ status: 200, body: { outcome: 'done' } });
    expect(await log()).toEqual(before);
  });
});

test('what changed something is logged, and no step that found everything as it was', async () => {
  const connection = await invite();
  for (let time = 0; time < 2; time++) await b.federation.peering.accept('operator', connection);
  await operator(a, 'approve', b.id);
  await operator(b, 'approve', a.id);
  await settlePeers(a, b);
  const carl = await makeAdmin(b, 'root');
  await b.federation.peering.accept('operator', connection);
  for (const moving of ['approve', 'suspend', 'resume', 'revoke'] as const) {
    expect(await operator(b, moving, a.id)).toMatchObject({ outcome: 'done' });
    expect(await operator(b, moving, a.id)).toMatchObject({ outcome: 'done' });
    expect(await moveBy(b, carl, moving, a.id)).toMatchObject({ status: 200, body: { outcome: 'done' } });
  }
  const actsOf = async ({ world }: PeerServer): Promise<string[]> =>
    (await world.identity.adminActs.list({ after: 0, limit: 50 })).map(({ act }) => act);
  expect(await actsOf(b)).toEqual(['peer-accept', 'peer-approve', 'peer-suspend', 'peer-resume', 'peer-revoke']);
  // Each voids the one before.
  for (let time = 0; time < 2; time++) await b.federation.peering.invite('operator', await keyOf(a));
  expect((await actsOf(b)).slice(-2)).toEqual(['peer-invite', 'peer-invite']);
});
