// A database with replicas on it, each with a clock that the test moves. Members are made-up ids: presence knows nothing else of them.
import pino from 'pino';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { type Database, openDatabase } from '../../src/db/pool.ts';
import { Presence } from '../../src/presence/presence.ts';
import { Replica } from '../../src/presence/replica.ts';
import { createLog } from '../../src/telemetry/log.ts';
import type { UserId } from '../../src/wire/address.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { ManualClock } from './manual-clock.ts';

export const log = pino({ level: 'silent' });

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** A member's id from a number; different numbers, different members. */
export function memberId(number: number): UserId {
  let local = '';
  for (let rest = number; local.length < 16; rest = Math.floor(rest / 32)) local = (BASE32[rest % 32] ?? 'a') + local;
  return `${local}@bbbbbbbbbbbbbbbb` as UserId;
}

let made = 0;
/** A fresh connection or device id. */
export const freshId = (): string => uuidv7(1_700_000_000_000 + made++, cryptoRandom);

export type TestReplica = {
  readonly replica: Replica;
  readonly presence: Presence;
  readonly clock: ManualClock;
  readonly left: UserId[];
  readonly registered: string[];
  lost: number;
  /** Moves this replica's clock a step at a time, each step's work done before the next. */
  advance(ms: number): Promise<void>;
};

export type PresenceWorld = {
  readonly test: TestDatabase;
  readonly database: Database;
  /** What the replicas logged so far. */
  logged(): string;
  /** A replica on the same database; not started. */
  replica(name: string, limits?: Partial<Limits>): TestReplica;
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
};

const STEP_MS = 1_000;

export async function createPresenceWorld(): Promise<PresenceWorld> {
  const test = await createDatabase();
  const database = await openDatabase({ url: test.url, role: 'application', connections: 6, log });
  const lines: string[] = [];
  const replicaLog = createLog('warn', { write: (line) => void lines.push(line) });
  const makeReplica = (name: string, changed: Partial<Limits> = {}): TestReplica => {
    const clock = new ManualClock();
    const limits = { ...DEFAULT_LIMITS, ...changed };
    const presence: Presence = new Presence({ database, clock, limits, log: replicaLog, replicaId: () => replica.id });
    const replica = new Replica({
      database,
      clock,
      random: cryptoRandom,
      name,
      limits,
      log: replicaLog,
      onRegistered: (id) => void made.registered.push(id),
      onLost: () => {
        made.lost += 1;
      },
      end: (items) => presence.end(items),
      onLeft: async (users) => void made.left.push(...users),
    });
    const made: TestReplica = {
      replica,
      presence,
      clock,
      left: [],
      registered: [],
      lost: 0,
      async advance(ms) {
        for (let rest = ms; rest > 0; rest -= STEP_MS) {
          clock.advance(Math.min(STEP_MS, rest));
          await replica.settle();
        }
      },
    };
    return made;
  };
  return {
    test,
    database,
    logged: () => lines.join(''),
    replica: makeReplica,
    rows: <Row>(text: string, values: readonly unknown[] = []) => database.query<Row>({ text, values }),
    async close() {
      await database.close();
      await test.drop();
    },
  };
}
