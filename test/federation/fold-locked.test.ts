// A look that meets an event in somebody else's hands is made again once those are gone, and leaves nobody waiting for the next sweep. There is none here.
import { expect, it } from 'vitest';
import { OffsetClock, pause } from '../../src/base/clock.ts';
import type { RequestId } from '../../src/wire/address.ts';
import { FoldPair } from '../support/fold-pair.ts';

const pair = FoldPair.forEachTest();
/** As long as a few tries to have a row take, and much shorter than it is tried. */
const A_MOMENT_MS = 100;

it('a slot that comes free while somebody has the next event in line goes to that one', async () => {
  const { author, reed } = await pair.reed({ answer: 'nothing' });
  const carriers = await pair.members(pair.asking, 3);
  const requests = carriers.map((carrier) => carrier.request(reed));
  await pair.settle();
  const next = await pair.member(pair.asking);
  next.request(reed);
  await pair.settle();
  const lock = 'select from pending_events where requester_user_id = $1 for update';
  await pair.asking.community.holding(lock, [next.userId], async () => {
    carriers[0]?.send({ id: '', type: 'cancelRequest', body: { requestId: requests[0] as RequestId } });
    await expect.poll(() => pair.wire.count('cancel')).toBe(1);
    await pause(new OffsetClock(), A_MOMENT_MS);
  });
  const asked = await author.next('relayRequest', ({ body }) => body.requesterId === next.userId);
  expect(asked.body.reedId).toBe(reed);
  await author.vanish();
  await pair.settle();
});

it('whoever comes or goes while a holder is found for them is served a moment later', async () => {
  const { author, reed } = await pair.reed({ answer: 'nothing' });
  const carriers = await pair.members(pair.asking, 3);
  for (const carrier of carriers) carrier.request(reed);
  await pair.settle();
  const next = await pair.member(pair.asking);
  next.request(reed);
  await pair.settle();
  await pair.asking.community.holding('select from online_users where user_id = $1 for update', [next.userId], async () => {
    author.behaviour.answer = 'bytes';
    author.answerAll();
    await Promise.all(carriers.map((carrier) => carrier.next('settled')));
    await pause(new OffsetClock(), A_MOMENT_MS);
  });
  await next.next('dataResponse');
  await pair.settle();
  expect(pair.wire.count('deliver')).toBe(3);
});
