// Who this server is: signs countersignatures, its document and welcomes. Private keys never leave this object.
// The document is renewed long before it ends and whenever what it says changes; its serial only grows.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { base64url, type RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { PROTOCOL } from '../base/protocol.ts';
import { ok, type Result } from '../base/result.ts';
import type { PrivateKey } from '../crypto/openpgp.ts';
import { countersign, type KnownServerKey, signStatement } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import { type Certificate, canonicalBytes, type Signed } from '../wire/canonical.ts';
import { parseTime, printTime } from '../wire/kinds.ts';
import { heading, type Statement, type StatementOf, type UserStatementType } from '../wire/statements.ts';
import {
  loadServerKeys,
  namedTransportKeys,
  readServerKeys,
  type ServerKeys,
  serverKeysMark,
  signingKeyAt,
  transportKeyAt,
} from './server-keys.ts';

export type ServerDocument = Signed<StatementOf<'server-document'>>;

export type ServerIdentityDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly passphrase: string;
  readonly name: string;
  /** The origin under which this server is reached; asked each time a document is made. Null, for a command beside the server: none is made. */
  readonly publicUrl: (() => string) | null;
};

/**
 * Loads the server's keys, or makes them in an empty database.
 * @returns `wrong-passphrase` if they are there and do not open
 */
export async function openServerIdentity(deps: ServerIdentityDeps): Promise<Result<ServerIdentity, 'wrong-passphrase'>> {
  const { db, passphrase, random, name } = deps;
  const keys = await loadServerKeys({ db, passphrase, random, name, now: deps.clock.now() });
  return keys.ok ? ok(new ServerIdentity(deps, { keys: keys.value, mark: await serverKeysMark(db.kysely) })) : keys;
}

export class ServerIdentity {
  readonly id: ServerId;
  readonly #deps: ServerIdentityDeps;
  #keys: ServerKeys;
  #mark: string;
  #document: ServerDocument | null = null;

  constructor(deps: ServerIdentityDeps, loaded: { readonly keys: ServerKeys; readonly mark: string }) {
    this.#deps = deps;
    this.#keys = loaded.keys;
    this.#mark = loaded.mark;
    this.id = loaded.keys.id;
  }

  /** The key that signs now. */
  get keyId(): ServerKeyId {
    return this.#signing().id;
  }

  get fingerprint(): string {
    return this.#signing().key.fingerprint;
  }

  /** The public half of a key on this server's chain, those included that sign no more or not yet. */
  serverKey(id: string): KnownServerKey | null {
    const found = this.#keys.identities.find((key) => key.id === id);
    return found === undefined ? null : { id: found.id, publicKey: found.key.publicKey };
  }

  /** Private halves of all identity keys, for what was sealed to any of them. */
  get sealedTo(): readonly PrivateKey[] {
    return this.#keys.identities.map(({ key }) => key);
  }

  /** The signed revocations of identity keys that were compromised. */
  get revocations(): readonly Signed<StatementOf<'server-key-revocation'>>[] {
    return this.#keys.identities.flatMap(({ revocation }) => revocation ?? []);
  }

  /** Takes up keys that another process has made or ended meanwhile. */
  async reload(): Promise<void> {
    const { db, passphrase } = this.#deps;
    const mark = await serverKeysMark(db.kysely);
    if (mark === this.#mark) return;
    const keys = await readServerKeys(db.kysely, passphrase);
    if (!keys.ok) throw new AppError('INTERNAL', keys.detail);
    this.#keys = keys.value;
    this.#mark = mark;
  }

  /** Signs a statement of the server itself. */
  sign<T extends Statement>(statement: T): Promise<Signed<T>> {
    const { id, key } = this.#signing();
    return signStatement(statement, [{ key, keyId: id }], this.#deps.clock.now());
  }

  /** Countersigns a member's verified statement. `signedAtMs` is milliseconds since the epoch. */
  countersign<T extends UserStatementType>(
    signed: Signed<StatementOf<T>>,
    seq: number,
    signedAtMs: number,
  ): Promise<Certificate<StatementOf<T>>> {
    const { id, key } = this.#signing();
    return countersign(signed, { serverKey: key, serverKeyId: id, server: this.id, seq, signedAt: printTime(signedAtMs) });
  }

  /** The transport key's signature (base64url) over the `welcome` statement of a session. */
  async signWelcome(session: string, clientNonce: string): Promise<{ kid: string; signature: string }> {
    const bytes = canonicalBytes({ ...heading('welcome'), server: this.id, session, clientNonce });
    if (!bytes.ok) throw new Error(`welcome statement: ${bytes.reason}`);
    const { kid, sign } = this.#transport();
    return { kid, signature: base64url(sign(bytes.value)) };
  }

  /** The transport key as a signer of plain bytes, for calls between servers; `keyId` is `server#kid`. */
  transportSigner(): { readonly keyId: string; sign(bytes: Uint8Array): Uint8Array } {
    const { kid, sign } = this.#transport();
    return { keyId: `${this.id}#${kid}`, sign };
  }

  /** A secret for keyed hashes, the same in every process of this server; another purpose gives another secret. A new transport key changes it. */
  secretFor(purpose: string): Uint8Array {
    return createHmac('sha256', this.#transport().seed).update(purpose).digest();
  }

  #signing() {
    return signingKeyAt(this.#keys, this.#deps.clock.now());
  }

  #transport() {
    return transportKeyAt(this.#keys, this.#deps.clock.now());
  }

  /** The current server document, issued anew if it is old or says something that is no longer so. */
  async document(): Promise<ServerDocument> {
    if (this.#deps.publicUrl === null) return this.#said();
    if (this.#document !== null && this.#holds(this.#document)) return this.#document;
    // One that lacks a key which another process has made would take the key back.
    await this.reload();
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

  /** What the server has said last, or will have said when it is started again. */
  async #said(): Promise<ServerDocument> {
    const { rows } = await sql<{ document: ServerDocument | null }>`select document from servers where id = ${this.id}`.execute(
      this.#deps.db.kysely,
    );
    const document = rows[0]?.document ?? null;
    if (document === null) throw new AppError('UNAVAILABLE', 'the server has no document yet; start it once');
    const newest = this.#keys.identities.at(-1)?.id;
    // Whoever met it by a document without its newest key could not read what that key signs, or would believe one that was compromised.
    if (document.statement.keys.at(-1)?.key !== newest)
      throw new AppError(
        'UNAVAILABLE',
        'the server has not said its newest key yet; it does within a minute while it runs: start it, or try again then',
      );
    return document;
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
    const origin = this.#deps.publicUrl?.() ?? '';
    const named = namedTransportKeys(this.#keys, this.#deps.clock.now());
    return {
      ...heading('server-document'),
      id: this.id,
      name,
      baseUrl: origin,
      webUrl: origin,
      keys: this.#keys.identities.map(({ statement: { statement, signatures } }) => ({
        ...{ key: statement.key, armor: statement.armor, signature: signatures[0]?.signature ?? '' },
        ...(signatures[1] === undefined ? {} : { predecessorSignature: signatures[1].signature }),
      })),
      transportKeys: named.map(({ kid, publicKey }) => ({ kid, publicKey })),
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
    return this.sign(statement);
  }
}
