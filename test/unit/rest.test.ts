// Coming to rest: when it is over, and what it leaves to others meanwhile.
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { untilIdle } from '../../src/base/rest.ts';

it('is over once there was nothing to do several turns in a row, and not before', async () => {
  const looks: boolean[] = [];
  // What goes on stops and starts again, as when one thing sets another going.
  const busy = [true, false, false, true, true, false, false, false];
  await untilIdle(() => {
    const isIdle = !(busy[looks.length] ?? true);
    looks.push(isIdle);
    return isIdle;
  });
  expect(looks).toEqual(busy.map((is) => !is));
});

it('leaves the processor to what it waits for', async () => {
  let looks = 0;
  const from = performance.eventLoopUtilization();
  await untilIdle(() => {
    looks += 1;
    return looks > 200;
  });
  const { utilization } = performance.eventLoopUtilization(from);
  expect(utilization).toBeLessThan(1);
  expect(looks).toBe(203);
});
