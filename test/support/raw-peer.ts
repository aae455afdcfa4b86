// A server that is peered like any other and lies: its keys, documents, people, signatures and HTTP are made from the specifications alone, so that
// it can say anything, in its requests and in its answers. Imports nothing of the server, the SDK, or what they share.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import * as openpgp from 'openpgp';
import { exchange, type RawAnswer } from './raw-http.ts';
import { type Claims, canonical, heading, makeKey, named } from './raw-person.ts';
import { bytes, uint } from './raw-wire.ts';

type Signed = { readonly statement: Claims; readonly signatures: { readonly key: string; readonly signature: string }[] };
export type RawCertificate = Signed & { readonly countersignature: { readonly statement: Claims; readonly signature: string } };
/** The fields of a signed request; any may be made another one, or come twice. */
export type Lines = readonly (readonly [name: string, value: string])[];
export type Lie = {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** What is signed as `@target-uri`; without it where it goes. */
  readonly signedUri?: string;
  /** Components in their order, as they stand in the field and in what is signed. */
  readonly components?: readonly string[];
  /** Parameters that take the place of the right ones; null: left out. */
  readonly parameters?: Readonly<Record<string, string | null>>;
  readonly signedBody?: Uint8Array;
  readonly by?: RawPeer;
  readonly lines?: (lines: Lines) => Lines;
  /** The bytes after the head. */
  readonly sent?: (body: Uint8Array) => Uint8Array;
};
/** What it does with a call of its victim's. */
export type Answering = (call: {
  readonly leg: string;
  readonly body: Buffer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}) => void;

const CONTENT_TYPE = 'application/protobuf';
const DAY_MS = 86_400_000;
const REQUEST = ['"@method"', '"@target-uri"', '"content-type"', '"content-digest"'];
const ANSWER = '("@status" "content-type" "content-digest" "signature";req)';
const PREFIX = '/federation/v1/';
/** Statements that name who they are of as their author. */
const OWNED = new Set(['reed', 'thread', 'reed-removal', 'thread-removal']);

const time = (ms: number): string => new Date(ms).toISOString();
const base64url = (data: Uint8Array): string => Buffer.from(data).toString('base64url');
export const digestOf = (body: Uint8Array): string => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

async function detached(secret: openpgp.PrivateKey, statement: Claims): Promise<string> {
  const message = await openpgp.createMessage({ binary: new Uint8Array(Buffer.from(canonical(statement))) });
  return openpgp.sign({ message, signingKeys: secret, detached: true, format: 'armored' });
}

/** Somebody who lives there. */
export type Inhabitant = {
  readonly user: string;
  readonly key: string;
  readonly chain: readonly { readonly certificate: RawCertificate }[];
  /** A certificate of theirs, countersigned by their home. */
  certify(type: string, fields: Claims): Promise<RawCertificate>;
};

export class RawPeer {
  readonly id: string;
  readonly kid: string = randomBytes(6).toString('hex');
  readonly calls: { readonly leg: string; readonly body: Buffer }[] = [];
  /** Without anything else it says truly what keys its people have, and nothing of all else. */
  answering: Answering = ({ leg, body, request, response }) => {
    const chain = leg === 'key' ? this.#chains.get(body.subarray(2).toString()) : undefined;
    this.answer(request, response, chain === undefined ? {} : { envelope: { body: chainOf(chain) } });
  };
  readonly #chains = new Map<string, Inhabitant['chain']>();
  #shown: Signed | null = null;
  #serial = 0;
  #seq = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #identity: openpgp.PrivateKey;
  readonly #transport: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } = generateKeyPairSync('ed25519');

