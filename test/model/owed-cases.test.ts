// Single histories that the generator seldom comes to: a process that dies exactly between a commit and what follows it.
import { afterEach, expect, it } from 'vitest';
import { type OwedMove, OwedMoves } from './owed-moves.ts';
import { OwedPlay } from './owed-play.ts';
import { openOwedStage } from './owed-stage.ts';
import type { Stage } from './stage.ts';

let stage: Stage | null = null;
afterEach(() => stage?.close());

const [AUTHOR, FOLLOWER] = [0, 1];

const open = async (): Promise<{ play: OwedPlay; moves: OwedMoves; go: (move: Partial<OwedMove>) => Promise<void> }> => {
  const owed = await openOwedStage({}, 2);
  stage = owed.stage;
  await stage.start(0);
  await stage.start(1);
  const play = new OwedPlay(owed);
  const moves = new OwedMoves(play);
  const go = async (move: Partial<OwedMove>): Promise<void> =>
    play.run(await moves.actions([{ kind: 'time', a: 0, b: 0, c: 1, turns: 0, ...move }]));
  return { play, moves, go };
};

it('a follow whose process died before it could tell of it brings what the author wrote once it is stated again', async () => {
  const { go, moves, play } = await open();
  await go({ kind: 'arrive', a: AUTHOR, b: 1 });
  await go({ kind: 'arrive', a: FOLLOWER, b: 1 });
  await go({ kind: 'publish', a: AUTHOR, b: 5 });
  const [post] = play.model.posts.keys();
  const follower = play.devices[FOLLOWER];
  const dying = play.stage.life(0);
  dying?.lightFuse(1, 'transactions', () => play.stage.kill(0));
  await go({ kind: 'follow', a: FOLLOWER });
  expect(play.unanswered).toHaveLength(1);
  expect(play.model.follows.size, 'it was committed').toBe(1);
  expect([...(follower?.copies ?? [])]).toEqual([]);
  await moves.actions([]);
  if (follower) await play.run(moves.again(follower).map((action) => ({ ...action, turns: 0 })));
  expect([...(follower?.copies ?? [])]).toEqual([[post, 'held']]);
});
