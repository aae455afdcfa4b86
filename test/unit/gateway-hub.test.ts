// What the hub remembers of what it wrote to a connection, for the case that the connection ends: the latest asks, and no more than their bytes.
import pino from 'pino';
import { expect, it } from 'vitest';
import { Hub, type Seated } from '../../src/gateway/hub.ts';
import type { UserId } from '../../src/wire/address.ts';
import { encodeDelivery, encodeFrame } from '../../src/wire/codec.ts';
import { peekId } from '../../src/wire/peek.ts';
import { ScriptedFrames } from '../support/gateway-world.ts';

const USER = 'aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb' as UserId;
const REED = `${USER}/01890000-0000-7000-8000-000000000000`;

const scene = (): { hub: Hub; connection: Seated } => {
  const connection: Seated = { open: true, full: false, write: () => true, sessionsEnded: () => undefined };
  const hub = new Hub({
    presence: { setCongested: async () => undefined },
    frames: new ScriptedFrames(),
    limits: { holderWindow: 4 },
    log: pino({ level: 'silent' }),
  });
  hub.add(connection, USER);
  return { hub, connection };
};
const ask = (nth: number): Uint8Array => {
  const body = { reedId: REED, requesterId: USER, requesterKeyId: `${USER}/${'0'.repeat(40)}`, attempt: 1, deadlineMs: 5_000 };
  return encodeFrame({ id: `event ${nth}`, type: 'relayRequest', body });
};

it('remembers four windows of asks of a connection, the latest, and nothing else that was written to it', () => {
  const { hub, connection } = scene();
  for (let nth = 0; nth < 20; nth += 1) {
    hub.deliver(USER, ask(nth), 'content');
    hub.deliver(USER, encodeDelivery('dataResponse', 'copy', { requestId: '', reedId: REED }, new Uint8Array(10)), 'content');
  }
  expect(hub.asksOf(connection).map(peekId)).toEqual(Array.from({ length: 16 }, (_, at) => `event ${at + 4}`));
});

it('keeps no buffer alive that an ask is a piece of', () => {
  const { hub, connection } = scene();
  const written = ask(1);
  expect(written.buffer.byteLength, 'frames are pieces of larger buffers').toBeGreaterThan(written.length);
  hub.deliver(USER, written, 'content');
  expect(hub.asksOf(connection).map((bytes) => bytes.buffer.byteLength)).toEqual([written.length]);
});
