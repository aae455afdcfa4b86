// One server with many peers: how many signed requests it answers, and whether peers that don't answer, or are owed much, cost those that do anything.
// The peers are one process and stand in the server's tables as if they had been approved.
import { randomBytes } from 'node:crypto';
import { OffsetClock, pause } from '../../src/base/clock.ts';
import { contentDigest } from '../../src/federation/digest.ts';
import { isSignedRequest, signRequest } from '../../src/federation/signature.ts';
import { NONCE_BYTES, readRequestForm } from '../../src/federation/signature-form.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { LightMember } from '../support/light-member.ts';
import { makeServerKeys } from '../support/transport-keys.ts';
import type { Child } from './calls.ts';
import { sharedNow } from './load.ts';
import type { FakePeer, PeersApi } from './peers-child.ts';
import type { Server, Stage } from './stage.ts';
import { percentile } from './statistics.ts';

export type ManySizes = {
  readonly good: number;
  readonly holes: number;
  /** For how long there are publications at even distances. */
  readonly forMs: number;
  /** The same while who does not answer is still being found out. */
  readonly newHolesMs: number;
  /** Written at once, for the throughput. */
  readonly burst: number;
  readonly owed: number;
  readonly requests: number;
  readonly inProcessMs: number;
  /** How long a call may take, in which a black hole is found out. */
  readonly peerCallMs: number;
};

export type Verified = { readonly inProcess: number; readonly overHttp: number; readonly cpuUs: number };
/** From a publication until a peer has its item; items a second at all peers together. */
export type Reach = { readonly p50Ms: number; readonly p99Ms: number; readonly perSecond: number };
export type ManyResult = {
  readonly good: number;
  readonly holes: number;
  readonly owed: number;
  /** Publications a second. */
  readonly perSecond: number;
  readonly alone: Reach;
  readonly besideOwed: Reach;
  /** While the first calls to the black holes are waited for, and once they count as silent. */
  readonly besideNewHoles: Reach;
  readonly besideHoles: Reach;
  /** More resident memory of the server than before it had any to owe to, or black holes. */
  readonly bytesMoreOwed: number;
  readonly bytesMoreHoles: number;
};

const clock = new OffsetClock();
const AUTHORS = 8;
/** Of what the server can do. */
const PACE = 0.3;
const LOOK_EVERY_MS = 50;
const LONGEST_MS = 60_000;
const CONNECTIONS = 8;
const BODY_BYTES = 1_024;
/** Peers are read anew every second. */
const SEEN_MS = 1_500;

const LINK = `
  with p as (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as p(id, kid, key, url)),
    s as (insert into servers (id, name, first_seen_at, document) select id, id, now(), jsonb_build_object('statement', jsonb_build_object(
      'transportKeys', jsonb_build_array(jsonb_build_object('kid', kid, 'publicKey', key)), 'webUrl', url)) from p returning id),
    w as (insert into owed_peer_notices (server_id, kind, due_at) select id, 'back', coalesce($6, now()) from s)
  insert into peers (server_id, state, base_url, begun_by, begun_at, share_begun, document_asked_at, failures, retry_at)
    select id, 'live', url, 'operator', now(), true, now(), $5, $6 from p`;

const link = async ({ community }: Server, peers: readonly FakePeer[], awayUntil: Date | null = null): Promise<void> => {
  const columns = [
    peers.map(({ id }) => id),
    peers.map(({ kid }) => kid),
    peers.map(({ publicKey }) => publicKey),
    peers.map(({ url }) => url),
  ];
  await community.rows(LINK, [...columns, awayUntil === null ? 0 : 9, awayUntil]);
  await pause(clock, SEEN_MS);
};

/** Verifies requests of one peer without a network or a database, as often as there is time. */
const inProcess = (forMs: number): number => {
  const keys = makeServerKeys();
  const [body, targetUri] = [randomBytes(BODY_BYTES), 'https://reeds.example/federation/v1/stream'];
  const fields = signRequest(keys.signer, { targetUri, body, now: Date.now(), lifeMs: 60_000, nonce: new Uint8Array(NONCE_BYTES) });
  const pairs = Object.entries(fields).flat();
  const from = performance.now();
  let count = 0;
  for (; performance.now() - from < forMs; count += 1) {
    const form = readRequestForm(pairs, 60_000);
    if (!form.ok || !isSignedRequest(form.value, targetUri, keys.keys) || contentDigest(body) !== form.value.digest)
      throw new Error('a good request was refused');
  }
  return (count / (performance.now() - from)) * 1_000;
};

