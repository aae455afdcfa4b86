// The next key of a member: who may make it, when, what becomes of the one before and of what it signed; and a revocation without a next.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { base64url } from '../../src/base/ids.ts';
import { type ChainKey, verifyKeyChain } from '../../src/crypto/key-chain.ts';
import { heading } from '../../src/wire/statements.ts';
import { identityStatement, makeWorld, type Person, reedStatement, sign, signInBody, signUp, type World } from '../support/people.ts';
import { keyAfter, recovering, revocationOf, rotate, rotationOf, withNextKey } from '../support/rotations.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let world: World;
let ann: Person & { token: string };
let bob: Person;
beforeEach(async () => {
  world = await makeWorld();
  [ann, bob] = [await signUp(world, { username: 'ann' }), await signUp(world)];
});
afterEach(() => world.close());

const code = (value: string) => expect.objectContaining({ code: value });
const keys = () => world.identity.keys;
const rotation = () => world.identity.rotation;
const byKey = (person: Person) => ({ userId: person.user });
const register = async (person: Person) =>
  world.reeds.register.reed(person.member, await sign(person, reedStatement(world, person), world.clock.now()));
const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  world.db.query<Row>({ text, values });

/** The chain as somebody else proves it, from the id on. */
async function chainOf(person: Person): Promise<readonly ChainKey[]> {
  const { chain } = await keys().read(bob.user, person.keyId, { forRelay: true, chain: true });
  const { storedKeys } = world.identity;
  const lookup = { userKey: async () => null, serverKey: storedKeys.serverKey.bind(storedKeys) };
  const proven = await verifyKeyChain(chain ?? [], person.user, { keys: lookup, now: world.clock.now() });
  if (!proven.ok) throw new Error(`${proven.reason} ${proven.detail}`);
  return proven.value;
}

