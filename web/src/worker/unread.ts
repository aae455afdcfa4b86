// How much came to a list since this profile last looked at it, without what was looked at elsewhere. Counted by when a copy came here, not by its own
// time: what was written while one was away is new, too. Bounded: more than fits on the mark is not counted.
import type { Member } from '../../../src/client/member.ts';
import type { UnreadList, UnreadView } from '../link/community.ts';
import type { Database } from '../store/database.ts';

/** One more than a mark shows as a number. */
const LOOKED_AT = 51;
/** Of those that were looked at one by one, so many are remembered: the newest. */
const REMEMBERED = 300;
const ONE_BY_ONE = 'looked at';
const metaOf = (list: UnreadList): string => `seen ${list}`;

export class Unread {
  readonly #member: Member;
  readonly #database: Database;

  constructor({ member, database }: { readonly member: Member; readonly database: Database }) {
    this.#member = member;
    this.#database = database;
  }

  async count(): Promise<UnreadView> {
    const [home, mentions, answers] = await Promise.all((['home', 'mentions', 'answers'] as const).map((list) => this.#newIn(list)));
    return { home: home ?? 0, mentions: mentions ?? 0, answers: answers ?? 0 };
  }

  /** The person looks at a list: what came up to this time is new no more. */
  async seen(list: UnreadList, storedAt: number): Promise<void> {
    if (storedAt > (await this.#seenAt(list))) await this.#database.put('meta', { id: metaOf(list), value: storedAt });
  }

  /** These were on the screen, in whatever list or by themselves. @returns whether that is news */
  async lookedAt(reedIds: readonly string[]): Promise<boolean> {
    const known = await this.#oneByOne();
    const added = reedIds.filter((reedId) => !known.has(reedId));
    if (added.length === 0) return false;
    await this.#database.put('meta', { id: ONE_BY_ONE, value: [...known, ...added].slice(-REMEMBERED) });
    return true;
  }

  async #newIn(list: UnreadList): Promise<number> {
    const seenAt = await this.#seenAt(list);
    const { copies } = await this.#member.receiving.timeline({ kind: list }, { limit: LOOKED_AT });
    const looked = await this.#oneByOne();
    return copies.filter(({ id, own, storedAt }) => !own && storedAt > seenAt && !looked.has(id)).length;
  }

  async #oneByOne(): Promise<ReadonlySet<string>> {
    const value = (await this.#database.get('meta', ONE_BY_ONE))?.value;
    return new Set(Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []);
  }

  async #seenAt(list: UnreadList): Promise<number> {
    const value = (await this.#database.get('meta', metaOf(list)))?.value;
    return typeof value === 'number' ? value : 0;
  }
}
