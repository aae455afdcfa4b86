// The end of every run: all replicas run, everybody is back, honest and patient. Whatever was open must come to its end, and if somebody
// who may be asked has it, to a delivery.
import type { UserId } from '../../src/wire/address.ts';
import type { Event } from './facts.ts';
import type { Moves } from './moves.ts';
import type { Action, Play } from './play.ts';

const ROUNDS = 60;
const DAY_MS = 86_400_000;

/** Plays until nothing is open. @throws Error if that does not come, or somebody goes without what could be had */
export const finish = async (play: Play, moves: Moves): Promise<void> => {
  await gather(play, moves);
  // Of the last moves nothing is left: everybody may send.
  moves.actions([]);
  const due = play.facts.events
    .filter((e) => isDeliverable(play, e))
    .map((e) => ({ id: e.id as string, requester: e.requester, subject: e.subject }));
  const done = { asks: new Set<string>(), deliveries: new Set<string>() };
  for (let round = 0; play.facts.events.some((e) => !mayWait(play, e)); round += 1) {
    if (round >= ROUNDS) throw new Error(`${play.facts.events.length} events never end: ${JSON.stringify(play.facts.events)}`);
    const actions = honest(play, moves, done);
    if (actions.length > 0) await inPieces(play, actions);
    else await wait(play, moves, round);
  }
  for (const { id, requester, subject } of due)
    if (!play.facts.holdsAll(requester, subject)) throw new Error(`${requester} never got ${subject.id} (${id}), which could be had`);
  await part(play);
};

/** Everybody is on the stage, hears, and has room in the buffers. */
const gather = async (play: Play, moves: Moves): Promise<void> => {
  const { members, seats, stage } = play;
  for (const at of [0, 1]) {
    if (stage.life(at) !== null || at >= play.replicas) continue;
    await play.run([{ by: null, name: `replica ${at} starts`, turns: 0, apply: () => undefined, fire: () => stage.start(at) }], false);
  }
  const arrivals = members.flatMap((member, at) => {
    const old = seats.get(member) ?? [];
    seats.set(member, []);
    const [arrival] = moves.anew(member, at % 2);
    if (!arrival) return [];
    // As a browser does: the new connection first, then the old one's end.
    const close = (): void => {
      for (const seat of old) seat.close();
    };
    const fire = async (): Promise<void> => {
      await arrival.fire();
      close();
    };
    return [{ ...arrival, fire }];
  });
  await play.run(arrivals, false);
};

const isDeliverable = ({ facts }: Play, e: Event): boolean =>
  e.phase !== 'relayed' && !facts.isOld(e) && facts.candidates(e).length > 0 && facts.refusal(e) === null && !isAsked(e);
/** What is owed to somebody who did not ask waits for as long as nobody has the whole of it. */
const mayWait = ({ facts }: Play, e: Event): boolean => e.requestedAt === null && e.phase === 'open' && facts.candidates(e).length === 0;
/** What is with somebody who no longer has it may be answered all the same, or not. */
const isAsked = (e: Event): boolean => e.phase === 'asked';

const honest = (play: Play, moves: Moves, done: { asks: Set<string>; deliveries: Set<string> }): Action[] => {
  const actions: Action[] = [];
  for (const ask of play.asks) {
    const key = `${ask.eventId} ${ask.attempt}`;
    if (ask.unseen || done.asks.has(key)) continue;
    done.asks.add(key);
    const isOpen = play.facts.events.some(
      (e) => e.id === ask.eventId && e.holder === ask.holder && e.attempt === ask.attempt && e.phase === 'asked',
    );
    if (isOpen) actions.push(...moves.answer(ask.holder, ask, play.facts.holdsAll(ask.holder, ask.subject) ? 'response' : 'miss'));
  }
  for (const { eventId, to, unseen } of play.deliveries) {
    const isOpen = play.facts.events.some((e) => e.id === eventId && e.phase === 'relayed' && e.requester === to);
    if (unseen || !isOpen) continue;
    actions.push(...moves.settle(to, eventId, null));
  }
  return actions;
};

const AT_ONCE = 4;

const inPieces = async (play: Play, actions: readonly Action[]): Promise<void> => {
  for (let at = 0; at < actions.length; at += AT_ONCE) await play.run(actions.slice(at, at + AT_ONCE), false);
};

/** Until the next date of anything; in the end a day, after which nobody waits any more. */
const wait = async (play: Play, moves: Moves, round: number): Promise<void> => {
  const { events } = await play.rows();
  const next = Math.min(...events.map((row) => row.due)) - play.now;
  const byMs = round > ROUNDS / 2 ? DAY_MS : Math.max(1_000, Math.ceil(next));
  moves.actions([]);
  await play.run(moves.time(byMs), false);
};

/** Everybody leaves; nothing may be left behind. */
const part = async (play: Play): Promise<void> => {
  const gone: UserId[] = [...play.seats.keys()];
  const fire = (): void => {
    for (const seats of play.seats.values()) for (const seat of seats) seat.close();
    play.seats.clear();
  };
  const apply: Action['apply'] = (facts) => {
    for (const member of gone) facts.leave(member);
  };
  await play.run([{ by: null, name: 'everybody leaves', turns: 0, unsteady: play.members, apply, fire }], false);
};