describe('a rotation', () => {
  test('puts the new key in place of the old one, which signs nothing any more, and can be proved from the id', async () => {
    await register(ann);
    const { next, rotated } = await rotate(world, ann);
    expect(rotated.isNew).toBe(true);
    expect((await chainOf(next)).map(({ id, revokedSeq }) => [id, revokedSeq !== undefined])).toEqual([
      [ann.keyId, true],
      [next.keyId, false],
    ]);
    await expect(register(ann)).rejects.toEqual(code('KEY_REVOKED'));
    await expect(register(next)).resolves.toMatchObject({ isNew: true });
    expect(await rows('select key_id from users where id = $1', [ann.user])).toEqual([{ key_id: next.keyId }]);
  });

  test('ends every session and socket of the member; the new key signs in on the device that was linked', async () => {
    const { next } = await rotate(world, ann);
    expect(await world.identity.sessions.authenticateToken(ann.token)).toBeNull();
    expect(world.ended).toEqual([{ user: ann.user, reason: 'ended' }]);
    await expect(world.identity.sessions.signIn(await signInBody(world, ann))).rejects.toEqual(code('KEY_REVOKED'));
    await expect(world.identity.sessions.signIn(await signInBody(world, next))).resolves.toMatchObject({ token: expect.any(String) });
  });

  test('said again gets the same certificates, and changes nothing', async () => {
    const next = await withNextKey(world, ann);
    const request = await rotationOf(world, ann, next);
    const first = await rotation().rotate(byKey(ann), request);
    const { token } = await world.identity.sessions.signIn(await signInBody(world, next));
    const again = await rotation().rotate(byKey(next), request);
    expect(again).toEqual({ ...first, isNew: false });
    expect(await world.identity.sessions.authenticateToken(token)).not.toBeNull();
  });

  test('is taken once a day, counted from the last rotation and not from the sign-up', async () => {
    const { next } = await rotate(world, ann);
    world.clock.advance(DAY - 1);
    const third = await withNextKey(world, next);
    const request = await rotationOf(world, next, third);
    await expect(rotation().rotate(byKey(next), request)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 1 });
    world.clock.advance(1);
    await rotation().rotate(byKey(next), request);
    expect((await chainOf(third)).map(({ id }) => id)).toEqual([ann.keyId, next.keyId, third.keyId]);
  });

  test('of two at once one is taken, and the chain does not fork', async () => {
    const [one, other] = [await withNextKey(world, ann), await withNextKey(world, ann)];
    const requests = [await rotationOf(world, ann, one), await rotationOf(world, ann, other)];
    const outcomes = await Promise.allSettled(requests.map((request) => rotation().rotate(byKey(ann), request)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await rows('select id from keys where user_id = $1 and predecessor is not null', [ann.user])).toHaveLength(1);
    expect(await rows('select key_id from key_revocations where key_id = $1', [ann.keyId])).toHaveLength(1);
  });

  test('leaves what was signed before it valid, and nothing between two countersignings in doubt: each is below the revocation or refused', async () => {
    const statements = await Promise.all(
      Array.from({ length: 12 }, async () =>
        sign(
          ann,
          { ...identityStatement(ann, world.clock.now()), bio: base64url(crypto.getRandomValues(new Uint8Array(6))) },
          world.clock.now(),
        ),
      ),
    );
    const next = await withNextKey(world, ann);
    const request = await rotationOf(world, ann, next);
    const acts = statements.map((statement) => world.identity.users.changeIdentity(ann.member, statement));
    const [, ...outcomes] = await Promise.allSettled([rotation().rotate(byKey(ann), request), ...acts]);
    const [revoked] = await rows<{ seq: number }>('select seq from key_revocations where key_id = $1', [ann.keyId]);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(code('KEY_REVOKED'));
      else expect(outcome.value.certificate.countersignature.statement.seq).toBeLessThan(revoked?.seq ?? 0);
  });

  test.each<[string, string, (next: Person) => Promise<object>]>([
    ['without a revocation of a key that stands', 'INVALID', async (next) => ({ key: await keyAfter(world, ann, next, 'key') })],
    [
      'with a revocation that names another successor',
      'INVALID',
      async (next) => ({
        ...(await rotationOf(world, ann, next)),
        revocation: await revocationOf(world, ann, { successor: bob.keyId.replace(bob.user, ann.user) as never }),
      }),
    ],
    [
      'with a revocation that names none',
      'INVALID',
      async (next) => ({ ...(await rotationOf(world, ann, next)), revocation: await revocationOf(world, ann) }),
    ],
    [
      'with the revocation of another key',
      'INVALID',
      async (next) => ({ ...(await rotationOf(world, ann, next)), revocation: await revocationOf(world, bob) }),
    ],
    ['to a key of somebody else', 'FORBIDDEN', async () => rotationOf(world, bob, await withNextKey(world, bob))],
    [
      'to a key that did not sign',
      'INVALID',
      async (next) => ({ ...(await rotationOf(world, ann, next)), key: await keyAfter(world, ann, { ...next, key: bob.key }, 'key') }),
    ],
    [
      'by a recovery key that the key before does not name',
      'INVALID',
      async (next) => ({ ...(await rotationOf(world, ann, next)), key: await keyAfter(world, ann, next, bob.recovery) }),
    ],
    ['to a key whose recovery key is the old key', 'INVALID', async (next) => rotationOf(world, ann, { ...next, recovery: ann.key })],
    [
      'to the recovery key itself',
      'INVALID',
      async (next) => rotationOf(world, ann, { ...next, key: ann.recovery, keyId: `${ann.user}/${ann.recovery.fingerprint}` as never }),
    ],
    [
      'without a predecessor',
      'INVALID',
      async (next) => ({
        key: await sign(
          next,
          {
            ...heading('key'),
            user: ann.user,
            key: next.keyId,
            armor: next.key.publicKey.armor,
            recovery: next.recovery.fingerprint as never,
          },
          world.clock.now(),
        ),
      }),
    ],
  ])('is refused %s', async (_, refused, make) => {
    const request = await make(await withNextKey(world, ann));
    await expect(rotation().rotate(byKey(ann), request as never)).rejects.toEqual(code(refused));
    expect(await rows('select key_id from key_revocations')).toEqual([]);
    expect(world.ended).toEqual([]);
  });

  test('never takes a key that was used before, revoked or not', async () => {
    const { next } = await rotate(world, ann);
    world.clock.advance(DAY);
    await expect(rotation().rotate(byKey(next), await rotationOf(world, next, { ...ann, recovery: next.recovery }))).rejects.toEqual(
      code('CONFLICT'),
    );
  });

  test('ends with the longest chain that there may be', async () => {
    await world.close();
    world = await makeWorld({ limits: { keyChain: 2 } });
    ann = await signUp(world);
    const { next } = await rotate(world, ann);
    world.clock.advance(DAY);
    await expect(rotate(world, next)).rejects.toEqual(code('CONFLICT'));
  });
});

