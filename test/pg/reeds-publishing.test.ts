// Publishing: registered once and countersigned, seen by nobody before PUBLISH_READY, announced once and only by the author.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { makeReedId, type ReedId } from '../../src/wire/address.ts';
import { heading, type StatementOf } from '../../src/wire/statements.ts';
import {
  makePerson,
  makeWorld,
  newReedId,
  type Person,
  publishReed,
  type ReedFields,
  reedStatement,
  sign,
  signUp,
  type World,
} from '../support/people.ts';

let world: World;
let ann: Person & { token: string };
let bob: Person & { token: string };
beforeAll(async () => {
  world = await makeWorld();
  [ann, bob] = [await signUp(world), await signUp(world)];
});
afterAll(() => world.close());

const code = (value: string) => expect.objectContaining({ code: value });
const now = (): number => world.clock.now();
const register = async (person: Person, statement: StatementOf<'reed'>) =>
  world.reeds.register.reed(person.member, await sign(person, statement, now()));
const fresh = async (fields: ReedFields = {}, person: Person = ann) => register(person, reedStatement(world, person, fields));
const ready = (person: Person, reed: ReedId, broadcast?: boolean) => world.reeds.publish.publishReady(person.member, reed, broadcast);
const count = async (table: string, where: string, ...values: unknown[]): Promise<number> =>
  (await world.db.query<{ count: number }>({ text: `select count(*)::int as count from ${table} where ${where}`, values }))[0]?.count ?? -1;
const block = (by: Person, target: Person) =>
  world.db.query({
    text: `insert into blocks (user_id, target, active, seq, statement_hash) select $1, $2, true, 1, identity_hash from users where id = $1`,
    values: [by.user, target.user],
  });
const remove = (reed: ReedId) =>
  world.db.query({ text: 'update reeds set removed_at = now(), removal_hash = statement_hash where id = $1', values: [reed] });

