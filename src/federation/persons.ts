// What servers ask each other about persons and reeds: the legs profile, key and certificate, for our own members, and the same asked of others'
// homes. What comes back is verified before it is believed, and kept.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Result } from '../base/result.ts';
import type { Database } from '../db/pool.ts';
import { chainOf, type ForeignPersons } from '../identity/foreign.ts';
import { refuseRemovedAccount } from '../identity/standing.ts';
import { parseReedId, parseUserId, parseUserKeyId, type ServerId, serverOf, type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import {
  decodeAbout,
  decodeKeyAnswer,
  decodeProfileAnswer,
  encodeAbout,
  encodeCertificateAnswer,
  encodeKeyAnswer,
  encodeProfileAnswer,
  type KeyLink,
} from '../wire/streams.ts';
import { isOfTheLeg } from './leg-words.ts';
import type { Leg, PeerCalls } from './stream-ports.ts';
import { Tasks } from './tasks.ts';

export type PersonsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'foreignProfileMs' | 'peerCallsWaiting'>;
  readonly log: { warn(details: object, message: string): void };
  readonly foreign: ForeignPersons;
  readonly calls: PeerCalls;
};

const ABOUT_BYTES = 1_024;
const OK = 200;

const isAway = (learned: Result<'learned'>): boolean => !learned.ok && (learned.reason === 'away' || learned.reason === 'too-many-keys');

export class Persons {
  readonly #deps: PersonsDeps;
  /** Chains that are being asked for, so that many who need one ask once. */
  readonly #asking = new Map<UserId, Promise<readonly KeyLink[] | null>>();

  readonly #tasks: Tasks;
  /** Persons whose names are being asked for. */
  readonly #meeting = new Set<UserId>();
  /** Peers whose people are being looked through for names; true: once more after that. */
  readonly #naming = new Map<ServerId, boolean>();

  constructor(deps: PersonsDeps) {
    this.#deps = deps;
    this.#tasks = new Tasks(deps.log);
  }

  get idle(): boolean {
    return this.#tasks.idle;
  }

  /** Somebody of another server is to be shown in lists: their name is asked for, unless it was lately. Nobody waits for it. */
  meet(user: UserId): void {
    if (this.#meeting.has(user)) return;
    if (this.#meeting.size >= this.#deps.limits.peerCallsWaiting) return this.meetAll(serverOf(user));
    this.#meeting.add(user);
    this.#tasks.run(() => this.#meet(user).finally(() => this.#meeting.delete(user)));
  }

  async #meet(user: UserId): Promise<void> {
    const { clock, db, limits } = this.#deps;
    const known = await db.query({
      name: 'persons_known',
      text: 'select from foreign_profiles where user_id = $1 and fetched_at > $2',
      values: [user, new Date(clock.now() - limits.foreignProfileMs)],
    });
    if (known.length === 0) await this.learnPerson(user);
  }

  /** Asks for the names that lists lack of a peer's people: who did something while it could not be asked would stay without one. */
  meetAll(peer: ServerId): void {
    const isUnderWay = this.#naming.has(peer);
    this.#naming.set(peer, isUnderWay);
    if (!isUnderWay) this.#tasks.run(() => this.#meetAll(peer));
  }

  /** One after the other, so that nothing else of this peer waits for long. */
  async #meetAll(peer: ServerId): Promise<void> {
    try {
      do {
        this.#naming.set(peer, false);
        for (let page = await this.#nameless(peer, ''); page.length > 0; page = await this.#nameless(peer, page.at(-1) ?? ''))
          for (const user of page) if (isAway(await this.learnPerson(user))) return;
      } while (this.#naming.get(peer) === true);
    } finally {
      this.#naming.delete(peer);
    }
  }

  async #nameless(peer: ServerId, after: string): Promise<UserId[]> {
    const rows = await this.#deps.db.query<{ id: UserId }>({
      name: 'persons_nameless',
      isPlannedAnew: true,
      text: `select i.id from identities i where i.server_id = $1 and i.id > $2
          and not exists (select from foreign_profiles p where p.user_id = i.id)
          and not exists (select from account_removals r where r.user_id = i.id)
          and (exists (select from follows f where f.user_id = i.id and f.active) or exists (select from follows f where f.target = i.id and f.active)
            or exists (select from blocks b where b.user_id = i.id and b.active) or exists (select from blocks b where b.target = i.id and b.active))
        order by i.id limit $3`,
      values: [peer, after, this.#deps.limits.peerCallsWaiting],
    });
    return rows.map(({ id }) => id);
  }

  /** The legs that answer about our own members. */
  legs(): Readonly<Record<'key' | 'profile' | 'certificate', Leg>> {
    return {
      key: this.#leg(parseUserKeyId, (id) => this.#key(id)),
      profile: this.#leg(parseUserId, (id) => this.#profile(id)),
      certificate: this.#leg(parseReedId, (id) => this.#certificate(id)),
    };
  }

