// Reeds of other servers, as their homes tell of them: registered and published in one step, or taken back. The caller has verified every
// certificate and takes the item's number in the same transaction. Whatever is known by its id already changes nothing, whatever its number.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { AcceptedCertificate } from '../crypto/statement.ts';
import { hashBytes, storeStatement } from '../identity/countersign.ts';
import type { Executor } from '../identity/executor.ts';
import { meeting } from '../identity/foreign.ts';
import { type ReedId, type ServerId, serverOf, type UserId, userOf, uuidTimeMs } from '../wire/address.ts';
import { type ReedStatement, storeRelations } from './relations.ts';
import type { RemovalKind } from './removal.ts';

export type ForeignReedsDeps = { readonly clock: Clock; readonly limits: Limits; readonly home: ServerId };

export type ForeignPublication = {
  /** One reed; or the parts of a thread in their order. */
  readonly reeds: readonly AcceptedCertificate<'reed'>[];
  readonly record: AcceptedCertificate<'thread'> | null;
  readonly broadcast: boolean;
};
export type ForeignRemoval = {
  readonly removal: AcceptedCertificate<RemovalKind>;
  /** Of a thread: what it consists of. */
  readonly record: AcceptedCertificate<'thread'> | null;
  /** It was asked for by its id: what a thread consists of is not known, and its head stands for it. */
  readonly isFetched?: boolean;
};

export type TakeReason = 'dated-ahead' | 'thread-parts' | 'wrong-root';
export type Taken = Result<'accepted' | 'known', TakeReason>;

export class ForeignReeds {
  readonly #deps: ForeignReedsDeps;

  constructor(deps: ForeignReedsDeps) {
    this.#deps = deps;
  }

  /** Takes a publication with the debt of its fan-out. One that was taken back before it came is known. */
  async publish(tx: Executor, publication: ForeignPublication): Promise<Taken> {
    const { clock, limits } = this.#deps;
    const now = clock.now();
    const stored = await this.#store(tx, publication, { isFetched: false });
    if (!stored.ok || stored.value === null) return stored.ok ? ok('known') : stored;
    await sql`
      insert into pending_fanout (kind, subject_id, broadcast, due_at)
      values ('publication', ${stored.value}, ${publication.broadcast}, ${new Date(now + limits.fanoutLeaseMs)})
      on conflict (kind, subject_id) do nothing`.execute(tx);
    return ok('accepted');
  }

  /** Takes what was asked for by its id: it counts as published when it was written, and is told to nobody unless its home's stream brings it. */
  async fetch(tx: Executor, publication: ForeignPublication): Promise<Taken> {
    const stored = await this.#store(tx, publication, { isFetched: true });
    return stored.ok ? ok(stored.value === null ? 'known' : 'accepted') : stored;
  }

