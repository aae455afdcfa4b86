// The server's own keys at rest: a chain of OpenPGP identity keys and plain Ed25519 transport keys, private halves wrapped by the passphrase.
// The first ones are made once, under a lock, so that two processes that start together agree on who they are.
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { sql } from 'kysely';
import { base32, base64url, fromBase64url, type RandomBytes, sha256 } from '../base/ids.ts';
import { fail, ok, type Result } from '../base/result.ts';
import {
  decryptWithPassphrase,
  encryptWithPassphrase,
  generatePrivateKey,
  type PrivateKey,
  protectPrivateKey,
  unprotectPrivateKey,
} from '../crypto/openpgp.ts';
import { signStatement } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type ServerId, type ServerKeyId, serverIdFromFingerprint, serverKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { Executor } from './executor.ts';

const KEY_LOCK = 7_236_001;
const SEED_BYTES = 32;
const KID_BYTES = 10;
/** RFC 8410: what comes before the seed in the PKCS#8 form of an Ed25519 key. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export type TransportKey = {
  readonly kid: string;
  /** 32 bytes, base64url. */
  readonly publicKey: string;
  /** The private half, for keyed hashes that only this server can make. */
  readonly seed: Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
};

export type OwnIdentityKey = {
  readonly id: ServerKeyId;
  readonly key: PrivateKey;
  readonly statement: Signed<StatementOf<'server-key'>>;
  /** Milliseconds since the epoch from which it signs. */
  readonly effectiveAtMs: number;
  readonly revocation: Signed<StatementOf<'server-key-revocation'>> | null;
};

export type OwnTransportKey = TransportKey & {
  readonly effectiveAtMs: number;
  /** When it stops being named; null: no other has taken its place. */
  readonly endsAtMs: number | null;
};

export type ServerKeys = {
  readonly id: ServerId;
  /** The chain, first key first; never empty. */
  readonly identities: readonly OwnIdentityKey[];
  /** The last to come into effect first; never empty. */
  readonly transports: readonly OwnTransportKey[];
};

export type ServerKeysDeps = {
  readonly db: Database;
  readonly passphrase: string;
  readonly random: RandomBytes;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly name: string;
};

type KeyRow = {
  id: string;
  server_id: ServerId;
  kind: 'identity' | 'transport';
  predecessor: string | null;
  wrapped_private_key: string;
  statement: unknown;
  revocation: unknown;
  effective_at: Date;
  revoked_at: Date | null;
};

/** Keeps everybody else from making or ending keys of this server until the transaction ends. */
export const lockServerKeys = async (tx: Executor): Promise<void> =>
  void (await sql`select pg_advisory_xact_lock(${KEY_LOCK})`.execute(tx));

/**
 * The server's keys, made if there are none.
 * @returns `wrong-passphrase` if they are there and the passphrase does not open them
 */
export async function loadServerKeys(deps: ServerKeysDeps): Promise<Result<ServerKeys, 'wrong-passphrase'>> {
  const keys = await deps.db.transaction(async (tx) => {
    await lockServerKeys(tx);
    const stored = await readRows(tx);
    return stored.length > 0 ? stored : makeKeys(tx, deps);
  });
  // Opening takes long on purpose; what was just made need not be opened.
  return Array.isArray(keys) ? openKeys(keys, deps.passphrase) : ok(keys);
}

/** @returns `wrong-passphrase` if the passphrase does not open them */
export const readServerKeys = async (executor: Executor, passphrase: string): Promise<Result<ServerKeys, 'wrong-passphrase'>> =>
  openKeys(await readRows(executor), passphrase);

/** Changes whenever a key is made, begins, ends or is revoked. */
export async function serverKeysMark(executor: Executor): Promise<string> {
  const { rows } = await sql<{ mark: string | null }>`
    select string_agg(concat_ws(' ', k.id, k.effective_at, k.revoked_at), ',' order by k.id) as mark
    from server_keys k join servers s on s.id = k.server_id where s.is_self`.execute(executor);
  return rows[0]?.mark ?? '';
}

