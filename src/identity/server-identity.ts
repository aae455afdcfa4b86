// Who this server is: signs countersignatures, its document and welcomes. Private keys never leave this object.
// The document is renewed long before it ends and whenever what it says changes; its serial only grows.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { base64url, type RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { PROTOCOL } from '../base/protocol.ts';
import { ok, type Result } from '../base/result.ts';
import type { PublicKey } from '../crypto/openpgp.ts';
import { countersign, signStatement } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import { type Certificate, canonicalBytes, type Signed } from '../wire/canonical.ts';
import { parseTime, printTime } from '../wire/kinds.ts';
import { heading, type StatementOf, type UserStatementType } from '../wire/statements.ts';
import { loadServerKeys, type ServerKeys } from './server-keys.ts';

export type ServerDocument = Signed<StatementOf<'server-document'>>;

export type ServerIdentityDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly passphrase: string;
  readonly name: string;
  /** The origin under which this server is reached; asked each time a document is made. */
  readonly publicUrl: () => string;
};

/**
 * Loads the server's keys, or makes them in an empty database.
 * @returns `wrong-passphrase` if they are there and do not open
 */
export async function openServerIdentity(deps: ServerIdentityDeps): Promise<Result<ServerIdentity, 'wrong-passphrase'>> {
  const { db, passphrase, random, name } = deps;
  const keys = await loadServerKeys({ db, passphrase, random, name, now: deps.clock.now() });
  return keys.ok ? ok(new ServerIdentity(deps, keys.value)) : keys;
}

export class ServerIdentity {
  readonly id: ServerId;
  readonly keyId: ServerKeyId;
  readonly fingerprint: string;
  readonly publicKey: PublicKey;
  readonly #deps: ServerIdentityDeps;
  readonly #keys: ServerKeys;
  #document: ServerDocument | null = null;

  constructor(deps: ServerIdentityDeps, keys: ServerKeys) {
    this.#deps = deps;
    this.#keys = keys;
    this.id = keys.id;
    this.keyId = keys.keyId;
    this.fingerprint = keys.identity.fingerprint;
    this.publicKey = keys.identity.publicKey;
  }

  /** Countersigns a member's verified statement. `signedAtMs` is milliseconds since the epoch. */
  countersign<T extends UserStatementType>(
    signed: Signed<StatementOf<T>>,
    seq: number,
    signedAtMs: number,
  ): Promise<Certificate<StatementOf<T>>> {
    const by = { serverKey: this.#keys.identity, serverKeyId: this.keyId, server: this.id, seq, signedAt: printTime(signedAtMs) };
    return countersign(signed, by);
  }

  /** The transport key's signature (base64url) over the `welcome` statement of a session. */
  async signWelcome(session: string, clientNonce: string): Promise<{ kid: string; signature: string }> {
    const bytes = canonicalBytes({ ...heading('welcome'), server: this.id, session, clientNonce });
    if (!bytes.ok) throw new Error(`welcome statement: ${bytes.reason}`);
    return { kid: this.#keys.transport.kid, signature: base64url(this.#keys.transport.sign(bytes.value)) };
  }

  /** The transport key as a signer of plain bytes, for calls between servers; `keyId` is `server#kid`. */
  transportSigner(): { readonly keyId: string; sign(bytes: Uint8Array): Uint8Array } {
    const { kid, sign } = this.#keys.transport;
    return { keyId: `${this.id}#${kid}`, sign };
  }

  /** A secret for keyed hashes, the same in every process of this server; another purpose gives another secret. */
  secretFor(purpose: string): Uint8Array {
    return createHmac('sha256', this.#keys.transport.seed).update(purpose).digest();
  }

  /** The current server document, issued anew if it is old or says something that is no longer so. */
  async document(): Promise<ServerDocument> {
    if (this.#document !== null && this.#holds(this.#document)) return this.#document;
    // The key of the row stays: whoever registers somebody or something under it is not waited for, and does not wait.
    this.#document = await this.#deps.db.transaction(async (tx) => {
      const { rows } = await sql<{ serial: string; document: ServerDocument | null }>`
        select serial::text, document from servers where id = ${this.id} for no key update`.execute(tx);
      const [row] = rows;
      if (row === undefined) throw new Error('the row of this server is gone');
      if (row.document !== null && this.#holds(row.document)) return row.document;
      const document = await this.#issue(Number(row.serial) + 1);
      await sql`
        update servers set serial = ${document.statement.serial}, document = ${JSON.stringify(document)}::jsonb, name = ${document.statement.name}
        where id = ${this.id}`.execute(tx);
      return document;
    });
    return this.#document;
  }

  #holds(document: ServerDocument): boolean {
    const { serial: _serial, issuedAt: _issuedAt, expiresAt, ...said } = document.statement;
    const left = (parseTime(expiresAt) ?? 0) - this.#deps.clock.now();
    if (left < this.#deps.limits.documentRenewMs) return false;
    const is = canonicalBytes(said);
    const should = canonicalBytes(this.#content());
    return is.ok && should.ok && Buffer.from(is.value).equals(should.value);
  }

  #content() {
    const { limits, name } = this.#deps;
    const origin = this.#deps.publicUrl();
    const { statement, signatures } = this.#keys.statement;
    return {
      ...heading('server-document'),
      id: this.id,
      name,
      baseUrl: origin,
      webUrl: origin,
      keys: [{ key: statement.key, armor: statement.armor, signature: signatures[0]?.signature ?? '' }],
      transportKeys: [{ kid: this.#keys.transport.kid, publicKey: this.#keys.transport.publicKey }],
      protocol: PROTOCOL,
      limits: {
        frameBytes: limits.frameBytes,
        relayResponseBytes: limits.relayResponseBytes,
        reedCodePoints: limits.reedCodePoints,
        reedTextBytes: limits.reedTextBytes,
        threadParts: limits.threadParts,
      },
    };
  }

  #issue(serial: number): Promise<ServerDocument> {
    const now = this.#deps.clock.now();
    const statement = {
      ...this.#content(),
      serial,
      issuedAt: printTime(now),
      expiresAt: printTime(now + this.#deps.limits.documentLifeMs),
    };
    return signStatement(statement, [{ key: this.#keys.identity, keyId: this.keyId }], now);
  }
}
