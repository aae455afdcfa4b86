// Making room: whole authors leave whom this member neither follows nor keeps, whoever has been silent longest first; their keys after their
// reeds. Everything is announced, and deleted once the server has answered.
import type { Limits } from '../base/limits.ts';
import { type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import { parseTime } from '../wire/kinds.ts';
import type { Evictions } from './evictions.ts';
import type { KeyDirectory } from './keys.ts';
import type { ServerTime } from './server-time.ts';
import type { CopyRecord, Store } from './store.ts';
import type { Emit } from './types.ts';

/** When the server does not say. */
const AGAIN_MS = 5_000;

export type RoomDeps = {
  readonly store: Store;
  readonly user: UserId;
  readonly limits: Pick<Limits, 'evictionsAtOnce'>;
  readonly evictions: Pick<Evictions, 'evict'>;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  readonly time: ServerTime;
  send(frame: Frame): boolean;
  emit: Emit;
};

/** `bytes`: of the records that are gone, which is less than a medium gives back for them. */
export type Freed = { readonly reeds: number; readonly bytes: number };

export class Room {
  readonly #deps: RoomDeps;
  readonly #keysLeaving = new Map<string, (() => void)[]>();

  constructor(deps: RoomDeps) {
    this.#deps = deps;
  }

  /** Evicts author by author until `isEnough`, asked before each, or nobody is left to evict. @returns what left */
  async free(isEnough: (freed: Freed) => Promise<boolean>): Promise<Freed> {
    let [reeds, bytes] = [0, 0];
    for (const author of await this.#candidates()) {
      if (await isEnough({ reeds, bytes })) break;
      // Followed or kept since the list was made.
      if (await this.#isKept(author)) continue;
      const freed = await this.evictAuthor(author);
      reeds += freed.reeds;
      bytes += freed.bytes;
    }
    return { reeds, bytes };
  }

  /** Gives up everything by one author, and the keys that it was verified with. Waits for the server. @returns what left */
  async evictAuthor(author: UserId): Promise<Freed> {
    const { store, limits, evictions, emit } = this.#deps;
    let [reeds, bytes] = [0, 0];
    for (;;) {
      const page = await this.#copiesOf(author, limits.evictionsAtOnce);
      if (page.length === 0) break;
      await Promise.all(page.map(({ id }) => evictions.evict(id)));
      await store.write(page.map(({ id }) => ({ delete: 'threads', id }) as const));
      reeds += page.length;
      bytes += page.reduce((sum, copy) => sum + JSON.stringify(copy).length, 0);
    }
    await this.#evictKeys(author);
    emit({ type: 'room', author, reeds });
    return { reeds, bytes };
  }

  /** KEY_EVICTION_ACK. */
  keyAcknowledged({ body }: FrameOf<'keyEvictionAck'>): void {
    for (const done of this.#keysLeaving.get(body.keyId) ?? []) done();
    this.#keysLeaving.delete(body.keyId);
  }

  /** An ERROR that repeats the announcement's id. */
  refused({ id, body }: FrameOf<'error'>): void {
    if (this.#keysLeaving.has(id)) this.#deps.time.after(body.retryAfterMs || AGAIN_MS, () => this.#announce(id));
  }

  /** What was not answered is announced again. */
  connected(): void {
    for (const keyId of this.#keysLeaving.keys()) this.#announce(keyId);
  }

  async #copiesOf(author: UserId, limit: number): Promise<CopyRecord[]> {
    const page = await this.#deps.store.list('copies', { after: `${author}/`, limit });
    return page.filter(({ id }) => userOf(id) === author);
  }

  /** Authors one by one: ids begin with them. The one whose newest reed is oldest comes first. */
  async #candidates(): Promise<UserId[]> {
    const { store } = this.#deps;
    const found: { author: UserId; newest: number }[] = [];
    for (let after = ''; ; ) {
      const [first] = await store.list('copies', { after, limit: 1 });
      if (!first) break;
      const author = userOf(first.id);
      // Behind all of this author's: no id holds a character that comes after this one.
      after = `${author}/\uffff`;
      if (await this.#isKept(author)) continue;
      const [newest] = await store.feed(`author ${author}`, { limit: 1 });
      found.push({ author, newest: parseTime((newest?.copy ?? first).certificate.countersignature.statement.signedAt) ?? 0 });
    }
    return found.sort((left, right) => left.newest - right.newest).map(({ author }) => author);
  }

  async #isKept(author: UserId): Promise<boolean> {
    const { store, user } = this.#deps;
    return author === user || (await store.get('follows', author)) !== null || (await store.get('marks', author))?.kept === true;
  }

  async #evictKeys(author: UserId): Promise<void> {
    const { store, keys } = this.#deps;
    const record = await store.get('keys', author);
    for (const keyId of record?.owed ?? []) await this.#evictKey(keyId);
    if (record) await keys.forget(author);
  }

  #evictKey(keyId: UserKeyId): Promise<void> {
    return new Promise((done) => {
      this.#keysLeaving.set(keyId, [...(this.#keysLeaving.get(keyId) ?? []), done]);
      this.#announce(keyId);
    });
  }

  #announce(keyId: string): void {
    if (this.#keysLeaving.has(keyId)) this.#deps.send({ id: keyId, type: 'keyEviction', body: { keyId } });
  }
}
