// The rows of peerings: read, locked, moved on by peering-state.ts together with what is owed to the peer from then on.
import { sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { Executor } from '../identity/executor.ts';
import type { Actor } from '../identity/second-admin.ts';
import type { ServerDocument } from '../identity/server-identity.ts';
import type { ServerId } from '../wire/address.ts';
import type { NoticeKind } from '../wire/peering.ts';
import { type PeeringEvent, type PeerState, type Standing, step } from './peering-state.ts';
import { beginShare, endShare } from './stream-share.ts';

export type PeerRow = {
  readonly server: ServerId;
  readonly state: PeerState;
  readonly name: string;
  /** Null until the server has shown its document. */
  readonly baseUrl: string | null;
  readonly begunBy: Actor;
  readonly begunAt: Date;
  readonly approvedBy: Actor | null;
  readonly approvedAt: Date | null;
  readonly approvedThereAt: Date | null;
  readonly compromisedAt: Date | null;
  readonly away: boolean;
  readonly epoch: string | null;
  readonly failures: number;
  readonly retryAt: Date | null;
  /** Of the last call that failed: a reason of transport, or the code of a refusal. */
  readonly lastFault: string | null;
  readonly lastFaultAt: Date | null;
  readonly document: ServerDocument | null;
  /** Waits for an admin, since a key was compromised. */
  readonly candidate: ServerDocument | null;
};

export const PEER_COLUMNS = `p.server_id as server, p.state, s.name, p.base_url as "baseUrl", p.begun_by as "begunBy", p.begun_at as "begunAt",
  p.approved_by as "approvedBy", p.approved_at as "approvedAt", p.approved_there_at as "approvedThereAt", p.compromised_at as "compromisedAt",
  p.away, p.epoch, p.failures, p.retry_at as "retryAt", p.last_fault as "lastFault",
  p.last_fault_at as "lastFaultAt", s.document, p.candidate`;

/** What happened, to whom, and who did it where one of our admins did. */
export type Move = { readonly server: ServerId; readonly event: PeeringEvent; readonly by: Actor | null; readonly at: Date };
/** `isChange`: the peering stands otherwise than before, or has begun anew. */
export type Moved = { readonly before: PeerState | null; readonly after: PeerState; readonly isChange: boolean };

export async function lockPeer(tx: Executor, server: ServerId): Promise<PeerRow | null> {
  const { rows } = await sql<PeerRow>`
    select ${sql.raw(PEER_COLUMNS)} from peers p join servers s on s.id = p.server_id where p.server_id = ${server} for update of p`.execute(
    tx,
  );
  return rows[0] ?? null;
}

const standingOf = ({ state, approvedAt, approvedThereAt }: PeerRow): Standing => ({
  state,
  here: approvedAt !== null,
  there: approvedThereAt !== null,
});

/** Takes a step of a peering, in the caller's transaction; `not-now` changes nothing. */
export async function movePeer(tx: Executor, row: PeerRow | null, move: Move): Promise<Result<Moved, 'not-now'>> {
  const { server, event, by, at } = move;
  const now = row === null ? null : standingOf(row);
  const taken = step(now, event);
  if (!taken.ok) return fail('not-now', taken.detail);
  const { next, tell, forget } = taken.value;
  const isAnew = row === null || row.state === 'revoked';
  // A server that we invited invites us: who pasted its string began this then.
  const begins = event === 'invite' || (event === 'connect' && (isAnew || (row.state === 'invited' && by !== null)));
  if (begins) await begin(tx, move, next.state);
  else {
    await sql`
      update peers set state = ${next.state},
        approved_at = case when ${next.here} then coalesce(approved_at, ${at}) end,
        approved_by = case when ${next.here} then coalesce(approved_by, ${by}) end,
        approved_there_at = case when ${next.there} then coalesce(approved_there_at, ${at}) end
      where server_id = ${server}`.execute(tx);
  }
  if (next.state === 'live') await beginShare(tx, server);
  if (next.state === 'revoked') await endShare(tx, server);
  await forgetNotices(tx, server, forget);
  await oweNotices(tx, [server], { kinds: tell, at });
  const isChange = begins || now?.state !== next.state || now.here !== next.here || now.there !== next.there;
  return ok({ before: now?.state ?? null, after: next.state, isChange });
}

async function begin(tx: Executor, { server, by, at }: Move, state: PeerState): Promise<void> {
  await sql`
    insert into peers (server_id, state, begun_by, begun_at) values (${server}, ${state}, ${by ?? 'operator'}, ${at})
    on conflict (server_id) do update set state = excluded.state, begun_by = excluded.begun_by, begun_at = excluded.begun_at, approved_by = null,
      approved_at = null, approved_there_at = null, compromised_at = null, candidate = null, away = false, epoch = null, failures = 0,
      retry_at = null, sated_until = null, last_fault = null, last_fault_at = null`.execute(tx);
}

/** @throws AppError CONFLICT, in words for an admin */
export async function requireMove(tx: Executor, row: PeerRow | null, move: Move): Promise<Moved> {
  const moved = await movePeer(tx, row, move);
  if (!moved.ok) {
    if (moved.detail === 'none') throw new AppError('NOT_FOUND', 'there is no peering with that server');
    throw new AppError('CONFLICT', `not now: the peering is ${moved.detail}`);
  }
  return moved.value;
}

async function forgetNotices(tx: Executor, server: ServerId, kinds: readonly NoticeKind[]): Promise<void> {
  if (kinds.length > 0) await sql`delete from owed_peer_notices where server_id = ${server} and kind = any(${[...kinds]})`.execute(tx);
}

type Owed = { readonly kinds: readonly NoticeKind[]; readonly at: Date; readonly revocation?: object };

/** Owes notices from `at` on; one that was owed already is owed anew. */
export async function oweNotices(tx: Executor, servers: readonly ServerId[], { kinds, at, revocation }: Owed): Promise<void> {
  if (kinds.length === 0 || servers.length === 0) return;
  await sql`
    insert into owed_peer_notices (server_id, kind, revocation, due_at)
    select server, kind, ${revocation === undefined ? null : JSON.stringify(revocation)}::jsonb, ${at}
    from unnest(${[...servers].sort()}::text[]) server, unnest(${[...kinds].sort()}::text[]) kind
    on conflict (server_id, kind) do update set version = owed_peer_notices.version + 1, revocation = excluded.revocation, failures = 0,
      due_at = excluded.due_at`.execute(tx);
}

/** Peerings that have begun and not ended. */
export async function goingPeers(tx: Executor): Promise<ServerId[]> {
  const { rows } = await sql<{ server: ServerId }>`
    select server_id as server from peers where state in ('pending', 'approved-by-us', 'live', 'suspended') order by 1`.execute(tx);
  return rows.map(({ server }) => server);
}

/** The peer is there again: what it is owed goes out now. */
export async function hastenNotices(tx: Executor, server: ServerId, at: Date): Promise<void> {
  await sql`update owed_peer_notices set due_at = ${at}, failures = 0 where server_id = ${server} and due_at > ${at}`.execute(tx);
}
