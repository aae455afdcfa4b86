// kill -9 of the server between any two steps of the ledger: before a step is executed, and after its commit with nobody told of it.
// Another replica lives beside, so that the rows stand and the next start has to deal with them. Nothing is swept here: whatever is
// repaired is repaired by the start itself and by members who come back.
import { afterAll, beforeAll, describe, it } from 'vitest';
import * as scenes from '../support/kill-scenes.ts';
import { KillStage, killAt, type Step } from '../support/kill-stage.ts';
import { byTurns } from '../support/length.ts';
import type { Side } from '../support/pg-proxy.ts';

let stage: KillStage;
beforeAll(async () => {
  stage = await KillStage.start(['sweep_every_ms = 3600000']);
  await stage.standBeside();
});
afterAll(() => stage.end());

const sight = (events: readonly string[], holders: number, attempts = 0) => ({ events, holders, attempts });

const STEPS: Readonly<Record<string, Step>> = {
  open: { scene: scenes.open, statement: /^ledger_open/, sight: { not: sight([], 1), whole: sight(['dispatched'], 1) } },
  dispatch: {
    scene: scenes.dispatch,
    via: /^ledger_relayed/,
    statement: /^ledger_dispatch/,
    sight: {
      not: sight(['waiting', 'dispatched', 'dispatched', 'dispatched', 'relayed'], 5),
      whole: sight(['dispatched', 'dispatched', 'dispatched', 'dispatched', 'relayed'], 5),
    },
  },
  relayed: { scene: scenes.answer, statement: /^ledger_relayed/, sight: { not: sight(['dispatched'], 1), whole: sight(['relayed'], 1) } },
  ack: { scene: scenes.acknowledge, statement: /^ledger_ack/, sight: { not: sight(['relayed'], 1), whole: sight([], 2) } },
  invalid: { scene: scenes.invalid, statement: /^ledger_invalid/, sight: { not: sight(['relayed'], 1), whole: sight([], 1) } },
  'open again': {
    scene: scenes.fail,
    statement: /^ledger_reopen/,
    sight: { not: sight(['dispatched'], 1), whole: sight(['unassigned'], 1, 1) },
  },
  assign: {
    scene: scenes.assign,
    via: /^ledger_reopen/,
    statement: /^ledger_assign /,
    sight: { not: sight(['unassigned'], 2, 1), whole: sight(['dispatched'], 2, 1) },
  },
  spread: {
    scene: scenes.spread,
    via: /^ledger_ack/,
    statement: /^ledger_spread/,
    sight: {
      not: sight(['waiting', 'dispatched', 'dispatched', 'dispatched', 'dispatched'], 2),
      whole: sight(['dispatched', 'dispatched', 'dispatched', 'dispatched', 'dispatched'], 2),
    },
  },
  wake: { scene: scenes.wake, statement: /^ledger_wake/, sight: { not: sight(['dormant'], 1), whole: sight(['unassigned'], 1) } },
  'second look': {
    scene: scenes.dormant,
    statement: /^ledger_recheck/,
    sight: { not: sight(['dormant'], 1), whole: sight(['dormant'], 1) },
  },
  cancel: { scene: scenes.cancel, statement: /^ledger_cancel/, sight: { not: sight(['dispatched'], 1), whole: sight([], 1) } },
  evict: { scene: scenes.evict, statement: /^ledger_evict/, sight: { not: sight([], 1), whole: sight([], 0) } },
  miss: { scene: scenes.miss, statement: /^ledger_reopen/, sight: { not: sight(['dispatched'], 1), whole: sight(['unassigned'], 0) } },
  'last copy': { scene: scenes.miss, statement: /^ledger_last_copies/, sight: { not: sight(['dormant'], 0), whole: sight([], 0) } },
  unwritten: {
    scene: scenes.unwritten,
    statement: /^ledger_undelivered/,
    sight: { not: sight(['dispatched'], 1), whole: sight(['unassigned'], 1) },
  },
};

const SIDES: readonly Side[] = ['before', 'after'];

describe('a server killed', () => {
  const cases = Object.entries(STEPS).flatMap(([name, step]) => SIDES.map((side) => ({ name, side, step })));
  it.each(byTurns(cases, 5))('$side the step $name leaves it whole or undone, and everybody goes on', ({ step, side }) =>
    killAt(stage, step, side),
  );
});