describe('a revocation without a successor', () => {
  test('is taken from anybody who brings it, freezes the account and ends its sessions', async () => {
    const { certificate } = await rotation().revoke(ann.keyId, await revocationOf(world, ann));
    expect(certificate.statement).toMatchObject({ key: ann.keyId });
    expect(world.ended).toEqual([{ user: ann.user, reason: 'ended' }]);
    expect(await world.identity.sessions.authenticateToken(ann.token)).toBeNull();
    await expect(register(ann)).rejects.toEqual(code('KEY_REVOKED'));
    await expect(world.identity.users.profile(bob.user, ann.user)).resolves.toMatchObject({ username: 'ann' });
  });

  test('lets nobody on but the recovery key: not the revoked key, even with its own revocation again', async () => {
    const revocation = await revocationOf(world, ann);
    await rotation().revoke(ann.keyId, revocation);
    const next = await withNextKey(world, ann);
    await expect(rotation().rotate(byKey(ann), { key: await keyAfter(world, ann, next, 'key') })).rejects.toEqual(code('KEY_REVOKED'));
    await expect(rotation().rotate(byKey(ann), await rotationOf(world, ann, next))).rejects.toEqual(code('KEY_REVOKED'));
    await rotation().rotate(recovering(ann), { key: await keyAfter(world, ann, next, 'recovery') });
    expect((await chainOf(next)).map(({ id, byRecovery }) => [id, byRecovery])).toEqual([
      [ann.keyId, false],
      [next.keyId, true],
    ]);
    await expect(register(next)).resolves.toMatchObject({ isNew: true });
  });

  test('said again gets the first certificate; another one gets it as the reason', async () => {
    const first = await rotation().revoke(ann.keyId, await revocationOf(world, ann));
    expect(await rotation().revoke(ann.keyId, await revocationOf(world, ann))).toEqual(first);
    await expect(rotation().revoke(ann.keyId, await revocationOf(world, ann, { reason: 'again' }))).rejects.toMatchObject({
      code: 'KEY_REVOKED',
      certificate: first.certificate,
    });
  });

  test('and a rotation at once leave one revocation, and a key that goes on or none', async () => {
    const next = await withNextKey(world, ann);
    const [request, bare] = [await rotationOf(world, ann, next), await revocationOf(world, ann)];
    const outcomes = await Promise.allSettled([rotation().rotate(byKey(ann), request), rotation().revoke(ann.keyId, bare)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await rows('select key_id from key_revocations')).toHaveLength(1);
    expect(await rows('select id from keys where predecessor = $1', [ann.keyId])).toHaveLength(outcomes[0]?.status === 'fulfilled' ? 1 : 0);
  });

  test('of a key that is not there, of another id, or signed by somebody else is one answer', async () => {
    const unknown = await withNextKey(world, ann);
    const brought = [
      [unknown, await revocationOf(world, unknown)],
      [bob, await revocationOf(world, ann)],
      [ann, await revocationOf(world, { ...ann, key: bob.key })],
      [ann, {}],
    ] as const;
    const answers = await Promise.allSettled(brought.map(([{ keyId }, revocation]) => rotation().revoke(keyId, revocation)));
    expect(new Set(answers.map((answer) => answer.status === 'rejected' && String(answer.reason)))).toEqual(
      new Set(['AppError: INVALID: this revocation does not hold']),
    );
  });
});

describe('the recovery key', () => {
  test('waits for nothing', async () => {
    const { next } = await rotate(world, ann);
    const { next: third } = await rotate(world, next, 'recovery');
    expect((await chainOf(third)).map(({ id }) => id)).toEqual([ann.keyId, next.keyId, third.keyId]);
  });

  test('takes the place of a rotation that was not its own, for seven days; a thief with the key alone is put off the chain', async () => {
    const { next: thief } = await rotate(world, ann);
    world.clock.advance(DAY);
    const { next: thief2 } = await rotate(world, thief);
    world.clock.advance(6 * DAY);
    const owner = await withNextKey(world, ann);
    const { revocation, isNew } = await rotation().rotate(recovering(ann), { key: await keyAfter(world, ann, owner, 'recovery') });
    expect(isNew).toBe(true);
    expect(revocation).toMatchObject({ statement: { key: ann.keyId, successor: thief.keyId } });
    expect((await chainOf(owner)).map(({ id }) => id)).toEqual([ann.keyId, owner.keyId]);
    for (const gone of [thief, thief2]) {
      await expect(register(gone)).rejects.toEqual(code('INVALID'));
      await expect(chainOf(gone)).rejects.toMatchObject({ code: 'REMOVED', certificate: { statement: { key: owner.keyId } } });
      await expect(world.identity.sessions.signIn(await signInBody(world, gone))).rejects.toEqual(code('UNAUTHENTICATED'));
    }
    await expect(register(owner)).resolves.toMatchObject({ isNew: true });
  });

  test('is too late after seven days, and never takes the place of its own rotation', async () => {
    const { next } = await rotate(world, ann);
    world.clock.advance(7 * DAY + 1);
    const late = await keyAfter(world, ann, await withNextKey(world, ann), 'recovery');
    await expect(rotation().rotate(recovering(ann), { key: late })).rejects.toEqual(code('CONFLICT'));
    const { next: third } = await rotate(world, next, 'recovery');
    const again = await keyAfter(world, next, await withNextKey(world, next), 'recovery');
    await expect(rotation().rotate(recovering(next), { key: again })).rejects.toEqual(code('CONFLICT'));
    expect((await chainOf(third)).map(({ id }) => id)).toEqual([ann.keyId, next.keyId, third.keyId]);
  });

  test('that a thief named wins nothing against the one named before the theft, and opens nothing afterwards', async () => {
    const { next: thief } = await rotate(world, ann);
    const { next: thief2 } = await rotate(world, thief, 'recovery');
    const owner = await withNextKey(world, ann);
    await rotation().rotate(recovering(ann), { key: await keyAfter(world, ann, owner, 'recovery') });
    for (const gone of [thief, thief2])
      await expect(
        rotation().rotate(recovering(gone), { key: await keyAfter(world, gone, await withNextKey(world, gone), 'recovery') }),
      ).rejects.toEqual(code('INVALID'));
    expect((await chainOf(owner)).map(({ id }) => id)).toEqual([ann.keyId, owner.keyId]);
  });

  test('and the key at once leave one chain: the recovery key’s', async () => {
    const [next, owner] = [await withNextKey(world, ann), await withNextKey(world, ann)];
    await Promise.allSettled([
      rotation().rotate(byKey(ann), await rotationOf(world, ann, next)),
      rotation().rotate(recovering(ann), await rotationOf(world, ann, owner, 'recovery')),
    ]);
    expect((await chainOf(owner)).map(({ id }) => id)).toEqual([ann.keyId, owner.keyId]);
    expect(await rows('select key_id from users where id = $1', [ann.user])).toEqual([{ key_id: owner.keyId }]);
  });
});

describe('reading a key', () => {
  test('to verify with is recorded, for all of its chain; to encrypt to, or one’s own, is not', async () => {
    const { next } = await rotate(world, ann);
    await keys().read(bob.user, next.keyId, { forRelay: true, chain: true });
    await keys().read(ann.user, next.keyId, { forRelay: false, chain: true });
    expect(await rows('select key_id from key_allocations')).toEqual([]);
    await keys().read(bob.user, next.keyId, { forRelay: false, chain: true });
    expect((await rows<{ key_id: string }>('select key_id from key_allocations order by 1')).map(({ key_id }) => key_id)).toEqual(
      [ann.keyId, next.keyId].sort(),
    );
    await keys().evict(bob.user, next.keyId);
    expect(await rows('select key_id from key_allocations')).toEqual([{ key_id: ann.keyId }]);
  });
});
