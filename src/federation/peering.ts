// What admins and the operator do about peers, each by an act in the log: invite, accept, approve, suspend, resume, revoke. Nothing is discovered
// and nobody is a peer whom an admin of either side has not approved.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { base64url, type RandomBytes, sha256, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { type PublicKey, readPublicKey } from '../crypto/openpgp.ts';
import type { Database } from '../db/pool.ts';
import type { Act, ActBy, Acted, Acting, AdminActs, Outcome } from '../identity/admin-acts.ts';
import { hashBytes } from '../identity/countersign.ts';
import type { Executor } from '../identity/executor.ts';
import type { ServerIdentity } from '../identity/server-identity.ts';
import { parseServerKeyId, type ServerId, type ServerKeyId, serverIdFromFingerprint, serverKeyId, serverOf } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { printTime } from '../wire/kinds.ts';
import { decodeConnected, encodeConnect } from '../wire/peering.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { CallResult, PeerClient } from './client.ts';
import { type OpenedInvitation, openConnection, sealConnection } from './connection-string.ts';
import { type Documents, newestKeyOf } from './documents.ts';
import { lockPeer, type PeerRow, requireMove } from './peer-rows.ts';

const SECRET_BYTES = 32;

export type PeeringDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly server: ServerIdentity;
  readonly acts: AdminActs;
  readonly documents: Documents;
  readonly client: Pick<PeerClient, 'call'>;
};

export type Invited = Acted & { readonly server: ServerId; readonly connection: string; readonly expiresAt: Date };
export type Moving = 'approve' | 'suspend' | 'resume' | 'revoke';
export type MovedPeer = Acted & { readonly server: ServerId; readonly state: PeerRow['state'] };

/** What the admin who was sent a connection string is to compare with the other side. */
export type ShownInvitation = {
  readonly server: ServerId;
  readonly name: string;
  readonly baseUrl: string;
  /** `fingerprint@server` of its newest key. */
  readonly key: ServerKeyId;
  /** The key that it signs with while the newest one is only announced, as its admin reads it out; null: the newest. */
  readonly keyNow: ServerKeyId | null;
  readonly expiresAt: Date;
};

const ACT_OF: Readonly<Record<Moving, Act>> = {
  approve: 'peer-approve',
  suspend: 'peer-suspend',
  resume: 'peer-resume',
  revoke: 'peer-revoke',
};

export class Peering {
  readonly #deps: PeeringDeps;

  constructor(deps: PeeringDeps) {
    this.#deps = deps;
  }

  /**
   * Invites the server that has this key.
   * @param to its id, if the key is not its first
   * @throws AppError INVALID (key), CONFLICT (a peering has begun with it), and those of AdminActs
   */
  async invite(by: ActBy, armor: string, to?: ServerId): Promise<Invited> {
    const key = await requireKey(armor);
    const named = to ?? targetOf(by) ?? (await serverIdFromFingerprint(key.fingerprint));
    const { server, acts } = this.#deps;
    if (named === server.id) throw new AppError('INVALID', 'key: that of this server itself');
    const keyId = serverKeyId(key.fingerprint, named);
    const document = await server.document();
    this.#requireReachable(document.statement.baseUrl);
    const made = await this.#makeInvitation(named);
    const acted = await acts.take(by, { act: 'peer-invite', target: keyId }, async (tx, acting) => {
      await insertServer(tx, named, acting.at);
      await requireMove(tx, await lockPeer(tx, named), { server: named, event: 'invite', ...acting });
      await storeInvitation(tx, made.signed, keyId);
      return 'done';
    });
    // The answer to the act was lost: its secret with it, so it gets another one.
    if (!acted.isNew) await this.#renew(made.signed, keyId);
    const connection = await sealConnection({ ...made, document }, key);
    return { ...acted, server: named, connection, expiresAt: new Date(made.signed.statement.expiresAt) };
  }