  #leg<Id>(parse: (text: string) => Id | null, answer: (id: Id) => Promise<Uint8Array>): Leg {
    return {
      limitBytes: ABOUT_BYTES,
      handle: async (_peer, body) => {
        const about = decodeAbout(body);
        const id = about.ok ? parse(about.value) : null;
        if (id === null) throw new AppError('BAD_REQUEST', 'id is not one of this kind');
        return { status: OK, body: await answer(id) };
      },
    };
  }

  async #key(id: UserKeyId): Promise<Uint8Array> {
    return encodeKeyAnswer((await this.#chainOfMember(userOf(id))) as readonly KeyLink[]);
  }

  async #chainOfMember(user: UserId): Promise<readonly KeyLink[]> {
    const { db } = this.#deps;
    const rows = await db.query({ name: 'persons_member', text: 'select from users where id = $1', values: [user] });
    if (rows.length === 0) throw new AppError('NOT_FOUND', 'there is no such member');
    return chainOf(db.kysely, user);
  }

  async #profile(id: UserId): Promise<Uint8Array> {
    const { db } = this.#deps;
    await refuseRemovedAccount(db.kysely, id);
    const chain = await this.#chainOfMember(id);
    const { rows } = await sql<{ identity: object }>`
      select s.certificate as identity from users u join statements s on s.hash = u.identity_hash where u.id = ${id}`.execute(db.kysely);
    const [found] = rows;
    if (found === undefined) throw new AppError('NOT_FOUND', 'there is no such member');
    return encodeProfileAnswer({ identity: found.identity, chain });
  }

  async #certificate(id: string): Promise<Uint8Array> {
    const { db } = this.#deps;
    const { rows } = await sql<{ author: UserId; certificate: object; removal: object | null; removed: boolean; parts: object[] | null }>`
      select r.author_id as author, coalesce(ts.certificate, s.certificate) as certificate, removal.certificate as removal, r.removed_at is not null as removed,
        case when t.id is not null then (select jsonb_agg(ps.certificate order by p.thread_index) from reeds p
          join statements ps on ps.hash = p.statement_hash where p.thread_head = t.id) end as parts
      from reeds r join users u on u.id = r.author_id join statements s on s.hash = r.statement_hash
        left join threads t on t.id = r.id left join statements ts on ts.hash = t.statement_hash
        left join statements removal on removal.hash = r.removal_hash
      where r.id = ${id} and r.published_at is not null`.execute(db.kysely);
    const [found] = rows;
    if (found === undefined) throw new AppError('NOT_FOUND', 'there is no such reed');
    await refuseRemovedAccount(db.kysely, found.author);
    if (found.removed) throw new AppError('REMOVED', 'removed by its author', found.removal === null ? {} : { certificate: found.removal });
    return encodeCertificateAnswer({ certificate: found.certificate, parts: found.parts ?? [] });
  }

  /** Asks the home of a key for the chain that it is on; null if that can't be had now. */
  async askForChain(key: UserKeyId): Promise<readonly KeyLink[] | null> {
    const user = userOf(key);
    const asked = this.#asking.get(user) ?? this.#askForChain(key).finally(() => this.#asking.delete(user));
    this.#asking.set(user, asked);
    return asked;
  }

  /** Asks for the chain of a key and keeps what is proven. */
  async learnKey(key: UserKeyId): Promise<void> {
    const chain = await this.askForChain(key);
    if (chain !== null) await this.#deps.foreign.learnChain(userOf(key), chain);
  }

  async #askForChain(key: UserKeyId): Promise<readonly KeyLink[] | null> {
    const called = await this.#deps.calls.call(serverOf(key), 'key', encodeAbout(key));
    if (called.kind !== 'answer' || called.status !== OK) return null;
    const chain = decodeKeyAnswer(called.body);
    return chain.ok ? chain.value : null;
  }

  /**
   * Asks somebody's home who they are, and keeps it.
   * @returns unknown: the home knows nobody of that id, or none who is still there · away: it can't be asked now · else why it is not believed
   */
  async learnPerson(user: UserId): Promise<Result<'learned'>> {
    const { calls, foreign } = this.#deps;
    const called = await calls.call(serverOf(user), 'profile', encodeAbout(user));
    if (called.kind !== 'answer' || !isOfTheLeg(called)) return { ok: false, reason: 'away', detail: '' };
    if (called.status !== OK) return { ok: false, reason: 'unknown', detail: '' };
    const profile = decodeProfileAnswer(called.body);
    if (!profile.ok) return profile;
    const learned = await foreign.learnChain(user, profile.value.chain);
    if (!learned.ok) return learned;
    const identity = await foreign.accept(profile.value.identity, 'identity');
    if (!identity.ok) return identity;
    if (identity.value.certificate.statement.user !== user) return { ok: false, reason: 'wrong-person', detail: '' };
    await foreign.learnProfile(identity.value);
    return { ok: true, value: 'learned' };
  }
}
