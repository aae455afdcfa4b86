// Who is signed in. Nobody gets a token but for a session statement whose nonce was never used. It is stored hashed, bound to key and device,
// and ends an hour after its last use or a day after its signature. Every use looks at key, device and account again.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { base64url, type RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { type KeyLookup, verifySigned } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { UserId } from '../wire/address.ts';
import { canonicalBytes, STATEMENT_LIMITS } from '../wire/canonical.ts';
import type { Role } from '../wire/roles.ts';
import type { StatementOf } from '../wire/statements.ts';
import { parseStrictJson } from '../wire/strict-json.ts';
import type { Challenges } from './challenges.ts';
import type { Executor } from './executor.ts';
import type { ServerIdentity } from './server-identity.ts';
import { type Member, TOKEN_BYTES, TokenLookup, tokenHash } from './token-lookup.ts';

export type { Member };

export type SessionStatement = StatementOf<'session'>;
export type Purpose = SessionStatement['purpose'];
export type SignInReason = 'unauthenticated' | 'key-revoked' | 'device-unlinked';

/** Told after the commit that ended sessions of a member: all, or those of one device. */
export type OnSessionEnded = (userId: UserId, ended: { readonly deviceId?: string; readonly reason: SessionEnd }) => void;

/** replaced: another device was linked. */
export type SessionEnd = 'replaced' | 'ended';

/** `expiresAtMs`: milliseconds since the epoch, the latest end. */
export type IssuedToken = { readonly token: string; readonly expiresAtMs: number };

export type SessionsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly server: ServerIdentity;
  readonly keys: KeyLookup;
  readonly challenges: Challenges;
};