async function readRows(executor: Executor): Promise<KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select k.id, k.server_id, k.kind, k.predecessor, k.wrapped_private_key, k.statement, k.revocation, k.effective_at, k.revoked_at
    from server_keys k join servers s on s.id = k.server_id
    where s.is_self and k.wrapped_private_key is not null
    order by k.created_at, k.id`.execute(executor);
  return rows;
}

async function makeKeys(tx: Executor, deps: ServerKeysDeps): Promise<ServerKeys> {
  const at = new Date(deps.now);
  const identity = await generatePrivateKey(deps.now);
  const server = await serverIdFromFingerprint(identity.fingerprint);
  const id = serverKeyId(identity.fingerprint, server);
  const statement = { ...heading('server-key'), server, key: id, armor: identity.publicKey.armor };
  const signed = await signStatement(statement, [{ key: identity, keyId: id }], deps.now);
  const seed = deps.random(SEED_BYTES);
  await sql`insert into servers (id, name, is_self, first_seen_at) values (${server}, ${deps.name}, true, ${at})`.execute(tx);
  await insertIdentityKey(tx, { identity, signed, at, effectiveAt: at, passphrase: deps.passphrase });
  await insertTransportKey(tx, { server, at, effectiveAt: at, passphrase: deps.passphrase, seed });
  return {
    id: server,
    identities: [{ id, key: identity, statement: signed, effectiveAtMs: deps.now, revocation: null }],
    transports: [{ ...(await transportFrom(seed)), effectiveAtMs: deps.now, endsAtMs: null }],
  };
}

export async function insertIdentityKey(
  tx: Executor,
  made: { identity: PrivateKey; signed: Signed<StatementOf<'server-key'>>; at: Date; effectiveAt: Date; passphrase: string },
): Promise<void> {
  const { identity, signed, at, effectiveAt, passphrase } = made;
  const { key, server, armor, predecessor } = signed.statement;
  await sql`
    insert into server_keys (id, server_id, kind, public_key, wrapped_private_key, predecessor, statement, created_at, effective_at) values
      (${key}, ${server}, 'identity', ${armor}, ${await protectPrivateKey(identity, passphrase)}, ${predecessor ?? null},
        ${JSON.stringify(signed)}::jsonb, ${at}, ${effectiveAt})`.execute(tx);
}

/** @returns the new key's kid */
export async function insertTransportKey(
  tx: Executor,
  made: { server: ServerId; at: Date; effectiveAt: Date; passphrase: string; seed: Uint8Array },
): Promise<string> {
  const { server, at, effectiveAt, passphrase, seed } = made;
  const { kid, publicKey } = await transportFrom(seed);
  await sql`
    insert into server_keys (id, server_id, kind, public_key, wrapped_private_key, created_at, effective_at) values
      (${`${server}#${kid}`}, ${server}, 'transport', ${publicKey},
        ${await encryptWithPassphrase(new TextEncoder().encode(base64url(seed)), passphrase)}, ${at}, ${effectiveAt})`.execute(tx);
  return kid;
}

export const newSeed = (random: RandomBytes): Uint8Array => random(SEED_BYTES);

async function openIdentityKey(row: KeyRow, passphrase: string): Promise<OwnIdentityKey | null> {
  const opened = await unprotectPrivateKey(row.wrapped_private_key, passphrase);
  if (!opened.ok) return null;
  return {
    id: row.id as ServerKeyId,
    key: opened.value,
    statement: row.statement as OwnIdentityKey['statement'],
    effectiveAtMs: row.effective_at.getTime(),
    revocation: row.revocation as OwnIdentityKey['revocation'],
  };
}

async function openTransportKey(row: KeyRow, passphrase: string): Promise<OwnTransportKey | null> {
  const secret = await decryptWithPassphrase(row.wrapped_private_key, passphrase);
  const seed = secret.ok ? fromBase64url(new TextDecoder().decode(secret.value)) : null;
  if (seed === null) return null;
  return { ...(await transportFrom(seed)), effectiveAtMs: row.effective_at.getTime(), endsAtMs: row.revoked_at?.getTime() ?? null };
}

/** The rows of identity keys from the first on, each followed by the one that names it. */
function chainOf(rows: readonly KeyRow[]): KeyRow[] {
  const chain: KeyRow[] = [];
  const next = (before: string | null) => rows.find((row) => row.predecessor === before);
  for (let row = next(null); row !== undefined; row = next(row.id)) chain.push(row);
  return chain;
}

async function openKeys(rows: readonly KeyRow[], passphrase: string): Promise<Result<ServerKeys, 'wrong-passphrase'>> {
  const of = (kind: KeyRow['kind']): KeyRow[] => rows.filter((row) => row.kind === kind);
  const identities = await Promise.all(chainOf(of('identity')).map((row) => openIdentityKey(row, passphrase)));
  const transports = await Promise.all(of('transport').map((row) => openTransportKey(row, passphrase)));
  const [first] = rows;
  if (first === undefined || identities.length === 0 || transports.length === 0) throw new Error('the server has no usable keys');
  if (identities.includes(null) || transports.includes(null))
    return fail('wrong-passphrase', 'the passphrase does not open the server keys');
  return ok({
    id: first.server_id,
    identities: identities.filter((key) => key !== null),
    transports: transports.filter((key) => key !== null).sort((one, other) => other.effectiveAtMs - one.effectiveAtMs),
  });
}

/** The identity key that signs at that time: the last of the chain that has come into effect. */
export const signingKeyAt = ({ identities }: ServerKeys, nowMs: number): OwnIdentityKey =>
  identities.findLast(({ effectiveAtMs }) => effectiveAtMs <= nowMs) ?? (identities[0] as OwnIdentityKey);

/** The transport keys that the document names at that time. */
export const namedTransportKeys = ({ transports }: ServerKeys, nowMs: number): readonly OwnTransportKey[] =>
  transports.filter(({ endsAtMs }) => endsAtMs === null || endsAtMs > nowMs);

/** The transport key that signs at that time: the newest that others have had time to learn of. */
export function transportKeyAt(keys: ServerKeys, nowMs: number): OwnTransportKey {
  const named = namedTransportKeys(keys, nowMs);
  return named.find(({ effectiveAtMs }) => effectiveAtMs <= nowMs) ?? (named.at(-1) as OwnTransportKey);
}

async function transportFrom(seed: Uint8Array): Promise<TransportKey> {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const raw = rawPublicKey(key);
  const kid = base32((await sha256(raw)).subarray(0, KID_BYTES));
  return { kid, publicKey: base64url(raw), seed, sign: (bytes) => sign(null, bytes, key) };
}

function rawPublicKey(key: KeyObject): Uint8Array<ArrayBuffer> {
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return new Uint8Array(spki.subarray(spki.length - 32));
}