  #requireReachable(baseUrl: string): void {
    const vetted = this.#deps.documents.vet(baseUrl);
    if (!vetted.ok) throw new AppError('CONFLICT', `peers can not call this server at its address: ${vetted.detail}`);
  }

  async #makeInvitation(to: ServerId) {
    const { server, clock, random, limits } = this.#deps;
    const secret = random(SECRET_BYTES);
    const now = clock.now();
    const id = uuidv7(now, random) as StatementOf<'peering'>['id'];
    const secretHash = base64url(await sha256(secret));
    const dated = { secretHash, expiresAt: printTime(now + limits.peeringInviteMs) };
    return { signed: await server.sign({ ...heading('peering'), id, from: server.id, to, key: server.keyId, ...dated }), secret };
  }

  async #renew(signed: Signed<StatementOf<'peering'>>, keyId: ServerKeyId): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      const row = await lockPeer(tx, signed.statement.to);
      if (row?.state !== 'invited') throw new AppError('CONFLICT', 'this invitation was used or has ended');
      await storeInvitation(tx, signed, keyId);
    });
  }

  async #open(connection: string): Promise<OpenedInvitation> {
    const { server, clock, limits } = this.#deps;
    const opener = { id: server.id, keys: server.sealedTo, nowMs: clock.now(), mostBytes: limits.peeringTextBytes };
    const opened = await openConnection(connection, opener);
    if (opened.ok) return opened.value;
    if (opened.reason === 'expired') throw new AppError('EXPIRED', 'this connection string has run out; ask for another');
    throw new AppError(
      'INVALID',
      opened.reason === 'not-ours' ? 'connection: made for another server' : 'connection: not whole, or not genuine',
    );
  }

  /** What a connection string says, before anybody agrees to it. @throws AppError INVALID, EXPIRED */
  async read(connection: string): Promise<ShownInvitation> {
    const { from, document, expiresAtMs } = await this.#open(connection);
    const { statement, signatures } = document.signed;
    const [key, signer] = [newestKeyOf(statement), signatures[0]?.key as ServerKeyId];
    return {
      server: from,
      name: statement.name,
      baseUrl: statement.baseUrl,
      key,
      keyNow: signer === key ? null : signer,
      expiresAt: new Date(expiresAtMs),
    };
  }

  /**
   * Answers an invitation: tells its server who we are, then notes that a peering waits for approval. Again it answers the same.
   * @throws AppError INVALID, EXPIRED, CONFLICT (no answer, it refused us, or a newer document of it was seen), and those of AdminActs
   */
  async accept(by: ActBy, connection: string): Promise<MovedPeer> {
    const { server, acts, documents, client } = this.#deps;
    const { from, document, secret } = await this.#open(connection);
    const { statement } = document.signed;
    const ordered = { act: 'peer-accept', target: newestKeyOf(statement) } as const;
    await acts.check(by, ordered);
    const mine = await server.document();
    this.#requireReachable(mine.statement.baseUrl);
    const keys = new Map(statement.transportKeys.map(({ kid, publicKey }) => [kid, publicKey]));
    const called = await client.call({ id: from, baseUrl: statement.baseUrl, keys }, 'connect', encodeConnect(secret, mine));
    const answered = await documents.verify(connectedDocument(called), from);
    if (answered === null) throw new AppError('CONFLICT', 'the answer of the other server does not hold; try again');
    const acted = await acts.take(by, ordered, async (tx, acting) => {
      await insertServer(tx, from, acting.at);
      const { isChange } = await requireMove(tx, await lockPeer(tx, from), { server: from, event: 'connect', ...acting });
      if (!(await documents.meet(tx, answered, ordered.target)))
        throw new AppError('CONFLICT', 'a newer document of that server was seen before');
      return isChange ? 'done' : 'unchanged';
    });
    return { ...acted, server: from, state: await this.#stateOf(from) };
  }

  /**
   * One step of an admin about a peering.
   * @param target the server; with `approve` also its newest key, which an admin has to name after one was compromised
   * @throws AppError NOT_FOUND, CONFLICT (not in this state), FORBIDDEN (another admin has to), and those of AdminActs
   */
  async move(by: ActBy, moving: Moving, target: string): Promise<MovedPeer> {
    const { acts, documents, limits } = this.#deps;
    const key = parseServerKeyId(target);
    const server = (key === null ? target : serverOf(key)) as ServerId;
    if (key !== null && moving !== 'approve') throw new AppError('INVALID', 'target: a server');
    if (key !== null) await documents.refresh(server, limits.peerBackoffFirstMs);
    const ordered = { act: ACT_OF[moving], target };
    const acted = await acts.take(by, ordered, async (tx, acting) => {
      const row = await lockPeer(tx, server);
      if (row === null) throw new AppError('NOT_FOUND', 'there is no peering with that server');
      if (moving === 'approve') await this.#requireApprovable(tx, row, { key, acting });
      const outcome = moving === 'revoke' && row.state !== 'revoked' ? await acts.askOrConfirm(tx, ordered, acting) : ('done' as Outcome);
      if (outcome === 'asked') return outcome;
      const { isChange } = await requireMove(tx, row, { server, event: moving, ...acting });
      return isChange ? outcome : 'unchanged';
    });
    return { ...acted, server, state: await this.#stateOf(server) };
  }

  async #requireApprovable(tx: Executor, row: PeerRow, { key, acting }: { key: ServerKeyId | null; acting: Acting }): Promise<void> {
    const { acts, documents } = this.#deps;
    if (row.state === 'pending') await acts.requirePair(tx, row.begunBy, acting.by);
    if (row.compromisedAt === null) {
      const newest = row.document === null ? null : newestKeyOf(row.document.statement);
      if (key !== null && key !== newest) throw new AppError('CONFLICT', "target: not that server's newest key");
      return;
    }
    if (key === null) throw new AppError('CONFLICT', 'a key of that server was compromised: name its new one, as fingerprint@server');
    const accepted = row.candidate === null ? null : await documents.verify(row.candidate, row.server);
    if (accepted === null || newestKeyOf(accepted.signed.statement) !== key)
      throw new AppError('CONFLICT', 'target: that server has not shown this key as its newest');
    await documents.replace(tx, accepted);
  }

  async #stateOf(server: ServerId): Promise<PeerRow['state']> {
    const [row] = await this.#deps.db.query<{ state: PeerRow['state'] }>({
      name: 'peer-state',
      text: 'select state from peers where server_id = $1',
      values: [server],
    });
    if (row === undefined) throw new AppError('NOT_FOUND', 'there is no peering with that server');
    return row.state;
  }
}

