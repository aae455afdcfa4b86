// What lists and profiles show, and to whom: replies and echoes without what is gone or blocked, counts and the pinned reed; and that what is
// registered in time is not published once what it answers is gone (F23, F31, F38).
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../../src/http/api.ts';
import { ReedProfile } from '../../src/reeds/profile.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { StatementOf } from '../../src/wire/statements.ts';
import { makeHttp } from '../support/http.ts';
import { identityStatement, makeWorld, type Person, publishReed, reedStatement, sign, signUp, type World } from '../support/people.ts';

type Signed = Person & { readonly token: string };
let world: World;
let app: Api;
let ann: Signed;
let bob: Signed;
let cid: Signed;
beforeEach(async () => {
  world = await makeWorld();
  app = await makeHttp(world);
  [ann, bob, cid] = [await signUp(world), await signUp(world), await signUp(world)];
});
afterEach(async () => {
  await app.close();
  await world.close();
});

const get = async (person: Signed, path: string) => {
  const answer = await app.inject({ url: `/api/v1/${path}`, headers: { authorization: `Bearer ${person.token}` } });
  return { status: answer.statusCode, body: answer.json() as Record<string, unknown> };
};
const related = async (person: Signed, reed: ReedId, relation: 'replies' | 'echoes' = 'replies') => {
  const { body } = await get(person, `reeds/${encodeURIComponent(reed)}/${relation}`);
  return (body['reeds'] as { certificate: { statement: { id: string } } }[]).map(({ certificate }) => certificate.statement.id);
};
const profile = async (viewer: Signed, of: Person) => (await get(viewer, `users/${encodeURIComponent(of.user)}`)).body;
const block = (author: Person, viewer: Person) =>
  world.db.query({
    text: `insert into blocks (user_id, target, active, seq, statement_hash) select id, $2, true, 1, identity_hash from users where id = $1`,
    values: [author.user, viewer.user],
  });
const remove = (reed: ReedId) =>
  world.db.query({ text: 'update reeds set removed_at = now(), removal_hash = statement_hash where id = $1', values: [reed] });
const leave = (person: Person) =>
  world.db.query({ text: `insert into account_removals (user_id, statement, due_at) values ($1, '{}', now())`, values: [person.user] });
const follow = (person: Person, target: Person) =>
  world.db.query({
    text: `insert into follows (user_id, target, active, seq, statement_hash) select id, $2, true, 1, identity_hash from users where id = $1`,
    values: [person.user, target.user],
  });
const say = async (person: Person, fields: Partial<StatementOf<'identity'>>) => {
  const statement = { ...identityStatement(person, world.clock.now()), ...fields };
  await world.identity.users.changeIdentity(person.member, await sign(person, statement, world.clock.now()));
};

describe('replies and echoes', () => {
  test('are those of the reed itself, by their publication, not by their ids', async () => {
    const root = await publishReed(world, ann);
    const late = await publishReed(world, bob, { replyTo: root, root }, false);
    world.clock.advance(1_000);
    const first = await publishReed(world, cid, { replyTo: root, root });
    await publishReed(world, bob, { replyTo: first, root, previous: late });
    world.clock.advance(1_000);
    await world.reeds.publish.publishReady(bob.member, late, undefined);
    expect(await related(ann, root)).toEqual([first, late]);
    const echo = await publishReed(world, cid, { echoOf: root, previous: first });
    expect(await related(ann, root, 'echoes')).toEqual([echo]);
  });

  test('leave out what is not published, removed, of an account that is gone, or of whom a block parts from the reader', async () => {
    const root = await publishReed(world, ann);
    const [dan, eve] = [await signUp(world), await signUp(world)];
    const shown = await publishReed(world, bob, { replyTo: root, root });
    const [removed, hidden] = [
      await publishReed(world, cid, { replyTo: root, root }),
      await publishReed(world, dan, { replyTo: root, root }),
    ];
    await publishReed(world, bob, { replyTo: root, root, previous: shown }, false);
    const left = await publishReed(world, eve, { replyTo: root, root });
    expect(await related(ann, root)).toEqual([shown, removed, hidden, left].sort());
    await remove(removed);
    await leave(eve);
    await block(dan, cid);
    expect(await related(cid, root)).toEqual([shown]);
    await block(bob, dan);
    await block(cid, bob);
    expect(await related(cid, root)).toEqual([]);
    expect(await related(ann, root)).toEqual([shown, hidden].sort());
  });

  test('of a removed reed are answered with its removal (F31), of an author who blocks with the block (F23)', async () => {
    const [root, other] = [await publishReed(world, ann), await publishReed(world, bob)];
    await remove(root);
    await block(bob, cid);
    const path = (reed: ReedId): string => `reeds/${encodeURIComponent(reed)}/replies`;
    expect(await get(cid, path(root))).toMatchObject({ status: 410, body: { code: 'REMOVED', certificate: expect.anything() } });
    expect(await get(cid, path(other))).toMatchObject({ status: 403, body: { code: 'BLOCKED', certificate: expect.anything() } });
  });

  test('refuse a cursor that is no reed, and end at one that nobody knows', async () => {
    const root = await publishReed(world, ann);
    await publishReed(world, bob, { replyTo: root, root });
    const path = `reeds/${encodeURIComponent(root)}/replies?cursor=`;
    expect((await get(ann, `${path}nonsense`)).status).toBe(400);
    const unknown = reedStatement(world, ann).id;
    expect(await get(ann, path + encodeURIComponent(unknown))).toMatchObject({ status: 200, body: { reeds: [], next: null } });
  });
});

