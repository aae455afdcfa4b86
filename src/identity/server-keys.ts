// The server's own keys at rest: one OpenPGP identity key and one plain Ed25519 transport key, private halves wrapped by the passphrase.
// Made once, under a lock, so that two processes that start together agree on who they are.
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

export type ServerKeys = {
  readonly id: ServerId;
  readonly keyId: ServerKeyId;
  readonly identity: PrivateKey;
  readonly statement: Signed<StatementOf<'server-key'>>;
  readonly transport: TransportKey;
};

export type ServerKeysDeps = {
  readonly db: Database;
  readonly passphrase: string;
  readonly random: RandomBytes;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly name: string;
};

type KeyRow = { id: string; server_id: ServerId; kind: string; public_key: string; wrapped_private_key: string; statement: unknown };

/**
 * The server's keys, made if there are none.
 * @returns `wrong-passphrase` if they are there and the passphrase does not open them
 */
export async function loadServerKeys(deps: ServerKeysDeps): Promise<Result<ServerKeys, 'wrong-passphrase'>> {
  const keys = await deps.db.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(${KEY_LOCK})`.execute(tx);
    const stored = await readKeys(tx);
    return stored.length > 0 ? stored : makeKeys(tx, deps);
  });
  return Array.isArray(keys) ? openKeys(keys, deps.passphrase) : ok(keys);
}

async function readKeys(tx: Executor): Promise<KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select k.id, k.server_id, k.kind, k.public_key, k.wrapped_private_key, k.statement
    from server_keys k join servers s on s.id = k.server_id
    where s.is_self and k.revoked_at is null
    order by k.created_at desc`.execute(tx);
  return rows;
}

async function makeKeys(tx: Executor, deps: ServerKeysDeps): Promise<ServerKeys> {
  const at = new Date(deps.now);
  const identity = await generatePrivateKey(deps.now);
  const server = await serverIdFromFingerprint(identity.fingerprint);
  const keyId = serverKeyId(identity.fingerprint, server);
  const statement = { ...heading('server-key'), server, key: keyId, armor: identity.publicKey.armor };
  const signed = await signStatement(statement, [{ key: identity, keyId }], deps.now);
  const seed = deps.random(SEED_BYTES);
  const transport = await transportFrom(seed);
  await sql`insert into servers (id, name, is_self, first_seen_at) values (${server}, ${deps.name}, true, ${at})`.execute(tx);
  await sql`
    insert into server_keys (id, server_id, kind, public_key, wrapped_private_key, statement, created_at) values
      (${keyId}, ${server}, 'identity', ${identity.publicKey.armor}, ${await protectPrivateKey(identity, deps.passphrase)},
        ${JSON.stringify(signed)}::jsonb, ${at}),
      (${`${server}#${transport.kid}`}, ${server}, 'transport', ${transport.publicKey},
        ${await encryptWithPassphrase(new TextEncoder().encode(base64url(seed)), deps.passphrase)}, null, ${at})`.execute(tx);
  return { id: server, keyId, identity, statement: signed, transport };
}

async function openKeys(rows: readonly KeyRow[], passphrase: string): Promise<Result<ServerKeys, 'wrong-passphrase'>> {
  const identityRow = rows.find((row) => row.kind === 'identity');
  const transportRow = rows.find((row) => row.kind === 'transport');
  if (identityRow === undefined || transportRow === undefined) throw new Error('the server has no usable keys');
  const identity = await unprotectPrivateKey(identityRow.wrapped_private_key, passphrase);
  const secret = await decryptWithPassphrase(transportRow.wrapped_private_key, passphrase);
  const seed = secret.ok ? fromBase64url(new TextDecoder().decode(secret.value)) : null;
  if (!identity.ok || seed === null) return fail('wrong-passphrase', 'the passphrase does not open the server keys');
  return ok({
    id: identityRow.server_id,
    keyId: identityRow.id as ServerKeyId,
    identity: identity.value,
    statement: identityRow.statement as Signed<StatementOf<'server-key'>>,
    transport: await transportFrom(seed),
  });
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
