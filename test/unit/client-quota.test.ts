// How full a device is: when authors are let go of, how far, and what the app is told when nothing more can be.
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { Quota, type Space } from '../../src/client/quota.ts';
import type { Freed } from '../../src/client/room.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { turns } from '../support/sdk-parts.ts';

const { quotaLookMs } = DEFAULT_LIMITS;
const GIVEN = 1_000;

/** A device with authors of so many bytes each that can be let go of. `isLate`: the medium says nothing of what it got back. */
const setUp = (usedBytes: number, authors: number[], { isLate = false } = {}) => {
  const clock = new ManualClock();
  const device: { space: Space | null | Error } = { space: { usedBytes, quotaBytes: GIVEN } };
  const shown: string[] = [];
  let looks = 0;
  const free = async (isEnough: (freed: Freed) => Promise<boolean>): Promise<Freed> => {
    const freed = { reeds: 0, bytes: 0 };
    while (authors.length > 0 && !(await isEnough(freed))) {
      freed.bytes += authors.shift() ?? 0;
      freed.reeds++;
    }
    if (!isLate) device.space = { usedBytes: usedBytes - freed.bytes, quotaBytes: GIVEN };
    return freed;
  };
  const quota = new Quota({
    time: new ServerTime(clock),
    limits: DEFAULT_LIMITS,
    room: { free },
    measure: async () => {
      looks++;
      if (device.space instanceof Error) throw device.space;
      return device.space;
    },
    emit: (event) => void (event.type === 'quota' && shown.push(event.state)),
  });
  const later = async (): Promise<void> => {
    clock.advance(quotaLookMs);
    await turns();
  };
  return { quota, device, authors, shown, later, clock, looks: () => looks };
};

describe('a device', () => {
  test('that has room lets go of nobody', async () => {
    const on = setUp(849, [100]);
    on.quota.connected();
    await turns();
    await on.later();
    expect([on.authors, on.shown, on.looks()]).toEqual([[100], [], 2]);
  });

  test('that is filled over the bound lets go of authors until there is room again', async () => {
    const on = setUp(850, [30, 30, 30]);
    on.quota.connected();
    await turns();
    expect(on.authors).toEqual([30]);
    expect(on.shown).toEqual(['freeing', 'enough']);
    await on.later();
    expect(on.authors).toEqual([30]);
  });

  test('whose medium gives space back late is not emptied meanwhile, but is freed again once more is used', async () => {
    const on = setUp(900, [60, 60, 60, 60], { isLate: true });
    on.quota.connected();
    await turns();
    for (let look = 0; look < 3; look++) await on.later();
    expect(on.authors).toEqual([60, 60]);
    for (let usedBytes = 901; usedBytes < 970; usedBytes++) {
      on.device.space = { usedBytes, quotaBytes: GIVEN };
      await on.later();
    }
    expect(on.authors).toEqual([60, 60]);
    on.device.space = { usedBytes: 970, quotaBytes: GIVEN };
    await on.later();
    expect(on.authors).toEqual([60]);
  });

  test('where everything left is wanted tells the app, until there is room', async () => {
    const on = setUp(950, [10]);
    on.quota.connected();
    await turns();
    expect(on.quota.state).toBe('nearly-full');
    expect(on.shown).toEqual(['freeing', 'nearly-full']);
    on.device.space = { usedBytes: 100, quotaBytes: GIVEN };
    await on.later();
    expect(on.shown).toEqual(['freeing', 'nearly-full', 'enough']);
  });

  test('that can not say how full it is is asked again; without a connection it is not asked', async () => {
    const on = setUp(900, [200]);
    const { space } = on.device;
    on.device.space = new Error('not now');
    on.quota.connected();
    await turns();
    on.device.space = null;
    await on.later();
    expect(on.authors).toEqual([200]);
    on.quota.disconnected();
    on.device.space = space;
    await on.later();
    expect([on.looks(), on.clock.timers]).toEqual([2, 0]);
    on.quota.connected();
    await turns();
    expect(on.authors).toEqual([]);
  });
});
