// A viewer and the scripted server it talks to: what it sent, stored and said, and what can come back.
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { ok, type Result } from '../../src/base/result.ts';
import { Agreements } from '../../src/client/agreements.ts';
import type { CheckedContent } from '../../src/client/check-copy.ts';
import { Declined } from '../../src/client/declined.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { Tombstones } from '../../src/client/tombstones.ts';
import { type MemberEvent, RequestFailure } from '../../src/client/types.ts';
import { Viewer } from '../../src/client/viewer.ts';
import { Watches } from '../../src/client/watches.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { DeliveryType, Frame, FrameBodies, InvalidReason } from '../../src/wire/frames.ts';
import { ManualClock } from './manual-clock.ts';
import { copyOf, countingRandom, turns, userNamed } from './sdk-parts.ts';

export const ME = userNamed('a');
export const AUTHOR = userNamed('b');
export const CIPHERTEXT = new Uint8Array([1, 2, 3]);

type Checked = Result<CheckedContent, InvalidReason>;

export const setUp = async (store = new MemoryStore()) => {
  const clock = new ManualClock();
  const sent: Frame[] = [];
  const events: MemberEvent[] = [];
  let verdict: Checked | Error | null = null;
  let online = true;
  const limits = { ...DEFAULT_LIMITS };
  const emit = (event: MemberEvent): void => void events.push(event);
  const watches = new Watches({ limits, emit, send: () => true });
  const agreements = new Agreements({ store, user: ME, limits, watched: watches });
  const context = { keys: { userKey: async () => null, serverKey: async () => null }, now: 0 };
  const tombstones = new Tombstones({ store, emit, keys: { context }, ended: () => undefined });
  const declined = new Declined({ store, limits });
  let missed = 0;
  const viewer = new Viewer({
    ...{ store, agreements, tombstones, declined, emit, limits },
    missed: () => void missed++,
    time: new ServerTime(clock),
    random: countingRandom,
    user: ME,
    check: async (_ciphertext, reedId) => {
      if (verdict instanceof Error) throw verdict;
      return verdict ?? ok(copyOf(reedId));
    },
    send: (frame) => {
      if (online) sent.push(frame);
      return online;
    },
  });
  await viewer.load();
  const of = <T extends Frame['type']>(type: T) => sent.filter((frame): frame is Extract<Frame, { type: T }> => frame.type === type);
  return {
    ...{ store, clock, limits, viewer, watches, agreements, tombstones, declined, sent, events, of },
    missed: () => missed,
    verdict: (next: Checked | Error | null) => {
      verdict = next;
    },
    online: (next: boolean) => {
      online = next;
    },
    lastRequest: () => of('requestReed').at(-1)?.body.requestId ?? '',
    deliver: async (reedId: ReedId, event = 'event-1', requestId = '', type: DeliveryType = 'dataResponse') => {
      viewer.intake.delivery({ id: event, type, body: { requestId, reedId, ciphertext: CIPHERTEXT } });
      await viewer.intake.idle();
    },
    refuse: (error: Partial<FrameBodies['error']>) =>
      viewer.refused({ code: 'INTERNAL', detail: '', requestId: '', retryAfterMs: 0, ...error }),
  };
};

export type Scene = Awaited<ReturnType<typeof setUp>>;

/** Asks for a reed; the outcome is the copy or the failure. */
export const beginOn = async (scene: Scene, reedId: ReedId): Promise<{ outcome: Promise<unknown> }> => {
  const outcome = scene.viewer.request(reedId).catch((error: unknown) => error);
  await turns();
  return { outcome };
};

export const outcomeOf = async (outcome: Promise<unknown>): Promise<string> => {
  const failure = await outcome;
  return failure instanceof RequestFailure ? failure.outcome : `no failure: ${JSON.stringify(failure)}`;
};