export type Many = { readonly server: Server; readonly peers: Child<PeersApi>; readonly known: { good: FakePeer[]; holes: FakePeer[] } };

export const openMany = async (stage: Stage, { good, holes, peerCallMs }: ManySizes): Promise<Many> => {
  const limits = { peerCallMs, peerRequestsPerSecond: 1e6, peerRequestsAtOnce: 64, peerBytesPerMinute: 1e12 };
  const [server, peers] = await Promise.all([stage.server({ limits, config: { allowPrivatePeers: true } }), stage.peers()]);
  // One more, to be owed much.
  const known = await peers.call('open', { good, holes: holes + 1 });
  await link(server, known.good);
  return { server, peers, known };
};

export const measureVerified = async ({ server, peers, known }: Many, { requests, inProcessMs }: ManySizes): Promise<Verified> => {
  const from = known.good[0]?.id ?? '';
  const calling = { from, url: server.url, leg: 'positions', connections: CONNECTIONS };
  await peers.call('call', { ...calling, count: CONNECTIONS });
  const before = await server.child.call('used', undefined as never);
  const { taken, perSecond } = await peers.call('call', { ...calling, count: requests });
  const after = await server.child.call('used', undefined as never);
  if (taken !== requests) throw new Error(`${requests - taken} of ${requests} signed requests were refused`);
  const cpuMs = after.cpuMs + after.postgresCpuMs - before.cpuMs - before.postgresCpuMs;
  return { inProcess: inProcess(inProcessMs), overHttp: perSecond, cpuUs: (cpuMs * 1_000) / requests };
};

/** Authors who publish what was registered before, each thing a fact that every peer is owed. */
class Authors {
  readonly #many: Many;
  readonly #members: readonly LightMember[];
  readonly #left = new Map<string, ReedId[]>();
  readonly #publishedAt = new Map<string, number>();
  readonly #given = new Map<string, number>();
  readonly #samples: number[] = [];
  #turn = 0;
  #total = 0;

  private constructor(many: Many, members: readonly LightMember[]) {
    this.#many = many;
    this.#members = members;
  }

  static async join(many: Many): Promise<Authors> {
    const accounts = await many.server.community.accounts(AUTHORS);
    return new Authors(many, await Promise.all(accounts.map((account) => LightMember.connect(many.server.url, account))));
  }

  async register(count: number): Promise<void> {
    const { community } = this.#many.server;
    for (const { userId } of this.#members) {
      const some = Array.from({ length: Math.ceil(count / AUTHORS) }, () => community.registered(userId));
      this.#left.set(userId, [...(this.#left.get(userId) ?? []), ...(await Promise.all(some))]);
    }
  }

