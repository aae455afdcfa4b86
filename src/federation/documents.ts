// Documents of peers: fetched from their own address alone, or brought by themselves, proven from the server's id on, judged by document-rules.ts
// and kept with the keys that they announce. A key that was compromised makes every later document wait for an admin.
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { type PublicKey, readPublicKey } from '../crypto/openpgp.ts';
import { type AcceptedDocument, verifyServerDocument } from '../crypto/server-document.ts';
import { type KnownServerKey, verifySigned } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { Executor } from '../identity/executor.ts';
import type { Outbound } from '../net/outbound.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { parseJson } from '../wire/peering.ts';
import type { StatementOf } from '../wire/statements.ts';
import { judgeDocument, type PinnedKey, type Verdict } from './document-rules.ts';
import { lockPeer, movePeer, type PeerRow } from './peer-rows.ts';

export type DocumentsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Logger;
  readonly outbound: Pick<Outbound, 'call' | 'vet'>;
};

type Revocation = Signed<StatementOf<'server-key-revocation'>>;
type KeyRow = { id: ServerKeyId; public_key: string; effective_at: Date; revoked: boolean };

const DOCUMENT_PATH = '/.well-known/reedbed';
const REVOCATIONS_PATH = '/.well-known/reedbed/revocations';
const OK = 200;

/** The key that a server's document ends in: what admins compare over another channel. */
export const newestKeyOf = ({ keys }: StatementOf<'server-document'>): ServerKeyId => (keys.at(-1) as (typeof keys)[number]).key;

/**
 * Whether an address is another peer's, or ours. A call to a server is signed for its address alone: what is meant for one that names the address of
 * another would be taken there as said to that one, as the word that a peering has ended. Who comes at the same time waits.
 */
async function addressOf(tx: Executor, { baseUrl, id }: StatementOf<'server-document'>): Promise<{ readonly taken: boolean }> {
  await sql`select pg_advisory_xact_lock(hashtextextended('peer-address ' || ${baseUrl}, 0))`.execute(tx);
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select from peers where base_url = ${baseUrl} and server_id <> ${id} and state <> 'revoked')
      or exists (select from servers where is_self and document #>> '{statement,baseUrl}' = ${baseUrl}) as taken`.execute(tx);
  return rows[0] as { taken: boolean };
}

export class Documents {
  readonly #deps: DocumentsDeps;

  constructor(deps: DocumentsDeps) {
    this.#deps = deps;
  }

