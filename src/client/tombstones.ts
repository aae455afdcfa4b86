// What was taken back: its certificate stays, its content goes, and no copy of it is taken again. A notice, an answer 410 and the author's own
// removal all end here. The stone is written before or together with the deletion, so that a copy being stored meanwhile finds it.
import { verifyCertificate } from '../crypto/statement.ts';
import { parseReedId, type ReedId, type UserId, userOf } from '../wire/address.ts';
import type { KeyDirectory } from './keys.ts';
import type { Change, Store, TombstoneRecord } from './store.ts';
import type { Emit } from './types.ts';

export type RemovalType = 'reed-removal' | 'thread-removal' | 'account-removal';

export type TombstoneDeps = {
  readonly store: Store;
  readonly keys: Pick<KeyDirectory, 'context'>;
  emit: Emit;
  /** Whatever is open about this reed, or about all of this author's, ends. */
  ended(id: ReedId | UserId, certificate: object): void;
};

/** Copies that one write deletes. */
const PAGE = 100;

export class Tombstones {
  readonly #deps: TombstoneDeps;

  constructor(deps: TombstoneDeps) {
    this.#deps = deps;
  }

  /** The removal that covers a reed: its own, its thread's or its author's. */
  async find(reedId: ReedId, head?: ReedId): Promise<TombstoneRecord | null> {
    const { store } = this.#deps;
    return (
      (await store.get('tombstones', reedId)) ??
      (head === undefined ? null : await store.get('tombstones', head)) ??
      (await store.get('tombstones', userOf(reedId)))
    );
  }

  /** Verifies a removal of this type and carries it out. Null if it does not hold. Rejects if a key can't be fetched now. */
  async bury(value: unknown, type: RemovalType): Promise<TombstoneRecord | null> {
    const accepted = await verifyCertificate(value, type, this.#deps.keys.context);
    if (!accepted.ok) return null;
    const { certificate } = accepted.value;
    const { statement } = certificate;
    if (statement.type === 'account-removal') return this.#account({ id: statement.user, kind: 'account', certificate });
    const kind = statement.type === 'thread-removal' ? 'thread' : 'reed';
    return this.#content({ id: statement.id, kind, certificate });
  }

  /** Takes a certificate that explains why something is not there; null if it is no removal that holds. */
  async learn(value: unknown): Promise<TombstoneRecord | null> {
    const type = (value as { statement?: { type?: unknown } } | null | undefined)?.statement?.type;
    return type === 'reed-removal' || type === 'thread-removal' || type === 'account-removal' ? this.bury(value, type) : null;
  }

  async #content(stone: TombstoneRecord): Promise<TombstoneRecord> {
    const { store, emit, ended } = this.#deps;
    const ids = stone.kind === 'thread' ? await this.#partsOf(stone.id as ReedId) : [stone.id as ReedId];
    const held = new Set<ReedId>();
    for (const id of ids) if (await store.get('copies', id)) held.add(id);
    await store.write([
      ...ids.map(
        (id): Change => ({ put: 'tombstones', record: { ...stone, id, ...(id === stone.id && ids.length > 1 ? { parts: ids } : {}) } }),
      ),
      ...ids.flatMap((id): Change[] => deletionOf(id)),
    ]);
    for (const id of ids) {
      if (held.has(id)) emit({ type: 'copy', reedId: id, state: 'gone' });
      ended(id, stone.certificate);
    }
    emit({ type: 'tombstone', id: stone.id, kind: stone.kind });
    return stone;
  }

  /** The parts that are known here, the head always. */
  async #partsOf(head: ReedId): Promise<ReedId[]> {
    const { store } = this.#deps;
    const record = await store.get('threads', head);
    const here = await store.feed(`thread ${head}`);
    return [...new Set([head, ...(record?.certificate.statement.reeds ?? []), ...here.map(({ copy }) => copy.id)])];
  }

  async #account(stone: TombstoneRecord): Promise<TombstoneRecord> {
    const { store, emit, ended } = this.#deps;
    const author = stone.id as UserId;
    await store.write([
      { put: 'tombstones', record: stone },
      { delete: 'follows', id: author },
      { delete: 'marks', id: author },
    ]);
    ended(author, stone.certificate);
    await purgeAuthor(store, author, (reedId) => emit({ type: 'copy', reedId, state: 'gone' }));
    emit({ type: 'tombstone', id: author, kind: 'account' });
    return stone;
  }
}

const deletionOf = (id: ReedId): Change[] => [
  { delete: 'copies', id },
  { delete: 'requests', id },
  { delete: 'threads', id },
];

/** Deletes everything that somebody wrote, page by page: the server counts on this member for none of it any more. */
export async function purgeAuthor(store: Store, author: UserId, gone: (reedId: ReedId) => void): Promise<void> {
  for (;;) {
    const page = await store.list('copies', { after: `${author}/`, limit: PAGE });
    const ids = page.flatMap(({ id }) => (userOf(id) === author ? [id] : []));
    if (ids.length === 0) break;
    await store.write(ids.flatMap(deletionOf));
    for (const id of ids) gone(id);
  }
  // Requests of theirs that have no copy yet.
  const open = await store.list('requests', { after: `${author}/` });
  const ids = open.flatMap(({ id }) => (parseReedId(id) && userOf(id) === author ? [id] : []));
  if (ids.length > 0) await store.write(ids.flatMap(deletionOf));
}
