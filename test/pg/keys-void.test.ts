// What a key signed that its member's recovery key put off the chain counts for nothing: it goes back to what the owner had said before.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UserId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading } from '../../src/wire/statements.ts';
import { identityStatement, makeInvite, makeWorld, type Person, publishReed, sign, signUp, type World } from '../support/people.ts';
import { keyAfter, recovering, rotate, withNextKey } from '../support/rotations.ts';

let world: World;
let ann: Person & { token: string };
let bob: Person;
beforeEach(async () => {
  world = await makeWorld();
  [ann, bob] = [await signUp(world, { username: 'ann' }), await signUp(world)];
});
afterEach(() => world.close());

const code = (value: string) => expect.objectContaining({ code: value });
const rotation = () => world.identity.rotation;
const publish = (person: Person) => publishReed(world, person);

describe('what a key signed that is off the chain', () => {
  const follow = async (person: Person, target: UserId, type: 'follow' | 'unfollow') => {
    world.clock.advance(1);
    const statement = { ...heading(type), user: person.user, key: person.keyId, target, createdAt: printTime(world.clock.now()) };
    return world.identity.follows.set(person.member, target, type, await sign(person, statement as never, world.clock.now()));
  };
  const remove = async (person: Person, id: string) => {
    const statement = { ...heading('reed-removal'), id, author: person.user, key: person.keyId };
    return world.reeds.removal.remove(
      person.member,
      'reed-removal',
      id as never,
      await sign(person, statement as never, world.clock.now()),
    );
  };
  const takeBack = async (key: Person) => {
    for (let after: number | null = 0; after !== null; ) after = (await world.reeds.voiding.page(key.keyId, after)).next;
  };

  test('is void: reeds are gone as removed by the recovery key, everything else is as the owner had said', async () => {
    const cid = await signUp(world);
    const [kept, lost] = [await publish(ann), await publish(ann)];
    await follow(ann, bob.user, 'follow');
    const { next: thief } = await rotate(world, ann);
    const forged = await publish(thief);
    await remove(thief, lost);
    await follow(thief, bob.user, 'unfollow');
    await follow(thief, cid.user, 'follow');
    await world.identity.users.changeIdentity(
      thief.member,
      await sign(thief, identityStatement(thief, world.clock.now(), 'thief'), world.clock.now()),
    );
    const invite = await makeInvite(world, thief);
    await world.identity.invites.create(thief.member, invite.post);
    const owner = await withNextKey(world, ann);
    await rotation().rotate(recovering(ann), { key: await keyAfter(world, ann, owner, 'recovery') });
    for (const time of ['once', 'twice']) {
      await takeBack(thief);
      await expect(world.reeds.reading.reed(bob.user, forged as never), time).rejects.toMatchObject({
        code: 'REMOVED',
        certificate: { statement: { type: 'key', key: owner.keyId } },
      });
      for (const id of [kept, lost]) await expect(world.reeds.reading.reed(bob.user, id as never), time).resolves.toMatchObject({});
      const following = await world.identity.follows.following(bob.user, ann.user, { after: '', limit: 50 });
      expect(
        following.map(({ id }) => id),
        time,
      ).toEqual([bob.user]);
      await expect(world.identity.users.profile(bob.user, ann.user), time).resolves.toMatchObject({ username: 'ann' });
      await expect(world.identity.invites.check(invite.secret), time).rejects.toEqual(code('INVITE_INVALID'));
    }
    // What the void key took back its owner can take back, too, though the first removal may still be on its way to be told.
    await expect(remove(owner, lost)).resolves.toMatchObject({ isNew: true });
    expect(
      await world.db.query({
        text: 'select looks::int from pending_fanout where subject_id = $1 and kind = $2',
        values: [lost, 'reed-removal'],
      }),
    ).toEqual([{ looks: 0 }]);
  });

  test('and was removed by it as well stays removed, page by page', async () => {
    await world.close();
    world = await makeWorld({ limits: { endedPerPage: 2 } });
    [ann, bob] = [await signUp(world, { username: 'ann' }), await signUp(world)];
    const { next: thief } = await rotate(world, ann);
    const forged = [await publish(thief), await publish(thief), await publish(thief)];
    for (const id of forged) await remove(thief, id);
    const owner = await withNextKey(world, ann);
    await rotation().rotate(recovering(ann), { key: await keyAfter(world, ann, owner, 'recovery') });
    await takeBack(thief);
    for (const id of forged)
      await expect(world.reeds.reading.reed(bob.user, id as never)).rejects.toMatchObject({ certificate: { statement: { type: 'key' } } });
  });

  test('of a key that stands is not touched', async () => {
    const reed = await publish(ann);
    await rotate(world, ann);
    await takeBack(ann);
    await expect(world.reeds.reading.reed(bob.user, reed as never)).resolves.toMatchObject({});
  });
});