  private constructor(identity: openpgp.PrivateKey) {
    this.#identity = identity;
    this.#server = createServer((request, response) => void this.#take(request, response).catch(() => response.destroy()));
    this.#server.on('connection', (socket) => {
      this.#open.add(socket.on('error', () => undefined).on('close', () => this.#open.delete(socket)));
    });
    this.id = named(identity.getFingerprint());
  }

  static async start(): Promise<RawPeer> {
    const peer = new RawPeer(await makeKey());
    await new Promise<void>((resolve) => peer.#server.listen(0, '127.0.0.1', resolve));
    return peer;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get keyId(): string {
    return `${this.#identity.getFingerprint()}@${this.id}`;
  }

  get armor(): string {
    return this.#identity.toPublic().armor();
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What it says of itself; with fields that are others it says so from now on. */
  async document(fields?: Claims): Promise<Signed> {
    if (fields === undefined && this.#shown !== null) return this.#shown;
    const [now, armor, key] = [Date.now(), this.armor, this.keyId];
    this.#serial += 1;
    const proof = await detached(this.#identity, { ...heading('server-key'), server: this.id, key, armor });
    const { x = '' } = this.#transport.publicKey.export({ format: 'jwk' });
    this.#shown = await this.signed({
      ...heading('server-document'),
      ...{ id: this.id, serial: this.#serial, issuedAt: time(now - 1_000), expiresAt: time(now + 80 * DAY_MS) },
      ...{ name: 'Liars', baseUrl: this.origin, webUrl: this.origin, keys: [{ key, armor, signature: proof }] },
      ...{ transportKeys: [{ kid: this.kid, publicKey: x }], protocol: { min: 1, max: 1 } },
      limits: { frameBytes: 16_384, relayResponseBytes: 1_048_576, reedCodePoints: 5_000, reedTextBytes: 20_000, threadParts: 30 },
      ...fields,
    });
    return this.#shown;
  }

  /** A statement of its own, whatever it says. */
  async signed(statement: Claims): Promise<Signed> {
    return { statement, signatures: [{ key: this.keyId, signature: await detached(this.#identity, statement) }] };
  }

  /** What a connection string that was sealed to it holds. */
  async open(connection: string): Promise<{ readonly secret: string; readonly document: object }> {
    const sealed = Buffer.from(connection.replace(/^reedbed-peering:/, ''), 'base64url');
    const message = await openpgp.readMessage({ armoredMessage: sealed.toString() });
    const { data } = await openpgp.decrypt({ message, decryptionKeys: this.#identity, format: 'binary' });
    return JSON.parse(Buffer.from(data as Uint8Array).toString()) as { secret: string; document: object };
  }

  /** Somebody new. @param home who says that they live there; without it this server */
  async inhabitant(home: string = this.id): Promise<Inhabitant> {
    const [secret, recovery] = [await makeKey(), await makeKey()];
    const user = `${named(secret.getFingerprint())}@${home}`;
    const key = `${user}/${secret.getFingerprint()}`;
    const certify = async (type: string, fields: Claims): Promise<RawCertificate> => {
      const statement = { ...heading(type), ...(OWNED.has(type) ? { author: user } : { user }), key, ...fields };
      return this.countersign({ statement, signatures: [{ key, signature: await detached(secret, statement) }] }, { user, key });
    };
    const certificate = await certify('key', { armor: secret.toPublic().armor(), recovery: recovery.getFingerprint() });
    this.#chains.set(key, [{ certificate }]);
    return { user, key, chain: [{ certificate }], certify };
  }

  async countersign(signed: Signed, of: { readonly user: string; readonly key: string }, fields: Claims = {}): Promise<RawCertificate> {
    this.#seq += 1;
    const hash = createHash('sha256').update(canonical(signed.statement)).digest();
    const statement = {
      ...heading('countersignature'),
      ...{ statementType: signed.statement['type'] as string, statementHash: base64url(hash), ...of },
      ...{ server: this.id, serverKey: this.keyId, seq: this.#seq, signedAt: time(Date.now()), ...fields },
    };
    return { ...signed, countersignature: { statement, signature: await detached(this.#identity, statement) } };
  }

  /** The head and body of a call of `origin`'s leg, right but for the lie. */
  request(origin: string, leg: string, body: Uint8Array, lie: Lie = {}): Buffer {
    const { by = this, method = 'POST', target = `${PREFIX}${leg}`, version = 'HTTP/1.1', sent = (same) => same } = lie;
    const now = Math.floor(Date.now() / 1_000);
    const given: Record<string, string | null> = {
      ...{ tag: '"reedbed-federation-1"', created: `${now}`, expires: `${now + 60}`, nonce: `"${base64url(randomBytes(16))}"` },
      ...{ keyid: `"${this.id}#${this.kid}"`, ...lie.parameters },
    };
    const digest = digestOf(lie.signedBody ?? body);
    const values: Readonly<Record<string, string>> = {
      ...{ '"@method"': 'POST', '"@target-uri"': lie.signedUri ?? `${origin}${target}`, '"content-type"': CONTENT_TYPE },
      ...{ '"content-digest"': digest, '"host"': new URL(origin).host, '"content-length"': `${body.length}` },
    };
    const components = lie.components ?? REQUEST;
    const shown = Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [`;${name}=${value}`]));
    const parameters = `(${components.join(' ')})${shown.join('')}`;
    const base = [...components.map((name) => `${name}: ${values[name]}`), `"@signature-params": ${parameters}`].join('\n');
    const lines: Lines = [
      ['host', new URL(origin).host],
      ['content-type', CONTENT_TYPE],
      ['content-length', `${body.length}`],
      ['content-digest', digest],
      ['signature-input', `reedbed=${parameters}`],
      ['signature', `reedbed=:${by.#sign(base)}:`],
    ];
    const fields = (lie.lines?.(lines) ?? lines).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`${method} ${target} ${version}\r\n${fields.join('')}\r\n`), sent(body)]);
  }

  #sign(base: string): string {
    return sign(null, Buffer.from(base), this.#transport.privateKey).toString('base64');
  }

  /** Calls a leg. @returns null if the connection ended without an answer */
  call(origin: string, leg: string, body: Uint8Array = Buffer.alloc(0), lie: Lie = {}): Promise<RawAnswer | null> {
    return exchange(Number(new URL(origin).port), this.request(origin, leg, body, lie));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url = '' } = request;
    if (url === '/.well-known/reedbed') return void response.end(JSON.stringify(await this.document()));
    if (!url.startsWith(PREFIX)) return void response.writeHead(404).end();
    const leg = url.slice(PREFIX.length);
    const body = Buffer.concat(chunks);
    this.calls.push({ leg, body });
    this.answering({ leg, body, request, response });
  }

  /** A right answer, but for what is changed. */
  answer(request: IncomingMessage, response: ServerResponse, lie: AnswerLie = {}): void {
    const { status = 200, envelope = {}, by = this } = lie;
    const body = lie.body ?? envelopeOf(envelope);
    const digest = digestOf(lie.signedBody ?? body);
    const to = lie.to ?? String(request.headers['signature']);
    const parameters = `${ANSWER};tag="reedbed-federation-1";created=${Math.floor(Date.now() / 1_000)};keyid="${lie.keyId ?? `${this.id}#${this.kid}`}"`;
    const signed = [`"@status": ${lie.signedStatus ?? status}`, `"content-type": ${CONTENT_TYPE}`, `"content-digest": ${digest}`];
    const base = [...signed, `"signature";req: ${to}`, `"@signature-params": ${parameters}`].join('\n');
    const fields: Record<string, string | string[]> = {
      ...{ 'content-type': CONTENT_TYPE, 'content-digest': digest },
      ...{ 'signature-input': `reedbed=${parameters}`, signature: `reedbed=:${by.#sign(base)}:` },
    };
    response.writeHead(status, lie.fields?.(fields) ?? fields).end(body);
  }
}

export type AnswerLie = {
  readonly status?: number;
  readonly signedStatus?: number;
  readonly body?: Uint8Array;
  readonly signedBody?: Uint8Array;
  readonly envelope?: { readonly epoch?: string; readonly body?: Uint8Array; readonly code?: number; readonly retryAfterMs?: number };
  readonly to?: string;
  readonly keyId?: string;
  readonly by?: RawPeer;
  readonly fields?: (fields: Record<string, string | string[]>) => Record<string, string | string[]>;
};

/** The answer of the leg `key`. */
export const chainOf = (chain: Inhabitant['chain']): Buffer =>
  Buffer.concat(chain.map(({ certificate }) => bytes(1, bytes(1, JSON.stringify(certificate)))));

/** A FederationAnswer. */
export const envelopeOf = ({ epoch = 'of-liars', body, code, retryAfterMs }: NonNullable<AnswerLie['envelope']>): Buffer =>
  Buffer.concat([
    bytes(1, epoch),
    ...(body === undefined ? [] : [bytes(2, body)]),
    ...(code === undefined ? [] : [uint(3, code)]),
    ...(retryAfterMs === undefined ? [] : [uint(5, retryAfterMs)]),
  ]);
