// What every step of the ledger is given.
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';

export type LedgerContext = {
  /** Connections of the role `ledger`: plans made while a table was empty must not be sequential scans for ever. */
  readonly db: Database;
  readonly limits: Limits;
  /** The id under which this replica is registered now: it claims only for members whose newest connection it has. */
  readonly replicaId: () => string;
};
