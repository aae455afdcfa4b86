// The leg `connect`: a server that was invited shows its document and the secret. Whoever does not know the secret learns nothing; it opens
// one peering, for the server that it was made for, and that server may repeat itself.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { sha256 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { AcceptedDocument } from '../crypto/server-document.ts';
import type { Database } from '../db/pool.ts';
import type { ServerIdentity } from '../identity/server-identity.ts';
import { parseServerId, type ServerId, type ServerKeyId } from '../wire/address.ts';
import { decodeConnect, encodeConnected } from '../wire/peering.ts';
import type { Documents } from './documents.ts';
import type { Introduced, Introduction } from './legs.ts';
import { lockPeer, requireMove } from './peer-rows.ts';

export type ConnectDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly server: ServerIdentity;
  readonly documents: Documents;
};

type InvitationRow = { id: string; server: ServerId; key: ServerKeyId; used: boolean; used_by: ServerId | null };

const BARE: Pick<Introduced, 'keys'> = { keys: new Map() };

export function connectIntroduction(deps: ConnectDeps): Introduction {
  return {
    limitBytes: deps.limits.connectBytes,
    introduce: async (body) => {
      const asked = decodeConnect(body);
      if (!asked.ok) return null;
      const hash = Buffer.from(await sha256(new Uint8Array(asked.value.secret)));
      if ((await findInvitation(deps, hash)) === null) return null;
      const claimed = claimedServer(asked.value.document);
      const document = claimed === null ? null : await deps.documents.verify(asked.value.document, claimed);
      // Nobody has signed for a document that does not hold: the transport says so.
      if (document === null)
        return { ...BARE, server: claimed ?? ('' as ServerId), handle: () => Promise.reject(new Error('never signed')) };
      const { id, transportKeys } = document.signed.statement;
      const keys = new Map(transportKeys.map(({ kid, publicKey }) => [kid, publicKey]));
      return { server: id, keys, handle: () => connect(deps, hash, document) };
    },
  };
}

function claimedServer(document: unknown): ServerId | null {
  const id = (document as { readonly statement?: { readonly id?: unknown } } | null)?.statement?.id;
  return typeof id === 'string' ? parseServerId(id) : null;
}

const FIND = `select id, server_id as server, key_id as key, used_at is not null as used, used_by from peer_invitations
  where secret_hash = $1 and expires_at > $2`;

async function findInvitation({ db, clock }: ConnectDeps, hash: Buffer): Promise<InvitationRow | null> {
  const [row] = await db.query<InvitationRow>({ name: 'peer-invitation', text: FIND, values: [hash, new Date(clock.now())] });
  return row ?? null;
}

async function connect(deps: ConnectDeps, hash: Buffer, document: AcceptedDocument) {
  const { db, clock, server, documents } = deps;
  const { id, baseUrl } = document.signed.statement;
  const vetted = documents.vet(baseUrl);
  await db.transaction(async (tx) => {
    const at = new Date(clock.now());
    const found = await sql<InvitationRow>`
      select id, server_id as server, key_id as key, used_at is not null as used, used_by from peer_invitations
      where secret_hash = ${hash} and expires_at > ${at}`.execute(tx);
    // In the order in which everybody else takes these locks: first the peering, then what belongs to it.
    const row = found.rows[0] === undefined ? null : await lockPeer(tx, found.rows[0].server);
    const { rows } = await sql<InvitationRow>`
      select id, server_id as server, key_id as key, used_at is not null as used, used_by from peer_invitations
      where secret_hash = ${hash} and expires_at > ${at} for update`.execute(tx);
    const [invitation] = rows;
    if (invitation === undefined || row === null) throw new AppError('NOT_FOUND', 'there is no such invitation');
    requireSameServer(invitation, { id, isRevoked: row.state === 'revoked' });
    if (!document.serverKeys.some((key) => key.id === invitation.key))
      throw new AppError('FORBIDDEN', 'the invitation was made for another key');
    if (!vetted.ok) throw new AppError('BAD_REQUEST', `baseUrl: ${vetted.detail}`);
    if (!(await documents.meet(tx, document, invitation.key))) throw new AppError('CONFLICT', 'a newer document of yours was seen before');
    await requireMove(tx, row, { server: id, event: 'connect', by: null, at });
    await sql`update peer_invitations set used_at = coalesce(used_at, ${at}), used_by = ${id} where id = ${invitation.id}`.execute(tx);
  });
  return { status: 200, body: encodeConnected(await server.document()) };
}

/** @throws AppError CONFLICT: used; FORBIDDEN: made for another */
function requireSameServer({ server, used, used_by }: InvitationRow, { id, isRevoked }: { id: ServerId; isRevoked: boolean }): void {
  if (used && (used_by !== id || isRevoked)) throw new AppError('CONFLICT', 'the invitation was used');
  if (server !== id) throw new AppError('FORBIDDEN', 'the invitation was made for another server');
}
