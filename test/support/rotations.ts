// Statements of rotation, revocation and removal, by whichever of a person's keys a test wants them signed.
import { generatePrivateKey, type PrivateKey } from '../../src/crypto/openpgp.ts';
import { signStatement } from '../../src/crypto/statement.ts';
import type { Recovering } from '../../src/identity/recovery.ts';
import type { Rotated } from '../../src/identity/rotation.ts';
import { type Fingerprint, userKeyId } from '../../src/wire/address.ts';
import type { Signed } from '../../src/wire/canonical.ts';
import { heading, type StatementOf } from '../../src/wire/statements.ts';
import { type Door, type Person, sessionStatement, sign, type World } from './people.ts';

type Timed = Pick<Door, 'clock'>;

export type Rotation = { readonly revocation?: Signed<StatementOf<'key-revocation'>>; readonly key: Signed<StatementOf<'key'>> };

/** The person with another key and another recovery key. */
export async function withNextKey(world: Timed, person: Person): Promise<Person> {
  const now = world.clock.now();
  const [key, recovery] = [await generatePrivateKey(now), await generatePrivateKey(now)];
  const keyId = userKeyId(person.user, key.fingerprint);
  return { ...person, key, keyId, recovery, member: { ...person.member, keyId } };
}

export const revocationOf = (world: Timed, person: Person, fields: Partial<StatementOf<'key-revocation'>> = {}) =>
  sign(person, { ...heading('key-revocation'), user: person.user, key: person.keyId, reason: 'lost', ...fields }, world.clock.now());

/** The statement of `next` as the successor of `person`'s key, signed by both, or by the recovery key, or by what is no recovery key of theirs. */
export function keyAfter(world: Timed, person: Person, next: Person, by: 'key' | 'recovery' | PrivateKey) {
  const recovery = typeof by === 'string' ? person.recovery : by;
  const statement: StatementOf<'key'> = {
    ...heading('key'),
    user: next.user,
    key: next.keyId,
    armor: next.key.publicKey.armor,
    recovery: next.recovery.fingerprint as Fingerprint,
    predecessor: person.keyId,
    ...(by !== 'key' ? { recoveryArmor: recovery.publicKey.armor } : {}),
  };
  const before =
    by === 'key' ? { key: person.key, keyId: person.keyId } : { key: recovery, keyId: userKeyId(person.user, recovery.fingerprint) };
  return signStatement(statement, [{ key: next.key, keyId: next.keyId }, before], world.clock.now());
}

export const rotationOf = async (world: Timed, person: Person, next: Person, by: 'key' | 'recovery' = 'key'): Promise<Rotation> => ({
  revocation: await revocationOf(world, person, { successor: next.keyId }),
  key: await keyAfter(world, person, next, by),
});

/** What a session by the person's recovery key may do. */
export const recovering = (person: Person): Recovering => ({
  userId: person.user,
  recovery: person.recovery.fingerprint as Fingerprint,
});

/** Rotates to a fresh key. */
export async function rotate(world: World, person: Person, by: 'key' | 'recovery' = 'key'): Promise<{ next: Person; rotated: Rotated }> {
  const next = await withNextKey(world, person);
  const who = by === 'key' ? { userId: person.user } : recovering(person);
  return { next, rotated: await world.identity.rotation.rotate(who, await rotationOf(world, person, next, by)) };
}

/** `{statement, signature, recoveryArmor}` of a session by the recovery key, over a fresh challenge. */
export async function recoverBody(
  world: World,
  person: Person,
  changes: { readonly by?: PrivateKey; readonly purpose?: 'recover' | 'token'; readonly nonce?: string } = {},
): Promise<{ statement: StatementOf<'session'>; signature: string; recoveryArmor: string }> {
  const key = changes.by ?? person.recovery;
  const keyId = userKeyId(person.user, key.fingerprint);
  const nonce = changes.nonce ?? (await world.identity.challenges.make()).nonce;
  const statement = {
    ...sessionStatement(person, world.identity.server.id, nonce, changes.purpose ?? 'recover'),
    key: keyId,
  };
  const signed = await signStatement(statement, [{ key, keyId }], world.clock.now());
  return { statement, signature: signed.signatures[0]?.signature ?? '', recoveryArmor: key.publicKey.armor };
}

export const removalOf = (world: Timed, person: Person, note = '') =>
  sign(person, { ...heading('account-removal'), user: person.user, key: person.keyId, note }, world.clock.now());

/** Signed by the recovery key that the statement of the person's key names. */
export function withdrawalOf(world: Timed, person: Person, by: PrivateKey = person.recovery) {
  const { user, keyId } = person;
  const statement = { ...heading('account-removal-withdrawal'), user, key: keyId, note: '', recoveryArmor: by.publicKey.armor };
  return signStatement(statement, [{ key: by, keyId: userKeyId(user, by.fingerprint) }], world.clock.now());
}
