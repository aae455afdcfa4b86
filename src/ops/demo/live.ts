// The demo to look at: members write, ask and pass on without end, one of them lies and one freezes, until it is stopped. A terminal gets a
// view that stays in its place, anything else one line for each thing that happens.
import { randomInt } from 'node:crypto';
import { createLogUpdate } from 'log-update';
import type { Member } from '../../client/member.ts';
import { RequestFailure } from '../../client/types.ts';
import type { ReedId } from '../../wire/address.ts';
import type { Terminal } from '../terminal.ts';
import { Board } from './board.ts';
import { assemble, disband, nameOf, type Role } from './cast.ts';
import type { Stage } from './stage.ts';
import { viewOf } from './view.ts';
import { Witness } from './witness.ts';

export type LiveDeps = {
  readonly stage: Stage;
  readonly terminal: Terminal;
  /** Lines of JSON, or of words, in place of the view. */
  readonly json: boolean;
  readonly signal: AbortSignal;
};

const LIAR = 10;
const FREEZER = 11;
const ROLES: readonly Role[] = Array.from({ length: 12 }, (_, who) => (who === LIAR ? 'liar' : who === FREEZER ? 'freezer' : 'honest'));
const AUTHORS = LIAR;
const BOARD_REEDS = 8;
const WRITE_EVERY_MS = 3_000;
const ASK_EVERY_MS = 250;
const DRAW_EVERY_MS = 200;
const USUAL = { columns: 80, rows: 24 };
const NOTE = `${nameOf(LIAR)} lies and ${nameOf(FREEZER)} never answers, on purpose.`;

/** What goes on while it runs. A failure of one act ends the demo; what ends because everybody leaves is no failure. */
class Activity {
  readonly #members: readonly Member[];
  readonly #board: Board;
  readonly #witness: Witness;
  readonly #say: (line: string) => void;
  readonly #asking = new Set<string>();

  constructor(members: readonly Member[], board: Board, witness: Witness, say: (line: string) => void) {
    this.#members = members;
    this.#board = board;
    this.#witness = witness;
    this.#say = say;
  }

  /** A new reed; the oldest one shown is given up by everybody, so that a demo that is left alone does not grow. */
  async write(): Promise<void> {
    const author = randomInt(AUTHORS);
    const member = this.#member(author);
    const { reedId, published } = await member.publish({ text: `Written at ${new Date().toISOString()} by ${nameOf(author)}.` });
    await published;
    this.#witness.wrote(author, reedId);
    const { gone, line } = this.#board.wrote(author, reedId);
    this.#say(line);
    if (gone === null) return;
    this.#witness.forget(gone.id);
    await Promise.all([...gone.holders].map((who) => this.#member(who).evict(gone.id)));
  }

  /** Somebody asks for one of the newer reeds that they do not have. */
  async ask(): Promise<void> {
    const { reeds } = this.#board;
    const reed = reeds[randomInt(Math.max(1, reeds.length))];
    const who = randomInt(this.#members.length);
    if (reed === undefined || reed.holders.has(who)) return;
    await this.#askOnce(who, reed.id);
  }

  async #askOnce(who: number, reedId: ReedId): Promise<void> {
    const key = `${who} ${reedId}`;
    if (this.#asking.has(key)) return;
    this.#asking.add(key);
    try {
      await this.#member(who).request(reedId);
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      if (error.outcome !== 'cancelled') this.#say(`${nameOf(who)} did not get what they asked for: ${error.outcome}`);
    } finally {
      this.#asking.delete(key);
    }
  }

  #member(who: number): Member {
    const member = this.#members[who];
    if (member === undefined) throw new RangeError('no such member');
    return member;
  }
}

/** Shows the board until the returned function is called. */
const show = (board: Board, { stage, terminal, json }: LiveDeps): (() => void) => {
  if (!terminal.isTerminal || json) return () => undefined;
  const draw = createLogUpdate(process.stdout);
  const startedAt = performance.now();
  const drawing = setInterval(() => {
    const seconds = Math.floor((performance.now() - startedAt) / 1_000);
    const room = { columns: process.stdout.columns || USUAL.columns, rows: process.stdout.rows || USUAL.rows };
    draw(viewOf(board, { url: stage.app.url, members: ROLES.length, seconds, note: NOTE }, room));
  }, DRAW_EVERY_MS);
  return () => {
    clearInterval(drawing);
    draw.done();
  };
};

/** Runs until the signal. @throws the first failure of a member's act */
export const runLive = async (deps: LiveDeps): Promise<void> => {
  const { stage, terminal, json, signal } = deps;
  const isView = terminal.isTerminal && !json;
  const say = (line: string): void => {
    if (!isView) terminal.print({ event: line }, line);
  };
  const witness = new Witness();
  const board = new Board(BOARD_REEDS);
  const members = await assemble({ app: stage.app, witness, roles: ROLES });
  say(`${members.length} members have signed up at ${stage.app.url}. ${NOTE} Ctrl-C ends it.`);
  witness.subscribe((sight) => {
    const line = board.saw(sight);
    if (line !== null) say(line);
  });
  const activity = new Activity(members, board, witness, say);
  const hide = show(board, deps);
  const failed = Promise.withResolvers<void>();
  const attempt = (act: Promise<void>): void => void act.catch((error: unknown) => (signal.aborted ? undefined : failed.reject(error)));
  const timers = [setInterval(() => attempt(activity.write()), WRITE_EVERY_MS), setInterval(() => attempt(activity.ask()), ASK_EVERY_MS)];
  try {
    attempt(activity.write());
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => stopped.resolve(), { once: true });
    if (!signal.aborted) await Promise.race([stopped.promise, failed.promise]);
  } finally {
    for (const timer of timers) clearInterval(timer);
    hide();
    await disband(members);
  }
};
