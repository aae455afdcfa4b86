// What came of somebody who is muted and was turned away: the server does not say it again, so it is remembered by its id, and asked for once they
// are muted no more. Bounded for each of them; the oldest is forgotten.
import type { Limits } from '../base/limits.ts';
import { parseReedId, parseUserId, type ReedId, type UserId, userOf } from '../wire/address.ts';
import type { Store } from './store.ts';

const PREFIX = 'declined ';

export type DeclinedDeps = {
  readonly store: Store;
  readonly limits: Pick<Limits, 'declinedRemembered'>;
};

/** Asks for reeds: resolves when each request is on record. */
export type Wanting = { want(reedIds: readonly ReedId[]): Promise<void> };

export class Declined {
  readonly #deps: DeclinedDeps;
  #inOrder: Promise<void> = Promise.resolve();

  constructor(deps: DeclinedDeps) {
    this.#deps = deps;
  }

  /** Remembers a reed that was turned away. Durable when it resolves. */
  note(reedId: ReedId): Promise<void> {
    return this.#inTurn(async () => {
      const { store, limits } = this.#deps;
      const before = await this.#of(userOf(reedId));
      if (before.includes(reedId)) return;
      const value = [...before, reedId].slice(-limits.declinedRemembered);
      await store.write([{ put: 'meta', record: { id: `${PREFIX}${userOf(reedId)}`, value } }]);
    });
  }

  /** Asks for what was turned away of somebody; forgets it once the requests are on record. */
  askAgain(author: UserId, viewer: Wanting): Promise<void> {
    return this.#inTurn(async () => {
      const reeds = await this.#of(author);
      if (reeds.length === 0) return;
      await viewer.want(reeds);
      await this.#deps.store.write([{ delete: 'meta', id: `${PREFIX}${author}` }]);
    });
  }

  /** Takes up what a stop cut short: of whom something is remembered though they are muted no more. */
  async load(viewer: Wanting): Promise<void> {
    const { store } = this.#deps;
    for (let after = PREFIX; ; ) {
      const [record] = await store.list('meta', { after, limit: 1 });
      if (!record?.id.startsWith(PREFIX)) return;
      after = record.id;
      const author = parseUserId(after.slice(PREFIX.length));
      if (author && !(await store.get('marks', author))?.muted) await this.askAgain(author, viewer);
    }
  }

  async #of(author: UserId): Promise<ReedId[]> {
    const value = (await this.#deps.store.get('meta', `${PREFIX}${author}`))?.value;
    return Array.isArray(value) ? value.flatMap((id) => parseReedId(String(id)) ?? []) : [];
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#inOrder.then(work);
    this.#inOrder = done.catch(() => undefined);
    return done;
  }
}
