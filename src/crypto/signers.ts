// Who must sign a statement of each type, and with which key. New keys prove themselves here: by their fingerprint if they are the first
// of an id, else by the key before them or the recovery key that one named.
import { fail, ok, type Result } from '../base/result.ts';
import {
  type Fingerprint,
  fingerprintOf,
  parseServerKeyId,
  type ServerKeyId,
  serverIdFromFingerprint,
  serverOf,
  type UserKeyId,
  userIdFromFingerprint,
  userKeyId,
  userOf,
} from '../wire/address.ts';
import type { Statement, StatementOf } from '../wire/statements.ts';
import { describeKeyProblem } from './key-mends.ts';
import { type PublicKey, readPublicKey } from './openpgp.ts';

/** What is asked of a key look-up here; see `KeyLookup` in statement.ts. */
type Keys = {
  userKey(id: UserKeyId): Promise<{ readonly publicKey: PublicKey; readonly recovery?: Fingerprint } | null>;
  serverKey(id: ServerKeyId): Promise<{ readonly publicKey: PublicKey } | null>;
};

export type Signer = { readonly id: string; readonly publicKey: PublicKey };
type Found<T> = Result<T, 'bad-key' | 'wrong-id' | 'unknown-key' | 'wrong-signers'>;

/** Reads an armored key that must have a certain fingerprint. `field` is named if it can't be used. */
async function readNamed(armor: string, fingerprint: Fingerprint, field: string): Promise<Found<PublicKey>> {
  const key = await readPublicKey(armor);
  if (!key.ok) return fail('bad-key', `${field}: ${describeKeyProblem(key.reason)}`);
  return key.value.fingerprint === fingerprint ? key : fail('wrong-id', field);
}

async function known(keys: Keys, id: UserKeyId, field = 'key'): Promise<Found<Signer>> {
  const key = await keys.userKey(id);
  return key === null ? fail('unknown-key', field) : ok({ id, publicKey: key.publicKey });
}

async function knownServer(keys: Keys, id: ServerKeyId, field = 'key'): Promise<Found<Signer>> {
  const key = await keys.serverKey(id);
  return key === null ? fail('unknown-key', field) : ok({ id, publicKey: key.publicKey });
}

const one = (signer: Found<Signer>): Found<readonly Signer[]> => (signer.ok ? ok([signer.value]) : signer);

/** The recovery key that the statement of the key `of` names. */
async function recoverySigner(keys: Keys, of: UserKeyId, armor: string): Promise<Found<Signer>> {
  const key = await keys.userKey(of);
  if (key?.recovery === undefined) return fail('unknown-key', 'recoveryArmor');
  const recovery = await readNamed(armor, key.recovery, 'recoveryArmor');
  if (!recovery.ok) return recovery;
  return ok({ id: userKeyId(userOf(of), recovery.value.fingerprint), publicKey: recovery.value });
}

async function signersOfKey(statement: StatementOf<'key'>, keys: Keys): Promise<Found<readonly Signer[]>> {
  const { user, key, armor, predecessor, recoveryArmor } = statement;
  const own = await readNamed(armor, fingerprintOf(key), 'armor');
  if (!own.ok) return own;
  const self = { id: key, publicKey: own.value };
  if (predecessor === undefined) {
    const proven = await userIdFromFingerprint(own.value.fingerprint, serverOf(user));
    return proven === user ? ok([self]) : fail('wrong-id', 'user');
  }
  const before =
    recoveryArmor === undefined ? await known(keys, predecessor, 'predecessor') : await recoverySigner(keys, predecessor, recoveryArmor);
  return before.ok ? ok([self, before.value]) : before;
}

async function signersOfServerKey(statement: StatementOf<'server-key'>, keys: Keys): Promise<Found<readonly Signer[]>> {
  const { server, key, armor, predecessor } = statement;
  const own = await readNamed(armor, fingerprintOf(key), 'armor');
  if (!own.ok) return own;
  const self = { id: key, publicKey: own.value };
  if (predecessor === undefined) {
    return (await serverIdFromFingerprint(own.value.fingerprint)) === server ? ok([self]) : fail('wrong-id', 'server');
  }
  const before = await knownServer(keys, predecessor, 'predecessor');
  return before.ok ? ok([self, before.value]) : before;
}

/**
 * The keys that must have signed, in the order in which their signatures are kept.
 * @param named the key ids beside the given signatures: a server's document says only there which of its keys signed it
 */
export async function signersOf(statement: Statement, named: readonly string[], keys: Keys): Promise<Found<readonly Signer[]>> {
  switch (statement.type) {
    case 'key':
      return signersOfKey(statement, keys);
    case 'server-key':
      return signersOfServerKey(statement, keys);
    case 'server-key-revocation':
    case 'operator-act':
    case 'peering':
      return one(await knownServer(keys, statement.key));
    case 'server-document': {
      const id = parseServerKeyId(named[0] ?? '');
      return id === null || serverOf(id) !== statement.id ? fail('wrong-signers', 'signatures') : one(await knownServer(keys, id));
    }
    case 'account-removal-withdrawal':
      return one(await recoverySigner(keys, statement.key, statement.recoveryArmor));
    case 'countersignature':
    case 'welcome':
      return fail('wrong-signers', 'type');
    default:
      return one(await known(keys, statement.key));
  }
}
