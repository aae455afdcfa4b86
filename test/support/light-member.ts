// Members without OpenPGP: a socket that signs in by a token written straight into the database, and answers with opaque bytes.
// For loads, and for misbehaving on purpose. Shares the wire codec with the server and nothing with the SDK.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import WebSocket from 'ws';
import { base64url, cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { type LightAccount, writeAccounts, writeReeds, writeSessions } from '../../src/ops/demo/light.ts';
import { makeRequestId, type ReedId, type RequestId, type UserId, userOf } from '../../src/wire/address.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import { DELIVERY_TYPES, type Frame, type FrameOf, type FrameType } from '../../src/wire/frames.ts';
import { connected } from './connections.ts';

export type { LightAccount };

const uuid = (): string => uuidv7(Date.now(), cryptoRandom);

export type RegisteredFields = {
  readonly replyTo?: ReedId;
  readonly tags?: readonly string[];
  readonly mentions?: readonly UserId[];
};

/** Rows as a stranger to the services would write them: accounts with sessions, and published reeds. */
export class LightCommunity {
  readonly #url: string;
  readonly #serverId: string;

  constructor(databaseUrl: string, serverId: string) {
    this.#url = databaseUrl;
    this.#serverId = serverId;
  }

  accounts(count: number): Promise<LightAccount[]> {
    return writeAccounts(this.#run, this.#serverId, count);
  }

  /** Gives accounts their tokens again, after the sessions were emptied. */
  signInAgain(accounts: readonly LightAccount[]): Promise<void> {
    return writeSessions(this.#run, accounts);
  }

  /** Published reeds of `author`, held by `holders`. */
  reeds(author: UserId, count: number, holders: readonly UserId[] = [author]): Promise<ReedId[]> {
    return writeReeds(this.#run, author, count, holders);
  }

  /** A reed of `author` that is registered and not published yet. */
  async registered(author: UserId, fields: RegisteredFields = {}): Promise<ReedId> {
    const id = `${author}/${uuid()}` as ReedId;
    await this.#run(
      `with r as (insert into reed_identities (id, server_id, author_id) values ($1, $2, $3)),
        p as (insert into reeds (id, author_id, statement_hash, registered_at, reply_to, root)
          select $1, u.id, u.identity_hash, now(), $4, $4 from users u where u.id = $3),
        t as (insert into reed_tags (reed_id, tag) select $1, unnest($5::text[])),
        m as (insert into reed_mentions (reed_id, user_id, accepted) select $1, unnest($6::text[]), true)
        insert into author_streams (author_id) values ($3) on conflict do nothing`,
      [id, this.#serverId, author, fields.replyTo ?? null, fields.tags ?? [], fields.mentions ?? []],
    );
    return id;
  }

  /** Published as by its author's device, but announced to nobody. */
  async publishNow(reedId: ReedId): Promise<void> {
    await this.#run(
      `with r as (update reeds set published_at = clock_timestamp() where id = $1 returning author_id)
        insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select author_id, $1, 'd', current_date from r`,
      [reedId],
    );
  }

  /** Follows, one for each pair, as if each had been stated. */
  async follows(pairs: readonly (readonly [follower: UserId, target: UserId])[]): Promise<void> {
    await this.#run(
      `insert into follows (user_id, target, active, seq, statement_hash)
        select p.follower, p.target, true, 1, u.identity_hash from unnest($1::text[], $2::text[]) as p(follower, target) join users u on u.id = p.follower`,
      [pairs.map(([follower]) => follower), pairs.map(([, target]) => target)],
    );
  }

  /** What the certificate of a member's identity says, as far as others look at it. */
  async says(user: UserId, statement: object): Promise<void> {
    await this.#run(
      `update statements set certificate = jsonb_build_object('statement', $2::jsonb) where hash = (select identity_hash from users where id = $1)`,
      [user, JSON.stringify(statement)],
    );
  }

  /** A removal as it is committed, its certificate naming the subject; the author keeps no copy. */
  async removed(kind: 'reed-removal' | 'thread-removal', subject: ReedId): Promise<void> {
    await this.#run(
      `with s as (insert into statements (hash, user_id, type, seq, signed_at, certificate)
          select $3, r.author_id, $1, 1000000 + floor(random() * 1e9)::bigint, now(), jsonb_build_object('statement', jsonb_build_object('id', $2::text))
          from reeds r where r.id = $2 returning hash),
        gone as (update reeds set removed_at = now(), removal_hash = s.hash from s
          where reeds.id = $2 or ($1 = 'thread-removal' and reeds.thread_head = $2) returning reeds.id, reeds.author_id),
        dropped as (delete from reed_allocations a using gone g where a.reed_id = g.id and a.holder_user_id = g.author_id),
        threads_gone as (update threads set removal_hash = s.hash from s where $1 = 'thread-removal' and threads.id = $2)
        insert into pending_fanout (kind, subject_id, due_at) values ($1, $2, now())`,
      [kind, subject, randomBytes(32)],
    );
  }

  async blocks(author: UserId, blocked: UserId): Promise<void> {
    await this.#run(
      `insert into blocks (user_id, target, active, seq, statement_hash) select id, $2, true, 1, identity_hash from users where id = $1`,
      [author, blocked],
    );
  }

  /** A published reed of each, held by itself. */
  async reedOfEach(authors: readonly LightAccount[]): Promise<ReedId[]> {
    const ids = authors.map(({ userId }) => `${userId}/${uuid()}` as ReedId);
    await this.#run(
      `with i as materialized (select * from unnest($1::text[], $2::text[]) as i(id, author)),
        r as (insert into reed_identities (id, server_id, author_id) select id, $3, author from i),
        p as (insert into reeds (id, author_id, statement_hash, registered_at, published_at)
          select i.id, u.id, u.identity_hash, now(), now() from i join users u on u.id = i.author)
        insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select author, id, 'd', current_date from i`,
      [ids, authors.map(({ userId }) => userId), this.#serverId],
    );
    return ids;
  }

  /** Makes published reeds of one author a thread, the first its head. */
  async thread(parts: readonly ReedId[]): Promise<void> {
    await this.#run(
      `with t as (insert into threads (id, author_id, statement_hash) select id, author_id, statement_hash from reeds where id = ($1::text[])[1])
       update reeds set thread_head = ($1::text[])[1], thread_index = p.place - 1
       from unnest($1::text[]) with ordinality as p(id, place) where reeds.id = p.id`,
      [parts],
    );
  }

  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#run(text, values)).rows as Row[];
  }

  /** Keeps the rows that a statement locks locked for as long as `meanwhile` takes. */
  async holding(text: string, values: readonly unknown[], meanwhile: () => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(text, [...values]);
      await meanwhile();
    } finally {
      await client.end();
    }
  }

  readonly #run = (text: string, values: readonly unknown[]): Promise<pg.QueryResult> =>
    connected(this.#url, (client) => client.query(text, [...values]));
}

