// Acts of admins and of the operator: each a signed statement in one log that every member can read, written with its effects in one transaction.
// They are taken one after the other, so that numbers follow commits and two that need each other always meet.
import { sql, type Transaction } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { base64url, type RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { KeyLookup } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';
import type { UserId } from '../wire/address.ts';
import { type Certificate, canonicalBytes, type Signed, statementHash } from '../wire/canonical.ts';
import { parseTime, printTime } from '../wire/kinds.ts';
import type { Role } from '../wire/roles.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import { type Countersigner, hashBytes } from './countersign.ts';
import type { Executor } from './executor.ts';
import { type Actor, judge, type Verdict } from './second-admin.ts';
import type { ServerIdentity } from './server-identity.ts';
import type { Member } from './sessions.ts';
import { requireSigned } from './verify.ts';

const ACTS_LOCK = 7_236_003;
const NONCE_BYTES = 24;

/** Everything an admin can do; the target says to whom. */
export const ACTS = [
  'peer-invite',
  'peer-accept',
  'peer-approve',
  'peer-suspend',
  'peer-resume',
  'peer-revoke',
  'role-root',
  'role-admin',
  'role-archivist',
  'role-user',
  'keys-rotate-identity',
  'keys-rotate-transport',
  'keys-compromised-identity',
  'keys-compromised-transport',
] as const;
export type Act = (typeof ACTS)[number];

/** By a member, countersigned, or by the operator, signed by the server's own key. */
export type ActCertificate = Certificate<StatementOf<'admin-act'>> | Signed<StatementOf<'operator-act'>>;

/** done: it is so · asked: it waits for another admin's act of the same kind on the same target */
export type Outcome = 'done' | 'asked';
/** unchanged: it was so already, and nothing stands in the log for it. */
export type Effect = Outcome | 'unchanged';

/** Who acts, and with what: an operator's statement is made by us. */
export type ActBy = 'operator' | { readonly member: Member; readonly value: unknown };

export type Ordered = { readonly act: Act; readonly target: string };
export type Acting = { readonly by: Actor; readonly role: Role | 'operator'; readonly at: Date };
export type ActEffects = (tx: Transaction<DB>, acting: Acting) => Promise<Effect>;
export type Acted = { readonly certificate: ActCertificate; readonly outcome: Outcome; readonly isNew: boolean };

export type LoggedAct = {
  readonly number: number;
  readonly by: Actor;
  readonly act: string;
  readonly target: string;
  readonly at: Date;
  readonly certificate: ActCertificate;
};

export type AdminActsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly keys: KeyLookup;
  readonly countersigner: Countersigner;
  readonly server: ServerIdentity;
};

export class AdminActs {
  readonly #deps: AdminActsDeps;

  constructor(deps: AdminActsDeps) {
    this.#deps = deps;
  }

  /**
   * Takes an act and does what it says; the same one again changes nothing, and what changes nothing is not logged.
   * @throws AppError INVALID, FORBIDDEN (not an admin, another's or other act), CONFLICT (a nonce used twice); what `effects` throws undoes all
   */
  async take(by: ActBy, ordered: Ordered, effects: ActEffects): Promise<Acted> {
    return by === 'operator' ? this.#operate(ordered, effects) : this.#accept(by, ordered, effects);
  }

  /** What `take` would refuse before its effects, for work that has to be done first. @throws AppError */
  async check(by: ActBy, ordered: Ordered): Promise<void> {
    if (by === 'operator') return;
    await this.#verified(by, ordered);
    if (!isAdmin(by.member.role)) throw notAnAdmin();
  }

