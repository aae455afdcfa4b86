// Ten thousand members are cut off together and come back together: they are let in by turns, and it costs statements by the batch.
import { expect, it } from 'vitest';
import { ANSWERING, SILENT, StormStage } from '../support/storm-stage.ts';

/** So few may be signing in that some of so many are turned away, however slowly they come. */
const NARROW = { unauthenticatedSockets: 250 };

it('lets ten thousand who come back together in by turns, each by the moment that it was told', async () => {
  const [members, asking] = [10_000, 1_000];
  await using stage = await StormStage.open(NARROW);
  await stage.gather(members, asking, 2);
  await stage.come(SILENT, 200);
  expect(await stage.ask()).toBe(asking);

  const before = stage.statements();
  await stage.cut();
  const back = await stage.come(ANSWERING, members);
  expect(back.turnedAway).toBeGreaterThan(0);
  expect(back.turnedAway).toBeLessThan(4 * members);
  expect(back.longestWaitMs).toBeLessThanOrEqual(60_000);
  expect(await stage.served()).toBe(asking);
  expect(stage.statements() - before).toBeLessThan(members);
  await stage.expectNothingLost(members, asking);
});
