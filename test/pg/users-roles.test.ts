// Members and their roles as the operator sees and changes them: states, strikes, pages, finding by name, and being asked before a change.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configWith } from '../../src/config/config.ts';
import { findMember, giveRole, listMembers } from '../../src/identity/roles.ts';
import { runUsersList, runUsersRole } from '../../src/ops/users.ts';
import type { Role } from '../../src/wire/roles.ts';
import { makeWorld, PASSPHRASE, type Person, signUp, silent, type World } from '../support/people.ts';
import { removalOf, revocationOf, rotate } from '../support/rotations.ts';

const DAY = 86_400_000;
const MANY = 1_100;

let world: World;
let ann: Person;
let bob: Person;
beforeEach(async () => {
  world = await makeWorld();
  [ann, bob] = [await signUp(world, { username: 'Änn' }), await signUp(world, { username: 'bob' })];
});
afterEach(() => world.close());

const since = (): Date => new Date(world.clock.now() - DAY);
const find = (nameOrId: string) => findMember(world.db, nameOrId, since());
const roleOf = async (person: Person): Promise<Role | undefined> => (await find(person.user))?.role;
const stateOf = async (person: Person) => (await find(person.user))?.state;
const rows = (text: string, values: readonly unknown[] = []) => world.db.query<Record<string, unknown>>({ text, values });

/** What a command prints, for programs and for people. */
const command = () => {
  const printed: { value: Record<string, unknown>; shown: string }[] = [];
  const notes: string[] = [];
  const terminal = {
    isTerminal: true,
    print: (value: object, shown: string) => void printed.push({ value: { ...value }, shown }),
    note: (words: string) => void notes.push(words),
    isGone: () => false,
    fault: () => undefined,
  };
  return {
    printed,
    notes,
    base: { terminal, config: configWith({ databaseUrl: world.databaseUrl, passphrase: PASSPHRASE }), log: silent },
  };
};

