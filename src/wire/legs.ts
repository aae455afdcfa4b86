// Bodies of the legs by which members see another server's people: pages of profiles, search, counts of reeds. Bytes to values and back; what can't
// be read, or says more than it may, is a result, never a throw.
import { fail, ok, type Result } from '../base/result.ts';
import { parseReedId, parseUserId, type ReedId, type UserId, userOf } from './address.ts';
import { reedbed } from './gen/legs.js';
import { checkUsername } from './username.ts';

const Wire = reedbed.v1;

export type ProfilePageRequest = { readonly author: UserId; readonly requester: UserId; readonly page: number };
export type PageReed = { readonly subject: ReedId; readonly kind: 'reed' | 'thread' };
export type ReedPage = { readonly reeds: readonly PageReed[]; readonly hasMore: boolean };
export type ReedCounts = {
  readonly reedId: ReedId;
  readonly echoes: number;
  readonly replies: number;
  readonly likes: number;
  /** Holders by members of its home, rounded down. */
  readonly coveragePercent: number;
  /** Other servers with a holder, beyond what the percentage counts. */
  readonly holderServers: number;
};
export type FoundPerson = { readonly id: UserId; readonly username: string };
export type SearchRequest = { readonly query: string; readonly limit: number };

class Malformed extends Error {}

function read<T>(work: () => T): Result<T, 'malformed'> {
  try {
    return ok(work());
  } catch {
    return fail('malformed');
  }
}

function must<T>(value: T | null): T {
  if (value === null) throw new Malformed();
  return value;
}

export const encodePageRequest = ({ author, requester, page }: ProfilePageRequest): Uint8Array =>
  Wire.ProfilePageRequest.encode({ authorId: author, requesterUserId: requester, page }).finish();

export const decodePageRequest = (bytes: Uint8Array): Result<ProfilePageRequest, 'malformed'> =>
  read(() => {
    const { authorId, requesterUserId, page } = Wire.ProfilePageRequest.decode(bytes);
    return { author: must(parseUserId(authorId)), requester: must(parseUserId(requesterUserId)), page };
  });

export const encodePage = ({ reeds, hasMore }: ReedPage): Uint8Array =>
  Wire.ProfilePageAnswer.encode({
    ...{ reedIds: reeds.map(({ subject }) => subject), count: reeds.length, hasMore },
    threadIds: reeds.flatMap(({ subject, kind }) => (kind === 'thread' ? [subject] : [])),
  }).finish();

/** A page of this author's, of so many reeds at most, each once. */
export const decodePage = (bytes: Uint8Array, author: UserId, most: number): Result<ReedPage, 'malformed'> =>
  read(() => {
    const { count, hasMore, reedIds, threadIds } = Wire.ProfilePageAnswer.decode(bytes);
    const threads = new Set(threadIds);
    const reeds = reedIds.map((id) => {
      const subject = must(parseReedId(id));
      if (userOf(subject) !== author) throw new Malformed();
      return { subject, kind: threads.has(id) ? ('thread' as const) : ('reed' as const) };
    });
    const ids = new Set(reedIds);
    if (count !== reeds.length || ids.size !== reeds.length || reeds.length > most || !threadIds.every((id) => ids.has(id)))
      throw new Malformed();
    return { reeds, hasMore };
  });

export const encodeReedWatch = (reedId: ReedId): Uint8Array => Wire.ReedWatch.encode({ reedId }).finish();
export const decodeReedWatch = (bytes: Uint8Array): Result<ReedId, 'malformed'> =>
  read(() => must(parseReedId(Wire.ReedWatch.decode(bytes).reedId)));

const MOST_PERCENT = 100;

export const encodeReedCounts = (counts: ReedCounts): Uint8Array => Wire.ReedCounts.encode(counts).finish();
export const decodeReedCounts = (bytes: Uint8Array): Result<ReedCounts, 'malformed'> =>
  read(() => {
    const { reedId, echoes, replies, likes, coveragePercent, holderServers } = Wire.ReedCounts.decode(bytes);
    if (coveragePercent > MOST_PERCENT) throw new Malformed();
    return { reedId: must(parseReedId(reedId)), echoes, replies, likes, coveragePercent, holderServers };
  });

export const encodeSearchRequest = (request: SearchRequest): Uint8Array => Wire.SearchRequest.encode(request).finish();
export const decodeSearchRequest = (bytes: Uint8Array): Result<SearchRequest, 'malformed'> =>
  read(() => {
    const { query, limit } = Wire.SearchRequest.decode(bytes);
    return { query, limit };
  });

export const encodeFound = (people: readonly FoundPerson[]): Uint8Array => Wire.SearchAnswer.encode({ people: [...people] }).finish();

/** So many people at most, each once, with names as people may have them. */
export const decodeFound = (bytes: Uint8Array, most: number): Result<readonly FoundPerson[], 'malformed'> =>
  read(() => {
    const people = Wire.SearchAnswer.decode(bytes).people.map(({ id, username }) => {
      const checked = checkUsername(username ?? '');
      if (!checked.ok || checked.value.name !== username) throw new Malformed();
      return { id: must(parseUserId(id ?? '')), username };
    });
    if (people.length > most || new Set(people.map(({ id }) => id)).size !== people.length) throw new Malformed();
    return people;
  });
