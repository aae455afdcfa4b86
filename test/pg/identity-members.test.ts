// Names, profiles, keys and countersignatures: who has which name, who sees what, and that seq and signedAt only go up.

import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cryptoRandom, fromBase64url } from '../../src/base/ids.ts';
import { verifySigned } from '../../src/crypto/statement.ts';
import { hashBytes } from '../../src/identity/countersign.ts';
import { openServerIdentity } from '../../src/identity/server-identity.ts';
import { canonicalBytes } from '../../src/wire/canonical.ts';
import { heading } from '../../src/wire/statements.ts';
import {
  identityStatement,
  makeInvite,
  makePerson,
  makeWorld,
  PASSPHRASE,
  type Person,
  publishReed,
  sign,
  signUp,
  silent,
  type World,
} from '../support/people.ts';

let world: World;
let ann: Person & { token: string };
beforeAll(async () => {
  world = await makeWorld();
  ann = await signUp(world, { username: 'ann' });
});
afterAll(() => world.close());

const code = (value: string) => expect.objectContaining({ code: value });
const rename = async (person: Person, username: string) =>
  world.identity.users.changeIdentity(
    person.member,
    await sign(person, identityStatement(person, world.clock.now(), username), world.clock.now()),
  );

/** Writes a block as its own issue will, from any certificate at hand. */
const block = async (by: Person, target: Person): Promise<void> => {
  await world.db.query({
    text: `insert into blocks (user_id, target, active, seq, statement_hash) select $1, $2, true, 1, identity_hash from users where id = $1`,
    values: [by.user, target.user],
  });
};

