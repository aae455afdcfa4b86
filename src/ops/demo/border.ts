// The border scenario: two whole servers whose operators make them peers, members who follow, answer, like, block, take back and change keys across,
// a crowd that asks for the same reeds of the other server, and that crowd's server killed in the middle of it. What is counted in the end is what
// members have, and what a proxy saw on the wire between the servers.
import type { KeyRing } from '../../client/key-ring.ts';
import type { Member } from '../../client/member.ts';
import { memoryKeySafe, openKeyRing } from '../../client/memory-key-ring.ts';
import { RequestFailure } from '../../client/types.ts';
import { type ReedId, serverOf, type UserId } from '../../wire/address.ts';
import { BorderCrowd, type CrowdSizes } from './border-crowd.ts';
import type { BorderGround } from './border-ground.ts';
import { assemble, disband, nameOf } from './cast.ts';
import { becomePeers } from './ceremony.ts';
import { Ledger } from './owed.ts';
import type { Served } from './served.ts';
import { Witness } from './witness.ts';

export type BorderSummary = {
  /** Copies of one reed between the servers at once, at most. */
  readonly crossingsMax: number;
  /** Copies that went from one server to the other, of all reeds. */
  readonly crossingsTotal: number;
  /** Copies that members have of reeds of the other server. */
  readonly foreignDelivered: number;
  /** Of what members were owed across the border: reeds, and likes that an author sees. */
  readonly owedLost: number;
};

export type BorderPlan = {
  /** Members of each server, at least seven. */
  readonly members: number;
  /** How many reeds an author writes in each part. */
  readonly writes: number;
  readonly crowd: CrowdSizes;
  /** Milliseconds for each part, until what has not arrived counts as lost. */
  readonly deadlineMs: number;
};

export type BorderDeps = {
  readonly ground: BorderGround;
  readonly plan: BorderPlan;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
};

export type BorderOutcome = { readonly summary: BorderSummary; readonly failures: readonly string[] };

export const BORDER_PLAN: BorderPlan = { members: 12, writes: 3, crowd: { readers: 1_000, reeds: 3 }, deadlineMs: 45_000 };

const LOOK_EVERY_MS = 100;
/** The part of the crowd's copies that has come when its server is killed. */
const KILLED_AFTER = 1 / 3;
const CROSSINGS_MOST = 3;
/** Of one of the crowd's reeds: as many before its server was killed, and again if none of those copies was confirmed. */
const CROSSED_MOST = 2 * CROSSINGS_MOST;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const accepted = async (acting: Promise<{ readonly accepted: Promise<unknown> }>): Promise<void> => void (await (await acting).accepted);

/** Everybody on both servers; members of A have the first places, those of B the others. */
class Border {
  readonly members: readonly Member[];
  readonly ledger: Ledger;
  /** Liked reeds, and whether their author has seen it. */
  readonly #likes = new Map<ReedId, boolean>();
  readonly #deps: BorderDeps;

