// What peers watch here: one subscription of a peer's sentinel for each reed that somebody there looks at, and its counts told when they changed, at most
// once a second each, a few to one peer at a time. A peer that nobody there looks for says so and is told no more; one that can't be reached keeps its
// subscriptions. What was told last is memory: a replica that lost it tells once too often.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import { sentinelOf } from '../presence/sentinels.ts';
import type { Subscriptions } from '../presence/subscriptions.ts';
import { countsKey, type ReedCounting } from '../relay/counting.ts';
import { type ReedId, type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { decodeReedWatch, encodeReedCounts, type ReedCounts } from '../wire/legs.ts';
import type { Leg, LegAnswer, PeerCalls } from './stream-ports.ts';
import type { Tasks } from './tasks.ts';

export type PeerWatchersDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly home: ServerId;
  readonly calls: PeerCalls;
  readonly counting: Pick<ReedCounting, 'of'>;
  readonly subscriptions: Pick<Subscriptions, 'subscribe' | 'unsubscribe'>;
  readonly tasks: Tasks;
  readonly replicaId: () => string;
};

type Row = { readonly viewer: UserId; readonly reed: ReedId };
type Watching = { readonly peer: ServerId; readonly reed: ReedId };
type Told = { readonly key: string; readonly at: number };

const REQUEST_BYTES = 1_024;
const OK = 200;
const NO_CONTENT = 204;
const NOT_FOUND = 404;

/** Before the first: names of sentinels begin so, and nobody else's. */
const BEGIN: Row = { viewer: sentinelOf('' as ServerId), reed: '' as ReedId };

const nameOf = ({ peer, reed }: Watching): string => `${peer} ${reed}`;

export class PeerWatchers {
  readonly #deps: PeerWatchersDeps;
  readonly #told = new Map<string, Told>();
  /** Peers that are being told something. */
  readonly #telling = new Set<ServerId>();
  /** Where the next look goes on, and what this time round has shown so far. */
  #place = BEGIN;
  #seen = new Set<string>();

  constructor(deps: PeerWatchersDeps) {
    this.#deps = deps;
  }

  legs(): Readonly<Record<'subscribe-reed' | 'unsubscribe-reed', Leg>> {
    return {
      'subscribe-reed': { limitBytes: REQUEST_BYTES, handle: (peer, body) => this.#subscribe(peer, body) },
      'unsubscribe-reed': { limitBytes: REQUEST_BYTES, handle: (peer, body) => this.#unsubscribe(peer, body) },
    };
  }

  /** @throws AppError BAD_REQUEST, NOT_FOUND, TOO_MANY_OPEN, UNAVAILABLE */
  async #subscribe(peer: ServerId, body: Uint8Array): Promise<LegAnswer> {
    const { counting, limits, subscriptions } = this.#deps;
    const reed = this.#read(body);
    const [counts] = await counting.of([reed]);
    if (counts === undefined) throw new AppError('NOT_FOUND', 'there is no such reed');
    const outcome = await subscriptions.subscribe(sentinelOf(peer), { kind: 'reed', target: reed }, limits.peerSubscriptions);
    if (outcome === 'too-many') throw new AppError('TOO_MANY_OPEN', 'as many subscriptions as a peer may have');
    if (outcome === 'gone') throw new AppError('UNAVAILABLE', 'your presence here is not written yet', { retryAfterMs: 1_000 });
    this.#note({ peer, reed }, counts);
    return { status: OK, body: encodeReedCounts(counts) };
  }

  async #unsubscribe(peer: ServerId, body: Uint8Array): Promise<LegAnswer> {
    await this.#end({ peer, reed: this.#read(body) });
    return { status: NO_CONTENT };
  }

  #read(body: Uint8Array): ReedId {
    const reed = decodeReedWatch(body);
    if (!reed.ok) throw new AppError('BAD_REQUEST', 'the body can not be read');
    if (serverOf(reed.value) !== this.#deps.home) throw new AppError('NOT_FOUND', 'reed: of another server');
    return reed.value;
  }

  #note(watching: Watching, counts: ReedCounts): void {
    this.#told.set(nameOf(watching), { key: countsKey(counts), at: this.#deps.clock.now() });
  }

  async #end(watching: Watching): Promise<void> {
    this.#told.delete(nameOf(watching));
    await this.#deps.subscriptions.unsubscribe(sentinelOf(watching.peer), { kind: 'reed', target: watching.reed });
  }

  /** Tells what changed of so many subscriptions; the next round takes the next ones. */
  async round(): Promise<void> {
    const { counting, limits, tasks } = this.#deps;
    const page = await this.#page();
    const shown = new Map((await counting.of([...new Set(page.map(({ reed }) => reed))])).map((counts) => [counts.reedId, counts]));
    const changed = page.flatMap((watching) => {
      const counts = shown.get(watching.reed);
      return counts !== undefined && this.#told.get(nameOf(watching))?.key !== countsKey(counts) ? [{ ...watching, counts }] : [];
    });
    for (const [peer, of] of Map.groupBy(changed, (each) => each.peer)) {
      if (this.#telling.has(peer)) continue;
      this.#telling.add(peer);
      // Who waited longest comes first.
      const due = of.toSorted((a, b) => this.#toldAt(a) - this.#toldAt(b)).slice(0, limits.countsPerPeer);
      tasks.run(() => Promise.all(due.map((each) => this.#tell(each, each.counts))).finally(() => this.#telling.delete(peer)));
    }
  }

  #toldAt(watching: Watching): number {
    return this.#told.get(nameOf(watching))?.at ?? 0;
  }

  async #page(): Promise<readonly Watching[]> {
    const { db, limits, replicaId } = this.#deps;
    // By one replica, the first of all.
    const rows = await db.query<Row>({
      name: 'peer_watchers',
      text: `select v.viewer, v.target as reed from reed_subscriptions v
        where (v.viewer, v.target) > ($1, $2) and v.viewer < 'peerA' and $4 = (select min(id::text) from replicas)
        order by v.viewer, v.target limit $3`,
      values: [this.#place.viewer, this.#place.reed, limits.countsPerRound, replicaId()],
    });
    const page = rows.map(({ reed, viewer }) => ({ peer: serverOf(viewer), reed }));
    for (const watching of page) this.#seen.add(nameOf(watching));
    const last = rows.at(-1);
    if (rows.length === limits.countsPerRound && last !== undefined) {
      this.#place = last;
      return page;
    }
    // Once round: what nobody watches any more is forgotten.
    for (const name of this.#told.keys()) if (!this.#seen.has(name)) this.#told.delete(name);
    this.#place = BEGIN;
    this.#seen = new Set();
    return page;
  }

  async #tell(watching: Watching, counts: ReedCounts): Promise<void> {
    const called = await this.#deps.calls.call(watching.peer, 'reed-stats', encodeReedCounts(counts));
    if (called.kind !== 'answer') return;
    if (called.status === NOT_FOUND) await this.#end(watching);
    else if (called.status === OK || called.status === NO_CONTENT) this.#note(watching, counts);
  }
}
