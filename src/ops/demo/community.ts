// The community scenario: members follow, name, answer, watch, listen and archive; one is blocked, one reed is taken back, two are away, and the
// database crashes in the middle. What is counted in the end is what the members have and were sent, not what the server says.
import type { Member } from '../../client/member.ts';
import type { ReedId } from '../../wire/address.ts';
import { assemble, disband, nameOf } from './cast.ts';
import { makeArchivist, statementsFor } from './crowd.ts';
import { Ledger } from './owed.ts';
import type { Stage } from './stage.ts';
import { Witness } from './witness.ts';

export type CommunitySummary = {
  /** Reeds owed to a member for good (followed, named, answered) that it does not have in the end. */
  readonly owedLost: number;
  /** Content sent to a member who had it, confirmed by the server. */
  readonly duplicates: number;
  /** Reeds between two in a block, written after it, that either was sent or has. */
  readonly blockedSaw: number;
  /** Copies in the end of what its author took back. */
  readonly removedStillHeld: number;
  /** Of one publication to so many followers, until every one of them was owed it. */
  readonly fanoutStatements: number;
};

export type CommunityPlan = {
  /** How many reeds the author writes in each of the four parts. */
  readonly reeds: number;
  /** Of the publication whose statements are counted. */
  readonly followers: number;
  /** Milliseconds for each part, until what has not arrived counts as lost. */
  readonly deadlineMs: number;
};

export type CommunityDeps = {
  readonly stage: Stage;
  readonly plan: CommunityPlan;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
};

export type CommunityOutcome = { readonly summary: CommunitySummary; readonly failures: readonly string[] };

export const COMMUNITY_PLAN: CommunityPlan = { reeds: 6, followers: 1_000, deadlineMs: 60_000 };

const AUTHOR = 0;
const FOLLOWERS = [1, 2, 3, 4, 5] as const;
const AWAY = [4, 5] as const;
const NAMED = 6;
const IN_PIPE = 7;
const LISTENER = 8;
const WATCHER = 9;
const ARCHIVIST = 10;
const BLOCKED = 11;
/** Writes for the crowd and answers nobody, so that nothing but the owing is counted. */
const SILENT = 12;
const MEMBERS = 13;
const TAG = 'marsh';
const LOOK_EVERY_MS = 100;
/** Nothing came for so long: what is still to come does not come. */
const QUIET_MS = 1_500;
/** The followers of whom one publication may cost a statement: every tenth. On a slow machine rounds of the sweeper are among them. */
const FOLLOWERS_A_STATEMENT = 10;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

class Community {
  readonly members: readonly Member[];
  readonly ledger: Ledger;
  readonly #deps: CommunityDeps;
  readonly #ends: (() => void)[] = [];

  constructor(members: readonly Member[], ledger: Ledger, deps: CommunityDeps) {
    this.members = members;
    this.ledger = ledger;
    this.#deps = deps;
  }

  member(who: number): Member {
    const member = this.members[who];
    if (member === undefined) throw new RangeError(`there is no member ${who}`);
    return member;
  }

  idOf(who: number) {
    const { account } = this.member(who);
    if (account === null) throw new Error(`${nameOf(who)} has no account`);
    return account.user;
  }

