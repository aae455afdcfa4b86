// The server as this member pinned it: its id proves its first identity key, each later key is signed by the one before, and its
// document (signed by one of them) names the transport keys that prove a socket. A document older than the pinned one is refused.
import { AppError } from '../base/errors.ts';
import { fromBase64url } from '../base/ids.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { readPublicKey } from '../crypto/openpgp.ts';
import { type KeyLookup, type KnownServerKey, verifySigned } from '../crypto/statement.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import { canonicalBytes } from '../wire/canonical.ts';
import type { FrameBodies } from '../wire/frames.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { Api } from './api.ts';
import type { ServerTime } from './server-time.ts';
import type { Store } from './store.ts';

const META = 'server';
/** An unknown transport key makes the document be fetched again, but not for every liar. */
const FETCH_EVERY_MS = 5 * 60_000;

export type ServerDocument = StatementOf<'server-document'>;

export type ServerInfo = {
  readonly id: ServerId;
  readonly name: string;
  readonly version: string;
  readonly signup: 'open' | 'invite' | 'closed';
  /** Its identity keys, the first one first. */
  readonly keys: readonly ServerKeyId[];
  readonly document: ServerDocument;
};

export type VerifiedDocument = { readonly document: ServerDocument; readonly keys: readonly KnownServerKey[]; readonly signed: unknown };

/** Verifies a server's document from its id on. */
export async function verifyServerDocument(value: unknown, server: ServerId, now: number): Promise<Result<VerifiedDocument>> {
  const keys: KnownServerKey[] = [];
  const lookup: KeyLookup = {
    userKey: async () => null,
    serverKey: async (id) => keys.find((key) => key.id === id) ?? null,
  };
  const context = { keys: lookup, now };
  const entries = (value as { statement?: { keys?: unknown } } | null)?.statement?.keys;
  if (!Array.isArray(entries) || entries.length === 0) return fail('malformed');
  for (const entry of entries as Partial<ServerDocument['keys'][number]>[]) {
    const before = keys.at(-1);
    const statement = { ...heading('server-key'), server, key: entry.key, armor: entry.armor, ...(before ? { predecessor: before.id } : {}) };
    const signatures = [{ key: entry.key, signature: entry.signature }];
    if (before) signatures.push({ key: before.id, signature: entry.predecessorSignature });
    const accepted = await verifySigned({ statement, signatures }, 'server-key', context);
    if (!accepted.ok) return fail(accepted.reason, accepted.detail);
    const key = await readPublicKey(accepted.value.signed.statement.armor);
    if (!key.ok) return fail(key.reason);
    keys.push({ id: accepted.value.signed.statement.key, publicKey: key.value });
  }
  const accepted = await verifySigned(value, 'server-document', context);
  if (!accepted.ok) return fail(accepted.reason, accepted.detail);
  const { statement } = accepted.value.signed;
  return statement.id === server ? ok({ document: statement, keys, signed: accepted.value.signed }) : fail('other-server');
}

export type ServerDeps = { readonly api: Api; readonly store: Store; readonly time: ServerTime };

export class PinnedServer {
  readonly id: ServerId;
  readonly #deps: ServerDeps;
  #verified: VerifiedDocument | null = null;
  #fetchedAt: number | null = null;

  constructor(id: ServerId, deps: ServerDeps) {
    this.id = id;
    this.#deps = deps;
  }

  /** What `GET server` says, its document verified and pinned. Throws AppError INVALID if it is not the pinned server. */
  async info(): Promise<ServerInfo> {
    const { api, store, time } = this.#deps;
    const answer = (await api.call('server')) as Record<string, unknown>;
    if (typeof answer.time === 'string') time.learn(Date.parse(answer.time) || time.now());
    else if (typeof answer.time === 'number') time.learn(answer.time);
    if (answer.id !== this.id) throw new AppError('INVALID', 'another server answered');
    const pinned = await this.#pinned();
    const verified = await verifyServerDocument(answer.document, this.id, time.now());
    if (!verified.ok) throw new AppError('INVALID', `the server's document does not hold: ${verified.reason}`);
    if (pinned && !continues(pinned, verified.value)) throw new AppError('INVALID', "the server's document is older than or apart from the pinned one");
    this.#verified = verified.value;
    this.#fetchedAt = time.monotonicMs();
    await store.write([{ put: 'meta', record: { id: META, value: verified.value.signed } }]);
    const { document, keys } = verified.value;
    return {
      id: this.id,
      name: document.name,
      version: String(answer.version ?? ''),
      signup: answer.signup as ServerInfo['signup'],
      keys: keys.map(({ id }) => id),
      document,
    };
  }

  /** The identity key of that id; null if it is not on the server's chain. */
  async key(id: ServerKeyId): Promise<KnownServerKey | null> {
    const find = async (): Promise<KnownServerKey | null> => (await this.#pinned())?.keys.find((key) => key.id === id) ?? null;
    return (await find()) ?? ((await this.#refresh()) ? find() : null);
  }

  /** Whether the server's transport key signed this welcome for our nonce. Rejects if the document can't be fetched now. */
  async isGenuine(welcome: FrameBodies['welcome'], clientNonce: string): Promise<boolean> {
    const find = async () => (await this.#pinned())?.document.transportKeys.find(({ kid }) => kid === welcome.kid);
    const key = (await find()) ?? ((await this.#refresh()) ? await find() : undefined);
    const signature = fromBase64url(welcome.signature);
    const statement = { ...heading('welcome'), server: this.id, session: welcome.sessionId, clientNonce };
    const bytes = canonicalBytes(statement);
    const publicKey = key && fromBase64url(key.publicKey);
    if (!publicKey || !signature || !bytes.ok) return false;
    const imported = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return crypto.subtle.verify('Ed25519', imported, signature, bytes.value);
  }

  async #refresh(): Promise<boolean> {
    const now = this.#deps.time.monotonicMs();
    if (this.#fetchedAt !== null && now - this.#fetchedAt < FETCH_EVERY_MS) return false;
    await this.info();
    return true;
  }

  /** The pinned document; verified again when it is read from the store. */
  async #pinned(): Promise<VerifiedDocument | null> {
    if (this.#verified) return this.#verified;
    const record = await this.#deps.store.get('meta', META);
    if (!record) return null;
    const verified = await verifyServerDocument(record.value, this.id, this.#deps.time.now());
    this.#verified = verified.ok ? verified.value : null;
    return this.#verified;
  }
}

/** A document continues another if it is not older and every known key still stands where it stood. */
const continues = (pinned: VerifiedDocument, next: VerifiedDocument): boolean =>
  next.document.serial >= pinned.document.serial && pinned.keys.every((key, at) => next.keys[at]?.id === key.id);

