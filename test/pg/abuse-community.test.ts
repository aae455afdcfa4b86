// What members try on each other over HTTP: in the name of others, with old statements or on other routes, around a block, through cursors, and
// by asking until the answers tell what they should not.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../../src/http/api.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type Statement } from '../../src/wire/statements.ts';
import { makeHttp } from '../support/http.ts';
import {
  identityStatement,
  makePerson,
  makeWorld,
  newReedId,
  type Person,
  publishReed,
  reedStatement,
  sign,
  signInBody,
  signUp,
  type World,
} from '../support/people.ts';
import { rightRequests } from '../support/right-requests.ts';
import { keyAfter, recovering, removalOf, rotate, withNextKey } from '../support/rotations.ts';

type Signed = Person & { readonly token: string };
type Act = 'follow' | 'unfollow' | 'like' | 'unlike' | 'block' | 'unblock';
type Answer = { readonly status: number; readonly body: Record<string, unknown> };

let world: World;
let app: Api;
let ann: Signed;
let bob: Signed;
let cid: Signed;
const MANY = 1_000_000;
beforeAll(async () => {
  world = await makeWorld({
    limits: { actsBurst: MANY, httpRequestsPerMinute: MANY, signUpsPerHour: MANY, failedSignInsPerMinute: MANY, pageItems: 5 },
  });
  app = await makeHttp(world);
});
beforeEach(async () => {
  [ann, bob, cid] = [await signUp(world), await signUp(world), await signUp(world)];
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const at = encodeURIComponent;
const ask = async ({ token }: { token: string }, path: string, payload?: object): Promise<Answer> => {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await app.inject({ method: payload ? 'POST' : 'GET', url: `/api/v1/${path}`, headers, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.json() as Record<string, unknown> };
};
const signed = (person: Person, statement: object): Promise<object> => sign(person, statement as Statement, world.clock.now());
const said = (person: Person, type: Act, target: string): Promise<object> => {
  world.clock.advance(1);
  const createdAt = printTime(world.clock.now());
  return signed(person, { ...heading(type), user: person.user, key: person.keyId, target, createdAt });
};
const act = async (person: Signed, type: Act, target: string): Promise<Answer> =>
  ask(person, `${type.endsWith('like') ? 'reeds' : 'users'}/${at(target)}/${type}`, await said(person, type, target));
const removal = (person: Person, id: string, type: 'reed-removal' | 'thread-removal' = 'reed-removal'): Promise<object> =>
  signed(person, { ...heading(type), id, author: person.user, key: person.keyId });
const publish = async (person: Person, fields: Parameters<typeof reedStatement>[2] = {}): Promise<ReedId> => {
  world.clock.advance(1);
  return publishReed(world, person, fields);
};
const register = async (person: Signed, fields: Parameters<typeof reedStatement>[2]): Promise<Answer> =>
  ask(person, 'reeds', await signed(person, reedStatement(world, person, fields)));
/** A published thread of two. */
const thread = async (person: Person): Promise<ReedId[]> => {
  const head = newReedId(world, person);
  const parts = [head, newReedId(world, person)];
  for (const [index, id] of parts.entries()) await publishReed(world, person, { id, thread: { head, index } } as never, false);
  await world.reeds.threads.register(
    person.member,
    await signed(person, { ...heading('thread'), id: head, author: person.user, key: person.keyId, reeds: parts }),
  );
  await world.reeds.publish.publishReady(person.member, head, undefined);
  return parts;
};
const rows = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> => world.db.query<Row>({ text, values });
const statements = async (person: Person): Promise<string[]> =>
  (await rows<{ it: string }>('select type || seq as it from statements where user_id = $1 order by seq', person.user)).map(({ it }) => it);
const signedIn = async (person: Person): Promise<Signed> => ({
  ...person,
  token: (await world.identity.sessions.signIn(await signInBody(world, person))).token,
});

describe('a statement', () => {
  test('of one route is taken by no other one', async () => {
    const others = /auth.token|devices|v1.users$|invites.check/;
    const right = Object.entries(await rightRequests(world, ann)).filter(([path]) => !others.test(path));
    expect(right.length).toBeGreaterThan(14);
    const before = await statements(ann);
    for (const [path, { url, token }] of right)
      for (const [of, { body }] of right) {
        if (of === path) continue;
        const answer = await ask({ token: token ?? ann.token }, url.replace('/api/v1/', ''), body);
        expect([400, 403, 404, 409, 422], `${of} at ${path}`).toContain(answer.status);
      }
    expect(await statements(ann)).toEqual(before);
  });

  test('about what is another’s removes nothing', async () => {
    const [reed, parts] = [await publish(ann), await thread(ann)];
    for (const [path, id, type] of [
      ['reeds', reed, 'reed-removal'],
      ['threads', parts[0], 'thread-removal'],
    ] as const) {
      const own = await removal(ann, id as ReedId, type);
      expect((await ask(bob, `${path}/${at(id as ReedId)}/removal`, own)).status).toBe(403);
      expect(
        (await ask(bob, `${path}/${at(id as ReedId)}/removal`, await removal({ ...ann, key: bob.key }, id as ReedId, type))).status,
      ).toBe(422);
      expect((await ask(bob, `${path}/${at(id as ReedId)}/removal`, await removal(bob, id as ReedId, type))).status).toBe(422);
      expect((await ask(cid, `${path}/${at(id as ReedId)}`)).status).toBe(200);
    }
  });

  test('by a key that was revoked is refused with the revocation, whoever brings it on whichever session', async () => {
    const [reed, own] = [await publish(ann), await publish(bob)];
    const old = [
      ['follow', `users/${at(ann.user)}/follow`, await said(bob, 'follow', ann.user)],
      ['block', `users/${at(ann.user)}/block`, await said(bob, 'block', ann.user)],
      ['like', `reeds/${at(reed)}/like`, await said(bob, 'like', reed)],
      ['removal', `reeds/${at(own)}/removal`, await removal(bob, own)],
      ['identity', 'users/me/identity', await signed(bob, { ...identityStatement(bob, world.clock.now()), bio: 'old' })],
      ['reed', 'reeds', await signed(bob, reedStatement(world, bob, { previous: own }))],
    ] as const;
    const { next } = await rotate(world, bob);
    const now = await signedIn(next);
    const before = await statements(bob);
    for (const [what, path, body] of old) {
      const { status, body: problem } = await ask(now, path, body);
      expect([status, problem['code']], what).toEqual([403, 'KEY_REVOKED']);
      expect(problem['certificate'], what).toMatchObject({ statement: { type: 'key-revocation', key: bob.keyId } });
      expect((await ask(bob, path, body)).status, what).toBe(401);
    }
    expect(await statements(bob)).toEqual(before);
    // What it said in time stays.
    expect((await ask(cid, `reeds/${at(own)}`)).status).toBe(200);
  });

  test('said before a later one and sent again changes nothing: follows, likes, blocks, identities', async () => {
    const reed = await publish(ann);
    const first: Record<string, object> = {};
    for (const [on, off, target] of [
      ['follow', 'unfollow', ann.user],
      ['like', 'unlike', reed],
      ['block', 'unblock', ann.user],
    ] as const) {
      const path = `${on === 'like' ? 'reeds' : 'users'}/${at(target)}/${on}`;
      first[path] = await said(bob, on, target);
      expect((await ask(bob, path, first[path])).status).toBe(200);
      expect((await act(bob, off, target)).status).toBe(200);
    }
    first['users/me/identity'] = await signed(bob, { ...identityStatement(bob, world.clock.now()), bio: 'first' });
    await ask(bob, 'users/me/identity', first['users/me/identity'] as object);
    world.clock.advance(1);
    await ask(bob, 'users/me/identity', await signed(bob, { ...identityStatement(bob, world.clock.now()), bio: 'second' }));
    const state = async () => [
      await rows(
        'select active from follows where user_id = $1 union all select active from likes where user_id = $1 union all select active from blocks where user_id = $1',
        bob.user,
      ),
      (await ask(cid, `users/${at(bob.user)}`)).body['identity'],
      (await statements(bob)).length,
    ];
    const before = await state();
    for (const [path, body] of Object.entries(first)) expect((await ask(bob, path, body)).status).toBe(200);
    expect(await state()).toEqual(before);
  });

  test('that likes and does not, forty times at once, leaves the highest seq as the state and one like or none', async () => {
    const reed = await publish(ann);
    const flips = await Promise.all(Array.from({ length: 40 }, (_, nth) => said(bob, nth % 2 === 0 ? 'like' : 'unlike', reed)));
    const answers = await Promise.all(flips.map((body, nth) => ask(bob, `reeds/${at(reed)}/${nth % 2 === 0 ? 'like' : 'unlike'}`, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    const [last] = await rows<{ type: string }>('select type from statements where user_id = $1 order by seq desc limit 1', bob.user);
    const [{ active }] = (await rows<{ active: boolean }>('select active from likes where user_id = $1', bob.user)) as [
      { active: boolean },
    ];
    const [stats] = await rows<{ likes: number }>('select likes from reed_stats where reed_id = $1', reed);
    expect([active, stats?.likes ?? 0]).toEqual([last?.type === 'like', last?.type === 'like' ? 1 : 0]);
  });

  test('names thirty members once: neither twice nor one more', async () => {
    const people = await Promise.all(Array.from({ length: 31 }, () => makePerson(world.identity.server.id, world.clock.now())));
    const thirty = people.slice(0, 30).map(({ user }) => user);
    for (const mentions of [
      [...thirty, ...thirty],
      people.map(({ user }) => user),
      [...thirty.slice(1), thirty[1]],
      Array(30).fill(ann.user),
    ])
      expect((await register(bob, { mentions } as never)).status).toBe(422);
    expect((await register(bob, { tags: ['reed', 'reed'] })).status).toBe(422);
    expect((await register(bob, { mentions: thirty })).status).toBe(201);
  });
});

describe('a blocked member', () => {
  test('is refused with the certificate wherever the blocker is shown, and by a new key as by the old one', async () => {
    const [reed, parts] = [await publish(ann), await thread(ann)];
    await act(ann, 'block', bob.user);
    const { next } = await rotate(world, bob);
    const viewer = await signedIn(next);
    const tries: Record<string, Answer> = {};
    const [who, id, head, part] = [ann.user, reed, ...parts].map(at);
    const shown = `users/${who} users/${who}/following users/${who}/followers reeds/${id} reeds/${part} threads/${head}`;
    for (const path of `${shown} reeds/${id}/replies reeds/${part}/echoes`.split(' ')) tries[path] = await ask(viewer, path);
    for (const target of [reed, parts[0], parts[1]] as ReedId[]) {
      tries[`like ${target}`] = await act(viewer, 'like', target);
      tries[`reply ${target}`] = await register(viewer, { replyTo: target, root: target });
      tries[`echo ${target}`] = await register(viewer, { echoOf: target });
    }
    tries['follow'] = await act(viewer, 'follow', ann.user);
    for (const [what, { status, body }] of Object.entries(tries)) {
      expect([status, body['code']], what).toEqual([403, 'BLOCKED']);
      expect(body['certificate'], what).toMatchObject({ statement: { type: 'block', user: ann.user, target: bob.user } });
    }
    expect((await register(viewer, { mentions: [ann.user] })).body['mentions']).toEqual([
      { user: ann.user, accepted: false, reason: 'blocked' },
    ]);
    expect((await ask(viewer, `users?query=${ann.username}`)).body['users']).toEqual([]);
    const open = [
      act(viewer, 'unfollow', ann.user),
      act(viewer, 'unlike', reed),
      act(viewer, 'block', ann.user),
      ask(viewer, `keys/${at(ann.keyId)}`),
    ];
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('is told once of a block and once of its end, however often both are said, and of the end of none nothing', async () => {
    const owed = async () =>
      (await ask(ann, 'users/me/blocks')).status === 200 && world.identity.blocks.owed(bob.user, { after: '', limit: 9 });
    const acknowledge = () => rows('delete from owed_notices where user_id = $1', bob.user);
    const debts = async () => (await rows(`select from pending_fanout where subject_id = $1`, `${ann.user} ${bob.user}`)).length;
    await act(ann, 'unblock', bob.user);
    expect([await owed(), await debts()]).toEqual([[], 0]);
    await act(ann, 'block', bob.user);
    await act(ann, 'block', bob.user);
    expect(await owed()).toMatchObject([{ kind: 'block', about: ann.user }]);
    await acknowledge();
    for (let nth = 0; nth < 3; nth++) await act(ann, 'block', bob.user);
    expect(await owed()).toEqual([]);
    await act(ann, 'unblock', bob.user);
    expect(await owed()).toMatchObject([{ kind: 'unblock' }]);
    await acknowledge();
    for (let nth = 0; nth < 3; nth++) await act(ann, 'unblock', bob.user);
    expect(await owed()).toEqual([]);
  });

  test('is nobody else’s business: others get the same answers as before', async () => {
    const reed = await publish(ann);
    const reply = await publish(bob, { replyTo: reed, root: reed });
    const paths =
      `users/${at(ann.user)} users/${at(bob.user)} reeds/${at(reed)} reeds/${at(reply)} reeds/${at(reed)}/replies users/${at(ann.user)}/followers users/${at(bob.user)}/following users?query=${at(bob.user)} keys/${at(ann.keyId)}`.split(
        ' ',
      );
    const all = async () => Promise.all(paths.map((path) => ask(cid, path)));
    const before = await all();
    await act(ann, 'block', bob.user);
    expect(await all()).toEqual(before);
    expect((await act(cid, 'unblock', bob.user)).status).toBe(200);
    expect((await ask(cid, 'users/me/blocks')).body).toEqual({ blocks: [], next: null });
  });
});

describe('what a key signed that is off the chain', () => {
  const putOff = async (thief: Person, owner: Person) => {
    await world.identity.rotation.rotate(recovering(owner), {
      key: await keyAfter(world, owner, await withNextKey(world, owner), 'recovery'),
    });
    for (let after: number | null = 0; after !== null; ) after = (await world.reeds.voiding.page(thief.keyId, after)).next;
  };
  const followers = async (of: Person) =>
    (await world.identity.follows.followers(of.user, of.user, { after: '', limit: 9 })).map(({ id }) => id);

  test('does not bring a follow back that a block has ended since', async () => {
    await act(bob, 'follow', ann.user);
    const { next: thief } = await rotate(world, bob);
    await act(await signedIn(thief), 'unfollow', ann.user);
    await act(ann, 'block', bob.user);
    await putOff(thief, bob);
    expect(await followers(ann)).toEqual([]);
    await act(ann, 'unblock', bob.user);
    expect(await followers(ann)).toEqual([]);
  });

  test('had let somebody in whom its owner blocks: they are cut off and told again', async () => {
    await act(ann, 'block', bob.user);
    const { next: thief } = await rotate(world, ann);
    await act(await signedIn(thief), 'unblock', bob.user);
    await act(bob, 'follow', ann.user);
    await rows('delete from owed_notices where user_id = $1', bob.user);
    await rows('delete from pending_fanout');
    await putOff(thief, ann);
    expect((await act(bob, 'follow', ann.user)).status).toBe(403);
    expect(await followers(ann)).toEqual([]);
    expect(await world.identity.blocks.owed(bob.user, { after: '', limit: 9 })).toMatchObject([{ kind: 'block', about: ann.user }]);
    expect(await rows('select kind, looks from pending_fanout where subject_id = $1', `${ann.user} ${bob.user}`)).toEqual([
      { kind: 'block', looks: 0 },
    ]);
  });
});

describe('a member whose removal waits', () => {
  test('is answered for as one who was never there, by every route', async () => {
    const [reed, parts, open] = [await publish(ann), await thread(ann), await publish(cid)];
    await act(cid, 'follow', ann.user);
    await world.identity.accountRemovals.request(ann.member, await removalOf(world, ann));
    const nobody = await makePerson(world.identity.server.id, world.clock.now());
    const none = newReedId(world, nobody);
    const answers = async (user: string, id: ReedId, whole: ReedId) => [
      ...(await Promise.all(
        [`users/${at(user)}`, `users/${at(user)}/followers`, `users/${at(user)}/following`, `users?query=${at(user)}`].map((path) =>
          ask(bob, path),
        ),
      )),
      ...(await Promise.all(
        [`reeds/${at(id)}`, `reeds/${at(id)}/replies`, `reeds/${at(id)}/echoes`, `threads/${at(whole)}`].map((path) => ask(bob, path)),
      )),
      ...(await Promise.all([
        act(bob, 'follow', user),
        act(bob, 'block', user),
        act(bob, 'like', id),
        register(bob, { replyTo: id, root: id }),
        register(bob, { echoOf: id }),
      ])),
      await ask(bob, `reeds/${at(open)}/replies?cursor=${at(id)}`),
    ];
    expect(await answers(ann.user, reed, parts[0] as ReedId)).toEqual(await answers(nobody.user, none, none));
    const { mentions } = (await register(bob, { mentions: [ann.user] })).body as { mentions: { reason: string }[] };
    expect(mentions.map(({ reason }) => reason)).toEqual(['unknown']);
    const { body } = await ask(cid, `users/${at(cid.user)}/following`);
    expect(body['users']).toEqual([]);
  });
});

describe('a cursor', () => {
  test('that names a reed of no such list ends it as one that was never there, and tells nothing of that one', async () => {
    const [reed, other] = [await publish(ann), await publish(ann)];
    const foreign = [
      await publish(bob, { replyTo: other, root: other }),
      await publish(bob),
      await publishReed(world, bob, {}, false),
      newReedId(world, bob),
    ];
    for (let nth = 0; nth < 3; nth++) await publish(cid, { replyTo: reed, root: reed });
    await publish(cid, { echoOf: reed });
    for (const path of [`reeds/${at(reed)}/replies`, `reeds/${at(reed)}/echoes`, 'users/me/reeds'])
      for (const cursor of foreign)
        expect(await ask(cid, `${path}?cursor=${at(cursor)}`), path).toEqual({ status: 200, body: { reeds: [], next: null } });
    expect((await ask(cid, `reeds/${at(reed)}/replies`)).body['reeds']).toHaveLength(3);
  });

  test('or a page that somebody made up is refused, and no page is larger than it may be', async () => {
    const reed = await publish(ann);
    for (let nth = 0; nth < 7; nth++) await publish(bob, { replyTo: reed, root: reed });
    const lists =
      `reeds/${at(reed)}/replies reeds/${at(reed)}/echoes users/me/reeds users/me/likes users/me/allocations users/me/blocks users/${at(ann.user)}/followers users/${at(ann.user)}/following users?query=u`.split(
        ' ',
      );
    for (const list of lists)
      for (const query of [
        'cursor=',
        'cursor=x',
        `cursor=${at("' or true --")}`,
        `cursor=${'a'.repeat(256)}`,
        `cursor=%00`,
        `cursor=${at(reed)}&cursor=${at(reed)}`,
        'limit=100000',
        'page=-1',
        `cursor=${at(`${reed}/x`)}`,
      ]) {
        const answer = await ask(bob, `${list}${list.includes('?') ? '&' : '?'}${query}`);
        expect([400, 422], `${list} ${query}`).toContain(answer.status);
      }
    const sizes = async (path: string) => ((await ask(bob, path)).body['reeds'] as unknown[]).length;
    expect([await sizes(`reeds/${at(reed)}/replies`), await sizes('users/me/reeds')]).toEqual([5, 5]);
  });
});

test('a part of a thread and the record of it, at once: the part is removed or the record stands, never both', async () => {
  for (let round = 0; round < 8; round++) {
    const head = newReedId(world, ann);
    const reeds = [head, newReedId(world, ann)] as [ReedId, ReedId];
    for (const [index, id] of reeds.entries()) await publishReed(world, ann, { id, thread: { head, index } } as never, false);
    const record = await signed(ann, { ...heading('thread'), id: head, author: ann.user, key: ann.keyId, reeds });
    const [removed, registered] = await Promise.all([
      ask(ann, `reeds/${at(reeds[1])}/removal`, await removal(ann, reeds[1])),
      ask(ann, 'threads', record),
    ]);
    expect([removed.status === 200, registered.status === 201].filter(Boolean), `${removed.status} ${registered.status}`).toHaveLength(1);
  }
});
