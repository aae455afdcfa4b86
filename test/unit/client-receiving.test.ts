// What of all that comes counts as caught up with: what was missed, and nothing that was asked for or is of the moment.
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { fail } from '../../src/base/result.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { Receiving, type ReceivingDeps } from '../../src/client/receiving.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { DELIVERY_TYPES, type DeliveryType, type Frame } from '../../src/wire/frames.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { countingRandom, newReedId, turns, userNamed } from '../support/sdk-parts.ts';

const MISSED: readonly DeliveryType[] = ['followReed', 'reedReply', 'mention'];

/** A member who has just connected, over a server that says nothing by itself. */
const connected = async () => {
  const clock = new ManualClock();
  const receiving = new Receiving({
    ...{ store: new MemoryStore(), time: new ServerTime(clock), random: countingRandom, limits: DEFAULT_LIMITS, user: userNamed('a') },
    // Nothing here comes as far as a key or a list.
    ...({ keys: {}, lists: {}, measure: undefined } as unknown as Pick<ReceivingDeps, 'keys' | 'lists' | 'measure'>),
    relationsKnown: async () => true,
    check: async () => fail('UNDECRYPTABLE'),
    send: () => true,
    emit: () => undefined,
  });
  receiving.connected(64);
  await turns();
  return { clock, receiving };
};

const delivery = (type: DeliveryType): Frame => ({
  id: `by ${type}`,
  type,
  body: { requestId: '', reedId: newReedId(userNamed('b')), ciphertext: new Uint8Array() },
});

test.each(DELIVERY_TYPES)('a delivery by %s counts as missed if it is told of at a sync, and puts off being caught up', async (type) => {
  const { clock, receiving } = await connected();
  expect(receiving.sync).toMatchObject({ state: 'catching-up', received: 0 });
  clock.advance(DEFAULT_LIMITS.catchingUpMs - 1);
  receiving.frame(delivery(type));
  await receiving.idle();
  const isMissed = MISSED.includes(type);
  expect(receiving.sync.received).toBe(isMissed ? 1 : 0);
  clock.advance(1);
  expect(receiving.sync.state).toBe(isMissed ? 'catching-up' : 'live');
});
