// Plays a plan to its end on a fresh server and measures it: members sign up, write, ask for everything the others wrote, misbehave as the
// plan says; then the server is searched for what it must not have. Nothing here decides what is counted but the plan.
import { randomBytes } from 'node:crypto';
import type { Member } from '../../client/member.ts';
import type { CopyRecord } from '../../client/store.ts';
import { RequestFailure } from '../../client/types.ts';
import type { ReedId } from '../../wire/address.ts';
import { assemble, disband, nameOf } from './cast.ts';
import { orderFor, type Plan, rolesOf } from './plan.ts';
import { countIn, countInFiles, countInTables, formsOf } from './search.ts';
import type { Stage } from './stage.ts';
import { Tally } from './tally.ts';
import { Witness } from './witness.ts';

export type Summary = {
  readonly requested: number;
  readonly delivered: number;
  readonly acked: number;
  readonly invalid: number;
  readonly reopened: number;
  readonly rounds: number;
  readonly bodiesOnServer: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
};

/** `failures`: what went wrong, a sentence each; empty when everything that was asked for arrived and stayed where it belongs. */
export type Outcome = { readonly summary: Summary; readonly failures: readonly string[] };

export type ScenarioDeps = {
  /** A server without members. It is stopped when this is over. */
  readonly stage: Stage;
  readonly plan: Plan;
  readonly progress: (line: string) => void;
  /** Ends the scenario early. */
  readonly signal: AbortSignal;
};

type Reed = { readonly id: ReedId; readonly author: number; readonly text: string };

/** One member as a reader. */
class Reader {
  readonly who: number;
  readonly member: Member;
  hasLeft = false;
  readonly #gone = Promise.withResolvers<null>();

  constructor(member: Member, who: number) {
    this.member = member;
    this.who = who;
  }

  /** Resolves when this member has left. */
  get gone(): Promise<null> {
    return this.#gone.promise;
  }

  async leave(): Promise<void> {
    this.hasLeft = true;
    await this.member.close();
    this.#gone.resolve(null);
  }
}

type Play = {
  readonly plan: Plan;
  readonly tally: Tally;
  readonly readers: readonly Reader[];
  readonly reeds: readonly Reed[];
  /** Resolves at the deadline, or when the scenario is ended early. */
  readonly over: Promise<null>;
};

const write = async (members: readonly Member[], plan: Plan, mark: string): Promise<readonly Reed[]> => {
  const byAuthor = plan.authors.map(async (author, turn) => {
    const written: (Reed & { readonly place: number })[] = [];
    for (let place = turn; place < plan.reeds; place += plan.authors.length) {
      const text = `Reed ${place + 1} of the demo, written by ${nameOf(author)}. ${mark}`;
      const reed = await members[author]?.publish({ text });
      await reed?.published;
      if (reed !== undefined) written.push({ id: reed.reedId, author, text, place });
    }
    return written;
  });
  return (await Promise.all(byAuthor)).flat().sort((a, b) => a.place - b.place);
};

const copyOrNull = (request: Promise<CopyRecord>): Promise<CopyRecord | null> =>
  request.catch((error: unknown) => {
    if (error instanceof RequestFailure) return null;
    throw error;
  });

/** One request, counted. What is still open when its member leaves was not asked for in the end. */
const ask = async ({ tally, over }: Play, reader: Reader, reed: Reed): Promise<void> => {
  const { who, member, gone } = reader;
  tally.requested += 1;
  const askedAt = performance.now();
  const copy = await Promise.race([copyOrNull(member.request(reed.id)), gone, over]);
  if (copy?.body.text === reed.text) tally.arrived(who, performance.now() - askedAt);
  else if (copy === null && reader.hasLeft) tally.requested -= 1;
};

/** Asks for a list of reeds, as many at a time as the plan says, until all have come, the member has left or time is up. */
const read = async (play: Play, reader: Reader, reeds: readonly Reed[]): Promise<void> => {
  const queue = [...reeds];
  let isOver = false;
  void play.over.then(() => {
    isOver = true;
  });
  const lane = async (): Promise<void> => {
    for (let reed = queue.shift(); reed !== undefined; reed = queue.shift()) {
      // What could not be asked for before the deadline counts as asked for all the same; a member who left asks for nothing.
      if (reader.hasLeft) return;
      if (isOver) play.tally.requested += 1;
      else await ask(play, reader, reed);
    }
  };
  await Promise.all(Array.from({ length: play.plan.atOnce }, lane));
};

