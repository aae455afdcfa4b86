// A person's keys, proven from the id on: the first by its fingerprint, each later one by the key before it or by the recovery key.
// A key that is not on the chain verifies nothing. Of two successors of one key everybody, servers and devices alike, follows the same one.
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { ServerKeyId, UserId, UserKeyId } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import { plainKeys } from '../wire/kinds.ts';
import type { StatementOf } from '../wire/statements.ts';
import { readPublicKey } from './openpgp.ts';
import {
  type AcceptedCertificate,
  acceptedBefore,
  type KeyLookup,
  type KnownKey,
  type VerifyContext,
  type VerifyReason,
  verifyCertificate,
} from './statement.ts';

/** How a key came onto the chain. */
export type Succession = {
  /** Signed by the recovery key in place of the key before it. */
  readonly byRecovery: boolean;
  /** Of its countersignature; milliseconds since the epoch. */
  readonly signedAtMs: number;
};

/** A key of a proven chain. */
export type ChainKey = KnownKey & Succession;

/** What of a key says whether one chain goes on from another. */
export type ChainPlace = Succession & Pick<ChainKey, 'id' | 'revokedSeq'>;

/** Whether `other` takes the place of `one`, another successor of the same key. */
export const replaces = (one: Succession, other: Succession): boolean =>
  other.byRecovery && !one.byRecovery && other.signedAtMs - one.signedAtMs <= LIMITS.recoveryReplacesMs;

/** continued: shows all that was known, and maybe more. earlier: shows less of the same chain. replaced: the chain is another one from some key on. */
export type Continuation = 'continued' | 'earlier' | 'replaced' | 'refused';

/**
 * What a proven chain is to another one of the same person that was proven before. A key that was revoked stays so by the same act, and no
 * key gives way but to the recovery key's.
 */
export function continuationOf(known: readonly ChainPlace[], next: readonly ChainPlace[]): Continuation {
  for (const [at, key] of known.entries()) {
    const other = next[at];
    if (other === undefined) return 'earlier';
    if (other.id !== key.id) return replaces(key, other) ? 'replaced' : 'refused';
    if (key.revokedSeq !== undefined && key.revokedSeq !== other.revokedSeq) return 'refused';
  }
  return 'continued';
}

type Entry = { readonly certificate: unknown; readonly revocation?: unknown };

const isEntry = (value: unknown): value is Entry => {
  const keys = plainKeys(value);
  return keys?.includes('certificate') === true && keys.every((key) => key === 'certificate' || key === 'revocation');
};

/** The keys of a chain that have been proven so far. */
class ProvenKeys implements KeyLookup {
  readonly #keys = new Map<UserKeyId, ChainKey>();
  readonly #servers: KeyLookup;

  constructor(servers: KeyLookup) {
    this.#servers = servers;
  }

  add(key: ChainKey): void {
    this.#keys.set(key.id, key);
  }

  has(id: UserKeyId): boolean {
    return this.#keys.has(id);
  }

  async userKey(id: UserKeyId): Promise<KnownKey | null> {
    return this.#keys.get(id) ?? null;
  }

  serverKey(id: ServerKeyId) {
    return this.#servers.serverKey(id);
  }
}

async function keyOf(accepted: AcceptedCertificate<'key'>): Promise<ChainKey> {
  const { key, armor, recovery, recoveryArmor } = accepted.certificate.statement;
  const publicKey = await readPublicKey(armor);
  if (!publicKey.ok) throw new Error(`an accepted key can't be read: ${publicKey.reason}`);
  return { id: key, publicKey: publicKey.value, recovery, byRecovery: recoveryArmor !== undefined, signedAtMs: accepted.signedAtMs };
}

/** A key of a proven chain with what proves it. */
export type ProvenLink = {
  readonly key: ChainKey;
  readonly certificate: AcceptedCertificate<'key'>;
  readonly revocation: AcceptedCertificate<'key-revocation'> | null;
};

