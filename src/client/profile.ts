// Profiles: what members certifiedly say about themselves, and saying something else about oneself. A change needs the server at once, for a
// name may be taken: nothing of it waits in the outbox.
import { AppError } from '../base/errors.ts';
import { verifyCertificate } from '../crypto/statement.ts';
import { type ReedId, type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import { printTime } from '../wire/kinds.ts';
import { checkStatement, heading, type StatementOf } from '../wire/statements.ts';
import { checkUsername } from '../wire/username.ts';
import type { Api, TokenSource } from './api.ts';
import type { KeyRing } from './key-ring.ts';
import type { KeyDirectory } from './keys.ts';
import type { ListedReed } from './lists.ts';
import { mended } from './mends.ts';
import type { ServerTime } from './server-time.ts';

type Identity = StatementOf<'identity'>;

export type ProfileDeps = {
  readonly api: Api;
  readonly session: TokenSource;
  readonly keys: Pick<KeyDirectory, 'context'>;
  readonly keyRing: KeyRing;
  readonly time: ServerTime;
  readonly user: UserId;
  readonly key: UserKeyId;
};

export type Profile = {
  readonly user: UserId;
  readonly username: string;
  readonly bio: string;
  readonly role: string;
  /** When the account was made. */
  readonly createdAt: string;
  /** May archivists keep copies; are their follows shown. */
  readonly archive: boolean;
  readonly follows: 'public' | 'hidden';
  /** As far as the server counts; `following` is null if it is hidden. */
  readonly counts: { readonly reeds: number; readonly following: number | null; readonly followers: number };
  readonly pinned: ListedReed | null;
  readonly certificate: Certificate<Identity>;
};

/** What is not named stays as it is; `pinned: null` takes the pin off. */
export type ProfileChanges = Partial<Pick<Identity, 'username' | 'bio' | 'archive' | 'follows'>> & { readonly pinned?: ReedId | null };

export class Profiles {
  readonly #deps: ProfileDeps;

  constructor(deps: ProfileDeps) {
    this.#deps = deps;
  }

  /** Throws AppError NOT_FOUND; REMOVED or BLOCKED with the certificate; UNAVAILABLE also if the server's proof does not hold. */
  async read(user: UserId): Promise<Profile> {
    const { api, session, keys } = this.#deps;
    const answer = (await mended(() => api.call(`users/${encodeURIComponent(user)}`, { session }))) as Answer;
    const accepted = await verifyCertificate(answer.identity, 'identity', keys.context);
    const certificate = accepted.ok ? accepted.value.certificate : null;
    if (certificate?.statement.user !== user) throw new AppError('UNAVAILABLE', 'the server does not prove who this is; try again later');
    const { username, bio, archive, follows, pinned } = certificate.statement;
    const rest = { role: String(answer.role), createdAt: String(answer.createdAt), counts: countsIn(answer) };
    return { user, username, bio, archive, follows, certificate, ...rest, pinned: await this.#pinned(user, pinned, answer.pinned) };
  }

  /**
   * Says something else about oneself.
   * @returns what is so now
   * @throws AppError INVALID naming the field and the mend, USERNAME_TAKEN, UNAVAILABLE without a connection
   */
  async edit(changes: ProfileChanges): Promise<Certificate<Identity>> {
    const { api, session, keys, keyRing, time, user, key } = this.#deps;
    const { certificate } = await this.read(user);
    const statement = this.#changed(certificate.statement, changes);
    const checked = checkStatement(statement, 'identity');
    if (!checked.ok)
      throw new AppError('INVALID', `${checked.detail || checked.reason}: not what may stand there; make it shorter or plainer`);
    const signed = await keyRing.sign({ ...statement, key, createdAt: printTime(time.now()) }, time.now());
    const answer = await mended(() => api.call('users/me/identity', { method: 'POST', body: signed, session }));
    const accepted = await verifyCertificate((answer as { certificate?: unknown }).certificate, 'identity', keys.context);
    if (!accepted.ok || accepted.value.certificate.statement.user !== user)
      throw new AppError('UNAVAILABLE', "the server's certificate does not hold; look at your profile and try again");
    return accepted.value.certificate;
  }

  #changed(current: Identity, { pinned, ...changes }: ProfileChanges): Identity {
    const { user } = this.#deps;
    const { pinned: before, ...rest } = current;
    const kept = pinned === undefined ? before : pinned;
    if (kept && userOf(kept) !== user) throw new AppError('INVALID', 'pinned: not a reed of yours; echo it, then pin the echo');
    const name = checkUsername(changes.username ?? current.username);
    if (!name.ok) throw new AppError('INVALID', `username: ${name.reason}; choose 2 to 30 letters of one script`);
    const bio = (changes.bio ?? current.bio).normalize('NFC');
    return { ...rest, ...changes, ...heading('identity'), username: name.value.name, bio, ...(kept ? { pinned: kept } : {}) };
  }

  /** The pinned reed, if the server proves that it is the one named. */
  async #pinned(user: UserId, named: ReedId | undefined, shown: Answer['pinned']): Promise<ListedReed | null> {
    if (named === undefined || !shown) return null;
    const accepted = await verifyCertificate(shown.certificate, 'reed', this.#deps.keys.context);
    if (!accepted.ok) return null;
    const { certificate } = accepted.value;
    if (certificate.statement.id !== named || certificate.statement.author !== user) return null;
    return { reedId: named, certificate, publishedAt: String(shown.publishedAt) };
  }
}

type Answer = {
  readonly role?: unknown;
  readonly createdAt?: unknown;
  readonly identity?: unknown;
  readonly counts?: Record<string, unknown>;
  readonly pinned?: { readonly certificate?: unknown; readonly publishedAt?: unknown } | null;
};

function countsIn({ counts = {} }: Answer): Profile['counts'] {
  const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
  const following = counts['following'] === null ? null : count(counts['following']);
  return { reeds: count(counts['reeds']), following, followers: count(counts['followers']) };
}
