// Frames on their way out: what is written in one turn goes out together, in order, and every length has the header that the protocol wants.
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import * as ws from 'ws';
import { Outgoing } from '../../src/gateway/outgoing.ts';

/** The library's own reader of the protocol, which its types leave out. */
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Writable };

/** A stream that notes each handing over to the system. */
const recorder = () => {
  const handed: Buffer[] = [];
  const stream = new Writable({
    writev: (chunks, done) => {
      handed.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)));
      done();
    },
  });
  return { handed, stream: stream as unknown as Socket };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('what is written in one turn is handed over once, what is written in the next by itself', async () => {
  const { handed, stream } = recorder();
  const outgoing = new Outgoing();
  for (let nth = 0; nth < 3; nth += 1) outgoing.write(stream, new Uint8Array(10).fill(nth), null);
  expect(handed).toHaveLength(0);
  await turn();
  expect(handed).toHaveLength(1);
  outgoing.write(stream, new Uint8Array(10), null);
  await turn();
  expect(handed).toHaveLength(2);
});

it('more than is held back for one socket does not wait for the turn to end', () => {
  const { handed, stream } = recorder();
  new Outgoing().write(stream, new Uint8Array(100_000), null);
  expect(handed).toHaveLength(1);
});

it('messages of every length are read as they were written, in their order', async () => {
  const { handed, stream } = recorder();
  const outgoing = new Outgoing();
  const lengths = [0, 1, 125, 126, 127, 16_384, 16_385, 65_535, 65_536, 1_048_576];
  for (const length of lengths) outgoing.write(stream, new Uint8Array(length).fill(length % 251), null);
  await turn();
  const read: Buffer[] = [];
  const receiver = new Receiver({ isServer: false });
  receiver.on('message', (data: Buffer) => read.push(data));
  await new Promise<void>((resolve) => receiver.write(Buffer.concat(handed), () => resolve()));
  while (read.length < lengths.length) await turn();
  expect(read.map((data) => data.length)).toEqual(lengths);
  expect(read.every((data, at) => data.every((byte) => byte === (lengths[at] ?? 0) % 251))).toBe(true);
});
