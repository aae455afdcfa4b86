// Looks at what is due: each kind goes on whatever becomes of the others.
import pino from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { STATE } from '../../src/ledger/state.ts';
import type { Looks } from '../../src/relay/looks.ts';
import { Sweeper, type SweeperDeps } from '../../src/relay/sweeper.ts';
import { World } from '../support/ledger-world.ts';
import { MovedClock } from '../support/moved-clock.ts';

let world: World;
beforeEach(async () => {
  world = await World.open({ sweepEveryMs: 5 });
});
afterEach(() => world.close());

const nothing = async (): Promise<void> => undefined;
const sweeper = (clock: MovedClock, owing: SweeperDeps['owing']): Sweeper =>
  new Sweeper({
    ...{ ...world.context, clock, owing, log: pino({ level: 'silent' }), left: nothing, removals: { send: nothing } },
    bus: null as unknown as SweeperDeps['bus'],
    looks: { ledger: { assign: { submit: nothing } }, freed: nothing, placeFreed: nothing } as unknown as Looks,
  });

it('events come back at their deadlines, however long it takes to tell what is owed', async () => {
  const clock = new MovedClock();
  let go = (): void => undefined;
  const looked = new Promise<void>((resolve) => {
    go = resolve;
  });
  let owed = 0;
  const sweeps = sweeper(clock, [
    () => {
      owed += 1;
      return looked;
    },
  ]);
  sweeps.start();
  await expect.poll(() => owed).toBe(1);
  const [, viewer, reed] = await world.two();
  await world.opened(viewer, reed, clock.now());
  expect(await world.events()).toMatchObject([{ state: STATE.dispatched }]);
  clock.move(60_000);
  await expect.poll(() => world.events(), { timeout: 30_000 }).toMatchObject([{ state: STATE.unassigned }]);
  expect(owed).toBe(1);
  go();
  await sweeps.stop();
});

it('what is owed is looked at though something before it fails every time', async () => {
  let looks = 0;
  const sweeps = sweeper(new MovedClock(), [
    () => Promise.reject(new Error('broken')),
    async () => {
      looks += 1;
    },
  ]);
  await sweeps.round();
  await sweeps.round();
  expect(looks).toBe(2);
});
