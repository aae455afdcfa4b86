// A person's keys, proven from the id on: the first by its fingerprint, each later one by the key before it or by the recovery key.
// A key that is not on the chain verifies nothing.
import { fail, ok, type Result } from '../base/result.ts';
import type { ServerKeyId, UserId, UserKeyId } from '../wire/address.ts';
import { plainKeys } from '../wire/kinds.ts';
import { readPublicKey } from './openpgp.ts';
import {
  type AcceptedCertificate,
  type KeyLookup,
  type KnownKey,
  type VerifyContext,
  type VerifyReason,
  verifyCertificate,
} from './statement.ts';

const MOST_KEYS = 64;

type Entry = { readonly certificate: unknown; readonly revocation?: unknown };

const isEntry = (value: unknown): value is Entry => {
  const keys = plainKeys(value);
  return keys?.includes('certificate') === true && keys.every((key) => key === 'certificate' || key === 'revocation');
};

/** The keys of a chain that have been proven so far. */
class ProvenKeys implements KeyLookup {
  readonly #keys = new Map<UserKeyId, KnownKey>();
  readonly #servers: KeyLookup;

  constructor(servers: KeyLookup) {
    this.#servers = servers;
  }

  add(key: KnownKey): void {
    this.#keys.set(key.id, key);
  }

  all(): KnownKey[] {
    return [...this.#keys.values()];
  }

  async userKey(id: UserKeyId): Promise<KnownKey | null> {
    return this.#keys.get(id) ?? null;
  }

  serverKey(id: ServerKeyId) {
    return this.#servers.serverKey(id);
  }
}

async function keyOf(accepted: AcceptedCertificate<'key'>): Promise<KnownKey> {
  const { key, armor, recovery } = accepted.certificate.statement;
  const publicKey = await readPublicKey(armor);
  if (!publicKey.ok) throw new Error(`an accepted key can't be read: ${publicKey.reason}`);
  return { id: key, publicKey: publicKey.value, recovery };
}

async function verifyRevocation(
  entry: Entry,
  key: AcceptedCertificate<'key'>,
  context: VerifyContext,
): Promise<Result<number, VerifyReason>> {
  const revocation = await verifyCertificate(entry.revocation, 'key-revocation', context);
  if (!revocation.ok) return revocation;
  const isOf = revocation.value.certificate.statement.key === key.certificate.statement.key;
  return isOf && key.seq < revocation.value.seq ? ok(revocation.value.seq) : fail('broken-chain', 'revocation');
}

/**
 * Proves the chain of a person's keys.
 * @param entries `{certificate, revocation?}` of every key from the id's first on; each but the last has been revoked
 * @param context its `keys` are asked for server keys only
 * @returns the keys in their order, the last one the current
 */
export async function verifyKeyChain(
  entries: readonly unknown[],
  user: UserId,
  context: VerifyContext,
): Promise<Result<readonly KnownKey[], VerifyReason>> {
  if (entries.length === 0 || entries.length > MOST_KEYS) return fail('broken-chain');
  const proven = new ProvenKeys(context.keys);
  const inner = { keys: proven, now: context.now };
  let before: UserKeyId | undefined;
  for (const [at, entry] of entries.entries()) {
    if (!isEntry(entry)) return fail('malformed');
    const accepted = await verifyCertificate(entry.certificate, 'key', inner);
    if (!accepted.ok) return accepted;
    const { statement } = accepted.value.certificate;
    if (statement.user !== user) return fail('broken-chain', 'user');
    if (statement.predecessor !== before) return fail('broken-chain', 'predecessor');
    const key = await keyOf(accepted.value);
    proven.add(key);
    if (entry.revocation !== undefined) {
      const revokedSeq = await verifyRevocation(entry, accepted.value, inner);
      if (!revokedSeq.ok) return revokedSeq;
      proven.add({ ...key, revokedSeq: revokedSeq.value });
    } else if (at < entries.length - 1) return fail('broken-chain', 'revocation');
    before = key.id;
  }
  return ok(proven.all());
}