  async relate(): Promise<void> {
    const accepted = async (acting: Promise<{ readonly accepted: Promise<unknown> }>): Promise<unknown> => (await acting).accepted;
    await Promise.all([...FOLLOWERS, BLOCKED].map((who) => accepted(this.member(who).relations.follow(this.idOf(AUTHOR)))));
    await accepted(this.member(AUTHOR).relations.follow(this.idOf(FOLLOWERS[0])));
    this.#ends.push(
      this.member(IN_PIPE).receiving.watch({ kind: 'pipe', tag: TAG }),
      this.member(LISTENER).receiving.watch({ kind: 'broadcast' }),
      this.member(WATCHER).receiving.watch({ kind: 'profile', user: this.idOf(AUTHOR) }),
    );
  }

  /** @returns the reed, published */
  async write(who: number, text: string, more: { readonly replyTo?: ReedId } = {}): Promise<ReedId> {
    const { reedId, published } = await this.member(who).publish({ text, ...more });
    await published;
    return reedId;
  }

  /** Everybody is there: who is connected to the author by anything gets what it writes. */
  async calmly(count: number): Promise<ReedId[]> {
    const written: ReedId[] = [];
    for (let at = 0; at < count; at += 1) {
      const reed = await this.write(AUTHOR, `The reeds stand, ${at}. #${TAG} @${this.idOf(NAMED)}`);
      this.ledger.owe(reed, [...FOLLOWERS, NAMED, IN_PIPE, WATCHER, ARCHIVIST, BLOCKED]);
      written.push(reed);
    }
    const [parent] = written;
    const reply = await this.write(FOLLOWERS[0], 'They do.', parent === undefined ? {} : { replyTo: parent });
    // Its author follows who answered, and wrote what was answered.
    this.ledger.owe(reply, [AUTHOR, ARCHIVIST]);
    return written;
  }

  /** Two are away; one is blocked and goes on writing; a reed that all have is taken back. */
  async withSomeAway(count: number, removed: ReedId): Promise<void> {
    await Promise.all(AWAY.map((who) => this.member(who).close()));
    await (await this.member(AUTHOR).relations.block(this.idOf(BLOCKED))).accepted;
    this.ledger.cutOff(BLOCKED);
    await (await this.member(AUTHOR).relations.removeReed(removed)).accepted;
    this.ledger.takeBack(removed);
    for (let at = 0; at < count; at += 1) {
      const [mine, theirs] = await Promise.all([
        this.write(AUTHOR, `Quieter now, ${at}. @${this.idOf(NAMED)}`),
        this.write(BLOCKED, `Can you hear me, ${at}? @${this.idOf(AUTHOR)}`),
      ]);
      this.ledger.owe(mine, [...FOLLOWERS, NAMED]);
      this.ledger.keepApart(mine, BLOCKED);
      this.ledger.keepApart(theirs, AUTHOR);
    }
  }

  /** The database ends at once while two write; everything that was only in its memory is gone. */
  async throughCrash(count: number): Promise<void> {
    const writing = Promise.all(
      [AUTHOR, FOLLOWERS[0]].map(async (who) => {
        for (let at = 0; at < count; at += 1) {
          const reed = await this.write(who, `Written in a storm, ${at}.`);
          const readers = who === AUTHOR ? FOLLOWERS : [AUTHOR];
          this.ledger.owe(reed, readers);
          if (who === AUTHOR) this.ledger.keepApart(reed, BLOCKED);
        }
      }),
    );
    await Promise.race([pause(QUIET_MS / 5), writing]);
    this.#deps.stage.crash();
    await writing;
  }

  async allBack(): Promise<void> {
    for (const who of AWAY) this.member(who).connect();
    await Promise.all(this.members.map((member) => member.online()));
  }

  /** Until everybody has what is owed, or nothing has come for a while after the time is up. */
  async settled(): Promise<void> {
    const until = Date.now() + this.#deps.plan.deadlineMs;
    let quietSince = Date.now();
    let received = -1;
    for (;;) {
      this.#deps.signal.throwIfAborted();
      if (this.ledger.received !== received) [received, quietSince] = [this.ledger.received, Date.now()];
      const isQuiet = Date.now() - quietSince > QUIET_MS;
      if (isQuiet && ((await this.ledger.lost(this.members)) === 0 || Date.now() > until)) return;
      await pause(LOOK_EVERY_MS);
    }
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}

const play = async (community: Community, { plan, progress, stage }: CommunityDeps): Promise<void> => {
  await makeArchivist(stage, community.idOf(ARCHIVIST));
  await community.member(ARCHIVIST).receiving.agreements.setArchivist(true);
  await community.relate();
  progress('they follow, watch and listen');
  const [first, second] = await community.calmly(plan.reeds);
  await community.settled();
  progress(`${plan.reeds + 1} reeds have reached everybody whom they concern`);
  await community.withSomeAway(plan.reeds, (second ?? first) as ReedId);
  progress('two are away, one is blocked, one reed was taken back');
  await community.throughCrash(plan.reeds);
  progress('the database crashed while two wrote; everybody comes back');
  await community.allBack();
  await community.settled();
};

const failuresOf = (summary: CommunitySummary, { followers }: CommunityPlan): readonly string[] => [
  ...(summary.owedLost > 0 ? [`${summary.owedLost} reeds that members were owed did not arrive.`] : []),
  ...(summary.duplicates > 0 ? [`${summary.duplicates} copies were sent to members who had them.`] : []),
  ...(summary.blockedSaw > 0 ? [`${summary.blockedSaw} reeds passed a block.`] : []),
  ...(summary.removedStillHeld > 0 ? [`${summary.removedStillHeld} copies of a reed that was taken back are left.`] : []),
  ...(summary.fanoutStatements > followers / FOLLOWERS_A_STATEMENT ? [`One publication took ${summary.fanoutStatements} statements.`] : []),
];

/** Plays the community. @throws the signal's reason if it was ended early */
export const runCommunity = async (deps: CommunityDeps): Promise<CommunityOutcome> => {
  const { stage, plan, progress, signal } = deps;
  const { deadlineMs, followers } = plan;
  const ledger = new Ledger();
  const roles = Array.from({ length: MEMBERS }, (_, who) => (who === SILENT ? ('freezer' as const) : ('honest' as const)));
  const members = await assemble({ app: stage.app, witness: new Witness(), roles, observe: (who, frame) => ledger.saw(who, frame) });
  try {
    progress(`${members.length} members have signed up`);
    const community = new Community(members, ledger, deps);
    await play(community, deps);
    community.end();
    const counted = {
      owedLost: await ledger.lost(members),
      duplicates: ledger.duplicates,
      blockedSaw: await ledger.passedBlocks(members),
      removedStillHeld: await ledger.stillHeld(members),
    };
    progress(`one more reed, to ${followers} followers`);
    const silent = community.idOf(SILENT);
    const fanoutStatements = await statementsFor({ ...{ stage, signal, deadlineMs }, author: silent, followers }, () =>
      community.write(SILENT, 'To all of you.'),
    );
    const summary = { ...counted, fanoutStatements };
    return { summary, failures: failuresOf(summary, plan) };
  } finally {
    await disband(members);
  }
};
