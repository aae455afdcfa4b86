// kill -9 of the server in the middle of what presence does, of a publication and of a sweep: transactions of several statements are cut before
// their commit too. Another replica lives beside; what the start leaves is the sweeper's.
import { afterAll, beforeAll, describe, it } from 'vitest';
import * as scenes from '../support/kill-scenes.ts';
import { KillStage, killAt, type Step } from '../support/kill-stage.ts';
import { byTurns } from '../support/length.ts';
import type { Side } from '../support/pg-proxy.ts';

let stage: KillStage;
beforeAll(async () => {
  stage = await KillStage.start();
  await stage.standBeside();
});
afterAll(() => stage.end());

const event = (...events: string[]) => ({ events, holders: 1, attempts: 0 });
const presence = (here: boolean) => ({ users: here ? 1 : 0, connections: here ? 1 : 0 });
const published = (is: boolean) => ({ published: is, facts: is ? 1 : 0, holders: is ? 1 : 0 });

const TRANSACTIONS: Readonly<Record<string, Step>> = {
  'sign-in': { scene: scenes.signIn, statement: /insert into online_users/, sight: { not: presence(false), whole: presence(true) } },
  departure: {
    scene: scenes.leave,
    statement: scenes.LEAVE,
    sight: {
      not: { presence: presence(true), ...event('dispatched') },
      whole: { presence: presence(false), ...event('dispatched') },
    },
  },
  publication: {
    scene: scenes.publish,
    statement: /insert into reed_allocations/,
    sight: { not: published(false), whole: published(true) },
  },
};
const STATEMENTS: Readonly<Record<string, Step>> = {
  'end of what a requester who left is owed': {
    scene: scenes.requesterGone,
    statement: /^ledger_requesters_gone/,
    sight: { not: event('dispatched'), whole: event() },
  },
  'taking back of what is with a holder who left': {
    scene: scenes.holderGone,
    statement: /^ledger_holders_gone/,
    sight: { not: event('dispatched'), whole: event('unassigned') },
  },
  sweep: {
    scene: scenes.overdue,
    statement: /^ledger_sweep /,
    sight: { not: event('dispatched'), whole: { events: ['unassigned'], holders: 1, attempts: 1 } },
  },
};

const casesOf = (steps: Readonly<Record<string, Step>>, sides: readonly Side[]) =>
  Object.entries(steps).flatMap(([name, step]) => sides.map((side) => ({ name, side, step })));

describe('a server killed', () => {
  const cases = [...casesOf(TRANSACTIONS, ['before', 'at-commit', 'after']), ...casesOf(STATEMENTS, ['before', 'after'])];
  it.each(byTurns(cases, 4))('$side the $name leaves it whole or undone, and everybody goes on', ({ step, side }) =>
    killAt(stage, step, side),
  );
});
