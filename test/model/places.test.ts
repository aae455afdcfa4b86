// A requester's places, as far as time need not pass: whatever gives one back, the next event gets it at once.
import { afterEach, expect, it } from 'vitest';
import type { UserId } from '../../src/wire/address.ts';
import type { Subject } from './facts.ts';
import { Moves } from './moves.ts';
import { Play } from './play.ts';
import { Stage } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

it('a request that nobody can be asked for any more gives its place to the next one', async () => {
  stage = await Stage.open({ awakeEventsPerMember: 1, holderFailuresPerEvent: 1 });
  await stage.start(0);
  const members = (await stage.world.cast(4)) as [UserId, UserId, UserId, UserId];
  const play = new Play(stage, members, 1);
  const moves = new Moves(play);
  await play.cast(4, 0);
  for (const member of members) await play.run(moves.anew(member, 0), false);
  const [, , , requester] = members;
  const [first, , second] = play.subjects as [Subject, Subject, Subject];
  for (const subject of [first, second]) await play.run(moves.request(requester, subject, play.requestId(requester)));
  expect(play.asks).toMatchObject([{ subject: first }]);
  const [ask] = play.asks;
  if (ask) await play.run(moves.answer(ask.holder, ask, 'error'));
  expect(play.asks).toMatchObject([{ subject: first }, { subject: second, holder: second.author }]);
});
