// How much came to a list since this profile last looked at it, without what was looked at elsewhere. Counted by when a copy came here, not by its own
// time: what was written while one was away is new, too. Bounded: more than fits on the mark is not counted.
import type { Member } from '../../../src/client/member.ts';
import type { CopyRecord } from '../../../src/client/store.ts';
import { userOf } from '../../../src/wire/address.ts';
import type { UnreadList, UnreadView } from '../link/community.ts';
import type { Database } from '../store/database.ts';

/** One more than a mark shows as a number. */
const LOOKED_AT = 51;
/** Of those that were looked at one by one, so many are remembered: the newest. */
const REMEMBERED = 300;
const ONE_BY_ONE = 'looked at';
/** Whose lists are counted, and what stands in them. */
type Reader = { readonly account: { readonly user: string } | null; readonly receiving: Pick<Member['receiving'], 'timeline'> };

const metaOf = (list: UnreadList): string => `seen ${list}`;

export class Unread {
  readonly #member: Reader;
  readonly #database: Pick<Database, 'get' | 'put'>;

  constructor({ member, database }: { readonly member: Reader; readonly database: Pick<Database, 'get' | 'put'> }) {
    this.#member = member;
    this.#database = database;
  }

  /** A reply or echo that names its reader stands in two lists under one mark: it counts as a mention, until either list was looked at. */
  async count(): Promise<UnreadView> {
    const [home, mentions, answers] = await Promise.all([this.#newIn('home'), this.#newIn('mentions'), this.#newIn('answers')]);
    const answersSeenAt = await this.#seenAt('answers');
    return {
      home: home.length,
      mentions: mentions.filter((copy) => !this.#isAnswer(copy) || copy.storedAt > answersSeenAt).length,
      answers: answers.filter((copy) => !this.#isMention(copy)).length,
    };
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

  #isMention({ certificate }: CopyRecord): boolean {
    return certificate.statement.mentions.some((user) => user === this.#member.account?.user);
  }

  #isAnswer({ certificate }: CopyRecord): boolean {
    const { replyTo, echoOf, thread } = certificate.statement;
    if (thread && thread.index > 0) return false;
    return [replyTo, echoOf].some((reed) => reed !== undefined && userOf(reed) === this.#member.account?.user);
  }

  async #newIn(list: UnreadList): Promise<CopyRecord[]> {
    const seenAt = await this.#seenAt(list);
    const { copies } = await this.#member.receiving.timeline({ kind: list }, { limit: LOOKED_AT });
    const looked = await this.#oneByOne();
    return copies.filter(({ id, own, storedAt }) => !own && storedAt > seenAt && !looked.has(id));
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