describe('a profile', () => {
  test('counts reeds, a thread once, and follows; what is hidden is counted for its owner alone', async () => {
    const head = await publishReed(world, ann);
    const part = await publishReed(world, ann, { previous: head });
    await world.db.query({
      text: `update reeds set thread_head = $1, thread_index = case when id = $1 then 0 else 1 end where id = any($2)`,
      values: [head, [head, part]],
    });
    await remove(await publishReed(world, ann, { previous: part }));
    await follow(ann, bob);
    await follow(bob, ann);
    await follow(cid, ann);
    expect((await profile(cid, ann))['counts']).toEqual({ reeds: 1, following: 1, followers: 2 });
    await say(ann, { follows: 'hidden' });
    await leave(bob);
    expect((await profile(cid, ann))['counts']).toEqual({ reeds: 1, following: null, followers: 1 });
    expect((await profile(ann, ann))['counts']).toEqual({ reeds: 1, following: 0, followers: 1 });
  });

  test('counts no further than the limit', async () => {
    const limits = { ...world.limits, profileCounts: 1 };
    const few = new ReedProfile(world.db, limits);
    await publishReed(world, ann, { previous: await publishReed(world, ann) });
    expect(await few.count(ann.user)).toBe(1);
    expect((await profile(ann, ann))['counts']).toMatchObject({ reeds: 2 });
  });

  test('shows the pinned reed as long as it is published, and only one of its owner’s', async () => {
    const [own, others] = [await publishReed(world, ann), await publishReed(world, bob)];
    expect(await profile(cid, ann)).toMatchObject({ pinned: null });
    await say(ann, { pinned: own });
    expect(await profile(cid, ann)).toMatchObject({ pinned: { certificate: { statement: { id: own } } } });
    await say(bob, { pinned: own });
    expect(await profile(cid, bob)).toMatchObject({ pinned: null });
    await say(bob, { pinned: others, bio: 'x' });
    await remove(others);
    expect(await profile(cid, bob)).toMatchObject({ pinned: null });
  });
});

describe('what was registered in time', () => {
  const ready = (person: Person, reed: ReedId) => world.reeds.publish.publishReady(person.member, reed, undefined);

  test('is not published once what it replies to or echoes was removed', async () => {
    const root = await publishReed(world, ann);
    const reply = await publishReed(world, bob, { replyTo: root, root }, false);
    const echo = await publishReed(world, cid, { echoOf: root }, false);
    await remove(root);
    expect(await ready(bob, reply)).toMatchObject({ ok: false, reason: 'other-removed' });
    expect(await ready(cid, echo)).toMatchObject({ ok: false, reason: 'other-removed' });
    expect(
      await world.db.query({ text: 'select holder_user_id from reed_allocations where reed_id = any($1)', values: [[reply, echo]] }),
    ).toEqual([]);
  });

  test('is refused of somebody hidden as registering it is, which tells them from nobody; of who is gone as removed', async () => {
    const root = await publishReed(world, ann);
    const reply = await publishReed(world, bob, { replyTo: root, root }, false);
    // Whoever hides is not told from nobody by a block either.
    await block(ann, bob);
    await leave(ann);
    expect(await ready(bob, reply)).toMatchObject({ ok: false, reason: 'other-missing' });
    await expect(publishReed(world, bob, { replyTo: root, root, previous: reply })).rejects.toMatchObject({ code: 'INVALID' });
    await world.db.query({
      text: 'update account_removals set statement_hash = (select identity_hash from users where id = $1) where user_id = $1',
      values: [ann.user],
    });
    expect(await ready(bob, reply)).toMatchObject({ ok: false, reason: 'other-removed' });
  });

  test('is not published once the author of what it answers blocks its own; what is published already stays', async () => {
    const root = await publishReed(world, ann);
    const [before, after] = [
      await publishReed(world, bob, { replyTo: root, root }),
      await publishReed(world, bob, { replyTo: root, root }, false),
    ];
    await block(ann, bob);
    expect(await ready(bob, after)).toMatchObject({ ok: false, reason: 'other-blocks' });
    expect(await ready(bob, before)).toEqual({ ok: true, value: 'again' });
  });

  test('says of each mention whether it reaches anybody, also when asked again (F38)', async () => {
    await block(cid, ann);
    const nobody = `${'a'.repeat(16)}@${world.identity.server.id}` as Person['user'];
    const statement = reedStatement(world, ann, { mentions: [bob.user, cid.user, nobody] });
    const headers = { authorization: `Bearer ${ann.token}` };
    for (const status of [201, 200]) {
      const payload = await sign(ann, statement, world.clock.now());
      const answer = await app.inject({ method: 'POST', url: '/api/v1/reeds', headers, payload });
      expect(answer.statusCode).toBe(status);
      expect((answer.json() as { mentions: unknown[] }).mentions).toEqual(
        expect.arrayContaining([
          { user: bob.user, accepted: true },
          { user: cid.user, accepted: false, reason: 'blocked' },
          { user: nobody, accepted: false, reason: 'unknown' },
        ]),
      );
    }
  });
});
