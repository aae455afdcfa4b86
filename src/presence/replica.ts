// This process among the replicas of the server: its row, its lease, and what dead replicas leave behind.
// Once that row has vanished, or the ledger was emptied, no presence of ours stands any more: that is told, and a new id is registered.

import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock, Timer } from '../base/clock.ts';
import type { RandomBytes } from '../base/ids.ts';
import { uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { UserId } from '../wire/address.ts';
import type { Departure } from './statements.ts';
import { connectionsOf } from './statements.ts';
import { emptyUnlogged, lockReplicas } from './unlogged.ts';

export type ReplicaDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Tells this process's lives apart from other replicas'; two replicas never share one. */
  readonly name: string;
  readonly limits: Limits;
  readonly log: Logger;
  /** Registered, at start and after every loss: reachable under `replicaId` from now on. */
  readonly onRegistered: (replicaId: string) => void;
  /** Row or epoch gone: every presence of this replica is. Close all sockets. */
  readonly onLost: () => void;
  /** Ends connections of a dead replica and returns the members whose presence ended: Presence.end. */
  readonly end: (items: readonly Departure[]) => Promise<UserId[]>;
  /** The presence of these members ended with their replica; committed. */
  readonly onLeft: (users: readonly UserId[]) => Promise<void>;
};

/** A lease of another replica, since when it has not changed, and how often it was looked at since. */
type Seen = { readonly lease: string; readonly since: number; readonly looks: number };

