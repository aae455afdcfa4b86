// Acts of our members towards somebody of another server are owed to that server until it has answered: for each pair the newest. Written in the
// act's transaction; sent by the federation.
import { sql } from 'kysely';
import { type ReedId, serverOf, type UserId } from '../wire/address.ts';
import type { Executor } from './executor.ts';

export type OwedAct = {
  /** follow for unfollow too, and so on: a newer act takes the place of an older one. */
  readonly family: 'follow' | 'like' | 'block';
  readonly user: UserId;
  readonly target: UserId | ReedId;
};

/** Owes the act to the home of its target, if that is a peer; ours, or a stranger's, is owed nothing. */
export async function oweLeg(tx: Executor, { family, target, user }: OwedAct, of: { hash: Buffer; seq: number; at: Date }): Promise<void> {
  await sql`
    insert into owed_legs as o (server_id, leg, user_id, target, statement_hash, seq, due_at)
    select p.server_id, ${family}, ${user}, ${target}, ${of.hash}, ${of.seq}::bigint, ${of.at} from peers p
    where p.server_id = ${serverOf(target)} and p.state in ('live', 'suspended')
    on conflict (server_id, leg, user_id, target) do update
      set statement_hash = excluded.statement_hash, seq = excluded.seq, failures = 0, due_at = excluded.due_at where o.seq < excluded.seq`.execute(
    tx,
  );
}

/** Whether people of this server can be followed or blocked: it is a peer now. */
export async function isLivePeer(tx: Executor, of: UserId | ReedId): Promise<boolean> {
  const { rows } = await sql`select from live_peers where server_id = ${serverOf(of)}`.execute(tx);
  return rows.length > 0;
}
