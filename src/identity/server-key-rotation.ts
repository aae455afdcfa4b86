// Makes the server's keys anew. A new key is announced in the document first and signs later, when others have had time to see it; where the
// one before is in other hands, it signs at once, and everybody is told which key not to believe any more.
import { sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { generatePrivateKey } from '../crypto/openpgp.ts';
import { signStatement } from '../crypto/statement.ts';
import { type ServerKeyId, serverKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { Executor } from './executor.ts';
import {
  insertIdentityKey,
  insertTransportKey,
  lockServerKeys,
  namedTransportKeys,
  newSeed,
  type OwnIdentityKey,
  readServerKeys,
  type ServerKeys,
} from './server-keys.ts';

export type RotationDeps = { readonly passphrase: string; readonly random: RandomBytes; readonly limits: Limits; readonly nowMs: number };

export type KeyRevocation = Signed<StatementOf<'server-key-revocation'>>;

export type RotatedIdentity = {
  readonly key: ServerKeyId;
  readonly effectiveAt: Date;
  /** Of the key that signed until now, if it was compromised. */
  readonly revocation: KeyRevocation | null;
};

export type RotatedTransport = { readonly kid: string; readonly effectiveAt: Date };

/** As many keys as a document names. */
const CHAIN = 8;

/** Keeps two rotations apart, until the caller's transaction ends. @throws AppError INTERNAL if the passphrase is not that of the keys */
async function lockedKeys(tx: Executor, passphrase: string): Promise<ServerKeys> {
  await lockServerKeys(tx);
  const keys = await readServerKeys(tx, passphrase);
  if (!keys.ok) throw new AppError('INTERNAL', keys.detail);
  return keys.value;
}

/**
 * Puts a new identity key at the end of the chain.
 * @param compromised the ones before are in other hands: they are revoked, and the new one signs at once
 * @throws AppError CONFLICT while another new key waits to come into effect, or the chain is at its end
 */
export async function rotateIdentityKey(tx: Executor, deps: RotationDeps, compromised: boolean): Promise<RotatedIdentity> {
  const { passphrase, limits, nowMs } = deps;
  const keys = await lockedKeys(tx, passphrase);
  const before = keys.identities.at(-1) as OwnIdentityKey;
  if (!compromised && before.effectiveAtMs > nowMs) throw new AppError('CONFLICT', 'a new identity key is announced already');
  if (keys.identities.length >= CHAIN) throw new AppError('CONFLICT', `a server has ${CHAIN} identity keys at most`);
  const identity = await generatePrivateKey(nowMs);
  const id = serverKeyId(identity.fingerprint, keys.id);
  const statement = { ...heading('server-key'), server: keys.id, key: id, armor: identity.publicKey.armor, predecessor: before.id };
  const signers = [
    { key: identity, keyId: id },
    { key: before.key, keyId: before.id },
  ];
  const signed = await signStatement(statement, signers, nowMs);
  const effectiveAt = new Date(compromised ? nowMs : nowMs + limits.serverKeyAnnouncedMs + limits.serverKeyMarginMs);
  await insertIdentityKey(tx, { identity, signed, at: new Date(nowMs), effectiveAt, passphrase });
  return { key: id, effectiveAt, revocation: compromised ? await revokeAll(tx, keys, nowMs) : null };
}

/** @returns the revocation of the key that others know best: the last that had come into effect */
async function revokeAll(tx: Executor, keys: ServerKeys, nowMs: number): Promise<KeyRevocation | null> {
  let last: KeyRevocation | null = null;
  for (const { id, key, effectiveAtMs, revocation } of keys.identities) {
    if (revocation !== null) continue;
    const statement = { ...heading('server-key-revocation'), server: keys.id, key: id, reason: '', compromised: true };
    const signed = await signStatement(statement, [{ key, keyId: id }], nowMs);
    await sql`update server_keys set revoked_at = ${new Date(nowMs)}, revocation = ${JSON.stringify(signed)}::jsonb where id = ${id}`.execute(
      tx,
    );
    if (effectiveAtMs <= nowMs) last = signed;
  }
  return last;
}

/**
 * Makes a new transport key. The ones before stay in the document for a day.
 * @param compromised they leave it at once, and the new one signs at once
 */
export async function rotateTransportKey(tx: Executor, deps: RotationDeps, compromised: boolean): Promise<RotatedTransport> {
  const { passphrase, random, limits, nowMs } = deps;
  const keys = await lockedKeys(tx, passphrase);
  const waiting = namedTransportKeys(keys, nowMs).some(({ effectiveAtMs }) => effectiveAtMs > nowMs);
  if (!compromised && waiting) throw new AppError('CONFLICT', 'a new transport key is announced already');
  // What has ended signs and proves nothing any more: its private half stays with nobody, and no start has to open it.
  await sql`
    delete from server_keys where server_id = ${keys.id} and kind = 'transport' and revoked_at <= ${new Date(nowMs)}`.execute(tx);
  const effectiveAt = new Date(compromised ? nowMs : nowMs + limits.transportKeyAnnouncedMs);
  const endsAt = new Date(compromised ? nowMs : nowMs + limits.transportKeyKeptMs);
  await sql`
    update server_keys set revoked_at = least(revoked_at, ${endsAt}) where server_id = ${keys.id} and kind = 'transport'`.execute(tx);
  // A document names four at most: the oldest make room.
  await sql`
    update server_keys set revoked_at = ${new Date(nowMs)} where id in (
      select id from server_keys where server_id = ${keys.id} and kind = 'transport' and revoked_at > ${new Date(nowMs)}
      order by created_at desc, id offset 3)`.execute(tx);
  const kid = await insertTransportKey(tx, { server: keys.id, at: new Date(nowMs), effectiveAt, passphrase, seed: newSeed(random) });
  return { kid, effectiveAt };
}
