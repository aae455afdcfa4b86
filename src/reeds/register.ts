// First step of publishing: the author's signed statement becomes a countersigned row that nobody sees yet.
// The signature is verified before anything is stored; a retry answers the first certificate.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { Countersigned, Countersigner } from '../identity/countersign.ts';
import type { Executor } from '../identity/executor.ts';
import type { Member } from '../identity/sessions.ts';
import { requireSigned } from '../identity/verify.ts';
import { type ReedId, type ServerId, type UserId, uuidTimeMs } from '../wire/address.ts';
import { checkReferences, type Mention, mentionsOf, type ReedStatement, storeRelations } from './relations.ts';

export type RegisterDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly home: ServerId;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
};

export type Registered = Countersigned<'reed'> & { readonly mentions: readonly Mention[] };

export class Register {
  readonly #deps: RegisterDeps;

  constructor(deps: RegisterDeps) {
    this.#deps = deps;
  }

  /**
   * Registers a reed of the member's. `isNew` is false for a retry.
   * @throws AppError INVALID (naming the field), FORBIDDEN, CONFLICT, TIP_MISMATCH with the newest reed's certificate, BLOCKED, REMOVED, KEY_REVOKED
   */
  async reed(member: Member, value: unknown): Promise<Registered> {
    const { clock, keys, limits, countersigner, db } = this.#deps;
    const now = clock.now();
    const verified = await requireSigned(value, 'reed', { keys, now });
    const { statement } = verified;
    if (statement.author !== member.userId) throw new AppError('FORBIDDEN', 'author: not the one signed in');
    if (uuidTimeMs(statement.id) > now + limits.clockAheadMs) throw new AppError('INVALID', 'id: dated ahead of the server');
    const accepted = await countersigner.accept(verified, { user: statement.author, key: statement.key }, (tx, { hash }) =>
      this.#store(tx, statement, { hash, now }),
    );
    return { ...accepted, mentions: await mentionsOf(db.kysely, statement.id) };
  }

  async #store(tx: Executor, reed: ReedStatement, at: { hash: Buffer; now: number }): Promise<void> {
    const { home } = this.#deps;
    const { rows } = await sql`
      insert into reed_identities (id, server_id, author_id) values (${reed.id}, ${home}, ${reed.author})
      on conflict (id) do nothing returning id`.execute(tx);
    if (rows.length === 0) throw new AppError('CONFLICT', 'id: used by another reed');
    await checkReferences(tx, reed, home);
    await sql`
      insert into reeds (id, author_id, statement_hash, registered_at, previous, thread_head, thread_index, reply_to, root, echo_of)
      values (${reed.id}, ${reed.author}, ${at.hash}, ${new Date(at.now)}, ${reed.previous ?? null}, ${reed.thread?.head ?? null},
        ${reed.thread?.index ?? null}, ${reed.replyTo ?? null}, ${reed.root ?? null}, ${reed.echoOf ?? null})`.execute(tx);
    await storeRelations(tx, reed, home);
    await moveTip(tx, reed);
    if (reed.thread !== undefined) await refuseLatePart(tx, reed.thread.head);
  }
}

/** Makes the reed its author's newest, under the lock of the author's stream row. @throws AppError TIP_MISMATCH */
async function moveTip(tx: Executor, reed: ReedStatement): Promise<void> {
  const { rows } =
    reed.previous === undefined
      ? await sql`
          insert into author_streams (author_id, tip_reed_id) values (${reed.author}, ${reed.id})
          on conflict (author_id) do update set tip_reed_id = excluded.tip_reed_id returning author_id`.execute(tx)
      : await sql`
          update author_streams set tip_reed_id = ${reed.id}
          where author_id = ${reed.author} and tip_reed_id = ${reed.previous} returning author_id`.execute(tx);
  if (rows.length === 0) throw await tipMismatch(tx, reed.author);
}

async function tipMismatch(tx: Executor, author: UserId): Promise<AppError> {
  const { rows } = await sql<{ certificate: object }>`
    select s.certificate from author_streams a join reeds r on r.id = a.tip_reed_id join statements s on s.hash = r.statement_hash
    where a.author_id = ${author}`.execute(tx);
  const certificate = rows[0]?.certificate;
  return new AppError('TIP_MISMATCH', 'previous: not your newest reed', certificate === undefined ? {} : { certificate });
}

/** A thread whose record is there takes no more parts. Runs under the lock of the author's stream row, as the record's own check does. */
async function refuseLatePart(tx: Executor, head: ReedId): Promise<void> {
  const { rows } = await sql`select id from threads where id = ${head}`.execute(tx);
  if (rows.length > 0) throw new AppError('CONFLICT', 'thread: its record is registered already');
}
