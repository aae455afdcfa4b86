// Sign-up: one request, one transaction, the same answer again, and nothing for public certificates.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generatePrivateKey } from '../../src/crypto/openpgp.ts';
import { verifyCertificate } from '../../src/crypto/statement.ts';
import { StoredKeys } from '../../src/identity/key-lookup.ts';
import { userKeyId } from '../../src/wire/address.ts';
import type { StatementOf } from '../../src/wire/statements.ts';
import {
  identityStatement,
  keyStatement,
  makePerson,
  makeWorld,
  type Person,
  sessionStatement,
  sign,
  signUp,
  signUpBody,
  type World,
} from '../support/people.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const person = (username?: string): Promise<Person> => makePerson(world.identity.server.id, world.clock.now(), username);
const code = (value: string) => expect.objectContaining({ code: value });
const users = async (): Promise<number> =>
  (await world.db.query<{ count: number }>({ text: 'select count(*)::int as count from users' }))[0]?.count ?? -1;

describe('sign-up', () => {
  test('answers certificates that verify, in the order key, identity', async () => {
    const ann = await person();
    const { identity, key } = await world.identity.signUp.run(await signUpBody(world, ann));
    const keys = new StoredKeys({ ...world, server: world.identity.server });
    const context = { keys, now: world.clock.now() };
    expect(await verifyCertificate(key, 'key', context)).toMatchObject({ ok: true, value: { seq: 1 } });
    expect(await verifyCertificate(identity, 'identity', context)).toMatchObject({ ok: true, value: { seq: 2 } });
  });

  test('repeated with another session gives the certificates that are there, and a token of its own', async () => {
    const ann = await person();
    const first = await signUpBody(world, ann);
    const one = await world.identity.signUp.run(first);
    const fresh = await signUpBody(world, ann);
    const two = await world.identity.signUp.run({ ...first, session: fresh.session });
    expect(two.key).toEqual(one.key);
    expect(two.identity).toEqual(one.identity);
    expect(two.token).not.toBe(one.token);
  });

  test('replayed as it was is refused, its nonce being used', async () => {
    const body = await signUpBody(world, await person());
    await world.identity.signUp.run(body);
    await expect(world.identity.signUp.run(body)).rejects.toThrow(code('UNAUTHENTICATED'));
  });

  test('with public certificates and a session signed by somebody else buys nothing', async () => {
    const ann = await person();
    const body = await signUpBody(world, ann);
    const { identity, key } = await world.identity.signUp.run(body);
    const thief = await person();
    const { nonce } = await world.identity.challenges.make();
    const session = sessionStatement(ann, world.identity.server.id, nonce, 'signup');
    const forged = {
      statement: session,
      signatures: [{ key: ann.keyId, signature: (await sign(thief, session, world.clock.now())).signatures[0]?.signature ?? '' }],
    };
    const strip = ({ statement, signatures }: { statement: unknown; signatures: unknown }) => ({ statement, signatures });
    await expect(world.identity.signUp.run({ identity: strip(identity), key: strip(key), session: forged })).rejects.toThrow(
      code('UNAUTHENTICATED'),
    );
  });

  test('twice at once makes one member', async () => {
    const ann = await person();
    const first = await signUpBody(world, ann);
    const second = { ...first, session: (await signUpBody(world, ann)).session };
    const before = await users();
    const [one, two] = await Promise.all([world.identity.signUp.run(first), world.identity.signUp.run(second)]);
    expect(two.key).toEqual(one.key);
    expect(await users()).toBe(before + 1);
  });

  test('a second first key statement for the same key is refused', async () => {
    const ann = await signUp(world);
    const other = {
      ...keyStatement(ann),
      recovery: (await generatePrivateKey(world.clock.now())).fingerprint as StatementOf<'key'>['recovery'],
    };
    const body = await signUpBody(world, ann);
    await expect(world.identity.signUp.run({ ...body, key: await sign(ann, other, world.clock.now()) })).rejects.toThrow(code('CONFLICT'));
  });

  test('a failing part leaves nothing behind', async () => {
    const ann = await signUp(world, { username: 'taken.name' });
    const bea = await person('Taken_Name');
    const body = await signUpBody(world, bea);
    await expect(world.identity.signUp.run(body)).rejects.toThrow(code('USERNAME_TAKEN'));
    const rows = await world.db.query({ text: 'select id from identities where id = $1', values: [bea.user] });
    expect(rows).toEqual([]);
    // The nonce was not used up either: the same request with another name goes through.
    const renamed = await sign(bea, identityStatement(bea, world.clock.now(), 'bea.free'), world.clock.now());
    await expect(world.identity.signUp.run({ ...body, identity: renamed })).resolves.toMatchObject({ token: expect.any(String) });
    expect(ann.username).toBe('taken.name');
  });
});