export type LightBehaviour = {
  /** What to do with a RELAY_REQUEST: answer (with so many bytes), or nothing at all. */
  answer: 'bytes' | 'miss' | 'error' | 'busy' | 'nothing';
  /** What to do with a delivery. */
  acknowledge: 'ack' | 'invalid' | 'nothing';
  readonly bytes: number;
};

/** The upgrade was refused; the same may be tried again after so long. */
export class TurnedAway extends Error {
  readonly status: number;
  readonly retryAfterMs: number;

  constructor(status: number, retryAfterMs: number) {
    super(`turned away with ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The connection ended on the way to WELCOME. */
export class CutOff extends Error {
  constructor(code: number) {
    super(`not signed in: closed with ${code}`);
  }
}

type Waiter = { readonly matches: (frame: Frame) => boolean; readonly resolve: (frame: Frame) => void };

export class LightMember {
  readonly userId: UserId;
  readonly behaviour: LightBehaviour;
  /** Every frame received, in order, but for pings. */
  readonly frames: Frame[] = [];
  /** What it was asked for and has not answered yet: event ids with their attempts. */
  readonly asked = new Map<string, number>();
  /** The ids of its requests for reeds. */
  readonly requests: RequestId[] = [];
  readonly #socket: WebSocket;
  readonly #waiters = new Set<Waiter>();
  #pongs = 0;
  readonly #pongWaiters: (() => void)[] = [];
  readonly #ciphertext: Uint8Array;
  readonly closed: Promise<number>;

  private constructor(userId: UserId, socket: WebSocket, behaviour: LightBehaviour) {
    this.userId = userId;
    this.#socket = socket;
    this.behaviour = behaviour;
    this.#ciphertext = new Uint8Array(behaviour.bytes).fill(65);
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    // What fails ends with a close, and that is what is looked at.
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => this.#receive(data));
  }

  /** Connects, from where `headers` say, and signs in; resolves at WELCOME. @throws TurnedAway */
  static async connect(
    url: string,
    account: LightAccount,
    behaviour: Partial<LightBehaviour> = {},
    headers: Record<string, string> = {},
  ): Promise<LightMember> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`, 'reedbed.v1', { headers, perMessageDeflate: false });
    const refused = new Promise<TurnedAway>((resolve) => {
      socket.once('unexpected-response', (request, response) => {
        resolve(new TurnedAway(response.statusCode ?? 0, Number(response.headers['retry-after'] ?? 0) * 1_000));
        request.destroy();
      });
    });
    const member = new LightMember(account.userId, socket, { answer: 'bytes', acknowledge: 'ack', bytes: 2_000, ...behaviour });
    const met = await Promise.race([member.next('hello'), refused, member.closed]);
    if (met instanceof TurnedAway) throw met;
    const clientNonce = base64url(new Uint8Array(randomBytes(24)));
    member.send({ id: '', type: 'authenticate', body: { statement: new Uint8Array(), signature: '', clientNonce, token: account.token } });
    const answer = await Promise.race([member.next('welcome'), member.next('error'), member.closed]);
    if (typeof answer === 'number') throw new CutOff(answer);
    if (answer.type === 'error') {
      socket.terminate();
      throw new Error(`not signed in: ${JSON.stringify(answer)}`);
    }
    return member;
  }

