// Members without keys of their own, for crowds: rows written straight into the databases of the demo, and sockets that sign in by a token and carry
// opaque bytes. To the servers they are members like any others; nobody else could read what they pass on.
import { createHash, randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';
import { base32, base64url, cryptoRandom, uuidv7 } from '../../base/ids.ts';
import { DEFAULT_LIMITS } from '../../base/limits.ts';
import { makeRequestId, type ReedId, type UserId, userOf } from '../../wire/address.ts';
import { decodeFrame, encodeFrame } from '../../wire/codec.ts';
import type { Frame } from '../../wire/frames.ts';

export type LightAccount = { readonly userId: UserId; readonly token: string; readonly device: string };
/** Sends one statement to a database. */
export type Run = (text: string, values: readonly unknown[]) => Promise<{ readonly rows: unknown[] }>;

const ID_BYTES = 10;
const TOKEN_BYTES = 32;
const NONCE_BYTES = 24;
const CIPHERTEXT = new Uint8Array(2_048).fill(65);

const uuid = (): string => uuidv7(Date.now(), cryptoRandom);
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Members of `serverId` with a session each. */
export const writeAccounts = async (run: Run, serverId: string, count: number): Promise<LightAccount[]> => {
  const accounts = Array.from({ length: count }, () => ({
    userId: `${base32(randomBytes(ID_BYTES))}@${serverId}` as UserId,
    token: base64url(new Uint8Array(randomBytes(TOKEN_BYTES))),
    device: uuid(),
  }));
  await run(
    `with u as materialized (select *, id || '/' || encode(substr(hash, 1, 20), 'hex') as key from unnest($1::text[], $2::bytea[], $3::text[], $4::bytea[]) as u(id, hash, device, token)),
      i as (insert into identities (id, server_id, first_seen_at) select id, $5, now() from u),
      s as (insert into statements (hash, user_id, type, seq, signed_at, certificate) select hash, id, 'key', 1, now(), '{}' from u),
      k as (insert into keys (id, user_id, armor, recovery, statement_hash, created_at) select key, id, '', '', hash, now() from u),
      m as (insert into users (id, role, last_signed_at, key_id, username, identity_hash, created_at) select id, 'user', now(), key, id, hash, now() from u),
      d as (insert into devices (id, user_id, linked_at) select device, id, now() from u)
      insert into sessions (token_hash, user_id, key_id, device_id, signed_at, last_used_at) select token, id, key, device, now(), now() from u`,
    [
      accounts.map(({ userId }) => userId),
      accounts.map(() => randomBytes(TOKEN_BYTES)),
      accounts.map(({ device }) => device),
      accounts.map(({ token }) => hashOf(token)),
      serverId,
    ],
  );
  return accounts;
};

/** Gives accounts their sessions again, after those were emptied. */
export const writeSessions = async (run: Run, accounts: readonly LightAccount[]): Promise<void> => {
  await run(
    `insert into sessions (token_hash, user_id, key_id, device_id, signed_at, last_used_at)
      select token, u.id, u.key_id, device, now(), now() from unnest($1::bytea[], $2::text[], $3::text[]) as i(token, id, device) join users u on u.id = i.id
      on conflict do nothing`,
    [accounts.map((a) => hashOf(a.token)), accounts.map((a) => a.userId), accounts.map((a) => a.device)],
  );
};

/** Published reeds of `author`, held by `holders`. */
export const writeReeds = async (run: Run, author: UserId, count: number, holders: readonly UserId[] = [author]): Promise<ReedId[]> => {
  const ids = Array.from({ length: count }, () => `${author}/${uuid()}` as ReedId);
  await run(
    `with r as (insert into reed_identities (id, server_id, author_id) select unnest($1::text[]), $2, $3),
      p as (insert into reeds (id, author_id, statement_hash, registered_at, published_at)
        select r.id, u.id, u.identity_hash, now(), now() from unnest($1::text[]) as r(id), users u where u.id = $3)
      insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on)
      select h.id, r.id, 'd', current_date from unnest($1::text[]) as r(id), unnest($4::text[]) as h(id)`,
    [ids, author.slice(author.indexOf('@') + 1), author, holders],
  );
  return ids;
};

/** Lets another server know the keys of these accounts, as if they had been proven to it. */
export const writeKnown = async (at: Run, home: Run, accounts: readonly LightAccount[]): Promise<void> => {
  const { rows } = await home('select id, user_id, statement_hash from keys where user_id = any($1)', [accounts.map((a) => a.userId)]);
  const keys = rows as { id: string; user_id: string; statement_hash: Buffer }[];
  const [first] = accounts;
  if (first === undefined) return;
  await at(
    `with u as (select * from unnest($1::text[], $2::text[], $3::bytea[]) as u(key, id, hash)),
      i as (insert into identities (id, server_id, first_seen_at) select id, $4, now() from u),
      s as (insert into statements (hash, user_id, type, seq, signed_at, certificate) select hash, id, 'key', 1, now(), '{}' from u)
      insert into keys (id, user_id, armor, recovery, statement_hash, created_at) select key, id, '', '', hash, now() from u`,
    [
      keys.map((key) => key.id),
      keys.map((key) => key.user_id),
      keys.map((key) => key.statement_hash),
      first.userId.slice(first.userId.indexOf('@') + 1),
    ],
  );
};

/** A member of a crowd: asks for reeds, keeps what comes, and passes it on. */
export class LightReader {
  readonly account: LightAccount;
  /** What has come, by reed. */
  readonly has = new Set<ReedId>();
  #socket: WebSocket | null = null;
  #welcomed: (() => void) | null = null;

  constructor(account: LightAccount) {
    this.account = account;
  }

  /** Connects and signs in; resolves at WELCOME. @throws Error if the connection ends before */
  async connect(url: string): Promise<void> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`, 'reedbed.v1', { perMessageDeflate: false });
    this.#socket = socket;
    await new Promise<void>((done, failed) => {
      this.#welcomed = done;
      socket.on('error', failed);
      socket.once('close', (code) => failed(new Error(`the socket was closed with ${code}`)));
      socket.on('message', (data: Buffer) => this.#receive(data));
    });
  }

  ask(reedId: ReedId): void {
    const requestId = makeRequestId(this.account.userId, uuid());
    this.#send({ id: '', type: 'requestReed', body: { requestId, reedId, authorId: userOf(reedId) } });
  }

  close(): void {
    this.#socket?.terminate();
  }

  #send(frame: Frame): void {
    // What nobody will get is lost, as on any socket.
    this.#socket?.send(encodeFrame(frame), () => undefined);
  }

  #receive(data: Buffer): void {
    const decoded = decodeFrame(data, DEFAULT_LIMITS);
    if (!decoded.ok) return;
    const frame = decoded.value;
    switch (frame.type) {
      case 'hello': {
        const clientNonce = base64url(cryptoRandom(NONCE_BYTES));
        const { token } = this.account;
        return this.#send({ id: '', type: 'authenticate', body: { statement: new Uint8Array(), signature: '', clientNonce, token } });
      }
      case 'welcome':
        return this.#welcomed?.();
      case 'ping':
        return this.#send({ id: '', type: 'pong', body: {} });
      case 'relayRequest':
        return this.#send({ id: frame.id, type: 'relayResponse', body: { ciphertext: CIPHERTEXT, attempt: frame.body.attempt } });
      case 'dataResponse':
        this.#send({ id: frame.id, type: 'dataAck', body: {} });
        this.has.add(frame.body.reedId as ReedId);
        return;
      default:
        return;
    }
  }
}
