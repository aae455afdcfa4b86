// Certificates of published reeds and threads, as members may read them. Not registered and not yet published look alike.
import { sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import type { Database } from '../db/pool.ts';
import type { Executor } from '../identity/executor.ts';
import { refuseBlocked, refuseRemovedAccount } from '../identity/standing.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import type { Certificate } from '../wire/canonical.ts';
import type { StatementOf } from '../wire/statements.ts';

export type PublishedReed = { readonly certificate: Certificate<StatementOf<'reed'>>; readonly publishedAt: Date };
export type PublishedThread = {
  readonly certificate: Certificate<StatementOf<'thread'>>;
  readonly publishedAt: Date;
  /** The parts in order. */
  readonly reeds: readonly Certificate<StatementOf<'reed'>>[];
};

type Row = { author: UserId; certificate: object; publishedAt: Date | null; removal: object | null; removed: boolean };

export class Reading {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @throws AppError NOT_FOUND, REMOVED or BLOCKED with the certificate */
  async reed(viewer: UserId, id: ReedId): Promise<PublishedReed> {
    const [row] = await this.#db.query<Row>({
      name: 'reeds-read',
      text: `select r.author_id as author, s.certificate, r.published_at as "publishedAt", r.removed_at is not null as removed,
          removal.certificate as removal
        from reeds r join statements s on s.hash = r.statement_hash left join statements removal on removal.hash = r.removal_hash
        where r.id = $1`,
      values: [id],
    });
    const { certificate, publishedAt } = await this.#readable(viewer, row);
    return { certificate: certificate as PublishedReed['certificate'], publishedAt };
  }

  /** @throws AppError NOT_FOUND, REMOVED or BLOCKED with the certificate */
  async thread(viewer: UserId, id: ReedId): Promise<PublishedThread> {
    const [row] = await this.#db.query<Row & { reeds: PublishedThread['reeds'] | null }>({
      name: 'threads-read',
      text: `select r.author_id as author, s.certificate, r.published_at as "publishedAt", removal.hash is not null as removed,
          removal.certificate as removal,
          (select jsonb_agg(ps.certificate order by p.thread_index) from reeds p join statements ps on ps.hash = p.statement_hash
            where p.thread_head = t.id and p.removed_at is null) as reeds
        from reeds r left join threads t on t.id = r.id left join statements s on s.hash = t.statement_hash
          left join statements removal on removal.hash = case when t.id is null then r.removal_hash else t.removal_hash end
        -- Of one that was gone before it came here there is the removal of its head alone.
        where r.id = $1 and (t.id is not null or removal.type = 'thread-removal')`,
      values: [id],
    });
    const { certificate, publishedAt } = await this.#readable(viewer, row);
    return { certificate: certificate as PublishedThread['certificate'], publishedAt, reeds: row?.reeds ?? [] };
  }

  #readable(viewer: UserId, row: Row | undefined): Promise<{ certificate: object; publishedAt: Date }> {
    return readable(this.#db.kysely, viewer, row);
  }
}

async function readable(executor: Executor, viewer: UserId, row: Row | undefined): Promise<{ certificate: object; publishedAt: Date }> {
  if (row === undefined) throw notFound();
  if (row.removed) throw new AppError('REMOVED', 'removed by its author', row.removal === null ? {} : { certificate: row.removal });
  if (row.publishedAt === null) throw notFound();
  await refuseRemovedAccount(executor, row.author, notFound);
  await refuseBlocked(executor, row.author, viewer);
  return { certificate: row.certificate, publishedAt: row.publishedAt };
}

/** @throws AppError NOT_FOUND, REMOVED or BLOCKED with the certificate, if `viewer` may not read the reed now */
export async function requireReadable(tx: Executor, viewer: UserId, id: ReedId): Promise<void> {
  const { rows } = await sql<Row>`
    select r.author_id as author, '{}'::jsonb as certificate, r.published_at as "publishedAt", r.removed_at is not null as removed,
      removal.certificate as removal
    from reeds r left join statements removal on removal.hash = r.removal_hash where r.id = ${id}`.execute(tx);
  await readable(tx, viewer, rows[0]);
}

const notFound = () => new AppError('NOT_FOUND', 'there is no such reed');
