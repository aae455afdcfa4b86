// A right request for each route that takes a body, of one member, ready to be sent or to be made wrong. A test fails where a route has none here.
import { base64url, cryptoRandom } from '../../src/base/ids.ts';
import { generatePrivateKey } from '../../src/crypto/openpgp.ts';
import { openPeering } from '../../src/federation/federation.ts';
import { makeReedId, serverIdFromFingerprint, serverKeyId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type Statement, type StatementOf } from '../../src/wire/statements.ts';
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
  silent,
  type World,
} from './people.ts';
import { recoverBody, removalOf, revocationOf, rotationOf, withdrawalOf, withNextKey } from './rotations.ts';

/** A thread of two registered reeds that waits for its record. */
async function threadRecord(world: World, person: Person): Promise<StatementOf<'thread'>> {
  const head = newReedId(world, person);
  const first = await publishReed(world, person, { id: head, thread: { head, index: 0 } } as never, false);
  const second = await publishReed(world, person, { thread: { head, index: 1 } }, false);
  return {
    ...heading('thread'),
    author: person.user,
    key: person.keyId,
    id: makeReedId(person.user, first.slice(-36)),
    reeds: [first, second],
  };
}

/** A published thread of two. */
async function publishThread(world: World, person: Person): Promise<StatementOf<'thread'>['id']> {
  const record = await threadRecord(world, person);
  await world.reeds.threads.register(person.member, await sign(person, record, world.clock.now()));
  for (const part of record.reeds) await world.reeds.publish.publishReady(person.member, part, undefined);
  return record.id;
}

/** What a member signs about somebody or something else. */
const about = (
  { world, person }: { world: World; person: Person },
  type: 'follow' | 'unfollow' | 'like' | 'unlike' | 'block' | 'unblock',
  target: string,
): Promise<object> => {
  const now = world.clock.now();
  const statement = { ...heading(type), user: person.user, key: person.keyId, target, createdAt: printTime(now) };
  return sign(person, statement as Statement, now);
};

const removal = ({ world, person }: { world: World; person: Person }, type: 'reed-removal' | 'thread-removal', id: string) =>
  sign(person, { ...heading(type), id, author: person.user, key: person.keyId } as StatementOf<typeof type>, world.clock.now());

/** Where it goes, and what. `token`: of the session that may send it, where it is not the member's. */
export type RightRequest = { readonly url: string; readonly body: object; readonly token?: string };

/** By the route's path. The member's device stays the one that it is. */
export async function rightRequests(world: World, person: Person): Promise<Readonly<Record<string, RightRequest>>> {
  const by = { world, person };
  const other = await signUp(world);
  const [old, reed, thread] = [await publishReed(world, person), await publishReed(world, other), await publishThread(world, person)];
  const bodies = await bodiesOf(world, person);
  const here = Object.entries(bodies).map(([url, body]) => [url, { url, body }] as const);
  const on = (path: string, id: string, body: object) =>
    [`/api/v1/${path}`, { url: `/api/v1/${path.replace('{id}', encodeURIComponent(id))}`, body }] as const;
  return Object.fromEntries([
    ...here,
    ...(await endings(world)),
    ...(await ofAdmins(world)),
    on('reeds/{id}/like', reed, await about(by, 'like', reed)),
    on('reeds/{id}/unlike', reed, await about(by, 'unlike', reed)),
    on('reeds/{id}/removal', old, await removal(by, 'reed-removal', old)),
    on('threads/{id}/removal', thread, await removal(by, 'thread-removal', thread)),
    on('users/{id}/follow', other.user, await about(by, 'follow', other.user)),
    on('users/{id}/unfollow', other.user, await about(by, 'unfollow', other.user)),
    on('users/{id}/block', other.user, await about(by, 'block', other.user)),
    on('users/{id}/unblock', other.user, await about(by, 'unblock', other.user)),
  ]);
}

/** A peering in a state, with a server that nobody runs. */
async function standing(world: World, state: string): Promise<string> {
  const { fingerprint } = await generatePrivateKey(world.clock.now());
  const server = await serverIdFromFingerprint(fingerprint);
  const approved = state === 'pending' ? null : new Date(world.clock.now());
  await world.db.query({ text: 'insert into servers (id, name, first_seen_at) values ($1, $1, now())', values: [server] });
  await world.db.query({
    text: `insert into peers (server_id, state, begun_by, begun_at, approved_at, approved_there_at) values ($1, $2, 'operator', now(), $3, $3)`,
    values: [server, state, approved],
  });
  return server;
}

