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

export class Replica {
  readonly #deps: ReplicaDeps;
  #id = '';
  #epoch = '';
  #refreshedAt = 0;
  #refreshes = 0;
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
      const { rows } = await sql`
        select from replicas where lease_until > ${new Date(this.#deps.clock.now())} limit 1`.execute(tx);
      if (rows.length === 0) await emptyUnlogged(tx);
    });
  }

  /** Told of the epoch that a new database connection found; another one than ours means that the ledger was emptied. */
  epochSeen(epoch: string): void {
    if (this.#id === '' || this.#stopped || epoch === this.#epoch) return;
    this.#enqueue(() => this.#refresh());
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
          if (this.#refreshes >= 2) await this.#reap();
        } finally {
          this.#schedule();
        }
      });
    });
  }

  #enqueue(task: () => Promise<void>): void {
    this.#running = this.#running.then(task).catch((error: unknown) => {
      this.#refreshes = 0;
      this.#deps.log.warn({ err: error }, 'the lease could not be kept');
    });
  }

  async #register(): Promise<void> {
    const { clock, database, limits, name, random } = this.#deps;
    const id = uuidv7(clock.now(), random);
    const candidate = uuidv7(clock.now(), random);
    const earlier = await database.transaction(async (tx) => {
      await lockReplicas(tx);
      const now = clock.now();
      const alive = await sql`
        select from replicas where lease_until > ${new Date(now)} and name <> ${name} limit 1`.execute(tx);
      if (alive.rows.length === 0) await emptyUnlogged(tx);
      const { rows } = await sql<{ id: string }>`
        update replicas set lease_until = '-infinity' where name = ${name} returning id`.execute(tx);
      await sql`
        insert into replicas (id, name, lease_until)
        values (${id}::uuid, ${name}, ${new Date(now + limits.replicaLeaseMs)})`.execute(tx);
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
      text: `update replicas set lease_until = $2 where id = $1::uuid and lease_until > '-infinity'
        returning (select epoch from ledger_epoch)`,
      values: [this.#id, new Date(clock.now() + limits.replicaLeaseMs)],
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

  /** Ends what replicas left behind whose lease is over. A condemned one can't be refreshed or signed in to any more. */
  async #reap(): Promise<void> {
    const condemned = await this.#deps.database.query<{ id: string }>({
      name: 'presence-condemn',
      text: `update replicas r set lease_until = '-infinity'
        where r.id in (select id from replicas where lease_until < $2 and id <> $1::uuid order by id for update skip locked)
        returning r.id`,
      values: [this.#id, new Date(this.#deps.clock.now())],
    });
    for (const { id } of condemned) await this.#endReplica(id);
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