  publish(): void {
    const member = this.#members[this.#turn++ % AUTHORS] as LightMember;
    const reedId = this.#left.get(member.userId)?.pop();
    if (reedId === undefined) throw new Error('nothing is left to be published');
    const number = (this.#given.get(member.userId) ?? 0) + 1;
    this.#given.set(member.userId, number);
    this.#publishedAt.set(`${member.userId} ${number}`, sharedNow());
    this.#total += 1;
    member.send({ id: '', type: 'publishReady', body: { reedId } });
  }

  /** Resolves when every good peer has everything. @returns how long each item took, and when the last came */
  async reached(): Promise<{ readonly samples: readonly number[]; readonly lastAtMs: number }> {
    const wanted = this.#total * this.#many.known.good.length;
    const end = performance.now() + LONGEST_MS;
    let lastAtMs = 0;
    while (this.#samples.length < wanted) {
      for (const { author, number, atMs } of await this.#many.peers.call('arrivals', undefined as never)) {
        const from = this.#publishedAt.get(`${author} ${number}`);
        if (from === undefined) continue;
        this.#samples.push(atMs - from);
        lastAtMs = Math.max(lastAtMs, atMs);
      }
      if (performance.now() > end) throw new Error(`${wanted - this.#samples.length} of ${wanted} items did not reach their peers`);
      await pause(clock, LOOK_EVERY_MS);
    }
    this.#total = 0;
    return { samples: this.#samples.splice(0), lastAtMs };
  }

  close(): Promise<unknown> {
    return Promise.all(this.#members.map((member) => member.vanish()));
  }
}

type Pace = Pick<ManySizes, 'forMs' | 'burst'> & {
  /** Publications a second. */
  readonly perSecond: number;
};

/** Publications at even distances, then many at once. */
const reach = async (many: Many, authors: Authors, { perSecond, forMs, burst }: Pace): Promise<Reach> => {
  await authors.register(Math.ceil((perSecond * forMs) / 1_000) + burst + AUTHORS);
  const from = sharedNow();
  for (let next = from; next < from + forMs; next += 1_000 / perSecond) {
    if (next > sharedNow()) await pause(clock, next - sharedNow());
    authors.publish();
  }
  const { samples } = await authors.reached();
  const burstAt = sharedNow();
  for (let count = 0; count < burst; count += 1) authors.publish();
  const { lastAtMs } = await authors.reached();
  return {
    ...{ p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) },
    perSecond: ((burst * many.known.good.length) / (lastAtMs - burstAt)) * 1_000,
  };
};

const OWE = `
  with f as (select $1 || '/' || gen_random_uuid() as id, n from generate_series(1, $2::int) n),
    i as (insert into reed_identities (id, server_id, author_id) select f.id, $3, $1 from f),
    r as (insert into reeds (id, author_id, statement_hash, registered_at, published_at) select f.id, $1, u.identity_hash, now(), now() from f, users u where u.id = $1),
    s as (insert into author_streams (author_id, last_number) values ($1, $2)),
    a as (insert into author_facts (author_id, number, kind, subject_id) select $1, n, 'reed', id from f)
  insert into peer_cursors (server_id, author_id, start, cursor, acked, sent)
    select p.server_id, $1, 0, $2, $2, $2 from peers p where p.server_id <> $4`;

/** So many facts of one author are owed to one peer, which does not answer; all others have them. */
const owe = async ({ server, known }: Many, count: number): Promise<void> => {
  const away = known.holes[0] as FakePeer;
  const [author] = await server.community.accounts(1);
  await link(server, [away], new Date(Date.now() + 3_600_000));
  await server.community.rows(OWE, [author?.userId, count, server.serverId, away.id]);
  for (const table of ['reeds', 'author_facts', 'peer_cursors', 'author_streams']) await server.community.rows(`vacuum analyze ${table}`);
};

const SILENT = 'select count(*)::int as left from peers where failures = 0 and server_id = any($1)';

const allSilent = async ({ server, known }: Many): Promise<void> => {
  const holes = known.holes.map(({ id }) => id);
  for (const end = performance.now() + LONGEST_MS; ; await pause(clock, LOOK_EVERY_MS)) {
    const [row] = await server.community.rows<{ left: number }>(SILENT, [holes]);
    if (row?.left === 0) return;
    if (performance.now() > end) throw new Error('black holes still count as peers that answer');
  }
};

export const measureMany = async (many: Many, sizes: ManySizes): Promise<ManyResult> => {
  const { server, known } = many;
  const { good, holes, owed, newHolesMs } = sizes;
  const rss = async (): Promise<number> => (await server.child.call('collected', undefined as never)).rssBytes;
  const authors = await Authors.join(many);
  // Connections are opened and plans made; then the pace is a part of what the server can do here and now.
  const trial = { perSecond: 1, forMs: 500, burst: Math.min(AUTHORS, sizes.burst) };
  await reach(many, authors, trial);
  const most = (await reach(many, authors, trial)).perSecond / good;
  const pace = { ...sizes, perSecond: most * PACE };
  const alone = await reach(many, authors, pace);
  const before = await rss();
  await owe(many, owed);
  const besideOwed = await reach(many, authors, pace);
  const bytesMoreOwed = (await rss()) - before;
  await link(server, known.holes.slice(1));
  // Until the first calls to them have run out of time.
  const besideNewHoles = await reach(many, authors, { ...pace, forMs: newHolesMs });
  await allSilent(many);
  const besideHoles = await reach(many, authors, pace);
  const bytesMoreHoles = (await rss()) - before;
  await authors.close();
  const reached = { alone, besideOwed, besideNewHoles, besideHoles };
  return { good, holes, owed, perSecond: pace.perSecond, ...reached, bytesMoreOwed, bytesMoreHoles };
};