export class Replica {
  readonly #deps: ReplicaDeps;
  #id = '';
  #epoch = '';
  #refreshedAt = 0;
  #refreshes = 0;
  #seen = new Map<string, Seen>();
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: ReplicaDeps) {
    this.#deps = deps;
  }

  /** The id of the current registration; another one after every loss. */
  get id(): string {
    return this.#id;
  }

  /** Registers, having emptied the UNLOGGED tables if no other replica lives, and keeps the lease from then on. */
  async start(): Promise<void> {
    await this.#register();
    this.#schedule();
  }

  /** Gives the registration back; the last replica leaves nothing in the UNLOGGED tables. Sockets must be closed before. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
    await this.#deps.database.transaction(async (tx) => {
      await lockReplicas(tx);
      await sql`delete from replicas where id = ${this.#id}::uuid`.execute(tx);
      const { rows } = await sql`select from replicas where lease_until > clock_timestamp() limit 1`.execute(tx);
      if (rows.length === 0) await emptyUnlogged(tx);
    });
  }

  /** Told of the epoch that a new database connection found; another one than ours means that the ledger was emptied. */
  epochSeen(epoch: string): void {
    if (this.#id === '' || this.#stopped || epoch === this.#epoch) return;
    this.#enqueue(() => this.#refresh());
  }

  /** Of the ledger, as this replica last saw it; empty before it is registered. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Whether no other replica of this server holds a lease. */
  async isAlone(): Promise<boolean> {
    const others = await this.#deps.database.query({
      name: 'presence-others',
      text: 'select from replicas where id <> $1::uuid and lease_until > clock_timestamp() limit 1',
      values: [this.#id],
    });
    return others.length === 0;
  }

  /** Resolves when no refresh is running. */
  settle(): Promise<void> {
    return this.#running;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = this.#deps.clock.after(this.#deps.limits.replicaRefreshMs, () => {
      this.#enqueue(async () => {
        try {
          await this.#refresh();
          await this.#reap();
        } finally {
          this.#schedule();
        }
      });
    });
  }

  #enqueue(task: () => Promise<void>): void {
    this.#running = this.#running.then(task).catch((error: unknown) => {
      this.#refreshes = 0;
      this.#seen.clear();
      this.#deps.log.warn({ err: error }, 'the lease could not be kept');
    });
  }

  async #register(): Promise<void> {
    const { clock, database, limits, name, random } = this.#deps;
    const id = uuidv7(clock.now(), random);
    const candidate = uuidv7(clock.now(), random);
    const earlier = await database.transaction(async (tx) => {
      await lockReplicas(tx);
      const alive = await sql`
        select from replicas where lease_until > clock_timestamp() and name <> ${name} limit 1`.execute(tx);
      if (alive.rows.length === 0) await emptyUnlogged(tx);
      const { rows } = await sql<{ id: string }>`
        update replicas set lease_until = '-infinity' where name = ${name} returning id`.execute(tx);
      await sql`
        insert into replicas (id, name, lease_until)
        values (${id}::uuid, ${name}, clock_timestamp() + ${limits.replicaLeaseMs}::float8 * interval '1 millisecond')`.execute(tx);
      await sql`insert into ledger_epoch (epoch) values (${candidate}::uuid) on conflict do nothing`.execute(tx);
      const epoch = await sql<{ epoch: string }>`select epoch from ledger_epoch`.execute(tx);
      this.#epoch = epoch.rows[0]?.epoch ?? '';
      return rows.map((row) => row.id);
    });
    this.#id = id;
    this.#refreshedAt = clock.monotonicMs();
    this.#refreshes = 0;
    this.#deps.onRegistered(id);
    for (const dead of earlier) await this.#endReplica(dead);
  }

  async #refresh(): Promise<void> {
    const { clock, database, limits, log } = this.#deps;
    const rows = await database.query<{ epoch: string | null }>({
      name: 'presence-refresh',
      text: `update replicas set lease_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
        where id = $1::uuid and lease_until > '-infinity' returning (select epoch from ledger_epoch)`,
      values: [this.#id, limits.replicaLeaseMs],
    });
    if (rows[0]?.epoch !== this.#epoch) {
      log.warn('this replica is no longer registered: all presence is lost');
      this.#deps.onLost();
      await this.#register();
      return;
    }
    const now = clock.monotonicMs();
    this.#refreshes = now - this.#refreshedAt < limits.replicaLeaseMs ? this.#refreshes + 1 : 0;
    this.#refreshedAt = now;
  }

  /**
   * Ends what replicas left behind that no longer refresh their leases. Whether one does is seen by its lease's changing, over as long as a
   * lease lasts by our monotonic clock and as many looks as that is refreshes: no clock that is moved, the database's included, makes a
   * living replica look dead, nor does a database that stood still. A condemned one can't be refreshed or signed in to any more.
   */
  async #reap(): Promise<void> {
    const { clock, database, limits } = this.#deps;
    const others = await database.query<{ id: string; lease: string }>({
      name: 'presence-leases',
      text: 'select id, lease_until::text as lease from replicas where id <> $1::uuid order by id',
      values: [this.#id],
    });
    this.#see(others, clock.monotonicMs());
    const since = clock.monotonicMs() - limits.replicaLeaseMs;
    const dead = [...this.#seen].filter(([, seen]) => seen.since <= since && seen.looks > limits.replicaLeaseMs / limits.replicaRefreshMs);
    if (dead.length === 0) return;
    const condemned = await database.query<{ id: string }>({
      name: 'presence-condemn',
      text: `update replicas r set lease_until = '-infinity'
        where r.id in (
          select l.id from replicas l join unnest($1::uuid[], $2::text[]) as d(id, lease) on d.id = l.id and d.lease = l.lease_until::text
          order by l.id for update of l skip locked)
        returning r.id`,
      values: [dead.map(([id]) => id), dead.map(([, { lease }]) => lease)],
    });
    for (const { id } of condemned) await this.#endReplica(id);
  }

  #see(leases: readonly { readonly id: string; readonly lease: string }[], now: number): void {
    // After a stall of our own we don't know whose leases changed meanwhile.
    const known = this.#refreshes === 0 ? new Map<string, Seen>() : this.#seen;
    this.#seen = new Map(
      leases.map(({ id, lease }) => {
        const before = known.get(id);
        return [id, before?.lease === lease ? { ...before, looks: before.looks + 1 } : { lease, since: now, looks: 1 }];
      }),
    );
  }

  async #endReplica(id: string): Promise<void> {
    const { database, end, limits, onLeft } = this.#deps;
    for (;;) {
      const page = await database.query<Departure>(connectionsOf(id, limits.batchItems));
      if (page.length === 0) break;
      const left = await end(page);
      if (left.length > 0) await onLeft(left);
    }
    await database.query({ name: 'presence-forget', text: 'delete from replicas where id = $1::uuid', values: [id] });
  }
}
