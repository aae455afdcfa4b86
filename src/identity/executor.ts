// What SQL runs on: the pool's Kysely or an open transaction. Functions that take one never open a transaction of their own.
import type { QueryExecutorProvider } from 'kysely';

export type Executor = QueryExecutorProvider;
