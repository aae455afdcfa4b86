// Who the peers are, as the rest of the server asks: the one that a signed request names, all of them for members and admins, and the
// identity keys that certificates of other servers are verified with.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { readPublicKey } from '../crypto/openpgp.ts';
import type { KnownServerKey } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { Actor } from '../identity/second-admin.ts';
import type { ServerDocument } from '../identity/server-identity.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import { breakerOf } from './breaker.ts';
import { type Documents, newestKeyOf } from './documents.ts';
import type { KnownPeer, Peers } from './legs.ts';
import { PEER_COLUMNS, type PeerRow } from './peer-rows.ts';

export type DirectoryDeps = { readonly db: Database; readonly clock: Clock; readonly limits: Limits; readonly documents: Documents };

/** As members see it. */
export type ListedPeer = { readonly server: ServerId; readonly name: string; readonly webUrl: string; readonly state: 'live' | 'away' };

/** As admins see it. */
export type DetailedPeer = Omit<PeerRow, 'document' | 'candidate' | 'epoch'> & {
  /** `fingerprint@server` of its newest key; null until it has shown its document. */
  readonly key: ServerKeyId | null;
  /** The key that counts until then, and when the newest one does; null: it counts. */
  readonly keyNow: { readonly key: ServerKeyId; readonly until: Date } | null;
  /** The key that an admin is asked about, since one was compromised. */
  readonly candidateKey: ServerKeyId | null;
  readonly breaker: 'closed' | 'open' | 'half-open';
  /** Notices that it has not answered yet. */
  readonly owed: readonly string[];
  /** Until when an invitation that was not used opens; null: there is none. */
  readonly invitedUntil: Date | null;
  /** One of our admins asked to end it, and another one has not confirmed that yet; null: nobody did. */
  readonly endAsked: EndAsked | null;
};
export type EndAsked = { readonly by: Actor; readonly at: Date; readonly until: Date };

type DetailedRow = PeerRow &
  Pick<DetailedPeer, 'owed' | 'invitedUntil'> & {
    readonly newestKeyAt: Date | null;
    readonly endAskedBy: Actor | null;
    readonly endAskedAt: Date | null;
  };

const FIND = `select p.state, s.document from peers p join servers s on s.id = p.server_id where p.server_id = $1`;
/** The names of a server's members are shown with its web address. One that somebody else says is theirs too is not shown: the address under which it answers is. */
const LISTED = `select ${PEER_COLUMNS},
    exists (select from peers q join servers t on t.id = q.server_id where q.server_id <> p.server_id and q.state <> 'revoked'
      and s.document #>> '{statement,webUrl}' in (q.base_url, t.document #>> '{statement,webUrl}'))
    or exists (select from servers o where o.is_self
      and s.document #>> '{statement,webUrl}' in (o.document #>> '{statement,baseUrl}', o.document #>> '{statement,webUrl}')) as "webTaken"
  from peers p join servers s on s.id = p.server_id where p.state = 'live' order by p.server_id`;
const DETAILED = `select ${PEER_COLUMNS},
    array(select n.kind from owed_peer_notices n where n.server_id = p.server_id order by n.kind) as owed,
    (select i.expires_at from peer_invitations i where i.server_id = p.server_id and i.used_at is null) as "invitedUntil",
    (select max(k.effective_at) from server_keys k where k.server_id = p.server_id and k.kind = 'identity') as "newestKeyAt",
    e.by_id as "endAskedBy", e.at as "endAskedAt"
  from peers p join servers s on s.id = p.server_id
  left join admin_requests e on e.act = 'peer-revoke' and e.target = p.server_id and e.at >= $2 and p.state <> 'revoked'`;

export class Directory implements Peers {
  readonly #deps: DirectoryDeps;
  readonly #finding = new Map<ServerId, Promise<KnownPeer | null>>();

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  async find(server: ServerId, kid: string): Promise<KnownPeer | null> {
    const known = await this.#find(server);
    if (known === null || known.keys.has(kid)) return known;
    const { documents, limits } = this.#deps;
    return (await documents.refresh(server, limits.peerDocumentEveryMs)) ? this.#look(server) : known;
  }