describe('a username', () => {
  test.each([
    ['Kestrel', 'kestrel'],
    ['paypal', 'paypaI'],
    ['modern', 'rnodern'],
    ['straße', 'STRASSE'],
    ['zero0', 'zeroO'],
    ['scope', 'ѕсоре'],
    ['ωωω', 'шшш'],
  ])('%s is taken for %s', async (first, second) => {
    await signUp(world, { username: first });
    await expect(signUp(world, { username: second })).rejects.toThrow(code('USERNAME_TAKEN'));
  });

  test('given up stays reserved for a year, but for who gave it up', async () => {
    const bob = await signUp(world, { username: 'heron' });
    await rename(bob, 'egret');
    await expect(signUp(world, { username: 'Heron' })).rejects.toThrow(code('USERNAME_TAKEN'));
    await rename(bob, 'HERON');
    await rename(bob, 'bittern');
    world.clock.advance(world.limits.usernameReservedMs - 1);
    await expect(signUp(world, { username: 'heron' })).rejects.toThrow(code('USERNAME_TAKEN'));
    world.clock.advance(2);
    await expect(signUp(world, { username: 'heron' })).resolves.toBeDefined();
    await expect(rename(bob, 'heron')).rejects.toThrow(code('USERNAME_TAKEN'));
    expect((await world.identity.users.profile(ann.user, bob.user)).username).toBe('bittern');
  });

  test('raced goes to one', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => signUp(world)));
    const tries = await Promise.allSettled(people.map((person) => rename(person, 'the.one')));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('an identity statement', () => {
  test('repeated answers the first certificate and goes back to nothing older', async () => {
    const bob = await signUp(world);
    const old = await sign(bob, identityStatement(bob, world.clock.now(), 'older.name'), world.clock.now());
    const first = await world.identity.users.changeIdentity(bob.member, old);
    await rename(bob, 'newer.name');
    const resigned = await sign(bob, old.statement, world.clock.now() + 1_000);
    expect(await world.identity.users.changeIdentity(bob.member, resigned)).toEqual({ certificate: first.certificate, isNew: false });
    expect((await world.identity.users.profile(ann.user, bob.user)).username).toBe('newer.name');
  });

  test('of another member is refused', async () => {
    const bob = await signUp(world);
    const statement = await sign(bob, identityStatement(bob, world.clock.now()), world.clock.now());
    await expect(world.identity.users.changeIdentity(ann.member, statement)).rejects.toThrow(code('FORBIDDEN'));
  });
});

describe('countersignatures', () => {
  test('raced have different seqs, and signedAt follows seq even if the clock goes back', async () => {
    const bob = await signUp(world);
    await Promise.all(Array.from({ length: 8 }, () => publishReed(world, bob)));
    await world.db.query({
      text: `update users set last_signed_at = last_signed_at + interval '1 hour' where id = $1`,
      values: [bob.user],
    });
    await publishReed(world, bob);
    const rows = await world.db.query<{ seq: string; at: Date; said: { seq: number; signedAt: string } }>({
      text: `select seq::text, signed_at as at, certificate->'countersignature'->'statement' as said from statements where user_id = $1 order by statements.seq`,
      values: [bob.user],
    });
    expect(rows.length).toBe(11);
    for (const [place, row] of rows.entries()) {
      expect(row.said).toMatchObject({ seq: Number(row.seq), signedAt: row.at.toISOString() });
      const before = rows[place - 1];
      if (before !== undefined) expect(row.at.getTime()).toBeGreaterThanOrEqual(before.at.getTime());
    }
    expect(rows.at(-1)?.at.getTime()).toBeGreaterThan(world.clock.now());
  });

  test('end with the revocation of the key: whoever waits for its row sees it', async () => {
    const bob = await signUp(world);
    let done: Promise<unknown> = Promise.resolve();
    await world.db.transaction(async (tx) => {
      await tx.selectFrom('keys').select('id').where('id', '=', bob.keyId).forUpdate().execute();
      done = publishReed(world, bob).then(
        () => 'countersigned',
        (error: { code: string }) => error.code,
      );
      // The reed's seq is taken before the lock is waited for.
      await expect
        .poll(
          async () =>
            (await world.db.query<{ seq: number }>({ text: 'select last_seq::int as seq from users where id = $1', values: [bob.user] }))[0]
              ?.seq,
        )
        .toBe(3);
      const { hash } = await tx
        .selectFrom('statements')
        .select('hash')
        .where('user_id', '=', bob.user)
        .where('type', '=', 'key')
        .executeTakeFirstOrThrow();
      await tx.insertInto('key_revocations').values({ key_id: bob.keyId, statement_hash: hash, seq: 4 }).execute();
    });
    expect(await done).toBe('KEY_REVOKED');
    const stored = await world.db.query({ text: `select hash from statements where user_id = $1 and type = 'reed'`, values: [bob.user] });
    expect(stored).toEqual([]);
  });

  test('are stored under the hash of the statement alone', async () => {
    const { post } = await makeInvite(world, ann);
    const { certificate } = await world.identity.invites.create(ann.member, post);
    const [row] = await world.db.query<{ hash: Buffer }>({
      text: `select hash from statements where user_id = $1 and type = 'invite'`,
      values: [ann.user],
    });
    expect(row?.hash.equals(hashBytes(certificate.countersignature.statement.statementHash))).toBe(true);
  });
});

describe('reading a member', () => {
  test('is refused to the blocked with the certificate, and to nobody else', async () => {
    const [bob, cid] = [await signUp(world), await signUp(world)];
    await block(bob, cid);
    await expect(world.identity.users.profile(cid.user, bob.user)).rejects.toMatchObject({
      code: 'BLOCKED',
      certificate: { countersignature: expect.anything() },
    });
    await expect(world.identity.users.profile(bob.user, cid.user)).resolves.toMatchObject({ id: cid.user });
    expect(await world.identity.users.search(cid.user, bob.username, { after: '', limit: 50 })).toEqual([]);
    await expect(world.identity.keys.read(cid.user, bob.keyId, { forRelay: false, chain: false })).resolves.toBeDefined();
  });

  test('who left or never was is told apart only once the removal has a certificate', async () => {
    const bob = await signUp(world);
    await world.db.query({
      text: `insert into account_removals (user_id, statement, due_at) values ($1, '{}', now())`,
      values: [bob.user],
    });
    const stranger = await makePerson(world.identity.server.id, world.clock.now());
    await expect(world.identity.users.profile(ann.user, bob.user)).rejects.toThrow(code('NOT_FOUND'));
    await expect(world.identity.users.profile(ann.user, stranger.user)).rejects.toThrow(code('NOT_FOUND'));
    await world.db.query({
      text: `update account_removals set statement_hash = (select identity_hash from users where id = $1) where user_id = $1`,
      values: [bob.user],
    });
    await expect(world.identity.users.profile(ann.user, bob.user)).rejects.toMatchObject({
      code: 'REMOVED',
      certificate: expect.anything(),
    });
  });

  test('search finds by the beginning of name or id, in pages, wildcards meaning themselves', async () => {
    const made = await Promise.all(['warbler.a', 'Warbler.b', 'warbler-c'].map((username) => signUp(world, { username })));
    const ids = made.map(({ user }) => user).sort();
    const found = await world.identity.users.search(ann.user, 'WARBLER', { after: '', limit: 2 });
    const rest = await world.identity.users.search(ann.user, 'WARBLER', { after: found.at(-1)?.id ?? '', limit: 2 });
    expect([...found, ...rest].map(({ id }) => id)).toEqual(ids);
    expect(await world.identity.users.search(ann.user, ids[0]?.slice(0, 12) ?? '', { after: '', limit: 5 })).toMatchObject([
      { id: ids[0] },
    ]);
    expect(await world.identity.users.search(ann.user, '%', { after: '', limit: 5 })).toEqual([]);
    expect(await world.identity.users.search(ann.user, '_arbler', { after: '', limit: 5 })).toEqual([]);
  });
});

describe('reading a key', () => {
  const allocations = () => world.db.query({ text: 'select user_id, key_id from key_allocations order by user_id, key_id' });

  test('records an allocation, but for a relay, for the own key and for an unknown one', async () => {
    const bob = await signUp(world);
    const stranger = await makePerson(world.identity.server.id, world.clock.now());
    const before = await allocations();
    await world.identity.keys.read(ann.user, bob.keyId, { forRelay: true, chain: false });
    await world.identity.keys.read(bob.user, bob.keyId, { forRelay: false, chain: true });
    await expect(world.identity.keys.read(ann.user, stranger.keyId, { forRelay: false, chain: false })).rejects.toThrow(code('NOT_FOUND'));
    expect(await allocations()).toEqual(before);
    await world.identity.keys.read(ann.user, bob.keyId, { forRelay: false, chain: false });
    await world.identity.keys.read(ann.user, bob.keyId, { forRelay: false, chain: false });
    expect(await world.db.query({ text: 'select user_id from key_allocations where key_id = $1', values: [bob.keyId] })).toEqual([
      { user_id: ann.user },
    ]);
  });

  test('shows its chain and its revocation', async () => {
    const bob = await signUp(world);
    const plain = await world.identity.keys.read(ann.user, bob.keyId, { forRelay: false, chain: true });
    expect(plain.chain).toEqual([{ certificate: plain.certificate }]);
    await world.db.query({
      text: `insert into key_revocations (key_id, statement_hash, seq) select id, statement_hash, 9 from keys where id = $1`,
      values: [bob.keyId],
    });
    const revoked = await world.identity.keys.read(ann.user, bob.keyId, { forRelay: false, chain: false });
    expect(revoked).toMatchObject({ revocation: expect.objectContaining({ countersignature: expect.anything() }) });
    expect(revoked.chain).toBeUndefined();
  });
});

describe('the server', () => {
  const reopen = (passphrase: string, name = 'Test') =>
    openServerIdentity({
      db: world.db,
      clock: world.clock,
      random: cryptoRandom,
      limits: world.limits,
      passphrase,
      name,
      publicUrl: () => 'http://localhost:8080',
    });

  test('is the same after a restart, and does not open with another passphrase', async () => {
    const again = await reopen(PASSPHRASE);
    expect(again).toMatchObject({ ok: true, value: { id: world.identity.server.id, fingerprint: world.identity.server.fingerprint } });
    expect(await reopen('wrong')).toMatchObject({ ok: false, reason: 'wrong-passphrase' });
    expect(silent.level).toBe('silent');
  });

  test('keeps no private key in the clear', async () => {
    const [row] = await world.db.query<{ text: string }>({ text: `select string_agg(k::text, ' ') as text from server_keys k` });
    const seed = Buffer.from(world.identity.server.secretFor('challenge'));
    expect(row?.text).not.toContain(seed.toString('base64url'));
    expect(row?.text).toContain('PRIVATE KEY');
  });

  test('signs its document, and issues the next serial when it says something else or grows old', async () => {
    const { server } = world.identity;
    const first = await server.document();
    expect(await verifySigned(first, 'server-document', { keys: world.identity.storedKeys, now: world.clock.now() })).toMatchObject({
      ok: true,
    });
    expect(await server.document()).toBe(first);
    const renamed = await reopen(PASSPHRASE, 'Another name');
    if (!renamed.ok) throw new Error(renamed.detail);
    const second = await renamed.value.document();
    expect(second.statement).toMatchObject({ serial: first.statement.serial + 1, name: 'Another name' });
    world.clock.advance(46 * 86_400_000);
    const third = await renamed.value.document();
    expect(third.statement.serial).toBe(second.statement.serial + 1);
    expect(Date.parse(third.statement.expiresAt)).toBe(world.clock.now() + 90 * 86_400_000);
  });

  test('signs a welcome that its document proves', async () => {
    const { server } = world.identity;
    const clientNonce = Buffer.alloc(16, 3).toString('base64url');
    const { kid, signature } = await server.signWelcome('session-1', clientNonce);
    const raw = (await server.document()).statement.transportKeys.find((key) => key.kid === kid)?.publicKey ?? '';
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw }, format: 'jwk' });
    const bytes = canonicalBytes({ ...heading('welcome'), server: server.id, session: 'session-1', clientNonce });
    expect(bytes.ok && verify(null, bytes.value, key, fromBase64url(signature) ?? new Uint8Array())).toBe(true);
    expect(bytes.ok && verify(null, Buffer.from(`${Buffer.from(bytes.value)}x`), key, fromBase64url(signature) ?? new Uint8Array())).toBe(
      false,
    );
  });
});