/** Everybody reads; the leaver leaves in the middle of it, when it is asked for a copy. */
const readAll = async (play: Play, witness: Witness): Promise<void> => {
  const { plan, readers, reeds, tally, over } = play;
  const leaver = plan.leaver === null ? undefined : readers[plan.leaver];
  if (plan.leavesAfter === 0) await leaver?.leave();
  else {
    witness.subscribe((sight) => {
      if (sight.type !== 'dispatched' || sight.to !== leaver?.who || leaver.hasLeft) return;
      if (tally.deliveredTo(leaver.who) >= plan.leavesAfter) void leaver.leave();
    });
  }
  const early = readers.filter(({ who }) => who === plan.liar || who === plan.freezer);
  await Promise.all(early.map((reader) => read(play, reader, orderFor(plan, reader.who, reeds).slice(0, plan.headStart))));
  await Promise.race([tally.until(() => tally.isConfirmed(early.map(({ who }) => who))), over]);
  const rest = (reader: Reader): readonly Reed[] => orderFor(plan, reader.who, reeds).slice(early.includes(reader) ? plan.headStart : 0);
  const all = readers.map((reader) => ({ reader, done: read(play, reader, rest(reader)) }));
  await Promise.all(all.filter(({ reader }) => reader !== leaver).map(({ done }) => done));
  if (leaver?.hasLeft === false) await leaver.leave();
  await Promise.all(all.map(({ done }) => done));
  await Promise.race([tally.until(() => tally.isConfirmed(staying(readers))), over]);
};

const staying = (readers: readonly Reader[]): readonly number[] => readers.filter(({ hasLeft }) => !hasLeft).map(({ who }) => who);

const failuresOf = ({ tally, readers }: Play, bodiesOnServer: number): readonly string[] => {
  const missing = tally.requested - tally.delivered;
  return [
    ...(missing > 0 ? [`${missing} of ${tally.requested} requests did not arrive.`] : []),
    ...(tally.isConfirmed(staying(readers)) ? [] : ['The server did not confirm every copy that arrived.']),
    ...(bodiesOnServer > 0 ? [`Bodies were found on the server, ${bodiesOnServer} times.`] : []),
  ];
};

const summaryOf = ({ tally }: Play, witness: Witness, bodiesOnServer: number): Summary => ({
  requested: tally.requested,
  delivered: tally.delivered,
  acked: tally.acked,
  invalid: tally.invalid,
  ...witness.counts(),
  bodiesOnServer,
  p50Ms: tally.percentileMs(0.5),
  p99Ms: tally.percentileMs(0.99),
});

/** Resolves with null when one of the signals aborts. */
const ended = (signal: AbortSignal): Promise<null> =>
  new Promise((done) => {
    if (signal.aborted) done(null);
    else signal.addEventListener('abort', () => done(null), { once: true });
  });

/** Reports every quarter of what the plan asks for. */
const reportQuarters = (tally: Tally, expected: number, progress: ScenarioDeps['progress']): void => {
  for (const quarter of [1, 2, 3]) {
    const goal = Math.ceil((expected * quarter) / 4);
    void tally
      .until(() => tally.delivered >= goal)
      .then(() => progress(`${tally.delivered} copies have arrived, ${tally.invalid} were false`));
  }
};

/** Plays `plan`. @throws the signal's reason if it was ended early, and what goes wrong outside of the plan */
export const runScenario = async ({ stage, plan, progress, signal }: ScenarioDeps): Promise<Outcome> => {
  const witness = new Witness();
  const tally = new Tally();
  const mark = `mark${randomBytes(12).toString('hex')}`;
  const members = await assemble({ app: stage.app, witness, roles: rolesOf(plan) });
  let play: Play;
  let hits: number;
  const forms = (): readonly Buffer[] => formsOf({ mark, openings: witness.openings() });
  try {
    progress(`${members.length} members have signed up`);
    for (const [who, member] of members.entries()) tally.follow(member, who);
    const reeds = await write(members, plan, mark);
    for (const { id, author } of reeds) witness.wrote(author, id);
    progress(`${reeds.length} reeds are published`);
    const over = ended(AbortSignal.any([signal, AbortSignal.timeout(plan.deadlineMs)]));
    play = { plan, tally, reeds, over, readers: members.map((member, who) => new Reader(member, who)) };
    const expected = play.readers.reduce((sum, { who }) => sum + orderFor(plan, who, reeds).length, 0);
    reportQuarters(tally, expected, progress);
    // In the middle of it too, when much is under way that is gone at the end.
    const halfway = tally.until(() => tally.delivered >= expected / 2).then(() => countInTables(stage.databaseUrl, forms()));
    // Awaited below, if it began; until then a failure of it must not count as one that nobody handles.
    halfway.catch(() => undefined);
    await readAll(play, witness);
    signal.throwIfAborted();
    const early = tally.delivered >= expected / 2 ? await halfway : 0;
    progress(`everything is over: ${tally.delivered} of ${tally.requested} arrived; searching the server`);
    hits = early + (await countInTables(stage.databaseUrl, forms()));
  } finally {
    await disband(members);
  }
  await stage.stop();
  const found = hits + (await countInFiles(stage.folder, forms())) + countIn(Buffer.from(stage.logged()), forms());
  return { summary: summaryOf(play, witness, found), failures: failuresOf(play, found) };
};
