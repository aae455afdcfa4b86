// A right body for each route that takes one, of one member, ready to be sent or to be made wrong. A test fails where a route has none here.
import { makeReedId } from '../../src/wire/address.ts';
import { heading, type StatementOf } from '../../src/wire/statements.ts';
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
  signUpBody,
  type World,
} from './people.ts';

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

/** By path. The member's device stays the one that it is. */
export async function rightBodies(world: World, person: Person): Promise<Readonly<Record<string, object>>> {
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