export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #tokens: TokenLookup;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#tokens = new TokenLookup(deps);
  }

  /** Who holds this token, or null if it is none of ours, ended, or its key, device or account is gone. */
  authenticateToken(token: string): Promise<Member | null> {
    return this.#tokens.find(token);
  }

  /**
   * Signs a socket in by a statement over its own HELLO nonce.
   * @param input canonical JSON of the session statement, and one armored signature
   */
  async authenticateStatement(
    input: { readonly statement: Uint8Array; readonly signature: string },
    helloNonce: string,
  ): Promise<Result<Member & { readonly token: string }, SignInReason>> {
    const statement = readCanonical(input.statement);
    if (statement === null) return fail('unauthenticated', 'statement: not canonical JSON');
    const verified = await this.verify({ statement, signature: input.signature }, 'socket');
    if (!verified.ok) return verified;
    if (verified.value.nonce !== helloNonce) return fail('unauthenticated', 'nonce: not the one of this connection');
    const opened = await this.#deps.db.transaction((tx) => this.open(tx, verified.value));
    if (!opened.ok) return opened;
    return ok({ ...opened.value.member, token: opened.value.issued.token });
  }

  /** A token for a session statement of purpose `token` over an unused challenge. @throws AppError UNAUTHENTICATED, FORBIDDEN, KEY_REVOKED */
  async signIn(given: { readonly statement: unknown; readonly signature: string }): Promise<IssuedToken> {
    const statement = requireSession(await this.verify(given, 'token'));
    await this.requireGoodNonce(statement);
    const opened = await this.#deps.db.transaction(async (tx) => {
      await this.useNonce(tx, statement);
      return this.open(tx, statement);
    });
    return requireSession(opened).issued;
  }

  /** Why nobody may be signed in as these any more, in their order; null where one still may: key, device and account stand. */
  async endedOf(members: readonly Member[]): Promise<(SessionEnd | null)[]> {
    const rows = await this.#deps.db.query<{ end: SessionEnd | null }>({
      name: 'sessions-ended-of',
      text: `select case
          when (select k.void_hash is null from keys k where k.id = i.key_id) is not true
            or (select true from key_revocations r where r.key_id = i.key_id)
            or (select true from account_removals a where a.user_id = i.user_id) then 'ended'
          when (select d.unlinked_at is null from devices d where d.user_id = i.user_id and d.id = i.device_id) is not true then 'replaced'
          end as "end"
        from unnest($1::text[], $2::text[], $3::text[]) with ordinality as i(user_id, key_id, device_id, place) order by i.place`,
      values: [members.map(({ userId }) => userId), members.map(({ keyId }) => keyId), members.map(({ deviceId }) => deviceId)],
    });
    return rows.map(({ end }) => end);
  }

  /** Ends the session of a token; an unknown one is ended already. */
  async signOut(token: string): Promise<void> {
    await this.#deps.db.query({ name: 'session-end', text: 'delete from sessions where token_hash = $1', values: [tokenHash(token)] });
  }

  /** A session statement for this server and purpose, signed by the key that it names. Its nonce is not looked at. */
  async verify(
    given: { readonly statement: unknown; readonly signature: string },
    purpose: Purpose,
    keys: KeyLookup = this.#deps.keys,
  ): Promise<Result<SessionStatement, SignInReason>> {
    const named = (given.statement as { readonly key?: unknown } | null)?.key;
    const signed = { statement: given.statement, signatures: [{ key: named, signature: given.signature }] };
    const verified = await verifySigned(signed, 'session', { keys, now: this.#deps.clock.now() });
    if (!verified.ok) return fail('unauthenticated', `session ${verified.detail}: ${verified.reason}`);
    const { statement } = verified.value.signed;
    if (statement.server !== this.#deps.server.id) return fail('unauthenticated', 'server: not this one');
    if (statement.purpose !== purpose) return fail('unauthenticated', `purpose: not ${purpose}`);
    return ok(statement);
  }

  /** @throws AppError UNAUTHENTICATED unless the statement's nonce is one of our challenges and not expired */
  async requireGoodNonce(statement: SessionStatement): Promise<void> {
    if (!(await this.#deps.challenges.isGood(statement.nonce))) throw new AppError('UNAUTHENTICATED', 'nonce: not ours, or expired');
  }

  /** @throws AppError UNAUTHENTICATED if the nonce was used before */
  async useNonce(tx: Executor, statement: SessionStatement): Promise<void> {
    if (!(await this.#deps.challenges.use(tx, statement.nonce))) throw new AppError('UNAUTHENTICATED', 'nonce: used before');
  }

  /** Writes a session for a verified statement, if key, device and account are in use; beyond the limit the one used least recently ends. */
  async open(tx: Executor, statement: SessionStatement): Promise<Result<{ member: Member; issued: IssuedToken }, SignInReason>> {
    const usable = await this.#usable(tx, statement);
    if (!usable.ok) return usable;
    const member = { userId: statement.user, keyId: statement.key, deviceId: statement.device, role: usable.value };
    return ok({ member, issued: await this.issue(tx, statement, false) });
  }

  /** Writes a session for a verified statement whose key was found to be in use; `recovery` if it is the recovery key's, which crowds out no other kind. */
  async issue(tx: Executor, statement: SessionStatement, recovery: boolean): Promise<IssuedToken> {
    const { clock, random, limits } = this.#deps;
    const now = clock.now();
    const token = base64url(random(TOKEN_BYTES));
    const at = new Date(now);
    await sql`
      insert into sessions (token_hash, user_id, key_id, device_id, signed_at, last_used_at, recovery)
      values (${tokenHash(token)}, ${statement.user}, ${statement.key}, ${statement.device}, ${at}, ${at}, ${recovery})`.execute(tx);
    await sql`
      delete from sessions where token_hash in (
        select token_hash from sessions where user_id = ${statement.user} and recovery = ${recovery}
        order by last_used_at desc, token_hash offset ${limits.sessionsPerMember} for update skip locked)`.execute(tx);
    await sql`
      delete from sessions where token_hash in (
        select token_hash from sessions where last_used_at < ${new Date(now - limits.tokenIdleMs)}
        limit ${limits.cleanUpRows} for update skip locked)`.execute(tx);
    return { token, expiresAtMs: now + limits.tokenLifeMs };
  }

  async #usable(tx: Executor, statement: SessionStatement): Promise<Result<Role, SignInReason>> {
    const { rows } = await sql<{ role: Role; revoked: boolean; removed: boolean }>`
      select u.role,
        k.void_hash is not null or exists (select from key_revocations r where r.key_id = k.id) as revoked,
        exists (select from account_removals a where a.user_id = u.id) as removed
      from users u join keys k on k.user_id = u.id and k.id = ${statement.key}
      where u.id = ${statement.user}`.execute(tx);
    const [row] = rows;
    if (row === undefined || row.removed) return fail('unauthenticated', 'there is no such member');
    if (row.revoked) return fail('key-revoked', 'key: revoked');
    const device = await sql`
      select id from devices where user_id = ${statement.user} and id = ${statement.device} and unlinked_at is null for share`.execute(tx);
    return device.rows.length === 1 ? ok(row.role) : fail('device-unlinked', 'device: another one is linked');
  }
}

/** Unwraps a sign-in's result. @throws AppError UNAUTHENTICATED, KEY_REVOKED, FORBIDDEN */
export function requireSession<T>(result: Result<T, SignInReason>): T {
  if (result.ok) return result.value;
  const codes = { unauthenticated: 'UNAUTHENTICATED', 'key-revoked': 'KEY_REVOKED', 'device-unlinked': 'FORBIDDEN' } as const;
  throw new AppError(codes[result.reason], result.detail);
}

/** The statement in `bytes` if they are exactly its canonical JSON, else null. */
function readCanonical(bytes: Uint8Array): unknown {
  const parsed = parseStrictJson(bytes, STATEMENT_LIMITS);
  if (!parsed.ok) return null;
  const canonical = canonicalBytes(parsed.value);
  return canonical.ok && Buffer.from(canonical.value).equals(bytes) ? parsed.value : null;
}
