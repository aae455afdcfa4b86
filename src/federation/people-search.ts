// Searching people across borders. Our members are found by peers if the operator lets them be; for a member of ours every peer that can be reached is
// asked at once, each for two seconds at most, for its own people. Names that come back are those that people may have; who a name
// really is, their profile proves.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { Users } from '../identity/users.ts';
import { type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { decodeFound, decodeSearchRequest, encodeFound, encodeSearchRequest, type FoundPerson } from '../wire/legs.ts';
import type { Leg, LegAnswer, PeerCalls, PeerStates } from './stream-ports.ts';

export type PeopleSearchDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly calls: PeerCalls;
  readonly peers: PeerStates;
  readonly users: Pick<Users, 'searchOwn'>;
  /** Whether peers may search the members of this server. */
  readonly isAllowed: boolean;
};

export type FoundElsewhere = {
  readonly people: readonly FoundPerson[];
  /** Peers that are away, did not answer in time, or not so that they could be believed. */
  readonly away: readonly ServerId[];
};

const REQUEST_BYTES = 1_024;
const OK = 200;
/** They let nobody search, or don't know how: nobody is missing by mistake. */
const REFUSALS: ReadonlySet<number> = new Set([403, 501]);

export class PeopleSearch implements Leg {
  readonly limitBytes = REQUEST_BYTES;
  readonly #deps: PeopleSearchDeps;

  constructor(deps: PeopleSearchDeps) {
    this.#deps = deps;
  }

  /** @throws AppError BAD_REQUEST; FORBIDDEN where members are not to be searched */
  async handle(_peer: ServerId, body: Uint8Array): Promise<LegAnswer> {
    const { isAllowed, limits, users } = this.#deps;
    if (!isAllowed) throw new AppError('FORBIDDEN', 'peers may not search the people of this server');
    const asked = decodeSearchRequest(body);
    if (!asked.ok) throw new AppError('BAD_REQUEST', 'the body can not be read');
    const { limit, query } = asked.value;
    if (query === '' || query.length > limits.searchChars || query.includes('\0'))
      throw new AppError('BAD_REQUEST', 'query: not to be searched');
    if (limit < 1) throw new AppError('BAD_REQUEST', 'limit: none');
    const found = await users.searchOwn(query, Math.min(limit, limits.pageItems));
    return { status: OK, body: encodeFound(found.map(({ id, username }) => ({ id, username }))) };
  }

  /** People of peers whose name or id begins so, by peer and id; without those who block the viewer. */
  async elsewhere(viewer: UserId, query: string): Promise<FoundElsewhere> {
    const { limits, peers } = this.#deps;
    const [near, far] = await Promise.all([peers.near(), peers.far()]);
    const asked = near.slice(0, limits.peersPerSearch);
    const answers = await Promise.all(asked.map(async (peer) => ({ peer, found: await this.#ask(peer, query) })));
    const people = answers.flatMap(({ found }) => found ?? []);
    const hidden = await this.#hidden(
      viewer,
      people.map(({ id }) => id),
    );
    return {
      people: people.filter(({ id }) => !hidden.has(id)),
      away: [...answers.flatMap(({ found, peer }) => (found === null ? [peer] : [])), ...far],
    };
  }

  /** Null: no answer that can be believed. */
  async #ask(peer: ServerId, query: string): Promise<readonly FoundPerson[] | null> {
    const { calls, clock, limits } = this.#deps;
    const late = new AbortController();
    const timer = clock.after(limits.peerSearchMs, () => late.abort());
    try {
      const limit = limits.foundPerPeer;
      const called = await calls.call(peer, 'search-users', encodeSearchRequest({ query, limit }), { signal: late.signal });
      if (called.kind !== 'answer') return null;
      if (REFUSALS.has(called.status)) return [];
      const found = called.status === OK ? decodeFound(called.body, limit) : null;
      return found?.ok && found.value.every(({ id }) => serverOf(id) === peer) ? found.value : null;
    } finally {
      timer.cancel();
    }
  }

  /** Of these people those who block the viewer, or are gone. */
  async #hidden(viewer: UserId, people: readonly UserId[]): Promise<ReadonlySet<UserId>> {
    const rows = await this.#deps.db.query<{ id: UserId }>({
      name: 'search_hidden',
      text: `select user_id as id from blocks where user_id = any($1::text[]) and target = $2 and active
        union select user_id from account_removals where user_id = any($1::text[])`,
      values: [people, viewer],
    });
    return new Set(rows.map(({ id }) => id));
  }
}
