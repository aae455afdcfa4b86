// A block: what it ends in its own transaction, what it refuses from then on, and the notice that is owed until it is acknowledged.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { base64url, sha256 } from '../../src/base/ids.ts';
import type { UserId } from '../../src/wire/address.ts';
import { canonicalBytes } from '../../src/wire/canonical.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading } from '../../src/wire/statements.ts';
import { makeWorld, type Person, publishReed, sign, signUp, type World } from '../support/people.ts';

let world: World;
let ann: Person;
let bob: Person;
let cid: Person;
beforeEach(async () => {
  world = await makeWorld();
  [ann, bob, cid] = [await signUp(world), await signUp(world), await signUp(world)];
});
afterEach(() => world.close());

const code = (value: string) => expect.objectContaining({ code: value });
const post = async (type: 'follow' | 'block' | 'unblock', person: Person, target: UserId) => {
  world.clock.advance(1);
  const statement = { ...heading(type), user: person.user, key: person.keyId, target, createdAt: printTime(world.clock.now()) };
  return sign(person, statement as never, world.clock.now());
};
const set = async (type: 'block' | 'unblock', person: Person, target: Person) =>
  world.identity.blocks.set(person.member, target.user, type, await post(type, person, target.user));
const follow = async (person: Person, target: Person) =>
  world.identity.follows.set(person.member, target.user, 'follow', await post('follow', person, target.user));
const PAGE = { after: '', limit: 50 };
const owed = (person: Person) => world.identity.blocks.owed(person.user, PAGE);

describe('a block', () => {
  test('ends the follow, the copies and the events of the blocked member, and nobody else’s', async () => {
    const [reed, own] = [await publishReed(world, ann), await publishReed(world, cid)];
    await follow(bob, ann);
    await follow(cid, ann);
    await world.db.query({
      text: `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on)
        select h, r, 'd', current_date from unnest($1::text[]) as h, unnest($2::text[]) as r on conflict do nothing`,
      values: [
        [bob.user, cid.user],
        [reed, own],
      ],
    });
    await world.db.query({
      text: `insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, created_at)
        select gen_random_uuid(), r, 'DATA_RESPONSE', 'reed', s, 0, 0, now(), now() from unnest($1::text[]) as r, unnest($2::text[]) as s`,
      values: [
        [bob.user, cid.user],
        [reed, own],
      ],
    });
    await set('block', ann, bob);
    const rows = async (text: string) => (await world.db.query<{ it: string }>({ text })).map(({ it }) => it).sort();
    expect(await rows(`select user_id as it from follows where target = '${ann.user}' and active`)).toEqual([cid.user]);
    expect(await rows(`select holder_user_id as it from reed_allocations where reed_id = '${reed}'`)).toEqual([ann.user, cid.user].sort());
    expect(await rows(`select requester_user_id as it from pending_events where subject_id = '${reed}'`)).toEqual([cid.user]);
    expect(await rows(`select requester_user_id as it from pending_events where subject_id = '${own}'`)).toEqual(
      [bob.user, cid.user].sort(),
    );
    expect(await rows(`select kind || ' ' || subject_id as it from pending_fanout where kind = 'block'`)).toEqual([
      `block ${ann.user} ${bob.user}`,
    ]);
  });

  test('refuses the blocked member, until it is taken back', async () => {
    await set('block', ann, bob);
    await expect(follow(bob, ann)).rejects.toThrow(code('BLOCKED'));
    await expect(world.identity.users.profile(bob.user, ann.user)).rejects.toThrow(code('BLOCKED'));
    await follow(ann, bob);
    await set('unblock', ann, bob);
    await follow(bob, ann);
    await expect(world.identity.users.profile(bob.user, ann.user)).resolves.toMatchObject({ id: ann.user });
  });

  test('can be answered by one', async () => {
    await set('block', ann, bob);
    await set('block', bob, ann);
    expect((await owed(ann)).map(({ about, kind }) => ({ about, kind }))).toEqual([{ about: bob.user, kind: 'block' }]);
  });

  test('sent again is the first, even after it was taken back', async () => {
    const first = await post('block', ann, bob.user);
    const { certificate } = await world.identity.blocks.set(ann.member, bob.user, 'block', first);
    await set('unblock', ann, bob);
    expect(await world.identity.blocks.set(ann.member, bob.user, 'block', first)).toEqual({ isNew: false, certificate });
    expect(await world.identity.blocks.list(ann.user, PAGE)).toEqual([]);
  });

  test('raced by a follow of the same pair leaves no follow', async () => {
    for (let round = 0; round < 5; round++) {
      const [block, following] = [await post('block', ann, bob.user), await post('follow', bob, ann.user)];
      await Promise.allSettled([
        world.identity.follows.set(bob.member, ann.user, 'follow', following),
        world.identity.blocks.set(ann.member, bob.user, 'block', block),
      ]);
      expect(await world.identity.follows.followers(ann.user, ann.user, PAGE)).toEqual([]);
      await set('unblock', ann, bob);
    }
  });

  test('is refused of oneself, of nobody, in the name of another, under another address', async () => {
    await expect(set('block', ann, ann)).rejects.toThrow(code('INVALID'));
    const nobody = `${'a'.repeat(16)}@${world.identity.server.id}` as UserId;
    await expect(world.identity.blocks.set(ann.member, nobody, 'block', await post('block', ann, nobody))).rejects.toThrow(
      code('NOT_FOUND'),
    );
    await expect(world.identity.blocks.set(ann.member, cid.user, 'block', await post('block', bob, cid.user))).rejects.toThrow(
      code('FORBIDDEN'),
    );
    await expect(world.identity.blocks.set(ann.member, cid.user, 'block', await post('block', ann, bob.user))).rejects.toThrow(
      code('INVALID'),
    );
  });
});