  /** @returns the id of what is there now; null if there is nothing to take */
  async #store(
    tx: Executor,
    publication: ForeignPublication,
    { isFetched }: { isFetched: boolean },
  ): Promise<Result<ReedId | null, TakeReason>> {
    const now = this.#deps.clock.now();
    const problem = shapeOf(publication) ?? this.#datedAhead(publication, now);
    if (problem !== null) return fail(problem);
    const [first] = publication.reeds;
    if (first === undefined) return fail('thread-parts');
    const { author, id } = first.certificate.statement;
    if (await isSettled(tx, author, id, isFetched)) return ok(null);
    for (const { certificate } of publication.reeds) if (!(await agreesOnRoot(tx, certificate.statement))) return fail('wrong-root');
    await this.#point(tx, author, publication);
    for (const reed of publication.reeds) await this.#insert(tx, reed, now);
    if (publication.record !== null) await insertRecord(tx, publication.record, null);
    const ids = publication.reeds.map(({ certificate }) => certificate.statement.id);
    const publishedAt = new Date(isFetched ? Math.min(now, uuidTimeMs(id)) : now);
    await sql`
      update reeds set published_at = ${publishedAt}, broadcast = ${publication.broadcast}, fetched = ${isFetched}
      where id = any(${ids}::text[]) and (published_at is null or fetched) and removed_at is null`.execute(tx);
    return ok(id);
  }

  #datedAhead({ reeds }: ForeignPublication, now: number): TakeReason | null {
    const latest = now + this.#deps.limits.clockAheadMs;
    return reeds.some(({ certificate }) => uuidTimeMs(certificate.statement.id) > latest) ? 'dated-ahead' : null;
  }

  /** Rows for the author, its reeds, and what they reply to and echo, where that is of a server that is known here. */
  async #point(tx: Executor, author: UserId, { reeds }: ForeignPublication): Promise<void> {
    const named = reeds.flatMap(({ certificate: { statement } }) => [statement.id, statement.replyTo ?? [], statement.echoOf ?? []].flat());
    await point(tx, [...new Set(named)], { home: this.#deps.home, now: this.#deps.clock.now(), author });
  }

  async #insert(tx: Executor, { certificate, hash }: AcceptedCertificate<'reed'>, now: number): Promise<void> {
    const reed = certificate.statement;
    await storeStatement(tx, hash, certificate);
    const { rows } = await sql`
      insert into reeds (id, author_id, statement_hash, registered_at, previous, thread_head, thread_index, reply_to, root, echo_of)
      values (${reed.id}, ${reed.author}, ${hashBytes(hash)}, ${new Date(now)}, ${reed.previous ?? null}, ${reed.thread?.head ?? null},
        ${reed.thread?.index ?? null}, ${reed.replyTo ?? null}, ${reed.root ?? null}, ${reed.echoOf ?? null})
      on conflict (id) do nothing returning id`.execute(tx);
    if (rows.length > 0) await storeRelations(tx, reed, this.#deps.home);
  }

  /**
   * Takes a removal with the debt of telling it. One of a reed that never came here is kept: its row says nothing but that it is gone, so that the
   * certificate answers whoever asks, and whoever got a copy on another way is told.
   */
  async remove(tx: Executor, { isFetched = false, record, removal }: ForeignRemoval): Promise<Taken> {
    const { clock, home, limits } = this.#deps;
    const now = clock.now();
    const { type, id, author } = removal.certificate.statement;
    if (type === 'thread-removal' && !(isFetched && record === null) && record?.certificate.statement.id !== id)
      return fail('thread-parts');
    const parts = record?.certificate.statement.reeds ?? [id];
    const isThread = type === 'thread-removal';
    await point(tx, parts, { home, now, author });
    await storeStatement(tx, removal.hash, removal.certificate);
    const by = hashBytes(removal.hash);
    const { rows: inserted } = await sql`
      insert into reeds (id, author_id, statement_hash, registered_at, removed_at, removal_hash, thread_head, thread_index)
      select p.id, ${author}, ${by}, ${new Date(now)}, ${new Date(now)}, ${by}, ${isThread ? id : null}, ${isThread ? sql`p.place - 1` : null}
      from unnest(${[...parts]}::text[]) with ordinality as p(id, place) order by p.id
      on conflict (id) do nothing returning id`.execute(tx);
    if (record !== null) await insertRecord(tx, record, by);
    const { rows: removed } = await sql`
      update reeds set removed_at = ${new Date(now)}, removal_hash = ${by}
      where author_id = ${author} and id = any(${[...parts]}::text[]) and removed_at is null returning id`.execute(tx);
    if (isThread) await sql`update threads set removal_hash = ${by} where id = ${id} and removal_hash is null`.execute(tx);
    if (inserted.length + removed.length === 0) return ok('known');
    await sql`
      insert into pending_fanout (kind, subject_id, due_at) values (${type}, ${id}, ${new Date(now + limits.fanoutLeaseMs)})
      on conflict (kind, subject_id) do update set looks = 0, due_at = excluded.due_at`.execute(tx);
    return ok('accepted');
  }
}

/** A thread is its record's parts, each saying so; a reed alone is no part of one. */
function shapeOf({ reeds, record }: ForeignPublication): TakeReason | null {
  const parts = reeds.map(({ certificate }) => certificate.statement);
  if (record === null) return parts.length === 1 && parts[0]?.thread === undefined ? null : 'thread-parts';
  const { id: head, author, reeds: ids } = record.certificate.statement;
  const fits =
    parts.length === ids.length &&
    parts.every(({ id, author: by, thread }, at) => id === ids[at] && by === author && thread?.head === head && thread.index === at);
  return fits ? null : 'thread-parts';
}

/** There is nothing to take any more: it is here (what was fetched only, not for its home's stream), or was taken back, or its author is gone. */
async function isSettled(tx: Executor, author: UserId, id: ReedId, isFetched: boolean): Promise<boolean> {
  const { rows } = await sql`
    select from reeds where id = ${id} and (${isFetched} or not fetched or removed_at is not null)
    union all select from account_removals where user_id = ${author} and statement_hash is not null`.execute(tx);
  return rows.length > 0;
}

/** What replies to a reed that is known here has the same root. */
async function agreesOnRoot(tx: Executor, { replyTo, root }: ReedStatement): Promise<boolean> {
  if (replyTo === undefined) return true;
  const { rows } = await sql<{ root: ReedId | null }>`
    select root from reeds where id = ${replyTo} and statement_hash is distinct from removal_hash`.execute(tx);
  const [parent] = rows;
  return parent === undefined || root === (parent.root ?? replyTo);
}

async function point(tx: Executor, reeds: readonly ReedId[], of: { home: ServerId; now: number; author: UserId }): Promise<void> {
  const elsewhere = reeds.filter((id) => serverOf(id) !== of.home).sort();
  await sql`
    with met as (${meeting([...new Set([of.author, ...elsewhere.map(userOf)])], new Date(of.now))})
    insert into reed_identities (id, server_id, author_id)
    select p.id, s.id, p.author from unnest(${elsewhere}::text[], ${elsewhere.map(userOf)}::text[], ${elsewhere.map(serverOf)}::text[]) as p(id, author, server)
    join servers s on s.id = p.server and not s.is_self order by p.id
    on conflict (id) do nothing`.execute(tx);
}

async function insertRecord(tx: Executor, { certificate, hash }: AcceptedCertificate<'thread'>, removal: Buffer | null): Promise<void> {
  await storeStatement(tx, hash, certificate);
  await sql`
    insert into threads (id, author_id, statement_hash, removal_hash)
    values (${certificate.statement.id}, ${certificate.statement.author}, ${hashBytes(hash)}, ${removal})
    on conflict (id) do nothing`.execute(tx);
}
