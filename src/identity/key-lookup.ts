// Finds the keys that verify statements: persons' by id with the seq of their revocation, and servers', our own and those that peers have proven.
// A key's armor never changes, so parsed keys are kept; whether it is revoked, or off the chain and so no key, is read every time.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { type PublicKey, readPublicKey } from '../crypto/openpgp.ts';
import type { KeyLookup, KnownKey, KnownServerKey } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type Fingerprint, type ServerKeyId, serverOf, type UserKeyId } from '../wire/address.ts';
import type { ServerIdentity } from './server-identity.ts';

export type KeyLookupDeps = { readonly db: Database; readonly clock: Clock; readonly server: ServerIdentity; readonly limits: Limits };

type KeyRow = { armor: string; recovery: Fingerprint; revoked_seq: string | null };

export class StoredKeys implements KeyLookup {
  readonly #deps: KeyLookupDeps;
  readonly #parsed = new Map<string, PublicKey>();

  constructor(deps: KeyLookupDeps) {
    this.#deps = deps;
  }

  async userKey(id: UserKeyId): Promise<KnownKey | null> {
    const { rows } = await sql<KeyRow>`
      select k.armor, k.recovery, r.seq::text as revoked_seq
      from keys k left join key_revocations r on r.key_id = k.id
      where k.id = ${id} and k.void_hash is null`.execute(this.#deps.db.kysely);
    const [row] = rows;
    if (row === undefined) return null;
    const publicKey = await this.#parse(id, row.armor);
    const known = { id, publicKey, recovery: row.recovery };
    return row.revoked_seq === null ? known : { ...known, revokedSeq: Number(row.revoked_seq) };
  }

  /** A key that stands in this table was proven from its server's id on before it came there. */
  async serverKey(id: ServerKeyId): Promise<KnownServerKey | null> {
    const { clock, db, server } = this.#deps;
    if (serverOf(id) === server.id) return server.serverKey(id);
    const { rows } = await sql<{ armor: string }>`
      select public_key as armor from server_keys where id = ${id} and server_id = ${serverOf(id)} and kind = 'identity'
        and effective_at <= ${new Date(clock.now())}`.execute(db.kysely);
    const [row] = rows;
    return row === undefined ? null : { id, publicKey: await this.#parse(id, row.armor) };
  }

  async #parse(id: string, armor: string): Promise<PublicKey> {
    const known = this.#parsed.get(id);
    if (known !== undefined) return known;
    const read = await readPublicKey(armor);
    if (!read.ok) throw new Error(`a stored key can't be read: ${read.reason}`);
    this.#parsed.set(id, read.value);
    if (this.#parsed.size > this.#deps.limits.knownKeys) this.#parsed.delete(this.#parsed.keys().next().value ?? '');
    return read.value;
  }
}