  async #verified({ member, value }: Exclude<ActBy, 'operator'>, { act, target }: Ordered) {
    const { keys, clock, limits } = this.#deps;
    const verified = await requireSigned(value, 'admin-act', { keys, now: clock.now() });
    const { statement } = verified;
    if (statement.user !== member.userId) throw new AppError('FORBIDDEN', 'user: not the one signed in');
    if (statement.act !== act) throw new AppError('INVALID', `act: not ${act}`);
    if (statement.target !== target) throw new AppError('INVALID', 'target: not what this request is about');
    const awayMs = Math.abs((parseTime(statement.createdAt) ?? 0) - clock.now());
    return { verified, statement, isFresh: awayMs <= limits.adminActMs };
  }

  async #accept(by: Exclude<ActBy, 'operator'>, ordered: Ordered, effects: ActEffects): Promise<Acted> {
    const { verified, statement, isFresh } = await this.#verified(by, ordered);
    let outcome: Outcome | null = null;
    const { certificate, isNew } = await this.#deps.countersigner.accept(
      verified,
      { user: statement.user, key: statement.key },
      async (tx, { hash, signedAt }) => {
        if (!isFresh) throw new AppError('INVALID', 'createdAt: too far from the time here');
        await lockActs(tx);
        const acting = { by: statement.user, role: await requireAdmin(tx, statement.user), at: signedAt };
        const effect = await effects(tx, acting);
        outcome = outcomeOf(effect);
        await logAct(tx, effect, { ...ordered, ...acting, nonce: statement.nonce, hash });
      },
    );
    return { certificate, isNew, outcome: outcome ?? (await this.#outcomeOf(statement.user, ordered)) };
  }

  async #operate(ordered: Ordered, effects: ActEffects): Promise<Acted> {
    const { db, clock, random, server } = this.#deps;
    const at = new Date(clock.now());
    const nonce = base64url(random(NONCE_BYTES));
    const statement = {
      ...heading('operator-act'),
      server: server.id,
      key: server.keyId,
      ...ordered,
      nonce,
      createdAt: printTime(at.getTime()),
    };
    const certificate = await server.sign(statement);
    const bytes = canonicalBytes(statement);
    if (!bytes.ok) throw new AppError('INVALID', `target: ${bytes.reason}`);
    const hash = hashBytes(await statementHash(bytes.value));
    return db.transaction(async (tx) => {
      await lockActs(tx);
      const acting = { by: 'operator', role: 'operator', at } as const;
      const effect = await effects(tx, acting);
      await logAct(tx, effect, { ...ordered, ...acting, nonce, hash, certificate });
      return { certificate, outcome: outcomeOf(effect), isNew: true };
    });
  }

  /** Of an act that was taken before. */
  async #outcomeOf(by: UserId, { act, target }: Ordered): Promise<Outcome> {
    const waiting = await this.#deps.db.query({
      name: 'admin-act-waiting',
      text: 'select from admin_requests where act = $1 and target = $2 and by_id = $3',
      values: [act, target, by],
    });
    return waiting.length > 0 ? 'asked' : 'done';
  }

  /** May `second` finish what `first` began? @throws AppError FORBIDDEN */
  async requirePair(tx: Executor, first: Actor, second: Actor): Promise<void> {
    const verdict = await this.#judge(tx, first, second);
    if (verdict === 'same') throw new AppError('FORBIDDEN', 'whoever began this can not approve it: another admin has to');
    if (verdict === 'made')
      throw new AppError('FORBIDDEN', 'whoever began this has made or invited you within the last days: another admin has to');
  }

  /**
   * Of an act that needs two where there are two: the first one's asks, the second one's does. Requests that nobody confirmed end.
   * @returns whether to do it now
   */
  async askOrConfirm(tx: Executor, { act, target }: Ordered, { by, at }: Acting): Promise<Outcome> {
    const { limits } = this.#deps;
    const since = new Date(at.getTime() - limits.adminRequestMs);
    await sql`delete from admin_requests where at < ${since}`.execute(tx);
    const { rows } = await sql<{ by_id: Actor }>`select by_id from admin_requests where act = ${act} and target = ${target}`.execute(tx);
    const first = rows[0]?.by_id ?? by;
    const verdict = await this.#judge(tx, first, by);
    if (verdict === 'alone' || verdict === 'confirmed') {
      await sql`delete from admin_requests where act = ${act} and target = ${target}`.execute(tx);
      return 'done';
    }
    if (verdict === 'made')
      throw new AppError(
        'FORBIDDEN',
        'whoever asked for this has made or invited you within the last days: another admin has to confirm it',
      );
    await sql`
      insert into admin_requests (act, target, by_id, at) values (${act}, ${target}, ${by}, ${at})
      on conflict (act, target) do update set at = excluded.at`.execute(tx);
    return 'asked';
  }

  #judge(tx: Executor, first: Actor, second: Actor): Promise<Verdict> {
    const { clock, limits } = this.#deps;
    return judge(tx, { first, second }, clock.now() - limits.newAdminMs);
  }

  async list(page: ActsPage): Promise<LoggedAct[]> {
    return listActs(this.#deps.db, page);
  }
}

type ActsPage = { readonly after: number; readonly limit: number };

/** The log in its order, after a number. */
export const listActs = (db: Database, { after, limit }: ActsPage): Promise<LoggedAct[]> =>
  db.query<LoggedAct>({
    name: 'admin-acts-list',
    text: `select a.number, a.by_id as by, a.act, a.target, a.at, coalesce(s.certificate, a.certificate) as certificate
      from admin_acts a left join statements s on s.hash = a.statement_hash
      where a.number > $1 order by a.number limit $2`,
    values: [after, limit],
  });

/** Who wants what is so already has it. */
const outcomeOf = (effect: Effect): Outcome => (effect === 'unchanged' ? 'done' : effect);

const isAdmin = (role: Role): boolean => role === 'root' || role === 'admin';
const notAnAdmin = () => new AppError('FORBIDDEN', 'only admins may do this');

const lockActs = async (tx: Executor): Promise<void> => void (await sql`select pg_advisory_xact_lock(${ACTS_LOCK})`.execute(tx));

/** The member's role now, kept as it is until the transaction ends. @throws AppError FORBIDDEN */
async function requireAdmin(tx: Executor, user: UserId): Promise<Role> {
  const { rows } = await sql<{ role: Role }>`select role from users where id = ${user} for share`.execute(tx);
  const role = rows[0]?.role ?? 'user';
  if (!isAdmin(role)) throw notAnAdmin();
  return role;
}

type Logged = Ordered &
  Pick<Acting, 'by' | 'at'> & { readonly nonce: string; readonly hash: Buffer; readonly certificate?: ActCertificate };

/** @throws AppError CONFLICT if the nonce is another act's, also where there is nothing to log */
async function logAct(tx: Executor, effect: Effect, { act, target, by, at, nonce, hash, certificate }: Logged): Promise<void> {
  const used = await sql`select from admin_acts where by_id = ${by} and nonce = ${nonce}`.execute(tx);
  if (used.rows.length > 0) throw new AppError('CONFLICT', 'nonce: used by another act');
  if (effect === 'unchanged') return;
  await sql`
    insert into admin_acts (number, by_id, act, target, nonce, at, statement_hash, certificate)
    select coalesce(max(number), 0) + 1, ${by}, ${act}, ${target}, ${nonce}, ${at}, ${hash}, ${certificate === undefined ? null : JSON.stringify(certificate)}::jsonb
    from admin_acts`.execute(tx);
}
