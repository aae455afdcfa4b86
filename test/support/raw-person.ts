// Somebody who makes keys, ids, statements and signatures from the specifications alone, with the OpenPGP library as any program would use
// it, and signs up over HTTP. Signs whatever it is told to, and imports nothing of the server or the SDK.
import { createHash, randomBytes } from 'node:crypto';
import * as openpgp from 'openpgp';

type Json = string | number | boolean | Json[] | { readonly [name: string]: Json };
export type Claims = { readonly [name: string]: Json };
export type SignedSession = { readonly statement: Buffer; readonly signature: string };

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const HOUR_MS = 3_600_000;

/** The first 80 bits in base32. */
export function named(fingerprint: string): string {
  const hash = createHash('sha256').update(Buffer.from(fingerprint, 'hex')).digest();
  const bits = [...hash.subarray(0, 10)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => ALPHABET[Number.parseInt(five, 2)] as string);
}

/** JSON with its names in order and no space: RFC 8785 for plain ASCII. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const parts = Object.keys(value).sort();
  return `{${parts.map((name) => `${JSON.stringify(name)}:${canonical(value[name] as Json)}`).join(',')}}`;
}

export const makeKey = (): Promise<openpgp.PrivateKey> =>
  openpgp
    .generateKey({
      type: 'ecc',
      curve: 'curve25519Legacy',
      userIDs: [{ name: 'reedbed' }],
      format: 'object',
      date: new Date(Date.now() - HOUR_MS),
    })
    .then(({ privateKey }) => privateKey);

export class RawPerson {
  readonly user: string;
  readonly key: string;
  readonly server: string;
  device: string = uuid();
  readonly #secret: openpgp.PrivateKey;
  readonly #recovery: openpgp.PrivateKey;
  readonly #url: string;

  private constructor(url: string, server: string, keys: { secret: openpgp.PrivateKey; recovery: openpgp.PrivateKey }) {
    this.#url = url;
    this.#secret = keys.secret;
    this.#recovery = keys.recovery;
    this.server = server;
    this.user = `${named(keys.secret.getFingerprint())}@${server}`;
    this.key = `${this.user}/${keys.secret.getFingerprint()}`;
  }

  /** Somebody who has signed up. */
  static async signUp(url: string): Promise<RawPerson> {
    const { id } = (await (await fetch(`${url}/api/v1/server`)).json()) as { id: string };
    const person = new RawPerson(url, id, { secret: await makeKey(), recovery: await makeKey() });
    const { user, key } = person;
    const armor = person.#secret.toPublic().armor();
    const recovery = person.#recovery.getFingerprint();
    const createdAt = new Date().toISOString();
    const username = `u${randomBytes(6).toString('hex')}`;
    const session = person.session({ nonce: await person.challenge(), purpose: 'signup' });
    await person.#post('users', {
      identity: await person.#signed({ ...heading('identity'), user, username, key, bio: '', archive: true, follows: 'public', createdAt }),
      key: await person.#signed({ ...heading('key'), user, key, armor, recovery }),
      session: await person.#signed(session),
    });
    return person;
  }

  /** A fresh nonce of the HTTP API. */
  async challenge(): Promise<string> {
    return ((await this.#post('auth/challenge')) as { nonce: string }).nonce;
  }

  /** A session statement; any field may be made another one, or be more than there should be. */
  session(fields: Claims): Claims {
    const { user, key, server, device } = this;
    return { ...heading('session'), server, user, key, device, purpose: 'socket', ...fields };
  }

  /** A detached signature over any bytes. */
  async sign(bytes: Uint8Array): Promise<string> {
    const message = await openpgp.createMessage({ binary: new Uint8Array(bytes) });
    return openpgp.sign({ message, signingKeys: this.#secret, detached: true, format: 'armored' });
  }

  /** What AUTHENTICATE carries, for these claims. */
  async signedSession(fields: Claims): Promise<SignedSession> {
    const statement = Buffer.from(canonical(this.session(fields)));
    return { statement, signature: await this.sign(statement) };
  }

  /** A token by the HTTP API. */
  async token(): Promise<string> {
    const session = this.session({ nonce: await this.challenge(), purpose: 'token' });
    const signature = await this.sign(Buffer.from(canonical(session)));
    return ((await this.#post('auth/token', { statement: session, signature })) as { token: string }).token;
  }

  /** Links a device, whose id is used from now on. @returns its token */
  async link(device: string = uuid()): Promise<string> {
    this.device = device;
    const session = this.session({ nonce: await this.challenge(), purpose: 'link-device' });
    const signature = await this.sign(Buffer.from(canonical(session)));
    return ((await this.#post('devices', { statement: session, signature })) as { token: string }).token;
  }

  /** Signs a statement, whatever it says, and sends it. @returns the status, and what it was answered */
  async state(path: string, type: string, fields: Claims, token?: string): Promise<{ readonly status: number; readonly body: unknown }> {
    const content = await this.#signed({ ...heading(type), user: this.user, key: this.key, ...fields });
    const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    const answer = await fetch(`${this.#url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(content) });
    return { status: answer.status, body: await answer.json() };
  }

  async #signed(statement: Claims): Promise<{ statement: Claims; signatures: { key: string; signature: string }[] }> {
    return { statement, signatures: [{ key: this.key, signature: await this.sign(Buffer.from(canonical(statement))) }] };
  }

  async #post(path: string, content: object = {}): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${this.#url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(content) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

export const heading = (type: string): Claims => ({ app: 'reedbed', type, v: 1 });

/** A uuidv7 of this moment. */
export function uuid(): string {
  const hex = Date.now().toString(16).padStart(12, '0');
  const rest = randomBytes(10).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}
