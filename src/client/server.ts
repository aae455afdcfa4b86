// The server as this member pinned it: its id fits one first identity key only, from which a chain leads to the present one, and its
// document (signed by a key of that chain) names the transport keys that prove a socket. A document older than the pinned one is refused, and a key
// that was announced since counts three days after that can have been at the earliest: whoever stole a key is not the server overnight.
import { AppError } from '../base/errors.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { type AcceptedDocument, verifyServerDocument, verifyWelcome } from '../crypto/server-document.ts';
import type { KnownServerKey } from '../crypto/statement.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import type { FrameBodies } from '../wire/frames.ts';
import { parseTime } from '../wire/kinds.ts';
import type { StatementOf } from '../wire/statements.ts';
import type { Api } from './api.ts';
import type { ServerTime } from './server-time.ts';
import type { Store } from './store.ts';

const HOME = 'server';
/** An unknown transport key makes the document be fetched again, but not for every liar. */
const FETCH_EVERY_MS = 5 * 60_000;
const ANNOUNCED_MS = DEFAULT_LIMITS.serverKeyAnnouncedMs;

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

export type ServerDeps = {
  readonly api: Api;
  readonly store: Store;
  readonly time: ServerTime;
  /** Of another server than the member's own: how its document is had; null if it can't be. */
  readonly shown?: () => Promise<unknown>;
};

export class PinnedServer {
  readonly id: ServerId;
  readonly #deps: ServerDeps;
  #verified: AcceptedDocument | null = null;
  #fetchedAt: number | null = null;
  #fetching: Promise<boolean> | null = null;

  constructor(id: ServerId, deps: ServerDeps) {
    this.id = id;
    this.#deps = deps;
  }

  /** What `GET server` says, its document verified and pinned. Throws AppError INVALID if it is not the pinned server. */
  async info(): Promise<ServerInfo> {
    const { api, time } = this.#deps;
    const answer = (await api.call('server')) as Record<string, unknown>;
    if (typeof answer.time === 'string') time.learn(Date.parse(answer.time) || time.now());
    else if (typeof answer.time === 'number') time.learn(answer.time);
    if (answer.id !== this.id) throw new AppError('INVALID', 'another server answered');
    const { document, keys } = await this.#take(answer.document);
    return {
      ...{ id: this.id, name: document.name, keys, document },
      version: String(answer.version ?? ''),
      signup: answer.signup as ServerInfo['signup'],
    };
  }