async function verifyRevocation(
  entry: Entry,
  key: AcceptedCertificate<'key'>,
  context: VerifyContext,
): Promise<Result<AcceptedCertificate<'key-revocation'>, VerifyReason>> {
  const revocation = await verifyCertificate(entry.revocation, 'key-revocation', context);
  if (!revocation.ok) return revocation;
  const { seq, certificate } = revocation.value;
  const isOf = certificate.statement.key === key.certificate.statement.key;
  return isOf && key.seq < seq ? revocation : fail('broken-chain', 'revocation');
}

/** The key before names its successor in its revocation; whoever it does not name must come by the recovery key. */
const isNamed = (key: ChainKey, before: ProvenLink['revocation']): boolean =>
  before === null || key.byRecovery || before.certificate.statement.successor === key.id;

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
): Promise<Result<readonly ChainKey[], VerifyReason>> {
  const links = await proveKeyChain(entries, user, context);
  return links.ok ? ok(links.value.map(({ key }) => key)) : links;
}

/** isProven: whether this certificate at this place of the chain was proven before, and is stored; `keys` then know its key, too. */
type ChainContext = VerifyContext & { readonly isProven?: (certificate: unknown, at: number) => boolean };

/** The key of a link; one that is stored need not be read again. */
async function keyAt(accepted: AcceptedCertificate<'key'>, stored: KeyLookup | null): Promise<ChainKey> {
  const known = await stored?.userKey(accepted.certificate.statement.key);
  if (!known) return keyOf(accepted);
  const { recovery, recoveryArmor } = accepted.certificate.statement;
  return { id: known.id, publicKey: known.publicKey, recovery, byRecovery: recoveryArmor !== undefined, signedAtMs: accepted.signedAtMs };
}

/** As `verifyKeyChain`, with the certificates of each key in the form to store. */
export async function proveKeyChain(
  entries: readonly unknown[],
  user: UserId,
  context: ChainContext,
): Promise<Result<readonly ProvenLink[], VerifyReason>> {
  if (entries.length === 0 || entries.length > LIMITS.keyChain) return fail('broken-chain');
  const proven = new ProvenKeys(context.keys);
  const inner = { keys: proven, now: context.now };
  const links: ProvenLink[] = [];
  for (const [at, entry] of entries.entries()) {
    if (!isEntry(entry)) return fail('malformed');
    const isStored = context.isProven?.(entry.certificate, at) === true;
    const accepted = isStored
      ? ok(await acceptedBefore(entry.certificate as Certificate<StatementOf<'key'>>))
      : await verifyCertificate(entry.certificate, 'key', inner);
    if (!accepted.ok) return accepted;
    const { statement } = accepted.value.certificate;
    const before = links.at(-1);
    if (statement.user !== user) return fail('broken-chain', 'user');
    if (statement.predecessor !== before?.key.id) return fail('broken-chain', 'predecessor');
    const key = await keyAt(accepted.value, isStored ? context.keys : null);
    if (proven.has(key.id)) return fail('broken-chain', 'key');
    if (!isNamed(key, before?.revocation ?? null)) return fail('broken-chain', 'successor');
    proven.add(key);
    if (entry.revocation === undefined) {
      if (at < entries.length - 1) return fail('broken-chain', 'revocation');
      links.push({ key, certificate: accepted.value, revocation: null });
      continue;
    }
    const revocation =
      context.isProven?.(entry.revocation, at) === true
        ? ok(await acceptedBefore(entry.revocation as Certificate<StatementOf<'key-revocation'>>))
        : await verifyRevocation(entry, accepted.value, inner);
    if (!revocation.ok) return revocation;
    const revoked = { ...key, revokedSeq: revocation.value.seq };
    proven.add(revoked);
    links.push({ key: revoked, certificate: accepted.value, revocation: revocation.value });
  }
  return ok(links);
}
