// What peers tell each other about themselves: that they approved, go, are back, have ended the peering, or that a key of theirs is in other hands.
// Taken from peers in every state, and each may come twice.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { Executor } from '../identity/executor.ts';
import type { ServerId } from '../wire/address.ts';
import { decodeNotice, type NoticeBody } from '../wire/peering.ts';
import type { Documents } from './documents.ts';
import type { Leg } from './legs.ts';
import { PeerReturns } from './peer-returns.ts';
import { hastenNotices, lockPeer, movePeer, type PeerRow } from './peer-rows.ts';

/** live: both have approved · ended: revoked, suspended or asked again · away, back: word of the peer itself · epoch: its ledger was emptied */
export type PeerChange = 'live' | 'ended' | 'away' | 'back' | 'epoch';
/** Told after the commit, once or more often; everything that follows has to be found in the rows as well. */
export type OnPeerChange = (server: ServerId, change: PeerChange) => void;

export type NoticesDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly onChange: OnPeerChange;
};

export function noticeLeg(deps: NoticesDeps): Leg {
  const returns = new PeerReturns(deps);
  return {
    limitBytes: deps.limits.noticeBytes,
    beforeLive: true,
    handle: async (peer, bytes) => {
      const notice = decodeNotice(bytes);
      if (!notice.ok) throw new AppError('BAD_REQUEST', `notice: ${notice.detail}`);
      if (notice.value.kind === 'back' && notice.value.document !== undefined && idIn(notice.value.document) !== peer)
        throw new AppError('FORBIDDEN', 'document: of another server');
      const isFresh = notice.value.kind === 'back' && returns.take(peer);
      if (isFresh && notice.value.document !== undefined) await deps.documents.shown(peer, notice.value.document);
      const changes = await deps.db.transaction((tx) => take(tx, deps, { peer, notice: notice.value, isFresh }));
      for (const change of changes) deps.onChange(peer, change);
      return { status: 204 };
    },
  };
}

/** Of which server a document says that it is, before anything of it is proven. */
const idIn = (document: unknown): unknown => (document as { readonly statement?: { readonly id?: unknown } } | null)?.statement?.id;

/** isFresh: the peer has not said so again and again just now. */
type Given = { readonly peer: ServerId; readonly notice: NoticeBody; readonly isFresh: boolean };

async function take(tx: Executor, deps: NoticesDeps, { peer, notice, isFresh }: Given): Promise<PeerChange[]> {
  const at = new Date(deps.clock.now());
  const row = await lockPeer(tx, peer);
  if (row === null) throw new AppError('NOT_FOUND', 'this is no peering');
  switch (notice.kind) {
    case 'approved':
      return moved(tx, row, { event: 'approved-there', at });
    case 'disconnected':
      return moved(tx, row, { event: 'disconnected-there', at });
    case 'going-away':
      await sql`update peers set away = true where server_id = ${peer}`.execute(tx);
      return ['away'];
    case 'back':
      await sql`update peers set away = false, failures = 0, retry_at = null where server_id = ${peer}`.execute(tx);
      if (isFresh) await hastenNotices(tx, peer, at);
      return ['back'];
    case 'compromised':
      if (!(await deps.documents.revoke(tx, { server: peer, revocation: notice.revocation, at })))
        throw new AppError('INVALID', 'revocation: not of a key of yours');
      return ['ended'];
  }
}

async function moved(
  tx: Executor,
  row: PeerRow,
  { event, at }: { event: 'approved-there' | 'disconnected-there'; at: Date },
): Promise<PeerChange[]> {
  const taken = await movePeer(tx, row, { server: row.server, event, by: null, at });
  if (!taken.ok || taken.value.before === taken.value.after) return [];
  if (taken.value.after === 'live') return ['live'];
  return taken.value.after === 'revoked' ? ['ended'] : [];
}
