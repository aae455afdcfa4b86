// Once a day, and after either side came back from a backup, two servers compare how far each author's stream has come. Home and receiver may both
// ask: whoever is behind is sent again what it lacks. A leg, and the round that calls it.
import { jittered } from '../base/backoff.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import { parseUserId, type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { decodePositions, encodePositions, type Position } from '../wire/streams.ts';
import type { Leg, LegAnswer, PeerCalls, PeerStates } from './stream-ports.ts';
import type { StreamTable } from './stream-table.ts';

export type PositionsDeps = {
  readonly db: Database;
  readonly limits: Limits;
  readonly home: ServerId;
  readonly table: StreamTable;
  readonly calls: PeerCalls;
  readonly peers: PeerStates;
  readonly clock: Clock;
  readonly log: { warn(details: object, message: string): void };
  /** 0 ≤ x < 1 */
  readonly random: () => number;
  /** What these say is to be sent to this peer again. */
  readonly behind: (peer: ServerId, authors: readonly UserId[]) => void;
};

type Placed = { readonly author: UserId; readonly number: number };

const OK = 200;

export class Positions implements Leg {
  readonly limitBytes: number;
  readonly #deps: PositionsDeps;
  #timer: Timer | null = null;
  #stopped = false;
  #comparing = 0;

  constructor(deps: PositionsDeps) {
    this.#deps = deps;
    this.limitBytes = deps.limits.streamBytes;
  }

  get idle(): boolean {
    return this.#comparing === 0;
  }

  /** Compares with everybody soon, for this may be a start from a backup, and then once a day. */
  start(): void {
    this.#tick(this.#deps.limits.streamEveryMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #tick(afterMs: number): void {
    if (this.#stopped) return;
    const { clock, limits, peers, random } = this.#deps;
    this.#timer = clock.after(jittered(afterMs, random), () => {
      this.#tick(limits.positionsEveryMs);
      // Each for itself: one that does not answer keeps nobody waiting.
      this.#run(async () => {
        for (const peer of await peers.near()) this.peerBack(peer);
      });
    });
  }

  /** The peer may have come back from a backup. */
  peerBack(peer: ServerId): void {
    this.#run(async () => void (await this.compare(peer)));
  }

  #run(task: () => Promise<void>): void {
    this.#comparing += 1;
    task()
      .catch((error) => this.#deps.log.warn({ err: error }, 'streams could not be compared; they are tomorrow'))
      .finally(() => {
        this.#comparing -= 1;
      });
  }

  /** Answers where it differs. Of the caller's people: what was taken here. Of ours: what the caller has, which is where we go on. */
  async handle(peer: ServerId, body: Uint8Array): Promise<LegAnswer> {
    const { home } = this.#deps;
    const placed = this.#read(peer, body);
    const theirs = placed.filter(({ author }) => serverOf(author) === peer);
    const ours = placed.filter(({ author }) => serverOf(author) === home);
    const differ = [...(await this.#received(theirs)), ...(await this.#sent(peer, ours))];
    return { status: OK, body: encodePositions(differ) };
  }

  #read(peer: ServerId, body: Uint8Array): Placed[] {
    const { home, limits } = this.#deps;
    const read = decodePositions(body);
    if (!read.ok || read.value.length > limits.positionsPerCall)
      throw new AppError('BAD_REQUEST', `no list of at most ${limits.positionsPerCall} positions`);
    return read.value.map(({ authorId, number }) => {
      const author = parseUserId(authorId);
      if (author === null) throw new AppError('BAD_REQUEST', 'author_id is no user id');
      if (serverOf(author) !== peer && serverOf(author) !== home) throw new AppError('FORBIDDEN', 'author_id is of a third server');
      return { author, number };
    });
  }

  async #received(placed: readonly Placed[]): Promise<Position[]> {
    const rows = await this.#deps.db.query<Placed>({
      name: 'positions_received',
      text: `select i.author, coalesce(r.number, 0)::float8 as number from unnest($1::text[], $2::bigint[]) as i(author, number)
        left join received_streams r on r.author_id = i.author where coalesce(r.number, 0) <> i.number`,
      values: [placed.map(({ author }) => author), placed.map(({ number }) => number)],
    });
    return rows.map(({ author, number }) => ({ authorId: author, number }));
  }

  async #sent(peer: ServerId, placed: readonly Placed[]): Promise<Position[]> {
    const { db } = this.#deps;
    const rows = await db.query<Placed>({
      name: 'positions_sent',
      text: `select i.author, c.cursor::float8 as number from unnest($2::text[], $3::bigint[]) as i(author, number)
        join peer_cursors c on c.server_id = $1 and c.author_id = i.author where c.cursor <> greatest(i.number, c.start)`,
      values: [peer, placed.map(({ author }) => author), placed.map(({ number }) => number)],
    });
    const said = new Map(placed.map(({ author, number }) => [author, number]));
    await this.#goBack(
      peer,
      rows.map(({ author }) => ({ author, number: said.get(author) ?? 0 })),
    );
    return rows.map(({ author, number }) => ({ authorId: author, number }));
  }

  async #goBack(peer: ServerId, placed: readonly Placed[]): Promise<void> {
    const { behind, table } = this.#deps;
    // Who says that it has more, or what it had from the start, lacks nothing.
    const moved = placed.length > 0 ? await table.reposition(peer, placed) : [];
    if (moved.length > 0) behind(peer, moved);
  }

  /** Compares everything that is ours with a peer. @returns false if it could not be asked */
  async compare(peer: ServerId): Promise<boolean> {
    const { calls, limits, table } = this.#deps;
    for (let after = ''; ; ) {
      const places = await table.places(peer, { after, limit: limits.positionsPerCall });
      if (places.length === 0) return true;
      const said = places.map(({ author, cursor }) => ({ authorId: author, number: cursor }));
      const called = await calls.call(peer, 'positions', encodePositions(said));
      if (called.kind !== 'answer' || called.status !== OK) return false;
      const differ = decodePositions(called.body);
      if (!differ.ok) return false;
      const asked = new Set<string>(places.map(({ author }) => author));
      await this.#goBack(
        peer,
        differ.value.flatMap(({ authorId, number }) => (asked.has(authorId) ? [{ author: authorId as UserId, number }] : [])),
      );
      if (places.length < limits.positionsPerCall) return true;
      after = places.at(-1)?.author ?? '';
    }
  }
}
