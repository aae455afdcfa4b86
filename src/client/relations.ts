// Whom this member follows and blocks and what it likes: acts that are written here at once and said to the server in their order, and what a
// new device learns from the server's lists. Also what this member takes back.
import { AppError } from '../base/errors.ts';
import { type ReedId, type UserId, userOf } from '../wire/address.ts';
import { likeId } from './acts.ts';
import type { Lists, Pages } from './lists.ts';
import type { Acting, Outbox } from './outbox.ts';
import type { ActRecord, Change, Store } from './store.ts';
import type { ActType } from './types.ts';

/** Its presence says that this device knows what the server knows. */
export const RELATIONS_KNOWN = 'relations';

export type RelationsDeps = {
  readonly store: Store;
  readonly user: UserId;
  readonly outbox: Pick<Outbox, 'act'>;
  readonly lists: Pick<Lists, 'following' | 'blocks' | 'likes'>;
};

export class Relations {
  readonly #deps: RelationsDeps;
  #learning: Promise<void> | null = null;
  /** What acts since the lists were asked for are about: they may have come and gone while these were read. */
  readonly #said = new Set<string>();

  constructor(deps: RelationsDeps) {
    this.#deps = deps;
  }

  /** Each act resolves when it is durably on this device, with a promise for the server's certificate. Throws AppError INVALID. */
  follow(user: UserId): Promise<Acting> {
    return this.#towards('follow', user);
  }

  unfollow(user: UserId): Promise<Acting> {
    return this.#towards('unfollow', user);
  }

  block(user: UserId): Promise<Acting> {
    return this.#towards('block', user);
  }

  unblock(user: UserId): Promise<Acting> {
    return this.#towards('unblock', user);
  }

  like(reed: ReedId): Promise<Acting> {
    return this.#act('like', reed);
  }

  unlike(reed: ReedId): Promise<Acting> {
    return this.#act('unlike', reed);
  }

  /** Takes a reed of one's own back; it is gone from this device when this resolves. Throws AppError INVALID for a part of a thread. */
  async removeReed(reed: ReedId): Promise<Acting> {
    this.#requireOwn(reed);
    const head = (await this.#deps.store.get('copies', reed))?.certificate.statement.thread?.head;
    if (head) throw new AppError('INVALID', `id: part of the thread ${head}; take the whole thread back`);
    return this.#deps.outbox.act('reed-removal', reed);
  }

  /** Takes a whole thread back, named by its head. */
  async removeThread(head: ReedId): Promise<Acting> {
    this.#requireOwn(head);
    const thread = (await this.#deps.store.get('copies', head))?.certificate.statement.thread;
    if (thread && thread.head !== head) throw new AppError('INVALID', `id: not the head of the thread; name ${thread.head}`);
    return this.#deps.outbox.act('thread-removal', head);
  }

  async follows(user: UserId): Promise<boolean> {
    return (await this.#deps.store.get('follows', user)) !== null;
  }

  async blocks(user: UserId): Promise<boolean> {
    return (await this.#deps.store.get('blocks', user)) !== null;
  }

  async likes(reed: ReedId): Promise<boolean> {
    return (await this.#deps.store.get('meta', likeId(reed))) !== null;
  }

  /** Learns once what other devices of this member said before; again on the next connection if it fails. */
  connected(): void {
    this.#learning ??= this.#learnOnce().finally(() => {
      this.#learning = null;
    });
  }

  async idle(): Promise<void> {
    await this.#learning;
  }

  /** Whether this device knows what others of this member said, asked for now if it did not. */
  async known(): Promise<boolean> {
    this.connected();
    await this.idle();
    return (await this.#deps.store.get('meta', RELATIONS_KNOWN)) !== null;
  }

  async #learnOnce(): Promise<void> {
    const { store, user, lists } = this.#deps;
    try {
      if (await store.get('meta', RELATIONS_KNOWN)) return;
      this.#said.clear();
      const follows = await all(lists.following(user));
      const blocks = await all(lists.blocks());
      const likes = await all(lists.likes());
      const waiting = await this.#waiting();
      const isUnsaid = (target: string): boolean => !this.#said.has(target) && !waiting.some((act) => act.target === target);
      const learned: Change[] = [
        ...follows.filter((person) => isUnsaid(person.user)).map((person): Change => ({ put: 'follows', record: { id: person.user } })),
        ...blocks.filter((person) => isUnsaid(person.user)).map((person): Change => ({ put: 'blocks', record: { id: person.user } })),
        ...likes.filter(isUnsaid).map((reed): Change => ({ put: 'meta', record: { id: likeId(reed), value: true } })),
      ];
      await store.write([...learned, { put: 'meta', record: { id: RELATIONS_KNOWN, value: true } }]);
      this.#said.clear();
    } catch {
      // Not known yet: the next connection, or whoever needs to know, tries again.
    }
  }

  /** What was said here and may not have arrived is newer than any list. */
  async #waiting(): Promise<ActRecord[]> {
    return (await this.#deps.store.list('outbox')).filter((entry): entry is ActRecord => 'act' in entry);
  }

  async #towards(act: 'follow' | 'unfollow' | 'block' | 'unblock', user: UserId): Promise<Acting> {
    if (user === this.#deps.user) throw new AppError('INVALID', `target: this is you; ${act} somebody else`);
    return this.#act(act, user);
  }

  #act(act: ActType, target: UserId | ReedId): Promise<Acting> {
    if (this.#learning) this.#said.add(target);
    return this.#deps.outbox.act(act, target);
  }

  #requireOwn(reed: ReedId): void {
    if (userOf(reed) !== this.#deps.user) throw new AppError('INVALID', 'id: not yours; only its author takes it back');
  }
}

async function all<T>(pages: Pages<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}
