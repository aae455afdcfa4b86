// The wire of the fold's tests: once it is mended, nothing is held by what was to become of a call before.
import { expect, it } from 'vitest';
import type { LegAnswer } from '../../src/federation/legs.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { Wire } from '../support/fold-wire.ts';

const A = 'a' as ServerId;
const B = 'b' as ServerId;

it('a wire that is mended holds no answer that is still to come', async () => {
  const wire = new Wire();
  const answer = Promise.withResolvers<LegAnswer>();
  wire.attach(A, new Map());
  wire.attach(B, new Map([['ack', { limitBytes: 10, handle: () => answer.promise }]]));
  wire.fate = () => 'hold-answer';
  const called = wire.callsOf(() => A).call(B, 'ack', new Uint8Array(0));
  // It is with the server that is asked.
  await new Promise((turn) => setImmediate(turn));
  wire.mend();
  answer.resolve({ status: 204 });
  await new Promise((turn) => setImmediate(turn));
  expect(wire.held).toBe(0);
  expect(await called).toMatchObject({ kind: 'answer', status: 204 });
});