  constructor(members: readonly Member[], ledger: Ledger, deps: BorderDeps) {
    this.members = members;
    this.ledger = ledger;
    this.#deps = deps;
    for (const member of members)
      member.subscribe((event) => {
        if (event.type === 'stats' && event.likes > 0 && this.#likes.has(event.reedId)) this.#likes.set(event.reedId, true);
      });
  }

  member(who: number): Member {
    const member = this.members[who];
    if (member === undefined) throw new RangeError(`there is no member ${who}`);
    return member;
  }

  idOf(who: number): UserId {
    const { account } = this.member(who);
    if (account === null) throw new Error(`${nameOf(who)} has no account`);
    return account.user;
  }

  /** @returns the reed, published and owed to `readers` */
  async write(who: number, text: string, to: { readonly readers: readonly number[]; readonly replyTo?: ReedId }): Promise<ReedId> {
    const { replyTo, readers } = to;
    const { reedId, published } = await this.member(who).publish({ text, ...(replyTo === undefined ? {} : { replyTo }) });
    await published;
    this.ledger.owe(reedId, readers);
    return reedId;
  }

  /** `who` likes a reed whose author is to see that. */
  async like(who: number, author: number, reed: ReedId): Promise<void> {
    this.#likes.set(reed, false);
    this.member(author).receiving.watch({ kind: 'reed', reedId: reed });
    await accepted(this.member(who).relations.like(reed));
  }

  /** What is owed and has not come. */
  async lost(): Promise<number> {
    return (await this.ledger.lost(this.members)) + [...this.#likes.values()].filter((isSeen) => !isSeen).length;
  }

  /** Until something is so, or the time of a part is up. @returns whether it is. @throws the signal's reason */
  async until(isSo: () => Promise<boolean>): Promise<boolean> {
    const { plan, signal } = this.#deps;
    for (const end = Date.now() + plan.deadlineMs; ; await pause(LOOK_EVERY_MS)) {
      signal.throwIfAborted();
      if (await isSo()) return true;
      if (Date.now() > end) return false;
    }
  }

  /** Says `line` once something is so, or else that it is not. @returns whether it is */
  async tell(line: string, isSo: () => Promise<boolean> = async () => (await this.lost()) === 0): Promise<boolean> {
    const is = await this.until(isSo);
    this.#deps.progress(is ? line : `in time it did not come to this: ${line}`);
    return is;
  }

  /** Copies that members have of reeds of the server that is not theirs. */
  async foreign(): Promise<number> {
    const counts = this.members.map(async (member, who) => {
      const home = serverOf(this.idOf(who));
      return (await member.copies()).filter(({ id }) => serverOf(id) !== home).length;
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }
}

/** Who does what: places of A's members, and of B's from `b` on. */
const rolesOf = (b: number) => ({
  ...{ ada: 0, atA: [1, 2], liker: 3 },
  ...{ mila: b, atB: [b + 1, b + 2, b + 3], named: b + 4, blocked: b + 5, answering: b + 1 },
});
type Roles = ReturnType<typeof rolesOf>;

/** Everything that members do across the border. @returns a reed of B's, and whether the blocked member was refused */
const talk = async (border: Border, { ada, answering, atA, atB, blocked, mila, named }: Roles, { plan }: BorderDeps) => {
  const follows = (who: number, author: number): Promise<void> => accepted(border.member(who).relations.follow(border.idOf(author)));
  await Promise.all([...[...atB, blocked].map((who) => follows(who, ada)), ...atA.map((who) => follows(who, mila))]);
  const reeds: ReedId[] = [];
  for (let at = 0; at < plan.writes; at += 1)
    reeds.push(await border.write(ada, `Seen from over there, ${at}? @${border.idOf(named)}`, { readers: [...atB, named, blocked] }));
  const [first, last] = [reeds[0] as ReedId, reeds.at(-1) as ReedId];
  await border.tell(`${reeds.length} reeds of ${nameOf(ada)} reach her followers on B, and ${nameOf(named)}, who is named in them`);
  await border.write(answering, 'Clearly.', { readers: [ada], replyTo: first });
  await border.like(answering, ada, first);
  await border.tell(`${nameOf(answering)} answers and likes from B`);
  await accepted(border.member(ada).relations.block(border.idOf(blocked)));
  border.ledger.cutOff(blocked);
  const isRefused = await border.tell(`${nameOf(ada)} blocks ${nameOf(blocked)}, whom B refuses her reeds from now on`, () =>
    refused(border.member(blocked), first),
  );
  await accepted(border.member(ada).relations.removeReed(last));
  border.ledger.takeBack(last);
  await border.tell(
    'a reed is taken back, and gone from every device on B',
    async () => (await border.ledger.stillHeld(border.members)) === 0,
  );
  await border.member(mila).rotateKey();
  await border.member(mila).online();
  const mine = await border.write(mila, 'With a new key.', { readers: atA });
  await border.tell(`${nameOf(mila)} of B has a new key, and her followers on A read what she signs with it`);
  return { mine, isRefused };
};

/** A blocked member's request is refused; one that has the copy yet gives it up first. */
const refused = async (member: Member, reed: ReedId): Promise<boolean> => {
  if ((await member.copy(reed)) !== null) await member.evict(reed);
  try {
    await member.request(reed);
    return false;
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    return error.outcome === 'blocked';
  }
};

/** B is killed while its crowd reads; A's members write on; it comes back, and everybody on it. */
const throughDeath = async (border: Border, roles: Roles, on: { b: Served; crowd: BorderCrowd; mine: ReedId }, deps: BorderDeps) => {
  const { plan, progress } = deps;
  const { b, crowd, mine } = on;
  const { ada, atB, blocked, liker, mila } = roles;
  const ofB = border.members.slice(mila);
  await crowd.connect();
  crowd.ask();
  await border.until(async () => crowd.got >= crowd.wanted * KILLED_AFTER);
  const had = crowd.got;
  await b.kill();
  const { readers, reeds } = plan.crowd;
  progress(`${readers} light members of B asked for ${reeds} reeds of A; B was killed when ${had} of ${crowd.wanted} copies had come`);
  for (let at = 0; at < plan.writes; at += 1) {
    const reed = await border.write(ada, `Is anybody there, ${at}?`, { readers: atB });
    border.ledger.keepApart(reed, blocked);
  }
  await border.like(liker, mila, mine);
  progress(`meanwhile ${nameOf(ada)} wrote ${plan.writes} reeds, and ${nameOf(liker)} liked one of B`);
  await b.start();
  for (const member of ofB) member.connectNow();
  await Promise.all([crowd.reconnect(), ...ofB.map((member) => member.online())]);
  crowd.ask();
  await border.tell('B is back, with everybody on it: they get what they are still owed', async () => {
    return crowd.got >= crowd.wanted && (await border.lost()) === 0;
  });
};

type Seen = { readonly passedBlocks: number; readonly stillHeld: number; readonly isRefused: boolean; readonly crossed: number };

const failuresOf = (summary: BorderSummary, seen: Seen): readonly string[] => [
  ...(summary.owedLost > 0 ? [`${summary.owedLost} things that members were owed across the border did not arrive.`] : []),
  ...(summary.crossingsMax > CROSSINGS_MOST ? [`${summary.crossingsMax} copies of one reed crossed at once.`] : []),
  ...(seen.crossed > CROSSED_MOST ? [`A reed that the crowd asked for crossed ${seen.crossed} times.`] : []),
  ...(seen.passedBlocks > 0 ? [`${seen.passedBlocks} reeds passed a block.`] : []),
  ...(seen.isRefused ? [] : ['A blocked member was not refused.']),
  ...(seen.stillHeld > 0 ? [`${seen.stillHeld} copies of a reed that was taken back are left.`] : []),
];

const assembleAll = async ({ a, b }: { a: Served; b: Served }, members: number, ledger: Ledger) => {
  const keyRing = await openKeyRing(memoryKeySafe());
  const witness = new Witness();
  const roles = Array.from({ length: members }, () => 'honest' as const);
  const observe = (who: number, frame: Parameters<Ledger['saw']>[1]): void => ledger.saw(who, frame);
  const casts = await Promise.all([
    assemble({ app: a, witness, roles, observe, keyRing }),
    assemble({ app: b, witness, roles, observe, first: members }),
  ]);
  return { keyRing, members: casts.flat() };
};

const playWith = async (members: readonly Member[], on: { a: Served; b: Served; ledger: Ledger; keyRing: KeyRing }, deps: BorderDeps) => {
  const { a, b, ledger, keyRing } = on;
  const { ground, plan, progress, signal } = deps;
  progress(`${plan.members} members have signed up on each`);
  const border = new Border(members, ledger, deps);
  const board = { root: border.member(0), keyRing, second: border.member(1) };
  await becomePeers({ a, b, board, folder: ground.folder, progress, signal });
  const roles = rolesOf(plan.members);
  const { mine, isRefused } = await talk(border, roles, deps);
  using crowd = await BorderCrowd.gather(a, b, plan.crowd);
  await throughDeath(border, roles, { b, crowd, mine }, deps);
  const summary: BorderSummary = {
    ...{ crossingsMax: ground.copies.most, crossingsTotal: ground.copies.total },
    foreignDelivered: (await border.foreign()) + crowd.got,
    owedLost: (await border.lost()) + crowd.wanted - crowd.got,
  };
  const crossed = Math.max(...crowd.reeds.map((reed) => ground.copies.takers(reed).length));
  const [passedBlocks, stillHeld] = [await ledger.passedBlocks(members), await ledger.stillHeld(members)];
  return { summary, failures: failuresOf(summary, { isRefused, passedBlocks, stillHeld, crossed }) };
};

const play = async (deps: BorderDeps): Promise<BorderOutcome> => {
  const { a, b } = await deps.ground.open();
  await Promise.all([a.start(), b.start()]);
  deps.progress(`two servers are running: A at ${a.url}, B at ${b.url}`);
  const ledger = new Ledger();
  const { keyRing, members } = await assembleAll({ a, b }, deps.plan.members, ledger);
  try {
    return await playWith(members, { a, b, ledger, keyRing }, deps);
  } finally {
    await disband(members);
  }
};

/** Plays the border. @throws the signal's reason if it was ended early, whatever is waited for */
export const runBorder = (deps: BorderDeps): Promise<BorderOutcome> => {
  const { signal } = deps;
  const ended = new Promise<never>((_, end) => {
    if (signal.aborted) end(signal.reason);
    else signal.addEventListener('abort', () => end(signal.reason), { once: true });
  });
  return Promise.race([play(deps), ended]);
};
