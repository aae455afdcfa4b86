// Catching up against a scripted server: what a member is shown while the server does not take the request for what it missed.
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { Sync } from '../../src/client/sync.ts';
import type { SyncProgress } from '../../src/client/types.ts';
import type { Frame, FrameOf } from '../../src/wire/frames.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { countingRandom, userNamed } from '../support/sdk-parts.ts';

const { catchingUpMs, syncAgainMs } = DEFAULT_LIMITS;

const setUp = () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  const shown: SyncProgress['state'][] = [];
  const sync = new Sync({
    ...{ time: new ServerTime(clock), random: countingRandom, user: userNamed('a'), limits: DEFAULT_LIMITS },
    waiting: () => 0,
    send: (frame: Frame) => asked.push(frame.id) > 0,
    emit: (event) => void (event.type === 'sync' && shown.push(event.state)),
  });
  const refuse = (retryAfterMs: number, id = asked.at(-1) ?? ''): void =>
    sync.refused({ id, type: 'error', body: { code: 'RATE_LIMITED', detail: '', requestId: '', retryAfterMs } } as FrameOf<'error'>);
  return { clock, asked, shown, sync, refuse };
};

let on: ReturnType<typeof setUp>;
beforeEach(() => {
  on = setUp();
});

describe('a sync that the server does not take yet', () => {
  test('is shown as held back, and repeated at the time that the server names', () => {
    on.sync.connected();
    on.refuse(4_000);
    expect(on.sync.progress.state).toBe('held-back');
    on.clock.advance(3_999);
    expect(on.asked).toHaveLength(1);
    on.clock.advance(1);
    expect(on.asked).toHaveLength(2);
    expect(on.sync.progress.state).toBe('catching-up');
    on.clock.advance(catchingUpMs);
    expect(on.shown).toEqual(['catching-up', 'held-back', 'catching-up', 'live']);
  });

  test('for longer than catching up takes never counts as caught up meanwhile, whatever comes', () => {
    on.sync.connected();
    on.refuse(10 * catchingUpMs);
    on.sync.delivered();
    on.clock.advance(5 * catchingUpMs);
    expect(on.sync.progress.state).toBe('held-back');
    on.clock.advance(5 * catchingUpMs);
    expect(on.asked).toHaveLength(2);
  });

  test('is not repeated once the connection is gone, and the next one asks at once', () => {
    on.sync.connected();
    on.refuse(4_000);
    on.sync.disconnected();
    on.refuse(4_000);
    on.clock.advance(60_000);
    expect(on.asked).toHaveLength(1);
    expect(on.sync.progress.state).toBe('away');
    on.sync.connected();
    expect(on.asked).toHaveLength(2);
    expect(on.clock.timers).toBe(1);
  });
});

test('an error about something else changes nothing', () => {
  on.sync.connected();
  on.refuse(4_000, 'another');
  expect(on.sync.progress.state).toBe('catching-up');
});

test('who could not take something is not caught up before it was asked for again', () => {
  on.sync.connected();
  on.sync.missed();
  on.clock.advance(syncAgainMs - 1);
  expect(on.sync.progress).toMatchObject({ state: 'catching-up', behind: true });
  on.clock.advance(1 + catchingUpMs);
  expect(on.asked).toHaveLength(2);
  expect(on.sync.progress).toMatchObject({ state: 'live', behind: false });
});
