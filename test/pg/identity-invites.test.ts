// Invites: claimed once, counted under a lock, revoked, expired; the root invite of each start voids the one before.
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { printTime } from '../../src/wire/kinds.ts';
import { makeInvite, makePerson, makeWorld, type Person, signUp, signUpBody, type World, type WorldOptions } from '../support/people.ts';

let world: World;
const start = async (options: WorldOptions = {}): Promise<void> => {
  world = await makeWorld({ signup: 'invite', ...options });
};
beforeEach(() => start());
afterEach(() => world.close());

const code = (value: string) => expect.objectContaining({ code: value });
const root = async (): Promise<Person & { token: string }> => {
  const secret = await world.identity.invites.makeRootInvite();
  const person = await signUp(world, { inviteSecret: secret ?? '' });
  return { ...person, member: { ...person.member, role: 'root' } };
};

describe('the root invite', () => {
  test('makes its claimer root, once, and is made no more while there is one', async () => {
    const secret = (await world.identity.invites.makeRootInvite()) ?? '';
    await expect(world.identity.invites.check(secret)).resolves.toMatchObject({ id: 'root', role: 'root', inviter: null });
    const person = await signUp(world, { inviteSecret: secret });
    expect(await world.identity.sessions.authenticateToken(person.token)).toMatchObject({ role: 'root' });
    expect(await world.identity.invites.makeRootInvite()).toBeNull();
    await expect(signUp(world, { inviteSecret: secret })).rejects.toThrow(code('INVITE_INVALID'));
  });

  test('is made again by a start once nobody is root any more, and works', async () => {
    const first = await root();
    await world.db.query({ text: `update users set role = 'user' where id = $1`, values: [first.user] });
    const secret = (await world.identity.invites.makeRootInvite()) ?? '';
    const second = await signUp(world, { inviteSecret: secret });
    expect(await world.identity.sessions.authenticateToken(second.token)).toMatchObject({ role: 'root' });
    expect(await world.identity.invites.makeRootInvite()).toBeNull();
  });

  test('of the next start voids the one before', async () => {
    const first = (await world.identity.invites.makeRootInvite()) ?? '';
    const second = (await world.identity.invites.makeRootInvite()) ?? '';
    await expect(signUp(world, { inviteSecret: first })).rejects.toThrow(code('INVITE_INVALID'));
    await expect(signUp(world, { inviteSecret: second })).resolves.toBeDefined();
  });

  test('ends after a day', async () => {
    const secret = (await world.identity.invites.makeRootInvite()) ?? '';
    world.clock.advance(world.limits.rootInviteMs);
    await expect(signUp(world, { inviteSecret: secret })).rejects.toThrow(code('INVITE_INVALID'));
  });

  test('is the only way into a closed server', async () => {
    await world.close();
    await start({ signup: 'closed' });
    await expect(signUp(world)).rejects.toThrow(code('SIGNUP_CLOSED'));
    const first = await root();
    await expect(world.identity.invites.create(first.member, (await makeInvite(world, first)).post)).rejects.toThrow(code('SIGNUP_CLOSED'));
  });
});