describe('a sign-up that lies', () => {
  const refused = async (change: (ann: Person, bea: Person) => Promise<Record<string, unknown>>, expected = 'INVALID'): Promise<void> => {
    const [ann, bea] = [await person(), await person()];
    const body = { ...(await signUpBody(world, ann)), ...(await change(ann, bea)) };
    await expect(world.identity.signUp.run(body)).rejects.toThrow(code(expected));
    expect(await world.db.query({ text: 'select id from identities where id = any($1)', values: [[ann.user, bea.user]] })).toEqual([]);
  };
  const now = (): number => world.clock.now();

  test('identity of another person', () =>
    refused(async (_ann, bea) => ({ identity: await sign(bea, identityStatement(bea, now()), now()) })));
  test('session of another person', () =>
    refused(async (_ann, bea) => ({ session: (await signUpBody(world, bea)).session }), 'UNAUTHENTICATED'));
  test('swapped signatures', () =>
    refused(async (ann) => {
      const [identity, key] = [await sign(ann, identityStatement(ann, now()), now()), await sign(ann, keyStatement(ann), now())];
      return { identity: { ...identity, signatures: key.signatures } };
    }));
  test('a field changed after signing', () =>
    refused(async (ann) => {
      const signed = await sign(ann, identityStatement(ann, now()), now());
      return { identity: { ...signed, statement: { ...signed.statement, bio: 'changed' } } };
    }));
  test('a statement of another type in its place', () => refused(async (ann) => ({ identity: await sign(ann, keyStatement(ann), now()) })));
  test('an extra field', () =>
    refused(async (ann) => ({ identity: await sign(ann, { ...identityStatement(ann, now()), admin: true } as never, now()) })));
  test.each([null, 1, 'true'])('a field of another kind: %s', (archive) =>
    refused(async (ann) => {
      const { signatures } = await sign(ann, identityStatement(ann, now()), now());
      return { identity: { statement: { ...identityStatement(ann, now()), archive }, signatures } };
    }),
  );
  test('two signatures', () =>
    refused(async (ann) => {
      const signed = await sign(ann, identityStatement(ann, now()), now());
      return { identity: { ...signed, signatures: [...signed.signatures, ...signed.signatures] } };
    }));
  test('no signature', () =>
    refused(async (ann) => ({ identity: { ...(await sign(ann, identityStatement(ann, now()), now())), signatures: [] } })));
  test('the armor of another key', () =>
    refused(async (ann, bea) => ({ key: await sign(ann, { ...keyStatement(ann), armor: bea.key.publicKey.armor }, now()) })));
  test('an id that does not follow from the key', () =>
    refused(async (ann, bea) => {
      const stolen = { ...keyStatement(ann), user: bea.user, key: userKeyId(bea.user, ann.key.fingerprint) };
      return { key: await sign(ann, stolen, now()) };
    }));
  test('a private block as armor', () =>
    refused(async (ann) => ({ key: await sign(ann, { ...keyStatement(ann), armor: ann.key.armor }, now()) })));
  test('a predecessor', () =>
    refused(async (ann) => ({ key: await sign(ann, { ...keyStatement(ann), predecessor: userKeyId(ann.user, 'a'.repeat(40)) }, now()) })));
  test.each(['a\u0000b', 'ab\u202edc', 'раypal', 'a\u200bb', 'x', 'with space', '\ud800ab', 'ＡＢＣ'])('the name %j', (username) =>
    refused(async (ann) => {
      const { signatures } = await sign(ann, identityStatement(ann, now()), now());
      return { identity: { statement: identityStatement(ann, now(), username), signatures } };
    }),
  );
});

describe('sign-up by key of another server', () => {
  test('is refused', async () => {
    const stranger = await makePerson('aaaaaaaaaaaaaaaa' as never, world.clock.now());
    await expect(world.identity.signUp.run(await signUpBody(world, stranger))).rejects.toThrow(code('INVALID'));
  });
});