/** A connection string that another server made for this one, and the key that it names. Nobody answers under its address. */
async function connectionTo(world: World): Promise<{ connection: string; key: string }> {
  const other = await makeWorld();
  const { peering, outbound } = openPeering({ ...other, random: cryptoRandom, log: silent, allowPrivatePeers: true });
  try {
    const own = world.identity.server.sealedTo[0]?.publicKey.armor ?? '';
    return { connection: (await peering.invite('operator', own)).connection, key: other.identity.server.keyId };
  } finally {
    await outbound[Symbol.asyncDispose]();
    await other.close();
  }
}

/** Acts of an admin, and what goes with them. `…/accept` alone is not taken: it needs the other server's answer. */
async function ofAdmins(world: World): Promise<[string, RightRequest][]> {
  const admin = await signUp(world);
  const member = await signUp(world);
  await world.db.query({ text: `update users set role = 'admin' where id = $1`, values: [admin.user] });
  const by = (act: string, target: string) => {
    const createdAt = printTime(world.clock.now());
    const statement = {
      ...heading('admin-act'),
      user: admin.user,
      key: admin.keyId,
      act,
      target,
      nonce: base64url(cryptoRandom(24)),
      createdAt,
    };
    return sign(admin, statement, world.clock.now());
  };
  const invited = await generatePrivateKey(world.clock.now());
  const keyId = serverKeyId(invited.fingerprint, await serverIdFromFingerprint(invited.fingerprint));
  const { connection, key } = await connectionTo(world);
  const requests: Record<string, { path: string; body: object }> = {
    'users/{id}/role': { path: `users/${encodeURIComponent(member.user)}/role`, body: await by('role-archivist', member.user) },
    'peers/invite': { path: 'peers/invite', body: { act: await by('peer-invite', keyId), key: invited.publicKey.armor } },
    'peers/read': { path: 'peers/read', body: { connection } },
    'peers/accept': { path: 'peers/accept', body: { act: await by('peer-accept', key), connection } },
  };
  for (const [move, state] of Object.entries({ approve: 'pending', suspend: 'live', resume: 'suspended', revoke: 'live' })) {
    const server = await standing(world, state);
    requests[`peers/{id}/${move}`] = { path: `peers/${server}/${move}`, body: await by(`peer-${move}`, server) };
  }
  return Object.entries(requests).map(([route, { path, body }]) => [
    `/api/v1/admin/${route}`,
    { url: `/api/v1/admin/${path}`, body, token: admin.token },
  ]);
}

/** What ends a key or an account, of members of its own: the others go on. */
async function endings(world: World): Promise<[string, RightRequest][]> {
  const [rotating, revoked, leaving, back] = [await signUp(world), await signUp(world), await signUp(world), await signUp(world)];
  await world.identity.accountRemovals.request(back.member, await removalOf(world, back));
  const { token } = await world.identity.recovery.signIn(await recoverBody(world, back));
  const requests: Record<string, RightRequest> = {
    keys: { url: 'keys', body: await rotationOf(world, rotating, await withNextKey(world, rotating)), token: rotating.token },
    'keys/{id}/revocation': { url: `keys/${encodeURIComponent(revoked.keyId)}/revocation`, body: await revocationOf(world, revoked) },
    'users/me/removal': { url: 'users/me/removal', body: await removalOf(world, leaving), token: leaving.token },
    'users/me/removal-withdrawal': { url: 'users/me/removal-withdrawal', body: await withdrawalOf(world, back), token },
  };
  return Object.entries(requests).map(([path, request]) => [`/api/v1/${path}`, { ...request, url: `/api/v1/${request.url}` }]);
}

async function bodiesOf(world: World, person: Person): Promise<Readonly<Record<string, object>>> {
  const now = world.clock.now();
  const record = await threadRecord(world, person);
  const published = await publishReed(world, person);
  const reply = { tags: ['reeds'], mentions: [person.user], replyTo: published, root: published, previous: published };
  return {
    '/api/v1/users': await signUpBody(world, await makePerson(world.identity.server.id, now)),
    '/api/v1/users/me/identity': await sign(person, { ...identityStatement(person, now), bio: 'Grows reeds' }, now),
    '/api/v1/auth/token': await signInBody(world, person),
    '/api/v1/devices': await signInBody(world, person, { purpose: 'link-device' }),
    '/api/v1/invites': (await makeInvite(world, person)).post,
    '/api/v1/invites/check': { secret: 'A'.repeat(43), invite: 'root' },
    '/api/v1/reeds': await sign(person, reedStatement(world, person, reply), now),
    '/api/v1/threads': await sign(person, record, now),
  };
}