describe('an invite', () => {
  test('is needed in mode invite', async () => {
    await expect(signUp(world)).rejects.toThrow(code('INVITE_INVALID'));
    await expect(signUp(world, { inviteSecret: 'A'.repeat(43) })).rejects.toThrow(code('INVITE_INVALID'));
    await expect(signUp(world, { inviteSecret: 'no secret' })).rejects.toThrow(code('INVITE_INVALID'));
  });

  test('lets in one, says who, and looks the same as an unknown one afterwards', async () => {
    const ann = await root();
    const { post, secret } = await makeInvite(world, ann);
    const { isNew, certificate } = await world.identity.invites.create(ann.member, post);
    expect(isNew).toBe(true);
    expect(await world.identity.invites.create(ann.member, post)).toEqual({ isNew: false, certificate });
    const bob = await signUp(world, { inviteSecret: secret });
    expect(await world.identity.sessions.authenticateToken(bob.token)).toMatchObject({ role: 'user' });
    const [listed] = await world.identity.invites.list(ann.user, { after: null, limit: 50 });
    expect(listed).toMatchObject({ id: post.statement.id, claimedBy: bob.user });
    const used = await world.identity.invites.check(secret).catch((error: Error) => error.message);
    const unknown = await world.identity.invites.check('A'.repeat(43)).catch((error: Error) => error.message);
    expect(used).toBe(unknown);
  });

  test('raced by many lets in one', async () => {
    const ann = await root();
    const { post, secret } = await makeInvite(world, ann);
    await world.identity.invites.create(ann.member, post);
    const bodies = await Promise.all(
      Array.from({ length: 6 }, async () => signUpBody(world, await makePerson(world.identity.server.id, world.clock.now()), secret)),
    );
    const tries = await Promise.allSettled(bodies.map((body) => world.identity.signUp.run(body)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'INVITE_INVALID' });
  });

  test('is not used up by a sign-up that fails', async () => {
    const ann = await root();
    const { post, secret } = await makeInvite(world, ann);
    await world.identity.invites.create(ann.member, post);
    await expect(signUp(world, { inviteSecret: secret, username: ann.username })).rejects.toThrow(code('USERNAME_TAKEN'));
    await expect(signUp(world, { inviteSecret: secret })).resolves.toBeDefined();
  });

  test('revoked or expired lets nobody in; used it can not be revoked', async () => {
    const ann = await root();
    const [one, two, three] = [await makeInvite(world, ann), await makeInvite(world, ann), await makeInvite(world, ann)];
    for (const { post } of [one, two, three]) await world.identity.invites.create(ann.member, post);
    await world.identity.invites.revoke(ann.user, one.post.statement.id);
    await world.identity.invites.revoke(ann.user, one.post.statement.id);
    await expect(signUp(world, { inviteSecret: one.secret })).rejects.toThrow(code('INVITE_INVALID'));
    const bob = await signUp(world, { inviteSecret: two.secret });
    await expect(world.identity.invites.revoke(ann.user, two.post.statement.id)).rejects.toThrow(code('CONFLICT'));
    await expect(world.identity.invites.revoke(bob.user, three.post.statement.id)).rejects.toThrow(code('NOT_FOUND'));
    world.clock.advance(world.limits.inviteMs);
    await expect(signUp(world, { inviteSecret: three.secret })).rejects.toThrow(code('INVITE_INVALID'));
  });

  test('quota holds when raced', async () => {
    await world.close();
    await start({ limits: { openInvitesPerMember: 3 } });
    const ann = await root();
    const posts = await Promise.all(Array.from({ length: 6 }, async () => (await makeInvite(world, ann)).post));
    // Nobody can insert before everybody has either counted or waits for their turn to.
    const waiting = `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const { tries: racing } = await world.db.transaction(async (tx) => {
      await sql`lock table invites in share mode`.execute(tx);
      const started = Promise.allSettled(posts.map((post) => world.identity.invites.create(ann.member, post)));
      await expect.poll(async () => (await world.db.query<{ count: number }>({ text: waiting }))[0]?.count).toBe(posts.length);
      return { tries: started };
    });
    const tries = await racing;
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'TOO_MANY_OPEN' });
    expect(await world.identity.invites.list(ann.user, { after: null, limit: 50 })).toHaveLength(3);
  });

  test('gives no role any more that its maker may not give any more, and lets nobody in', async () => {
    const ann = await root();
    const [admin, user] = [await makeInvite(world, ann, { role: 'admin' }), await makeInvite(world, ann)];
    for (const { post } of [admin, user]) await world.identity.invites.create(ann.member, post);
    await expect(world.identity.invites.check(admin.secret)).resolves.toMatchObject({ role: 'admin' });
    await world.db.query({ text: `update users set role = 'user' where id = $1`, values: [ann.user] });
    await expect(world.identity.invites.check(admin.secret)).rejects.toThrow(code('INVITE_INVALID'));
    await expect(signUp(world, { inviteSecret: admin.secret })).rejects.toThrow(code('INVITE_INVALID'));
    await expect(signUp(world, { inviteSecret: user.secret })).resolves.toBeDefined();
  });

  test('gives no role that its maker may not give', async () => {
    const ann = await root();
    const { post, secret } = await makeInvite(world, ann, { role: 'admin' });
    await world.identity.invites.create(ann.member, post);
    const bob = await signUp(world, { inviteSecret: secret });
    const admin = { ...bob.member, role: 'admin' as const };
    await expect(world.identity.invites.create(admin, (await makeInvite(world, bob, { role: 'archivist' })).post)).rejects.toThrow(
      code('FORBIDDEN'),
    );
    await expect(world.identity.invites.create(ann.member, (await makeInvite(world, ann, { role: 'root' })).post)).rejects.toThrow(
      code('FORBIDDEN'),
    );
    const plain = await makeInvite(world, bob);
    await world.identity.invites.create(admin, plain.post);
    const cid = await signUp(world, { inviteSecret: plain.secret });
    await expect(world.identity.invites.create(cid.member, (await makeInvite(world, cid, { role: 'admin' })).post)).rejects.toThrow(
      code('FORBIDDEN'),
    );
  });

  test('is refused in the name of another, with a used id or secret, or for too long', async () => {
    const ann = await root();
    const first = await makeInvite(world, ann);
    await world.identity.invites.create(ann.member, first.post);
    const bob = await signUp(world, { inviteSecret: first.secret });
    await expect(world.identity.invites.create(ann.member, (await makeInvite(world, bob)).post)).rejects.toThrow(code('FORBIDDEN'));
    const again = await makeInvite(world, ann, { id: first.post.statement.id });
    await expect(world.identity.invites.create(ann.member, again.post)).rejects.toThrow(code('CONFLICT'));
    const same = await makeInvite(world, bob, { tokenHash: first.post.statement.tokenHash });
    await expect(world.identity.invites.create(bob.member, same.post)).rejects.toThrow(code('CONFLICT'));
    const long = await makeInvite(world, ann, { expiresAt: printTime(world.clock.now() + 2 * world.limits.inviteMs) });
    await expect(world.identity.invites.create(ann.member, long.post)).rejects.toThrow(code('INVALID'));
    const past = await makeInvite(world, ann, { expiresAt: printTime(world.clock.now()) });
    await expect(world.identity.invites.create(ann.member, past.post)).rejects.toThrow(code('INVALID'));
  });

  test('list pages by its last id', async () => {
    const ann = await root();
    const made: string[] = [];
    for (let count = 0; count < 5; count++) {
      world.clock.advance(1);
      const { post } = await makeInvite(world, ann);
      await world.identity.invites.create(ann.member, post);
      made.unshift(post.statement.id);
    }
    const first = await world.identity.invites.list(ann.user, { after: null, limit: 3 });
    const rest = await world.identity.invites.list(ann.user, { after: first.at(-1)?.id ?? null, limit: 3 });
    expect([...first, ...rest].map(({ id }) => id)).toEqual(made);
  });
});
