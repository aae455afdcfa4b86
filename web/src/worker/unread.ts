// How much came to a list since this profile last looked at it. Counted by when a copy came here, not by its own time: what was written while one was
// away is new, too. Bounded: more than fits on the mark is not counted.
import type { Member } from '../../../src/client/member.ts';
import type { UnreadList, UnreadView } from '../link/community.ts';
import type { Database } from '../store/database.ts';

/** One more than a mark shows as a number. */
const LOOKED_AT = 51;
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

  async #newIn(list: UnreadList): Promise<number> {
    const seenAt = await this.#seenAt(list);
    const { copies } = await this.#member.receiving.timeline({ kind: list }, { limit: LOOKED_AT });
    return copies.filter(({ own, storedAt }) => !own && storedAt > seenAt).length;
  }

  async #seenAt(list: UnreadList): Promise<number> {
    const value = (await this.#database.get('meta', metaOf(list)))?.value;
    return typeof value === 'number' ? value : 0;
  }
}
