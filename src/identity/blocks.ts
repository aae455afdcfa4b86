// A member cuts another one off. One transaction: the certificate, the end of the blocked member's follow, of their copies of the blocker's
// reeds and of what they are owed of these, and the notice that they are owed instead. For each pair the statement with the highest seq is the
// state. Notices are owed until acknowledged; a newer one about the same pair takes the place of an older.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { AcceptedCertificate, KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { type Certificate, canonicalBytes, statementHash } from '../wire/canonical.ts';
import type { StatementOf } from '../wire/statements.ts';
import { type Countersigned, type Countersigner, hashBytes, type Recorded, storeStatement } from './countersign.ts';
import type { Executor } from './executor.ts';
import { lockPair } from './follows.ts';
import { meet } from './foreign.ts';
import { isLivePeer, oweLeg } from './owed-legs.ts';
import type { Member } from './sessions.ts';
import { refuseRemovedAccount } from './standing.ts';
import { requireSigned } from './verify.ts';

export type BlockKind = 'block' | 'unblock';

/** What a block ends outside of identity. */
export interface BlockEffects {
  /** In the block's transaction, before any row of identity: ends what `viewer` has and is owed of `author`. @returns what to do after the commit */
  cutOff(tx: Executor, author: UserId, viewer: UserId): Promise<() => void>;
  /** After the commit of a block or unblock: its debt of telling stands. */
  changed(kind: BlockKind, author: UserId, viewer: UserId): void;
}

export type BlocksDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly home: ServerId;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
  readonly effects: BlockEffects;
};

export type Block = { readonly id: UserId; readonly username: string | null; readonly certificate: Certificate<StatementOf<'block'>> };

/** A block or unblock that its target has not acknowledged. */
export type OwedNotice = { readonly kind: BlockKind; readonly about: UserId; readonly certificate: object };

const OWED = 'select n.kind, n.about_user_id as about, s.certificate from owed_notices n join statements s on s.hash = n.statement_hash';

export class Blocks {
  readonly #deps: BlocksDeps;

  constructor(deps: BlocksDeps) {
    this.#deps = deps;
  }