  /** Verifies a document and pins what of it may be believed. @throws AppError INVALID */
  async #take(shown: unknown): Promise<Pick<ServerInfo, 'document' | 'keys'>> {
    const { store, time } = this.#deps;
    const verified = await verifyServerDocument(shown, this.#expected());
    if (!verified.ok) throw new AppError('INVALID', `the server's document does not hold: ${verified.reason}`);
    const pin = await this.#pin();
    if (pin && !continues(pin, verified.value, time.now())) {
      throw new AppError('INVALID', "the server's document is older than the pinned one, or has other keys");
    }
    this.#fetchedAt = time.monotonicMs();
    const next = pinOf(verified.value, pin, time.now());
    const { signed, serverKeys } = verified.value;
    const isBelieved = counts(next, signed.signatures[0]?.key as ServerKeyId, time.now());
    await store.write([
      { put: 'meta', record: { id: this.#place, value: isBelieved || !pin ? next : { ...next, signed: pin.signed, serial: pin.serial } } },
    ]);
    if (!isBelieved) throw new AppError('INVALID', "the server's document is signed by a key that was announced too short a time ago");
    this.#verified = verified.value;
    return { document: signed.statement, keys: serverKeys.flatMap(({ id }) => (counts(next, id, time.now()) ? [id] : [])) };
  }

  /** The identity key of that id; null if it is not on the server's chain. @throws AppError UNAVAILABLE if it is announced and does not count yet */
  async key(id: ServerKeyId): Promise<KnownServerKey | null> {
    const find = async (): Promise<KnownServerKey | null> => (await this.#pinned())?.serverKeys.find((key) => key.id === id) ?? null;
    const found = (await find()) ?? ((await this.#refresh()) ? await find() : null);
    const pin = await this.#pin();
    if (pin?.keys.includes(id) && !counts(pin, id, this.#deps.time.now()))
      throw new AppError('UNAVAILABLE', 'this key of the server was announced too short a time ago to count');
    return found;
  }

  /** Whether the server's transport key signed this welcome for our nonce. Rejects if the document can't be fetched now. */
  async isGenuine(welcome: FrameBodies['welcome'], clientNonce: string): Promise<boolean> {
    const find = async () => (await this.#pinned())?.signed.statement.transportKeys ?? [];
    let keys = await find();
    if (!keys.some(({ kid }) => kid === welcome.kid) && (await this.#refresh())) keys = await find();
    return verifyWelcome({ server: this.id, session: welcome.sessionId, clientNonce }, welcome, keys);
  }

  /** Many that ask at the same time share one answer. */
  #refresh(): Promise<boolean> {
    const now = this.#deps.time.monotonicMs();
    if (this.#fetchedAt !== null && now - this.#fetchedAt < FETCH_EVERY_MS) return Promise.resolve(false);
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<boolean> {
    const { shown } = this.#deps;
    if (shown === undefined) await this.info();
    else {
      const document = await shown();
      if (document === null) return false;
      await this.#take(document);
    }
    return true;
  }

  /** Where it is remembered. */
  get #place(): string {
    return this.#deps.shown === undefined ? HOME : `${HOME} ${this.id}`;
  }

  async #pin(): Promise<Pin | undefined> {
    return (await this.#deps.store.get('meta', this.#place))?.value as Pin | undefined;
  }

  #expected() {
    return { server: this.id, now: this.#deps.time.now(), mayHaveRunOut: this.#deps.shown !== undefined };
  }

  /** The pinned document, proved again when it is read from the store. Null once the own server's has run out: then it is fetched anew. */
  async #pinned(): Promise<AcceptedDocument | null> {
    const { now, mayHaveRunOut } = this.#expected();
    if (this.#verified && (mayHaveRunOut || !hasRunOut(this.#verified, now))) return this.#verified;
    const pin = await this.#pin();
    if (!pin) return null;
    const verified = await verifyServerDocument(pin.signed, this.#expected());
    this.#verified = verified.ok ? verified.value : null;
    return this.#verified;
  }
}

/** What is remembered of a document for good, whether or not it has run out. */
type Pin = {
  readonly signed: unknown;
  readonly serial: number;
  readonly keys: readonly ServerKeyId[];
  /** When a document was shown last: what it does not name was announced later. */
  readonly seenAt?: number;
  /** From when keys count that were not in the first document. */
  readonly countsFrom?: Readonly<Record<ServerKeyId, number>>;
};

const hasRunOut = ({ signed }: AcceptedDocument, now: number): boolean => (parseTime(signed.statement.expiresAt) ?? 0) <= now;

const counts = ({ countsFrom }: Pin, key: ServerKeyId, now: number): boolean => (countsFrom?.[key] ?? 0) <= now;

const pinOf = ({ signed, serverKeys }: AcceptedDocument, pin: Pin | undefined, now: number): Pin => {
  const keys = serverKeys.map(({ id }) => id);
  // Of a server that is met, the key that speaks for it counts, with those before it.
  const known = pin?.keys ?? keys.slice(0, keys.indexOf(signed.signatures[0]?.key as ServerKeyId) + 1);
  const announced = (pin === undefined ? now : (pin.seenAt ?? 0)) + ANNOUNCED_MS;
  const from = (key: ServerKeyId): number => pin?.countsFrom?.[key] ?? (known.includes(key) ? 0 : announced);
  const countsFrom = Object.fromEntries(keys.map((key) => [key, from(key)]));
  return { signed, serial: signed.statement.serial, keys, seenAt: now, countsFrom };
};

/** A document continues another if it is not older and every key that counts still stands where it stood. */
const continues = (pin: Pin, next: AcceptedDocument, now: number): boolean =>
  next.signed.statement.serial >= pin.serial && pin.keys.every((key, at) => next.serverKeys[at]?.id === key || !counts(pin, key, now));