describe('registering a reed', () => {
  test('answers a certificate, and the same one for a retry however it is signed', async () => {
    const statement = reedStatement(world, ann);
    const first = await register(ann, statement);
    expect(first.isNew).toBe(true);
    const again = await world.reeds.register.reed(ann.member, await sign(ann, statement, now() + 5_000));
    expect(again).toEqual({ ...first, isNew: false });
    expect(await count('reeds', 'id = $1', statement.id)).toBe(1);
  });

  test('sent many times at once is one reed', async () => {
    const statement = reedStatement(world, ann);
    const post = await sign(ann, statement, now());
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.reeds.register.reed(ann.member, post)));
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(answers.map(({ certificate }) => certificate.countersignature.statement.seq)).size).toBe(1);
  });

  test('is refused before anything is stored if the signature is not the author’s', async () => {
    const statement = reedStatement(world, ann);
    const forged = await sign(bob, statement, now());
    const posts = [
      forged,
      { ...forged, signatures: [{ key: ann.keyId, signature: forged.signatures[0]?.signature ?? '' }] },
      { statement, signatures: [] },
    ];
    for (const post of posts) await expect(world.reeds.register.reed(ann.member, post)).rejects.toThrow(code('INVALID'));
    const own = await sign(ann, statement, now());
    await expect(world.reeds.register.reed(ann.member, { ...own, statement: { ...statement, tags: ['changed'] } })).rejects.toThrow(
      code('INVALID'),
    );
    expect(await count('reed_identities', 'id = $1', statement.id)).toBe(0);
  });

  test('of another member is refused', async () => {
    const statement = reedStatement(world, ann);
    await expect(world.reeds.register.reed(bob.member, await sign(ann, statement, now()))).rejects.toThrow(code('FORBIDDEN'));
    await expect(register(bob, { ...reedStatement(world, bob), id: newReedId(world, ann) })).rejects.toThrow(code('INVALID'));
  });

  test('with another statement under a used id is a conflict', async () => {
    const statement = reedStatement(world, ann);
    await register(ann, statement);
    await expect(register(ann, { ...statement, tags: ['other'] })).rejects.toThrow(code('CONFLICT'));
  });

  test('dated more than five minutes ahead is refused', async () => {
    const at = (ms: number): ReedId => makeReedId(ann.user, uuidv7(now() + ms, cryptoRandom));
    await expect(fresh({ id: at(5 * 60_000 + 1) })).rejects.toThrow(code('INVALID'));
    await expect(fresh({ id: at(5 * 60_000) })).resolves.toMatchObject({ isNew: true });
  });

  test('follows the author’s newest, or is told which that is', async () => {
    const cid = await signUp(world);
    await expect(fresh({ previous: newReedId(world, cid) }, cid)).rejects.toThrow(code('TIP_MISMATCH'));
    const first = reedStatement(world, cid);
    await register(cid, first);
    const second = reedStatement(world, cid, { previous: first.id });
    await register(cid, second);
    await expect(fresh({ previous: first.id }, cid)).rejects.toMatchObject({
      code: 'TIP_MISMATCH',
      certificate: { statement: { id: second.id } },
    });
    await expect(register(cid, second)).resolves.toMatchObject({ isNew: false });
    const raced = await Promise.allSettled([1, 2, 3].map(() => fresh({ previous: second.id }, cid)));
    expect(raced.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('names the field that is wrong', async () => {
    await expect(fresh({ tags: ['Not A Tag'] })).rejects.toMatchObject({ code: 'INVALID', detail: expect.stringContaining('tags') });
    await expect(fresh({ replyTo: newReedId(world, bob), root: newReedId(world, bob) })).rejects.toMatchObject({
      code: 'INVALID',
      detail: expect.stringContaining('replyTo'),
    });
    await expect(fresh({ echoOf: newReedId(world, bob) })).rejects.toMatchObject({
      code: 'INVALID',
      detail: expect.stringContaining('echoOf'),
    });
  });

  test('with a revoked key is refused with the revocation', async () => {
    const cid = await signUp(world);
    await world.db.query({
      text: `insert into key_revocations (key_id, statement_hash, seq) select id, statement_hash, 9 from keys where id = $1`,
      values: [cid.keyId],
    });
    await expect(fresh({}, cid)).rejects.toMatchObject({ code: 'KEY_REVOKED', certificate: expect.anything() });
  });
});

describe('relations', () => {
  test('of a reply, an echo, tags and mentions are stored, mentions judged', async () => {
    const parent = await publishReed(world, bob);
    const child = await publishReed(world, ann, { replyTo: parent, root: parent });
    const stranger = await makePerson(world.identity.server.id, now());
    const foreign = 'aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb' as Person['user'];
    const blocker = await signUp(world);
    await block(blocker, ann);
    const statement = reedStatement(world, ann, {
      replyTo: child,
      root: parent,
      echoOf: parent,
      tags: ['reeds', 'water'],
      mentions: [bob.user, stranger.user, foreign, blocker.user],
    });
    const { mentions } = await register(ann, statement);
    expect(mentions).toHaveLength(4);
    expect(mentions).toEqual(
      expect.arrayContaining([
        { user: bob.user, accepted: true },
        { user: stranger.user, accepted: false, reason: 'unknown' },
        { user: foreign, accepted: false, reason: 'no-peer' },
        { user: blocker.user, accepted: false, reason: 'blocked' },
      ]),
    );
    const [row] = await world.db.query({ text: 'select reply_to, root, echo_of from reeds where id = $1', values: [statement.id] });
    expect(row).toEqual({ reply_to: child, root: parent, echo_of: parent });
    expect(await count('reed_tags', 'reed_id = $1', statement.id)).toBe(2);
  });

  test('to another root than the parent’s are refused', async () => {
    const [parent, other] = [await publishReed(world, bob), await publishReed(world, bob)];
    await expect(fresh({ replyTo: parent, root: other })).rejects.toMatchObject({
      code: 'INVALID',
      detail: expect.stringContaining('root'),
    });
  });

  test('to what is not published, removed, or its author’s who blocks, are refused', async () => {
    const hidden = await publishReed(world, bob, {}, false);
    await expect(fresh({ echoOf: hidden })).rejects.toThrow(code('INVALID'));
    const removed = await publishReed(world, bob);
    await remove(removed);
    await expect(fresh({ echoOf: removed })).rejects.toMatchObject({ code: 'REMOVED', certificate: expect.anything() });
    const blocker = await signUp(world);
    const theirs = await publishReed(world, blocker);
    await block(blocker, ann);
    await expect(fresh({ replyTo: theirs, root: theirs })).rejects.toMatchObject({ code: 'BLOCKED', certificate: expect.anything() });
  });

  test('to a reed of a server that is no peer stay a bare id', async () => {
    const foreign = makeReedId('aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb' as Person['user'], uuidv7(now(), cryptoRandom));
    await expect(fresh({ replyTo: foreign, root: foreign })).resolves.toMatchObject({ isNew: true });
  });
});

describe('PUBLISH_READY', () => {
  test('publishes once, with the next number, and afterwards only writes the allocation', async () => {
    const cid = await signUp(world);
    const ids = [await publishReed(world, cid, {}, false), await publishReed(world, cid, {}, false)] as const;
    expect(await ready(cid, ids[1], false)).toEqual({ ok: true, value: 'published' });
    expect(await ready(cid, ids[0])).toEqual({ ok: true, value: 'published' });
    const facts = await world.db.query({
      text: 'select number::int, kind, subject_id from author_facts where author_id = $1 order by number',
      values: [cid.user],
    });
    expect(facts).toEqual([
      { number: 1, kind: 'reed', subject_id: ids[1] },
      { number: 2, kind: 'reed', subject_id: ids[0] },
    ]);
    await world.db.query({ text: 'delete from reed_allocations where reed_id = $1', values: [ids[0]] });
    expect(await ready(cid, ids[0])).toEqual({ ok: true, value: 'again' });
    expect(await count('reed_allocations', 'reed_id = $1 and holder_user_id = $2 and device_id = $3', ids[0], cid.user, cid.device)).toBe(
      1,
    );
    expect(await count('author_facts', 'author_id = $1', cid.user)).toBe(2);
    expect(
      await world.db.query({ text: 'select id, broadcast from reeds where author_id = $1 order by broadcast', values: [cid.user] }),
    ).toEqual([
      { id: ids[1], broadcast: false },
      { id: ids[0], broadcast: true },
    ]);
  });

  test('many times at once publishes once', async () => {
    const reed = await publishReed(world, ann, {}, false);
    const answers = await Promise.all(Array.from({ length: 6 }, () => ready(ann, reed)));
    expect(answers.filter((answer) => answer.ok && answer.value === 'published')).toHaveLength(1);
    expect(await count('author_facts', 'subject_id = $1', reed)).toBe(1);
  });

  test('of many reeds at once numbers them without a gap', async () => {
    const cid = await signUp(world);
    const reeds: ReedId[] = [];
    for (let at = 0; at < 8; at++) reeds.push(await publishReed(world, cid, {}, false));
    await Promise.all(reeds.map((reed) => ready(cid, reed)));
    const numbers = await world.db.query<{ number: number }>({
      text: 'select number::int from author_facts where author_id = $1 order by number',
      values: [cid.user],
    });
    expect(numbers.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('by a stranger, or of an unknown reed, is not found and does nothing', async () => {
    const reed = await publishReed(world, ann, {}, false);
    expect(await ready(bob, reed)).toMatchObject({ ok: false, reason: 'not-found' });
    expect(await ready(ann, newReedId(world, ann))).toMatchObject({ ok: false, reason: 'not-found' });
    expect(await count('reed_allocations', 'reed_id = $1', reed)).toBe(0);
    expect(await count('reeds', 'id = $1 and published_at is null', reed)).toBe(1);
  });

  test('of a removed reed writes no allocation', async () => {
    const reed = await publishReed(world, ann, {}, false);
    await remove(reed);
    expect(await ready(ann, reed)).toMatchObject({ ok: false, reason: 'removed' });
    expect(await count('reed_allocations', 'reed_id = $1', reed)).toBe(0);
  });
});

describe('a thread', () => {
  const parts = async (person: Person, length: number): Promise<ReedId[]> => {
    const head = newReedId(world, person);
    const ids = [head, ...Array.from({ length: length - 1 }, () => newReedId(world, person))];
    for (const [index, id] of ids.entries()) await fresh({ id, thread: { head, index } }, person);
    return ids;
  };
  const thread = async (person: Person, reeds: ReedId[]) =>
    world.reeds.threads.register(
      person.member,
      await sign(person, { ...heading('thread'), id: reeds[0] as ReedId, author: person.user, key: person.keyId, reeds }, now()),
    );

  test('is published whole by its head, as one fact', async () => {
    const ids = await parts(ann, 3);
    const [head, middle] = ids as [ReedId, ReedId, ReedId];
    expect(await ready(ann, head)).toMatchObject({ ok: false, reason: 'incomplete' });
    const { certificate, isNew } = await thread(ann, ids);
    expect(isNew).toBe(true);
    expect(await thread(ann, ids)).toEqual({ certificate, isNew: false });
    expect(await ready(ann, middle)).toMatchObject({ ok: false, reason: 'incomplete' });
    await expect(world.reeds.reading.thread(bob.user, head)).rejects.toThrow(code('NOT_FOUND'));
    expect(await ready(ann, head)).toEqual({ ok: true, value: 'published' });
    expect(await count('reeds', 'id = any($1) and published_at is not null', ids)).toBe(3);
    expect(await count('reed_allocations', 'reed_id = any($1) and holder_user_id = $2', ids, ann.user)).toBe(3);
    expect(await world.db.query({ text: 'select kind from author_facts where subject_id = any($1)', values: [ids] })).toEqual([
      { kind: 'thread' },
    ]);
    expect(await ready(ann, head)).toEqual({ ok: true, value: 'again' });
    expect(await ready(ann, middle)).toEqual({ ok: true, value: 'again' });
    const read = await world.reeds.reading.thread(bob.user, head);
    expect(read.reeds.map(({ statement }) => statement.id)).toEqual(ids);
    await remove(head);
    await expect(world.reeds.reading.reed(bob.user, head)).rejects.toMatchObject({ code: 'REMOVED', certificate: expect.anything() });
  });

  test('needs all of its parts, in their places, and takes no more later', async () => {
    const [head, second, third] = (await parts(ann, 3)) as [ReedId, ReedId, ReedId];
    await expect(thread(ann, [head, second])).rejects.toThrow(code('INVALID'));
    await expect(thread(ann, [head, third, second])).rejects.toThrow(code('INVALID'));
    await expect(thread(ann, [head, second, newReedId(world, ann)])).rejects.toThrow(code('INVALID'));
    await expect(thread(bob, [head, second, third])).rejects.toThrow(code('INVALID'));
    await thread(ann, [head, second, third]);
    await expect(fresh({ thread: { head, index: 3 } })).rejects.toThrow(code('CONFLICT'));
  });
});

describe('reading', () => {
  test('shows what is published; what is not looks like what never was', async () => {
    const hidden = await publishReed(world, ann, {}, false);
    const messages = await Promise.all(
      [hidden, newReedId(world, ann)].map((id) => world.reeds.reading.reed(bob.user, id).catch((error: Error) => error.message)),
    );
    expect(messages[0]).toBe(messages[1]);
    const shown = await publishReed(world, ann);
    expect(await world.reeds.reading.reed(bob.user, shown)).toMatchObject({
      certificate: { statement: { id: shown } },
      publishedAt: new Date(now()),
    });
  });

  test('is refused to the blocked, and ends with the account', async () => {
    const [blocker, blocked] = [await signUp(world), await signUp(world)];
    const reed = await publishReed(world, blocker);
    await block(blocker, blocked);
    await expect(world.reeds.reading.reed(blocked.user, reed)).rejects.toMatchObject({ code: 'BLOCKED', certificate: expect.anything() });
    await world.db.query({
      text: `insert into account_removals (user_id, statement, due_at) values ($1, '{}', now())`,
      values: [blocker.user],
    });
    await expect(world.reeds.reading.reed(ann.user, reed)).rejects.toThrow(code('NOT_FOUND'));
  });
});
