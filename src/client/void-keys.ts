// A member's recovery key put another branch of their chain off it: what was signed there is no word of theirs, so every copy of it goes.
import { type UserId, userOf } from '../wire/address.ts';
import type { KeyDirectory } from './keys.ts';
import type { Change, Store } from './store.ts';
import type { Emit } from './types.ts';
import type { Viewer } from './viewer.ts';

export type VoidKeysDeps = {
  readonly store: Store;
  readonly keys: Pick<KeyDirectory, 'isVoid' | 'replaced'>;
  readonly viewer: Pick<Viewer, 'gone'>;
  emit: Emit;
};

/** Copies looked at between two writes. */
const PAGE = 100;

export class VoidKeys {
  readonly #deps: VoidKeysDeps;

  constructor(deps: VoidKeysDeps) {
    this.#deps = deps;
  }

  /** Takes the certificate of a key by the recovery key. Null if it does not hold. Rejects if the chain can't be fetched now. */
  async learn(certificate: unknown): Promise<{ readonly user: UserId; readonly certificate: object } | null> {
    const { emit, keys } = this.#deps;
    if (!(await keys.replaced(certificate))) return null;
    const learned = certificate as { statement: { user: UserId } };
    const { user } = learned.statement;
    await this.#purge(user, learned);
    emit({ type: 'key', user, state: 'replaced' });
    return { user, certificate: learned };
  }

  /** Copies were verified under keys that stood on the chain when they came: what does not now is void. */
  async #purge(author: UserId, certificate: object): Promise<void> {
    const { emit, keys, store, viewer } = this.#deps;
    for (let after = `${author}/`; ; ) {
      const page = await store.list('copies', { after, limit: PAGE });
      const own = page.filter(({ id }) => userOf(id) === author);
      for (const { id, certificate: held } of own) {
        if (!(await keys.isVoid(held.statement.key))) continue;
        const changes: Change[] = [
          { delete: 'copies', id },
          { delete: 'requests', id },
          { delete: 'threads', id },
        ];
        await store.write(changes);
        emit({ type: 'copy', reedId: id, state: 'gone' });
        viewer.gone(id, 'removed', certificate);
      }
      const last = own.at(-1);
      if (last === undefined || own.length < PAGE) return;
      after = last.id;
    }
  }
}
