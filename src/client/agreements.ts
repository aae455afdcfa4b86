// Which deliveries this member agreed to without asking for each: what the server says of why a reed comes is compared with what the member
// follows and watches, and with the reed's own statement. A path that does not hold is turned away.
import type { Limits } from '../base/limits.ts';
import { type ReedId, type UserId, userOf } from '../wire/address.ts';
import type { DeliveryType } from '../wire/frames.ts';
import { RELATIONS_KNOWN } from './relations.ts';
import type { CopyRecord, Store } from './store.ts';
import type { ReedStatement } from './types.ts';

const ARCHIVIST = 'archivist';

/** What is watched on this connection, see watches.ts. */
export type Watched = {
  pipe(tag: string): boolean;
  reed(reedId: ReedId): boolean;
  /** Their profile is watched, or a page of it was asked for. */
  profile(user: UserId): boolean;
  readonly pipes: number;
  readonly reeds: readonly ReedId[];
};

export type AgreementDeps = {
  readonly store: Store;
  readonly user: UserId;
  readonly limits: Pick<Limits, 'replyAncestors'>;
  readonly watched: Watched;
};

export class Agreements {
  readonly #deps: AgreementDeps;

  constructor(deps: AgreementDeps) {
    this.#deps = deps;
  }

  /** Whether anything by this author could be agreed to by this path: looked at before anything is decrypted. muted: it could, were they not muted. */
  async expects(path: DeliveryType, reedId: ReedId): Promise<'agreed' | 'muted' | 'unsolicited'> {
    const { store, user } = this.#deps;
    const author = userOf(reedId);
    if (author === user) return 'agreed';
    if (await this.isShut(author)) return 'unsolicited';
    const isFollowed = (await store.get('follows', author)) !== null;
    if (isFollowed) return 'agreed';
    if (!(await this.#isPathOpen(path, author))) return 'unsolicited';
    return (await store.get('marks', author))?.muted ? 'muted' : 'agreed';
  }

  async #isPathOpen(path: DeliveryType, author: UserId): Promise<boolean> {
    const { store, watched } = this.#deps;
    switch (path) {
      case 'followReed':
        // Until it is known whom this member follows the server knows better.
        return (await store.get('meta', RELATIONS_KNOWN)) === null;
      case 'pipeReed':
        return watched.pipes > 0;
      case 'dataResponse':
        return watched.profile(author);
      case 'archiveReed':
        return this.isArchivist();
      default:
        return true;
    }
  }

  /** Whether what the path says is so, by the statements of the reed, or of all parts of a thread. */
  async holds(path: DeliveryType, reeds: readonly ReedStatement[]): Promise<boolean> {
    const { store, user, watched } = this.#deps;
    const [head] = reeds;
    if (!head) return false;
    if (head.author === user || (await store.get('follows', head.author)) !== null) return true;
    switch (path) {
      case 'mention':
        return reeds.some(({ mentions }) => mentions.includes(user));
      case 'pipeReed':
        return reeds.some(({ tags }) => tags.some((tag) => watched.pipe(tag)));
      case 'reedReply':
        for (const reed of reeds) if (await this.#isAnswer(reed)) return true;
        return false;
      default:
        return true;
    }
  }

  /** The relation of a reed that what is here disproves; null if none. The text's own claims are judged with the copy. */
  async falseRelation({ replyTo, root }: ReedStatement): Promise<'root' | null> {
    const parent = replyTo && (await this.#deps.store.get('copies', replyTo));
    if (!parent) return null;
    const { statement } = parent.certificate;
    return (statement.root ?? statement.id) === root ? null : 'root';
  }

  /** Neither shows the other anything: one of the two has blocked the other. */
  async isShut(author: UserId): Promise<boolean> {
    const { store } = this.#deps;
    return (await store.get('blocks', author)) !== null || (await store.get('blockers', author))?.active === true;
  }

  async isArchivist(): Promise<boolean> {
    return (await this.#deps.store.get('meta', ARCHIVIST))?.value === true;
  }

  /** Archivists take what the server gives them to keep. */
  async setArchivist(archivist: boolean): Promise<void> {
    await this.#deps.store.write([{ put: 'meta', record: { id: ARCHIVIST, value: archivist } }]);
  }

  /**
   * It answers a reed of this member's own, or anything below a reed that is watched. Where what lies between is not here, the root has to be that of
   * something watched.
   */
  async #isAnswer({ replyTo, root }: ReedStatement): Promise<boolean> {
    const { store, user, watched, limits } = this.#deps;
    if (!replyTo) return false;
    if (userOf(replyTo) === user) return true;
    let above: ReedId | undefined = replyTo;
    for (let step = 0; above && step < limits.replyAncestors; step++) {
      if (watched.reed(above)) return true;
      const copy: CopyRecord | null = await store.get('copies', above);
      if (!copy) return this.#isUnderWatched(root);
      above = copy.certificate.statement.replyTo;
    }
    return false;
  }

  async #isUnderWatched(root: ReedId | undefined): Promise<boolean> {
    const { store, watched } = this.#deps;
    for (const reedId of watched.reeds) {
      if (reedId === root) return true;
      const copy = await store.get('copies', reedId);
      if (!copy || copy.certificate.statement.root === root) return true;
    }
    return false;
  }
}