  /** Judges a document of that server. @returns null if it does not hold */
  async verify(value: unknown, server: ServerId): Promise<AcceptedDocument | null> {
    const verified = await verifyServerDocument(value, { server, now: this.#deps.clock.now() });
    return verified.ok ? verified.value : null;
  }

  /** Whether this address would be called at all; the words are for the peer's admin. */
  vet(baseUrl: string): { readonly ok: true } | { readonly ok: false; readonly detail: string } {
    const vetted = this.#deps.outbound.vet(baseUrl);
    return vetted.ok ? { ok: true } : { ok: false, detail: vetted.detail };
  }

  /** Keeps a verified document, or what of it is to be believed. The peer's row is locked by the caller, or is just being made. */
  async keep(tx: Executor, accepted: AcceptedDocument): Promise<Verdict> {
    const { clock, limits } = this.#deps;
    const { statement, signatures } = accepted.signed;
    const keys = await pinnedKeys(tx, statement.id);
    const { rows } = await sql<{ serial: number }>`select serial from servers where id = ${statement.id}`.execute(tx);
    const shown = { serial: statement.serial, keys: statement.keys.map(({ key }) => key), signer: signatures[0]?.key as ServerKeyId };
    const pinned = { serial: Number(rows[0]?.serial ?? 0), keys };
    const verdict = judgeDocument(pinned, shown, { nowMs: clock.now(), delayMs: limits.serverKeyAnnouncedMs });
    if (verdict.kind === 'accepted' || verdict.kind === 'announced') {
      for (const { id, effectiveAtMs } of verdict.newKeys)
        await this.#insertKey(tx, statement, { id, effectiveAt: new Date(effectiveAtMs) });
    }
    if (verdict.kind === 'accepted') await this.#store(tx, accepted);
    return verdict;
  }

  async #insertKey(
    tx: Executor,
    { id: server, keys }: StatementOf<'server-document'>,
    key: { id: ServerKeyId; effectiveAt: Date },
  ): Promise<void> {
    const at = keys.findIndex((one) => one.key === key.id);
    await sql`
      insert into server_keys (id, server_id, kind, public_key, predecessor, created_at, effective_at)
      values (${key.id}, ${server}, 'identity', ${keys[at]?.armor}, ${keys[at - 1]?.key ?? null}, ${new Date(this.#deps.clock.now())}, ${key.effectiveAt})
      on conflict (id) do update set effective_at = least(server_keys.effective_at, excluded.effective_at)`.execute(tx);
  }

  async #store(tx: Executor, { signed }: AcceptedDocument): Promise<void> {
    const { id, serial, name, baseUrl } = signed.statement;
    await sql`update servers set serial = ${serial}, name = ${name}, document = ${JSON.stringify(signed)}::jsonb where id = ${id}`.execute(
      tx,
    );
    if (!this.#deps.outbound.vet(baseUrl).ok) return;
    const { taken } = await addressOf(tx, signed.statement);
    if (taken) this.#deps.log.warn({ server: id }, 'a peer named the address of another server as its own: it is called where it was');
    else await sql`update peers set base_url = ${baseUrl} where server_id = ${id}`.execute(tx);
  }

  /**
   * Keeps the document of a server with which a peering begins. Our admin has named a key of it: if that is its newest, the chain is believed
   * whatever was seen before.
   * @returns whether it was taken
   * @throws AppError CONFLICT: its address is another server's
   */
  async meet(tx: Executor, accepted: AcceptedDocument, vouched: ServerKeyId): Promise<boolean> {
    const { taken } = await addressOf(tx, accepted.signed.statement);
    if (taken) throw new AppError('CONFLICT', 'the address in that document is the one of another peer, or of the server that it asks');
    const { kind } = await this.keep(tx, accepted);
    if (kind === 'accepted') return true;
    if (kind === 'old' || newestKeyOf(accepted.signed.statement) !== vouched) return false;
    await this.replace(tx, accepted);
    return true;
  }

  /**
   * Believes a document that an admin has compared with the other side: its chain is the server's from now on, whatever was seen before.
   * What was compromised stays revoked.
   */
  async replace(tx: Executor, accepted: AcceptedDocument): Promise<void> {
    const now = new Date(this.#deps.clock.now());
    const { statement } = accepted.signed;
    const ids = statement.keys.map(({ key }) => key);
    await sql`delete from server_keys where server_id = ${statement.id} and kind = 'identity' and not id = any(${ids})`.execute(tx);
    for (const id of ids) await this.#insertKey(tx, statement, { id, effectiveAt: now });
    await this.#store(tx, accepted);
    await sql`update peers set candidate = null, compromised_at = null where server_id = ${statement.id}`.execute(tx);
  }

  /**
   * Fetches a peer's document, at most once in `everyMs` whoever asks, and keeps it. A failure is no word about the peer.
   * @param signal ends it, as if nothing came
   * @returns whether a document came and was believed
   */
  async refresh(server: ServerId, everyMs: number, signal?: AbortSignal): Promise<boolean> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const [row] = await db.query<{ base_url: string }>({
      name: 'peer-document-asked',
      text: `update peers set document_asked_at = $2
        where server_id = $1 and base_url is not null and state <> 'revoked' and (document_asked_at is null or document_asked_at <= $3)
        returning base_url`,
      values: [server, new Date(now), new Date(now - everyMs)],
    });
    if (row === undefined) return false;
    const shown = await this.#fetch({ baseUrl: row.base_url, path: DOCUMENT_PATH }, signal);
    const accepted = shown === null ? null : await this.verify(shown, server);
    if (accepted === null) {
      await this.#askSooner(server, now - everyMs);
      return false;
    }
    const verdict = await this.#judge(server, accepted);
    if (verdict === 'announced') await this.#lookForRevocations(server, row.base_url, signal);
    return verdict === 'accepted';
  }

  /**
   * Takes the document that a peer brought with a call that it signed: so one that has moved is found under its new address. Judged like one that was
   * fetched; what does not hold, or is no news, changes nothing. Without one that is believed its address is asked soon.
   */
  async shown(server: ServerId, value: unknown): Promise<void> {
    const { db } = this.#deps;
    const [row] = await db.query<{ serial: number }>({
      name: 'peer-document-serial',
      text: 'select serial::float8 as serial from servers where id = $1',
      values: [server],
    });
    const serial = (value as { readonly statement?: { readonly serial?: unknown } } | null)?.statement?.serial;
    if (row === undefined || serial === row.serial) return;
    const accepted = await this.verify(value, server);
    const verdict = accepted === null ? null : await this.#judge(server, accepted);
    if (verdict === 'accepted') return;
    this.#deps.log.warn({ server, verdict }, 'the document that a peer brought was not taken');
    await db.query({
      name: 'peer-document-soon',
      text: 'update peers set document_asked_at = null where server_id = $1',
      values: [server],
    });
  }

  #judge(server: ServerId, accepted: AcceptedDocument): Promise<Verdict['kind'] | null> {
    return this.#deps.db.transaction(async (tx) => {
      const peer = await lockPeer(tx, server);
      return peer === null ? null : this.#take(tx, peer, accepted);
    });
  }

  /** Nothing came: asked again as soon as a key that is not known would have it asked for. */
  async #askSooner(server: ServerId, atMs: number): Promise<void> {
    await this.#deps.db.query({
      name: 'peer-document-later',
      text: 'update peers set document_asked_at = least(document_asked_at, $2) where server_id = $1',
      values: [server, new Date(atMs + this.#deps.limits.peerDocumentEveryMs)],
    });
  }

  async #take(tx: Executor, peer: PeerRow, accepted: AcceptedDocument): Promise<Verdict['kind']> {
    if (peer.compromisedAt === null) {
      const verdict = await this.keep(tx, accepted);
      if (verdict.kind === 'forked')
        this.#deps.log.warn({ server: peer.server }, 'the document of a peer has another chain of keys; it was not taken');
      return verdict.kind;
    }
    const revoked = (await pinnedKeys(tx, peer.server)).filter(({ isRevoked }) => isRevoked).map(({ id }) => id);
    const { statement, signatures } = accepted.signed;
    const speaks = [newestKeyOf(statement), signatures[0]?.key as ServerKeyId];
    if (speaks.some((id) => revoked.includes(id))) return 'revoked';
    await sql`update peers set candidate = ${JSON.stringify(accepted.signed)}::jsonb where server_id = ${peer.server}`.execute(tx);
    return 'announced';
  }

  /** A peer signs with a key that does not count yet: because it was away from us for long, or because the one before was compromised. */
  async #lookForRevocations(server: ServerId, baseUrl: string, signal: AbortSignal | undefined): Promise<void> {
    const { db, clock } = this.#deps;
    const shown = await this.#fetch({ baseUrl, path: REVOCATIONS_PATH }, signal);
    const list = (shown as { revocations?: unknown } | null)?.revocations;
    if (!Array.isArray(list)) return;
    for (const revocation of list.slice(0, 8)) {
      await db.transaction(async (tx) => void (await this.revoke(tx, { server, revocation, at: new Date(clock.now()) })));
    }
  }

  /**
   * Takes the word of a peer's key that it is in other hands: nothing that it signs is believed any more, and admins are asked again.
   * @returns whether it is that, for the first time or again
   */
  async revoke(tx: Executor, told: { readonly server: ServerId; readonly revocation: unknown; readonly at: Date }): Promise<boolean> {
    const { server, revocation, at } = told;
    const peer = await lockPeer(tx, server);
    if (peer === null) return false;
    const known = await knownKeys(tx, server);
    const lookup = { userKey: async () => null, serverKey: async (id: ServerKeyId) => known.get(id) ?? null };
    const verified = await verifySigned(revocation, 'server-key-revocation', { keys: lookup, now: at.getTime() });
    if (!verified.ok) return false;
    const { statement } = verified.value.signed;
    if (statement.server !== server || !statement.compromised) return false;
    if (await this.#isNews(tx, statement.key, { signed: verified.value.signed, at })) {
      await movePeer(tx, peer, { server, event: 'compromised', by: null, at });
      await sql`
        update peers set compromised_at = ${at}, candidate = null, document_asked_at = null where server_id = ${server}`.execute(tx);
    }
    return true;
  }

  async #isNews(tx: Executor, key: ServerKeyId, { signed, at }: { signed: Revocation; at: Date }): Promise<boolean> {
    const { rows } = await sql`
      update server_keys set revoked_at = ${at}, revocation = ${JSON.stringify(signed)}::jsonb where id = ${key} and revoked_at is null
      returning id`.execute(tx);
    return rows.length > 0;
  }

  async #fetch({ baseUrl, path }: { baseUrl: string; path: string }, signal: AbortSignal | undefined): Promise<unknown> {
    const ending = signal === undefined ? {} : { signal };
    const answer = await this.#deps.outbound.call(baseUrl, { method: 'GET', path, headers: { accept: 'application/json' }, ...ending });
    if (!answer.ok || answer.value.status !== OK) return null;
    const parsed = parseJson(answer.value.body);
    return parsed.ok ? parsed.value : null;
  }
}

async function keyRows(tx: Executor, server: ServerId): Promise<KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    with recursive chain as (
      select k.*, 1 as place from server_keys k where k.server_id = ${server} and k.kind = 'identity' and k.predecessor is null
      union all select k.*, c.place + 1 from server_keys k join chain c on k.predecessor = c.id where k.server_id = ${server})
    select id, public_key, effective_at, revoked_at is not null as revoked from chain order by place`.execute(tx);
  return rows;
}

const pinnedKeys = async (tx: Executor, server: ServerId): Promise<PinnedKey[]> =>
  (await keyRows(tx, server)).map(({ id, effective_at, revoked }) => ({ id, effectiveAtMs: effective_at.getTime(), isRevoked: revoked }));

async function knownKeys(tx: Executor, server: ServerId): Promise<Map<ServerKeyId, KnownServerKey>> {
  const rows = await keyRows(tx, server);
  return new Map(await Promise.all(rows.map(async ({ id, public_key }) => [id, { id, publicKey: await parsed(public_key) }] as const)));
}

async function parsed(armor: string): Promise<PublicKey> {
  const read = await readPublicKey(armor);
  if (!read.ok) throw new Error(`a stored key can't be read: ${read.reason}`);
  return read.value;
}