  /** Many that ask at the same time share one look, however many they are. */
  #find(server: ServerId): Promise<KnownPeer | null> {
    const finding = this.#finding.get(server) ?? this.#look(server).finally(() => this.#finding.delete(server));
    this.#finding.set(server, finding);
    return finding;
  }

  async #look(server: ServerId): Promise<KnownPeer | null> {
    const [row] = await this.#deps.db.query<Pick<PeerRow, 'state' | 'document'>>({ name: 'peer-find', text: FIND, values: [server] });
    if (row === undefined || row.document === null) return null;
    const { transportKeys } = row.document.statement;
    return { id: server, isLive: row.state === 'live', keys: new Map(transportKeys.map(({ kid, publicKey }) => [kid, publicKey])) };
  }

  /** An identity key of a peer that counts by now; null for every other. */
  async serverKey(id: ServerKeyId): Promise<KnownServerKey | null> {
    const [row] = await this.#deps.db.query<{ public_key: string }>({
      name: 'peer-key',
      text: `select k.public_key from server_keys k join peers p on p.server_id = k.server_id
        where k.id = $1 and k.kind = 'identity' and k.effective_at <= $2`,
      values: [id, new Date(this.#deps.clock.now())],
    });
    const read = row === undefined ? null : await readPublicKey(row.public_key);
    return read?.ok ? { id, publicKey: read.value } : null;
  }

  /** What a server said of itself last that was believed; null: nothing. */
  async document(server: ServerId): Promise<ServerDocument | null> {
    const [row] = await this.#deps.db.query<Pick<PeerRow, 'document'>>({ name: 'peer-find', text: FIND, values: [server] });
    return row?.document ?? null;
  }

  /** The peers of this server. */
  async list(): Promise<ListedPeer[]> {
    const now = this.#deps.clock.now();
    const rows = await this.#deps.db.query<PeerRow & { readonly webTaken: boolean }>({ name: 'peers-live', text: LISTED });
    return rows.map((row) => ({
      ...{ server: row.server, name: row.name, webUrl: (row.webTaken ? row.baseUrl : row.document?.statement.webUrl) ?? '' },
      state: row.away || breakerNow(row, now) !== 'closed' ? 'away' : 'live',
    }));
  }

  /** Every peering that has ever begun, by id. */
  async details(server?: ServerId): Promise<DetailedPeer[]> {
    const { clock, db, limits } = this.#deps;
    const now = clock.now();
    const rows = await db.query<DetailedRow>({
      name: 'peers-detailed',
      text: `${DETAILED} where $1::text is null or p.server_id = $1 order by p.server_id`,
      values: [server ?? null, new Date(now - limits.adminRequestMs)],
    });
    return rows.map((row) => detailed(row, now, limits));
  }
}

const breakerNow = ({ failures, retryAt }: PeerRow, nowMs: number) =>
  breakerOf({ failures, retryAtMs: retryAt?.getTime() ?? null }, nowMs).state;

function detailed(of: DetailedRow, nowMs: number, { adminRequestMs }: Limits): DetailedPeer {
  const { document, candidate, epoch: _epoch, endAskedAt: at, endAskedBy: by, newestKeyAt, ...row } = of;
  const before = document?.statement.keys.at(-2);
  return {
    ...row,
    keyNow: before !== undefined && newestKeyAt !== null && newestKeyAt.getTime() > nowMs ? { key: before.key, until: newestKeyAt } : null,
    key: document === null ? null : newestKeyOf(document.statement),
    candidateKey: candidate === null ? null : newestKeyOf(candidate.statement),
    endAsked: by === null || at === null ? null : { by, at, until: new Date(at.getTime() + adminRequestMs) },
    breaker: breakerNow({ ...row, document, candidate, epoch: null }, nowMs),
  };
}