async function requireKey(armor: string): Promise<PublicKey> {
  const key = await readPublicKey(armor);
  if (!key.ok) throw new AppError('INVALID', `key: ${key.reason}`);
  return key.value;
}

/** The server that a member's act names; whether the act is one is judged when it is taken. */
function targetOf(by: ActBy): ServerId | null {
  if (by === 'operator') return null;
  const target = (by.value as { readonly statement?: { readonly target?: unknown } } | null)?.statement?.target;
  const key = typeof target === 'string' ? parseServerKeyId(target) : null;
  return key === null ? null : serverOf(key);
}

async function insertServer(tx: Executor, server: ServerId, at: Date): Promise<void> {
  await sql`insert into servers (id, name, first_seen_at) values (${server}, ${server}, ${at}) on conflict (id) do nothing`.execute(tx);
}

/** Takes the place of one that was not used. */
async function storeInvitation(tx: Executor, signed: Signed<StatementOf<'peering'>>, keyId: ServerKeyId): Promise<void> {
  const { id, to, secretHash, expiresAt } = signed.statement;
  await sql`delete from peer_invitations where server_id = ${to}`.execute(tx);
  await sql`
    insert into peer_invitations (id, server_id, key_id, statement, secret_hash, expires_at)
    values (${id}, ${to}, ${keyId}, ${JSON.stringify(signed)}::jsonb, ${hashBytes(secretHash)}, ${new Date(expiresAt)})`.execute(tx);
}

/** @throws AppError in words for the admin who waits for it */
function connectedDocument(called: CallResult): unknown {
  // No fault of ours, so none of the codes that say so.
  if (called.kind === 'transport')
    throw new AppError('CONFLICT', `the other server did not answer as itself (${called.reason}); try again`);
  if (called.refusal !== undefined) throw new AppError('CONFLICT', `the other server refused: ${called.refusal.detail}`);
  const document = decodeConnected(called.body);
  if (!document.ok) throw new AppError('CONFLICT', 'the answer of the other server can not be read');
  return document.value;
}
