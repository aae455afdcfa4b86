// A right request for each route that takes a body, of one member, ready to be sent or to be made wrong. A test fails where a route has none here.
import { makeReedId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type Statement, type StatementOf } from '../../src/wire/statements.ts';
import {
  identityStatement,
  makeInvite,
  makePerson,
  newReedId,
  type Person,
  publishReed,
  reedStatement,
  sign,
  signInBody,
  signUp,
  signUpBody,
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