describe('the notice of a block', () => {
  const hashOf = async (certificate: { countersignature: { statement: object } }): Promise<string> => {
    const bytes = canonicalBytes(certificate.countersignature.statement);
    return bytes.ok ? base64url(await sha256(bytes.value)) : '';
  };

  test('is owed to nobody whose account is gone for good: they would never acknowledge it', async () => {
    await set('block', ann, bob);
    await world.db.query({ text: 'delete from owed_notices' });
    await world.db.query({
      text: `insert into account_removals (user_id, statement, due_at, statement_hash) select id, '{}', now(), identity_hash from users where id = $1`,
      values: [bob.user],
    });
    await set('unblock', ann, bob);
    expect(await owed(bob)).toEqual([]);
  });

  test('is owed until it is acknowledged by the hash of its countersignature; a newer one takes its place', async () => {
    const first = await set('block', ann, bob);
    expect(await owed(bob)).toMatchObject([{ about: ann.user, kind: 'block', certificate: first.certificate }]);
    const second = await set('unblock', ann, bob);
    expect(await owed(bob)).toMatchObject([{ about: ann.user, kind: 'unblock', certificate: second.certificate }]);
    await world.identity.blocks.acknowledge(bob.user, ann.user, await hashOf(first.certificate));
    expect(await owed(bob)).toHaveLength(1);
    await world.identity.blocks.acknowledge(cid.user, ann.user, await hashOf(second.certificate));
    expect(await owed(bob)).toHaveLength(1);
    await world.identity.blocks.acknowledge(bob.user, ann.user, await hashOf(second.certificate));
    expect(await owed(bob)).toEqual([]);
  });
});

test('the list of blocks pages by id', async () => {
  for (const each of [bob, cid]) await set('block', ann, each);
  const sorted = [bob.user, cid.user].sort();
  const first = await world.identity.blocks.list(ann.user, { after: '', limit: 1 });
  const second = await world.identity.blocks.list(ann.user, { after: first[0]?.id ?? '', limit: 1 });
  expect([...first, ...second].map(({ id }) => id)).toEqual(sorted);
  expect(await world.identity.blocks.list(bob.user, PAGE)).toEqual([]);
});
