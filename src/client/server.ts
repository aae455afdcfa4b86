// The server as this member pinned it: its id fits one first identity key only, from which a chain leads to the present one, and its
// document (signed by a key of that chain) names the transport keys that prove a socket. A document older than the pinned one is refused.
import { AppError } from '../base/errors.ts';
import { type AcceptedDocument, verifyServerDocument, verifyWelcome } from '../crypto/server-document.ts';
import type { KnownServerKey } from '../crypto/statement.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import type { FrameBodies } from '../wire/frames.ts';
import type { StatementOf } from '../wire/statements.ts';
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

export type ServerDeps = { readonly api: Api; readonly store: Store; readonly time: ServerTime };

export class PinnedServer {
  readonly id: ServerId;
  readonly #deps: ServerDeps;
  #verified: AcceptedDocument | null = null;
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
    const verified = await verifyServerDocument(answer.document, { server: this.id, now: time.now() });
    if (!verified.ok) throw new AppError('INVALID', `the server's document does not hold: ${verified.reason}`);
    const pin = (await store.get('meta', META))?.value as Pin | undefined;
    if (pin && !continues(pin, verified.value)) {
      throw new AppError('INVALID', "the server's document is older than the pinned one, or has other keys");
    }
    this.#verified = verified.value;
    this.#fetchedAt = time.monotonicMs();
    await store.write([{ put: 'meta', record: { id: META, value: pinOf(verified.value) } }]);
    const document = verified.value.signed.statement;
    return {
      id: this.id,
      name: document.name,
      version: String(answer.version ?? ''),
      signup: answer.signup as ServerInfo['signup'],
      keys: verified.value.serverKeys.map(({ id }) => id),
      document,
    };
  }

  /** The identity key of that id; null if it is not on the server's chain. */
  async key(id: ServerKeyId): Promise<KnownServerKey | null> {
    const find = async (): Promise<KnownServerKey | null> => (await this.#pinned())?.serverKeys.find((key) => key.id === id) ?? null;
    return (await find()) ?? ((await this.#refresh()) ? find() : null);
  }

  /** Whether the server's transport key signed this welcome for our nonce. Rejects if the document can't be fetched now. */
  async isGenuine(welcome: FrameBodies['welcome'], clientNonce: string): Promise<boolean> {
    const find = async () => (await this.#pinned())?.signed.statement.transportKeys ?? [];
    let keys = await find();
    if (!keys.some(({ kid }) => kid === welcome.kid) && (await this.#refresh())) keys = await find();
    return verifyWelcome({ server: this.id, session: welcome.sessionId, clientNonce }, welcome, keys);
  }

  async #refresh(): Promise<boolean> {
    const now = this.#deps.time.monotonicMs();
    if (this.#fetchedAt !== null && now - this.#fetchedAt < FETCH_EVERY_MS) return false;
    await this.info();
    return true;
  }

  /** The pinned document, proved again when it is read from the store. Null once it has run out: then it is fetched anew. */
  async #pinned(): Promise<AcceptedDocument | null> {
    if (this.#verified) return this.#verified;
    const pin = (await this.#deps.store.get('meta', META))?.value as Pin | undefined;
    if (!pin) return null;
    const verified = await verifyServerDocument(pin.signed, { server: this.id, now: this.#deps.time.now() });
    this.#verified = verified.ok ? verified.value : null;
    return this.#verified;
  }
}

/** What is remembered of a document for good, whether or not it has run out. */
type Pin = { readonly signed: unknown; readonly serial: number; readonly keys: readonly ServerKeyId[] };

const pinOf = ({ signed, serverKeys }: AcceptedDocument): Pin => ({
  signed,
  serial: signed.statement.serial,
  keys: serverKeys.map(({ id }) => id),
});

/** A document continues another if it is not older and every known key still stands where it stood. */
const continues = (pin: Pin, next: AcceptedDocument): boolean =>
  next.signed.statement.serial >= pin.serial && pin.keys.every((key, at) => next.serverKeys[at]?.id === key);
