// Kysely on our pool: every statement it sends is counted and its errors are mapped, and a transaction object that is used after its
// transaction ended throws instead of running on some other connection.
import {
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely';
import type pg from 'pg';
import { mapped } from './connection.ts';

export type Counter = { statements: number };

const counted = (client: pg.PoolClient, counter: Counter): PostgresPoolClient =>
  ({
    query: (text: string, values: readonly unknown[]) => {
      counter.statements += 1;
      return mapped(() => client.query(text, values as unknown[]));
    },
    release: (destroy?: boolean) => client.release(destroy),
  }) as unknown as PostgresPoolClient;

/** A dialect that takes its connections from `pool`. Wrappers are kept per connection, because Kysely knows its connections by identity. */
export const createDialect = (pool: pg.Pool, counter: Counter): PostgresDialect => {
  const wrappers = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    const known = wrappers.get(client) ?? counted(client, counter);
    wrappers.set(client, known);
    return known;
  };
  const kyselyPool: PostgresPool = {
    options: {},
    connect: async () => wrap(await mapped(() => pool.connect())),
    // The pool belongs to Database, which ends it once.
    end: async () => undefined,
  };
  return new PostgresDialect({ pool: kyselyPool });
};

/** Refuses statements of a transaction that has ended, which would be lost or run outside it. */
export class TransactionGuard implements KyselyPlugin {
  #ended = false;

  end(): void {
    this.#ended = true;
  }

  transformQuery(args: PluginTransformQueryArgs): RootOperationNode {
    if (this.#ended) throw new Error('a statement was sent on a transaction that has ended');
    return args.node;
  }

  async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return args.result;
  }
}
