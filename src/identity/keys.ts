// Members' keys as others read them. Who reads one to verify with is written down as its reader (a key allocation) and hears of its revocation;
// who only encrypts to it for a relay is not. The allocation is committed before the revocation is looked for (I14).
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import { type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import type { StatementOf } from '../wire/statements.ts';
import { NotHad } from './not-had.ts';
import { isLivePeer } from './owed-legs.ts';
import { revocationOf } from './standing.ts';

export type KeysDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Asks the home of a key for the chain that it is on, and keeps what is proven. */
  readonly learnKey: (id: UserKeyId) => Promise<unknown>;
};

export type KeyCertificate = Certificate<StatementOf<'key'>>;
export type KeyReading = {
  readonly certificate: KeyCertificate;
  readonly revocation?: object;
  /** From the id's first key to the one asked for, if asked for. */
  readonly chain?: readonly { readonly certificate: KeyCertificate; readonly revocation?: object }[];
};

type Link = { readonly id: UserKeyId; readonly certificate: KeyCertificate };

export class Keys {
  readonly #deps: KeysDeps;
  readonly #notHad: NotHad;

  constructor(deps: KeysDeps) {
    this.#deps = deps;
    this.#notHad = new NotHad(deps);
  }

  /**
   * @param options.forRelay only to encrypt with: records nothing
   * @throws AppError NOT_FOUND; REMOVED for a key off the chain, with the certificate of the one by the recovery key that put it there
   */
  async read(viewer: UserId, id: UserKeyId, options: { readonly forRelay: boolean; readonly chain: boolean }): Promise<KeyReading> {
    const most = options.chain ? this.#deps.limits.keyChain : 1;
    const here = await this.#links(id, most);
    const links = here.length === 0 && (await this.#learn(id)) ? await this.#links(id, most) : here;
    const asked = links.at(-1);
    if (asked === undefined) throw new AppError('NOT_FOUND', 'there is no such key');
    if (!options.forRelay && userOf(id) !== viewer)
      await this.#allocate(
        viewer,
        links.map((link) => link.id),
      );
    await this.#refuseVoid(id);
    const read = await Promise.all(links.map((link) => this.#withRevocation(link)));
    const own = read.at(-1) ?? { certificate: asked.certificate };
    return options.chain ? { ...own, chain: read } : own;
  }

  /** Of a peer's member of whom nothing came yet. @returns whether there may be more than before */
  async #learn(id: UserKeyId): Promise<boolean> {
    const { db, learnKey } = this.#deps;
    if (this.#notHad.has(id) || !(await isLivePeer(db.kysely, userOf(id)))) return false;
    // One that is there now is never looked for again.
    this.#notHad.note(id);
    await learnKey(id);
    return true;
  }

  /** The member verifies nothing with this key any more, and is owed no word of its revocation. Idempotent. */
  async evict(viewer: UserId, id: UserKeyId): Promise<void> {
    await this.#deps.db.query({
      name: 'keys-evict',
      text: 'delete from key_allocations where user_id = $1 and key_id = $2',
      values: [viewer, id],
    });
  }

  /** The key and up to `most` − 1 before it, oldest first. */
  async #links(id: UserKeyId, most: number): Promise<Link[]> {
    return this.#deps.db.query<Link>({
      name: 'keys-chain',
      isPlannedAnew: true,
      text: `with recursive chain as (
          select id, predecessor, statement_hash, 1 as place from keys where id = $1
          union all
          select k.id, k.predecessor, k.statement_hash, c.place + 1 from keys k join chain c on k.id = c.predecessor where c.place < $2)
        select c.id, s.certificate from chain c join statements s on s.hash = c.statement_hash order by c.place desc`,
      values: [id, most],
    });
  }

  async #allocate(viewer: UserId, keys: readonly UserKeyId[]): Promise<void> {
    await this.#deps.db.query({
      name: 'keys-allocate',
      text: 'insert into key_allocations (user_id, key_id) select $1, unnest($2::text[]) on conflict do nothing',
      values: [viewer, [...keys].sort()],
    });
  }

  /** A key that is off the chain takes all after it along: to look at the one asked for is enough. */
  async #refuseVoid(id: UserKeyId): Promise<void> {
    const [end] = await this.#deps.db.query<{ certificate: object }>({
      name: 'keys-void',
      text: 'select s.certificate from keys k join statements s on s.hash = k.void_hash where k.id = $1',
      values: [id],
    });
    if (end !== undefined) throw new AppError('REMOVED', 'the key is off the chain', { certificate: end.certificate });
  }

  async #withRevocation({ id, certificate }: Link): Promise<{ certificate: KeyCertificate; revocation?: object }> {
    const revocation = await revocationOf(this.#deps.db.kysely, id);
    return revocation === null ? { certificate } : { certificate, revocation };
  }
}