  /** @throws AppError INVALID, FORBIDDEN, NOT_FOUND, REMOVED with the certificate, KEY_REVOKED */
  async set(member: Member, target: UserId, kind: BlockKind, value: unknown): Promise<Countersigned<BlockKind>> {
    const { keys, clock, countersigner, effects } = this.#deps;
    const verified = await requireSigned(value, kind, { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.user !== member.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    if (statement.target !== target) throw new AppError('INVALID', 'target: not the one in the path');
    const by = { user: statement.user, key: statement.key };
    let afterCommit = (): void => undefined;
    const accepted = await countersigner.accept(verified, by, async (tx, recorded) => {
      afterCommit = await this.#take(tx, { member: member.userId, target, kind }, recorded);
    });
    if (!accepted.isNew) return accepted;
    afterCommit();
    effects.changed(kind, member.userId, target);
    return accepted;
  }

  /**
   * Takes a block or unblock of a member of another server, its certificate accepted: it holds here as at home.
   * @throws AppError NOT_FOUND, REMOVED with the certificate
   */
  async takeForeign(act: AcceptedCertificate<BlockKind>): Promise<void> {
    const { clock, db, effects } = this.#deps;
    const { target, type: kind, user } = act.certificate.statement;
    const countersignature = act.certificate.countersignature.statement;
    const recorded = { hash: hashBytes(act.hash), seq: act.seq, signedAt: new Date(act.signedAtMs), countersignature };
    const afterCommit = await db.transaction(async (tx) => {
      await meet(tx, [user], new Date(clock.now()));
      await storeStatement(tx, act.hash, act.certificate);
      return this.#take(tx, { member: user, target, kind }, recorded);
    });
    afterCommit();
    effects.changed(kind, user, target);
  }

  async #take(tx: Executor, act: Act, recorded: Recorded): Promise<() => void> {
    const { clock, effects, limits } = this.#deps;
    const { member, target, kind } = act;
    await lockPair(tx, member, target);
    if (kind === 'block') await this.#requireSomebody(tx, target);
    const { rows } = await sql<{ active: boolean; newer: boolean }>`
      select active, seq > ${recorded.seq} as newer from blocks where user_id = ${member} and target = ${target}`.execute(tx);
    const [before] = rows;
    if (before?.newer) return () => undefined;
    const afterCommit = kind === 'block' ? await effects.cutOff(tx, member, target) : () => undefined;
    await sql`
      insert into blocks (user_id, target, active, seq, statement_hash) values (${member}, ${target}, ${kind === 'block'}, ${recorded.seq}, ${recorded.hash})
      on conflict (user_id, target) do update set active = excluded.active, seq = excluded.seq, statement_hash = excluded.statement_hash`.execute(
      tx,
    );
    if (kind === 'block')
      await sql`update follows set active = false where user_id = ${target} and target = ${member} and active`.execute(tx);
    // Who is told of a change has to acknowledge it: of the same again, or of an unblock of nobody, nothing is told.
    if ((before?.active ?? false) === (kind === 'block')) return afterCommit;
    // Who is of another server is told by that one, which is owed the act.
    if (serverOf(target) === this.#deps.home) await oweNotice(tx, { member, target, kind }, recorded);
    else await oweLeg(tx, { family: 'block', user: member, target }, { hash: recorded.hash, seq: recorded.seq, at: new Date(clock.now()) });
    await sql`
      insert into pending_fanout (kind, subject_id, due_at) values (${kind}, ${`${member} ${target}`}, ${new Date(clock.now() + limits.fanoutLeaseMs)})
      on conflict (kind, subject_id) do update set looks = 0, due_at = excluded.due_at`.execute(tx);
    return afterCommit;
  }

  async #requireSomebody(tx: Executor, target: UserId): Promise<void> {
    const isOurs = serverOf(target) === this.#deps.home;
    if (!isOurs && !(await isLivePeer(tx, target))) throw new AppError('INVALID', 'target: of a server that is no peer of ours');
    await refuseRemovedAccount(tx, target);
    if (!isOurs) return;
    const { rows } = await sql<object>`select from users where id = ${target}`.execute(tx);
    if (rows.length === 0) throw new AppError('NOT_FOUND', 'there is no such member');
  }

  /** Whom a member blocks, by id, after `after`. */
  async list(member: UserId, page: { readonly after: string; readonly limit: number }): Promise<Block[]> {
    return this.#deps.db.query<Block>({
      name: 'blocks-of',
      text: `select b.target as id, coalesce(u.username, p.username) as username, s.certificate from blocks b
          join statements s on s.hash = b.statement_hash left join users u on u.id = b.target left join foreign_profiles p on p.user_id = b.target
        where b.user_id = $1 and b.active and b.target > $2 order by b.target limit $3`,
      values: [member, page.after, page.limit],
    });
  }

  /** Notices that `member` has not acknowledged, by whom they are from, after `after`. */
  async owed(member: UserId, page: { readonly after: string; readonly limit: number }): Promise<OwedNotice[]> {
    return this.#deps.db.query<OwedNotice>({
      name: 'blocks-owed',
      text: `${OWED} where n.user_id = $1 and n.about_user_id > $2 order by n.about_user_id limit $3`,
      values: [member, page.after, page.limit],
    });
  }

  /** The notice that `member` has not acknowledged about `about`, or null. */
  async owedAbout(member: UserId, about: UserId): Promise<OwedNotice | null> {
    const [notice] = await this.#deps.db.query<OwedNotice>({
      name: 'blocks-owed-about',
      text: `${OWED} where n.user_id = $1 and n.about_user_id = $2`,
      values: [member, about],
    });
    return notice ?? null;
  }

  /** The member has the notice with this countersignature; of an older one, nothing happens. */
  async acknowledge(member: UserId, about: UserId, hash: string): Promise<void> {
    await this.#deps.db.query({
      name: 'blocks-acknowledge',
      text: 'delete from owed_notices where user_id = $1 and about_user_id = $2 and countersignature_hash = $3',
      values: [member, about, hash],
    });
  }
}

type Act = { readonly member: UserId; readonly target: UserId; readonly kind: BlockKind };

/** Owes a local target the newest of what was said about it, until it acknowledges that. Whoever is gone for good is owed nothing. */
export async function oweNotice(
  tx: Executor,
  { member, target, kind }: Act,
  { hash, countersignature }: Pick<Recorded, 'hash' | 'countersignature'>,
): Promise<void> {
  await sql`
    insert into owed_notices (user_id, about_user_id, kind, statement_hash, countersignature_hash)
    select id, ${member}, ${kind}, ${hash}, ${await countersignatureHash(countersignature)} from users where id = ${target}
      and not exists (select from account_removals a where a.user_id = ${target} and a.statement_hash is not null)
    on conflict (user_id, about_user_id) do update
      set kind = excluded.kind, statement_hash = excluded.statement_hash, countersignature_hash = excluded.countersignature_hash`.execute(
    tx,
  );
}

async function countersignatureHash(countersignature: StatementOf<'countersignature'>): Promise<string> {
  const bytes = canonicalBytes(countersignature);
  if (!bytes.ok) throw new TypeError('a countersignature has a canonical form');
  return statementHash(bytes.value);
}