describe('the list of members', () => {
  test('says of each account what it is: active, frozen until the next key, leaving, removed', async () => {
    expect(await stateOf(ann)).toBe('active');
    await world.identity.rotation.revoke(ann.keyId, await revocationOf(world, ann));
    expect(await stateOf(ann)).toBe('frozen');
    world.clock.advance(DAY);
    await rotate(world, ann, 'recovery');
    expect(await stateOf(ann)).toBe('active');
    await world.identity.accountRemovals.request(bob.member, await removalOf(world, bob));
    expect(await stateOf(bob)).toBe('leaving');
    world.clock.advance(DAY);
    await world.identity.accountRemovals.finish();
    expect(await stateOf(bob)).toBe('removed');
    expect(await find('bob')).toBeNull();
  });

  test('counts the strikes that are in force against each, and no others', async () => {
    const now = world.clock.now();
    const strike = (reed: string, viewer: string, countedAt: number | null) =>
      rows('insert into holder_strikes (reed_id, holder, viewer, reason, at, counted_at) values ($1, $2, $3, $4, $5, $6)', [
        ...[reed, bob.user, viewer, 'HASH_MISMATCH', new Date(now)],
        countedAt === null ? null : new Date(countedAt),
      ]);
    await strike('a', 'v', now - DAY + 1_000);
    await strike('a', 'w', now);
    await strike('b', 'v', now - DAY - 1_000);
    await strike('c', 'v', null);
    expect((await find(bob.user))?.strikes).toBe(2);
    expect((await find(ann.user))?.strikes).toBe(0);
  });

  test('names everybody once, by id, however many pages there are, and those of a role alone', async () => {
    await rows(
      `with u as materialized (select i.server_id as server, '2' || lpad(translate(g::text, '0189', 'abcd'), 15, 'a') || '@' || i.server_id as id,
          decode(md5(g::text) || md5(g::text), 'hex') as hash, g from identities i, generate_series(1, $2) g where i.id = $1),
        p as (insert into identities select id, server, now() from u),
        s as (insert into statements select hash, id, 'identity', 1, now(), '{}' from u)
      insert into users (id, role, last_signed_at, username, identity_hash, created_at)
        select id, case when g % 2 = 0 then 'archivist' else 'user' end, now(), 'm' || g, hash, now() from u`,
      [ann.user, MANY],
    );
    const all = command();
    await runUsersList(all.base);
    const ids = all.printed.map(({ value }) => String(value['id']));
    expect(ids).toEqual((await rows('select id from users order by id')).map(({ id }) => id));
    expect(ids).toHaveLength(MANY + 2);
    expect(all.notes).toHaveLength(1);
    const archivists = command();
    await runUsersList({ ...archivists.base, role: 'archivist' });
    expect(archivists.printed).toHaveLength(MANY / 2);
    expect(archivists.printed.every(({ value, shown }) => value['role'] === 'archivist' && shown.startsWith('archivist '))).toBe(true);
    const pages = [await listMembers(world.db, { limit: 2, strikesSince: since() })];
    expect(pages[0]?.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });
});

describe('a member is found', () => {
  test('by id and by name in whatever case, and not by half of it', async () => {
    expect(await find('äNN')).toMatchObject({ id: ann.user, name: 'Änn', role: 'user' });
    expect(await find(bob.user)).toMatchObject({ name: 'bob' });
    for (const none of ['bo', 'nobody', '', '%', bob.user.slice(1), `@bob`]) expect(await find(none), none).toBeNull();
  });
});

describe('a role', () => {
  const give = async (options: { member?: string; role?: Role; dryRun?: boolean; answer?: (() => boolean) | null; isSure?: boolean }) => {
    const { base, printed, notes } = command();
    const questions: string[] = [];
    const { answer = null, member = 'bob', role = 'archivist', dryRun = false, isSure = false } = options;
    const confirm = async (question: string): Promise<boolean> => {
      questions.push(question);
      return answer?.() ?? false;
    };
    const code = await runUsersRole({ ...base, member, role, dryRun, isSure, confirm: answer === null ? null : confirm });
    return { code, notes, questions, value: printed[0]?.value, shown: printed[0]?.shown };
  };

  test('is given when whoever sits there says so, and not otherwise', async () => {
    const refused = await give({ answer: () => false });
    expect(refused).toMatchObject({ code: 1, value: { changed: false, from: 'user', to: 'archivist' } });
    expect(refused.questions).toEqual([`bob (${bob.user}) is user. Make them archivist?`]);
    expect(await roleOf(bob)).toBe('user');
    await expect(give({})).rejects.toMatchObject({ mend: 'Say --yes if you are sure.' });
    expect(await roleOf(bob)).toBe('user');
    expect(await give({ dryRun: true })).toMatchObject({ code: 0, questions: [], value: { changed: false, dryRun: true } });
    expect(await roleOf(bob)).toBe('user');
    expect(await give({ answer: () => true })).toMatchObject({ code: 0, value: { changed: true } });
    expect(await roleOf(bob)).toBe('archivist');
    expect(await give({})).toMatchObject({ code: 0, value: { changed: false }, shown: expect.stringContaining('nothing to do') as string });
    expect(await roleOf(ann)).toBe('user');
  });

  test('that somebody else changed while the question was open is left as it is', async () => {
    const { base } = command();
    const confirm = async (): Promise<boolean> => {
      await giveRole(world.identity.adminActs, 'operator', { user: bob.user, to: 'admin' });
      return true;
    };
    const asked = runUsersRole({ ...base, member: 'bob', role: 'archivist', dryRun: false, isSure: false, confirm });
    await expect(asked).rejects.toThrow('changed by somebody else meanwhile');
    expect(await roleOf(bob)).toBe('admin');
  });

  test('of the last root is taken with word of what that means; that of a removed account can only be taken', async () => {
    expect((await give({ member: 'ÄNN', role: 'root', isSure: true })).notes.join()).toContain('root: can do everything');
    expect((await give({ member: ann.user, role: 'user', answer: () => false })).notes.join()).toContain('Nobody else is root');
    await give({ role: 'root', isSure: true });
    expect((await give({ member: ann.user, role: 'user', answer: () => false })).notes.join()).not.toContain('Nobody else is root');
    await world.identity.accountRemovals.request(bob.member, await removalOf(world, bob));
    world.clock.advance(DAY);
    await world.identity.accountRemovals.finish();
    await expect(give({ member: bob.user, role: 'admin', isSure: true })).rejects.toThrow('was removed for good');
    expect(await give({ member: bob.user, role: 'user', isSure: true })).toMatchObject({ value: { from: 'root', changed: true } });
  });

  test('is given to nobody who is not a member, which the answer says', async () => {
    await expect(give({ member: 'nobody', isSure: true })).rejects.toMatchObject({
      message: 'There is no member "nobody" on this server.',
      mend: expect.stringContaining('reedbed users list') as string,
    });
  });
});
