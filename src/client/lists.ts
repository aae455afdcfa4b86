// Lists that the server keeps, page by page: `for await (const page of lists.replies(reed))`, or `next()` for a button that shows more.
// What is shown of others is proved first: a certificate that does not hold, or is of something else, is left out.
import { AppError } from '../base/errors.ts';
import { verifyCertificate } from '../crypto/statement.ts';
import { parseReedId, parseServerId, parseUserId, type ReedId, type ServerId, type UserId } from '../wire/address.ts';
import type { Api, TokenSource } from './api.ts';
import type { KeyDirectory } from './keys.ts';
import { mended } from './mends.ts';
import type { ReedCertificate, ReedStatement } from './types.ts';

export type ListsDeps = { readonly api: Api; readonly session: TokenSource; readonly keys: Pick<KeyDirectory, 'context'> };

/** A reed without its text, which `request` gets. */
export type ListedReed = { readonly reedId: ReedId; readonly certificate: ReedCertificate; readonly publishedAt: string };
/** Of a member of another server the name is what is known here, if anything. */
export type ListedPerson = { readonly user: UserId; readonly username: string | null };
/** `away`: servers that did not answer. Names are as the other servers say, until a profile proves them. */
export type FoundElsewhere = { readonly people: readonly ListedPerson[]; readonly away: readonly ServerId[] };
export type ListedInvite = {
  readonly id: string;
  readonly role: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly claimedBy: string | null;
  readonly claimedAt: string | null;
  readonly revokedAt: string | null;
};

/** Another server with which this member's exchanges reeds. `webUrl` is what that server says of itself. */
export type ListedPeer = { readonly server: ServerId; readonly name: string; readonly webUrl: string; readonly state: 'live' | 'away' };

/** Pages in their order; a page may be empty though others follow. Throws AppError. */
export type Pages<T> = AsyncGenerator<readonly T[], void, void>;

export class Lists {
  readonly #deps: ListsDeps;

  constructor(deps: ListsDeps) {
    this.#deps = deps;
  }

  /** What replies to the reed itself, oldest first. Throws AppError REMOVED or BLOCKED with the certificate, NOT_FOUND. */
  replies(reed: ReedId): Pages<ListedReed> {
    return this.#reeds(`reeds/${encodeURIComponent(reed)}/replies`, ({ replyTo }) => replyTo === reed);
  }

  /** What echoes the reed, oldest first. Throws as `replies` does. */
  echoes(reed: ReedId): Pages<ListedReed> {
    return this.#reeds(`reeds/${encodeURIComponent(reed)}/echoes`, ({ echoOf }) => echoOf === reed);
  }

  /** What this member has published and not taken back, newest first. */
  ownReeds(member: UserId): Pages<ListedReed> {
    return this.#reeds('users/me/reeds', ({ author }) => author === member);
  }

  /** What the server counts on this member to have, by id. */
  allocations(): Pages<ReedId> {
    return this.#pages('users/me/allocations', 'reeds', idIn);
  }

  /** What this member likes, by id. */
  likes(): Pages<ReedId> {
    return this.#pages('users/me/likes', 'reeds', idIn);
  }

  /** Whom a member follows. Throws AppError FORBIDDEN if they keep it to themselves. */
  following(user: UserId): Pages<ListedPerson> {
    return this.#pages(`users/${encodeURIComponent(user)}/following`, 'users', personIn);
  }

  /** Who follows a member and shows it. */
  followers(user: UserId): Pages<ListedPerson> {
    return this.#pages(`users/${encodeURIComponent(user)}/followers`, 'users', personIn);
  }

  /** Whom this member blocks. */
  blocks(): Pages<ListedPerson> {
    return this.#pages('users/me/blocks', 'blocks', personIn);
  }

  /** People whose name or id begins like this: this server's, and those of others whose name is known here. */
  people(query: string): Pages<ListedPerson> {
    return this.#pages(`users?query=${encodeURIComponent(query)}`, 'users', personIn);
  }

  /** People of other servers whose name or id begins like this. Throws AppError RATE_LIMITED: each costs as much as an act. */
  async peopleElsewhere(query: string): Promise<FoundElsewhere> {
    const { api, session } = this.#deps;
    const path = `users/elsewhere?query=${encodeURIComponent(query)}`;
    const { away, users } = ((await mended(() => api.call(path, { session }))) ?? {}) as Record<string, unknown>;
    if (!Array.isArray(users) || !Array.isArray(away)) throw NO_LIST();
    return { people: users.flatMap((item) => personIn(item) ?? []), away: away.flatMap((id) => parseServerId(String(id)) ?? []) };
  }

  /** The servers with which this member's exchanges reeds; away: it can't be reached now. */
  async peers(): Promise<readonly ListedPeer[]> {
    const { api, session } = this.#deps;
    const answer = (await mended(() => api.call('peers', { session }))) as { readonly peers?: unknown } | null | undefined;
    if (!Array.isArray(answer?.peers)) throw NO_LIST();
    return answer.peers.flatMap((item) => peerIn(item) ?? []);
  }

  /** This member's invites, newest first. */
  invites(): Pages<ListedInvite> {
    return this.#pages('invites', 'invites', (item) => item as ListedInvite);
  }

  #reeds(path: string, belongs: (statement: ReedStatement) => boolean): Pages<ListedReed> {
    return this.#pages(path, 'reeds', async (item) => {
      const { certificate: value, publishedAt } = (item ?? {}) as { certificate?: unknown; publishedAt?: unknown };
      const accepted = await verifyCertificate(value, 'reed', this.#deps.keys.context);
      if (!accepted.ok || !belongs(accepted.value.certificate.statement)) return null;
      const { certificate } = accepted.value;
      return { reedId: certificate.statement.id, certificate, publishedAt: String(publishedAt) };
    });
  }

  async *#pages<T>(path: string, field: string, read: (item: unknown) => T | null | Promise<T | null>): Pages<T> {
    const { api, session } = this.#deps;
    const seen = new Set<string>();
    for (let cursor: string | null = null; ; ) {
      const query: string = cursor === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
      const answer = ((await mended(() => api.call(path + query, { session }))) ?? {}) as Record<string, unknown>;
      const items = answer[field];
      if (!Array.isArray(items)) throw NO_LIST();
      const page = await Promise.all(items.map(read));
      yield page.filter((item) => item !== null);
      const { next } = answer;
      // A server that leads in a circle is not followed for ever.
      if (typeof next !== 'string' || seen.has(next)) return;
      seen.add(next);
      cursor = next;
    }
  }
}

const NO_LIST = (): AppError => new AppError('UNAVAILABLE', 'the server answered something else than a list; try again later');

function peerIn(item: unknown): ListedPeer | null {
  const { name, server: id, state, webUrl } = (item ?? {}) as Readonly<Record<string, unknown>>;
  const server = parseServerId(String(id));
  if (server === null || (state !== 'live' && state !== 'away')) return null;
  return { server, name: typeof name === 'string' ? name : '', webUrl: typeof webUrl === 'string' ? webUrl : '', state };
}

const idIn = (item: unknown): ReedId | null => parseReedId(String(item));

function personIn(item: unknown): ListedPerson | null {
  const { id, username } = (item ?? {}) as { id?: unknown; username?: unknown };
  const user = parseUserId(String(id));
  return user && { user, username: typeof username === 'string' ? username : null };
}
