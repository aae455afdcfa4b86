// kill -9 of either of two servers at each step of a crossing, and of an item of a stream: before a step is executed, before its commit, or after it with
// nobody told; the start after it finds the ledger as it was, or empties it. Copies are counted on the wire.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BorderScene, cancelling, giving, holding, missing, publishing, reading } from './border-scenes.ts';
import { BorderStage, type SideName } from './border-stage.ts';
import type { Side } from './pg-proxy.ts';

const SLOTS = 3;

type Point = readonly [at: SideName, statement: string, sides: readonly Side[]];
/** By its name, or some of its text. */
const statementOf = (said: string): RegExp => new RegExp(said.includes(' ') ? said : `^${said} `);

const BOTH = ['before', 'after'] as const;
const COMMITTED = ['at-commit', 'after'] as const;

type MakeScene = (stage: BorderStage, isEmptied: boolean) => Promise<BorderScene>;

const SCENES: readonly (readonly [string, MakeScene, readonly Point[]])[] = [
  [
    'a crossing',
    reading,
    [
      ['asking', 'ledger_promote', BOTH],
      ['asking', 'ledger_crossing_sending', ['before']],
      ['home', 'ledger_foreign_open', BOTH],
      ['asking', 'ledger_crossing_answered', BOTH],
      ['home', 'ledger_relayed', BOTH],
      ['home', 'ledger_forwarding_of', ['before']],
      ['asking', 'ledger_crossing_arrived', BOTH],
      ['home', 'ledger_forwarded', BOTH],
      ['asking', 'ledger_ack', BOTH],
      ['asking', 'ledger_crossings_settle', BOTH],
      ['asking', 'ledger_crossings_owed', ['after']],
      ['home', 'ledger_foreign_ack', BOTH],
      ['asking', 'ledger_crossing_paid', BOTH],
    ],
  ],
  ['copies that are held on the wire', holding, [['asking', 'ledger_cancel', ['after']]]],
  [
    'a crossing that is given up',
    cancelling,
    [
      ['asking', 'ledger_cancel', BOTH],
      ['asking', 'ledger_crossings_settle', BOTH],
      ['home', 'ledger_foreign_cancel', BOTH],
      ['asking', 'ledger_crossing_paid', BOTH],
    ],
  ],
  [
    'the end of a reed',
    missing,
    [
      ['home', 'ledger_foreign_owe_not_held', BOTH],
      ['home', 'ledger_foreign_told', BOTH],
      ['asking', 'ledger_crossings_reed_ends', BOTH],
    ],
  ],
  [
    'a holder’s word',
    giving,
    [
      ['asking', 'ledger_evict', BOTH],
      ['asking', 'fold_owe_holder_notices', BOTH],
      ['home', 'fold_holder_said', BOTH],
      ['asking', 'fold_holder_told', BOTH],
    ],
  ],
  [
    'an item of a stream',
    publishing,
    [
      ['home', 'streams_next', BOTH],
      ['asking', 'insert into received_streams', COMMITTED],
      ['asking', 'delete from pending_fanout', COMMITTED],
      ['asking', 'ledger_owe', BOTH],
      ['home', 'update peer_cursors c set cursor', COMMITTED],
    ],
  ],
];

export type BorderKill = {
  readonly name: string;
  readonly scene: MakeScene;
  readonly at: SideName;
  readonly statement: string;
  readonly side: Side;
  /** Whether the start after it empties the ledger. */
  readonly isEmptied: boolean;
};

/** Every point, with either ending. */
export const BORDER_KILLS: readonly BorderKill[] = [false, true].flatMap((isEmptied) =>
  SCENES.flatMap(([name, scene, points]) =>
    points.flatMap(([at, statement, sides]) => sides.map((side) => ({ name, scene, at, statement, side, isEmptied }))),
  ),
);

async function kill(stage: BorderStage, { at, isEmptied, scene, side, statement }: BorderKill): Promise<void> {
  await stage.anew();
  await stage.standBeside(!isEmptied);
  const { again, check, go, keeps, members } = await scene(stage, isEmptied);
  await stage.killAt(at, { statement: statementOf(statement), side }, go);
  await stage.back(at, members[at]);
  await again();
  await stage.empty();
  expect(stage.border.copies.most).toBeLessThanOrEqual(SLOTS);
  if (keeps !== false) await stage.asking.checkSettled(members.asking);
  await check(isEmptied);
}

/** The tests of these kills, on one pair of servers. */
export function killsAcross(kills: readonly BorderKill[]): void {
  describe('a server killed', () => {
    let stage: BorderStage;
    beforeAll(async () => {
      stage = await BorderStage.start();
    }, 180_000);
    afterAll(() => stage.end(), 60_000);

    it.each(kills)('$side "$statement" at $at, in the middle of $name (ledger emptied: $isEmptied)', (each) => kill(stage, each), 120_000);
  });
}