  send(frame: Frame): void {
    // What nobody will get is lost, as on any socket.
    this.#socket.send(encodeFrame(frame), () => undefined);
  }

  /** Sends REQUEST_REED under a new id. */
  request(reedId: ReedId, requestId: RequestId = makeRequestId(this.userId, uuid())): RequestId {
    this.requests.push(requestId);
    this.send({ id: '', type: 'requestReed', body: { requestId, reedId, authorId: userOf(reedId) } });
    return requestId;
  }

  /** Sends REQUEST_THREAD under a new id. */
  requestThread(threadId: ReedId): RequestId {
    const requestId = makeRequestId(this.userId, uuid());
    this.send({ id: '', type: 'requestThread', body: { requestId, threadId } });
    return requestId;
  }

  cancel(requestId: RequestId): void {
    this.send({ id: '', type: 'cancelRequest', body: { requestId } });
  }

  /** Asks to be caught up, under a new id. */
  sync(): void {
    this.send({ id: '', type: 'syncRequest', body: { requestId: makeRequestId(this.userId, uuid()) } });
  }

  /** Resolves when the server has received everything sent before; it need not have taken effect. */
  async ping(): Promise<void> {
    const pongs = this.#pongs + 1;
    this.send({ id: '', type: 'ping', body: {} });
    while (this.#pongs < pongs) await new Promise<void>((resolve) => this.#pongWaiters.push(resolve));
  }

  /** The first frame of a type that matches, whether it came already or comes yet. */
  next<T extends FrameType>(type: T, matches: (frame: FrameOf<T>) => boolean = () => true): Promise<FrameOf<T>> {
    const wanted = (frame: Frame): boolean => frame.type === type && matches(frame as FrameOf<T>);
    const known = this.frames.find(wanted);
    if (known) return Promise.resolve(known as FrameOf<T>);
    return new Promise((resolve) => this.#waiters.add({ matches: wanted, resolve: (frame) => resolve(frame as FrameOf<T>) }));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Closes the socket; resolves with the code when it is closed. */
  leave(): Promise<number> {
    this.#socket.close();
    return this.closed;
  }

  /** Cuts the connection without a word. */
  vanish(): Promise<number> {
    this.#socket.terminate();
    return this.closed;
  }

  /** Stops or resumes reading. */
  reading(on: boolean): void {
    if (on) this.#socket.resume();
    else this.#socket.pause();
  }

  /** Answers everything it was asked for. @returns how much that was */
  answerAll(): number {
    const asked = [...this.asked];
    for (const [id, attempt] of asked) this.answer(id, attempt);
    return asked.length;
  }

  answer(id: string, attempt: number, ciphertext: Uint8Array = this.#ciphertext): void {
    this.asked.delete(id);
    this.send({ id, type: 'relayResponse', body: { ciphertext, attempt } });
  }

  #receive(data: Buffer): void {
    const decoded = decodeFrame(data, DEFAULT_LIMITS);
    if (!decoded.ok) throw new Error(`the server sent what can't be read: ${decoded.reason}`);
    const frame = decoded.value;
    if (frame.type === 'ping') return this.send({ id: '', type: 'pong', body: {} });
    // One that answers a ping with an id is waited for as a frame.
    if (frame.type === 'pong' && frame.id === '') {
      this.#pongs += 1;
      for (const resolve of this.#pongWaiters.splice(0)) resolve();
      return;
    }
    this.frames.push(frame);
    this.#react(frame);
    for (const waiter of this.#waiters) {
      if (!waiter.matches(frame)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(frame);
    }
  }

  #react(frame: Frame): void {
    const { answer, acknowledge } = this.behaviour;
    if (frame.type === 'relayRequest' || frame.type === 'relayThread') {
      const { attempt } = frame.body;
      this.asked.set(frame.id, attempt);
      if (answer !== 'nothing' && answer !== 'bytes') this.asked.delete(frame.id);
      if (answer === 'bytes') this.answer(frame.id, attempt);
      if (answer === 'miss') this.send({ id: frame.id, type: 'relayMiss', body: { attempt, missingReedId: '' } });
      if (answer === 'error') this.send({ id: frame.id, type: 'relayError', body: { attempt, reason: 'FAILED' } });
      if (answer === 'busy') this.send({ id: frame.id, type: 'relayError', body: { attempt, reason: 'BUSY' } });
    }
    if ([...DELIVERY_TYPES, 'reedRemoved', 'threadRemoved'].includes(frame.type) && frame.id !== '') {
      if (acknowledge === 'ack') this.send({ id: frame.id, type: 'dataAck', body: {} });
      if (acknowledge === 'invalid') this.send({ id: frame.id, type: 'dataInvalid', body: { reason: 'BAD_SIGNATURE' } });
    }
  }
}
