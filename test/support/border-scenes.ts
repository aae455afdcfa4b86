// What members of two servers do while one of them is killed: members of the asking side ask, give up, miss and give away, and somebody at home publishes. Each
// scene says what sets it off, what its members do whatever happened, and what is so in the end.
import { expect } from 'vitest';
import type { ReedId, RequestId } from '../../src/wire/address.ts';
import type { BorderStage, SdkMember, SideName } from './border-stage.ts';
import type { Persistent } from './kill-stage.ts';
import type { LightMember } from './light-member.ts';

const READERS = 5;

/** What stands ready, what sets it off, and what is so in the end. */
export type BorderScene = {
  readonly members: Readonly<Record<SideName, readonly Persistent[]>>;
  go(): Promise<void> | void;
  /** What members do whatever happened, once they are back. */
  again(): Promise<void>;
  check(isEmptied: boolean): Promise<void>;
  /** Whether whoever was given a copy keeps it; unless told otherwise, yes. */
  readonly keeps?: boolean;
};

const connected = async (stage: BorderStage, name: SideName, count: number, behaviour = {}): Promise<Persistent[]> => {
  const members = await stage.members(name, count);
  for (const member of members) await member.connect(behaviour);
  return members;
};

const finish = async (members: readonly Persistent[]): Promise<void> => {
  await Promise.all(members.map((member) => member.finish()));
};

const idsOf = (members: readonly Persistent[]): string[] => members.map(({ account }) => account.userId).sort();

/** Some ask for one reed at once. */
export const reading = (stage: BorderStage): Promise<BorderScene> => crossing(stage, READERS);

async function crossing(stage: BorderStage, readers: number): Promise<BorderScene> {
  const home = await connected(stage, 'home', 1);
  const asking = await connected(stage, 'asking', readers);
  const [reed] = await stage.home.community.reeds(home[0]?.account.userId as never, 1);
  return {
    members: { home, asking },
    go: () => {
      for (const reader of asking) reader.request(reed as ReedId);
    },
    again: () => finish(asking),
    check: async (isEmptied) => {
      expect(await stage.holders(reed as ReedId)).toEqual(idsOf(asking));
      // A ledger that was emptied owes no ack any more.
      expect(await stage.known(reed as ReedId)).toEqual(isEmptied ? expect.anything() : [true]);
    },
  };
}

/** Some ask for one reed at once, and its copies go no further than half of the way; the last in line gives up. */
export async function holding(stage: BorderStage, isEmptied: boolean): Promise<BorderScene> {
  const home = await connected(stage, 'home', 1);
  const asking = await connected(stage, 'asking', READERS);
  const [reed] = await stage.home.community.reeds(home[0]?.account.userId as never, 1);
  const { border } = stage;
  border.fate = ({ leg }) => (leg === 'deliver' ? 'hold' : 'pass');
  const ids: RequestId[] = [];
  for (const reader of asking) {
    ids.push(reader.request(reed as ReedId));
    await reader.now.next('requestAck');
  }
  await expect.poll(() => border.held, { timeout: 20_000, interval: 5 }).toBe(3);
  return {
    members: { home, asking },
    go: () => asking.at(-1)?.cancel(ids.at(-1) as RequestId),
    again: async () => {
      const finished = finish(asking);
      // Whoever forgot what it asked for asks again while its home still sends.
      if (isEmptied) await expect.poll(() => border.count('deliver'), { timeout: 20_000, interval: 5 }).toBeGreaterThanOrEqual(6);
      border.fate = () => 'pass';
      border.release();
      await finished;
    },
    check: async () => expect((await stage.holders(reed as ReedId)).length).toBe(READERS - 1),
  };
}

/** One asks, its holder says nothing, and it does not want it any more. */
export async function cancelling(stage: BorderStage): Promise<BorderScene> {
  const home = await connected(stage, 'home', 1, { answer: 'nothing' });
  const asking = await connected(stage, 'asking', 1);
  const [reed] = await stage.home.community.reeds(home[0]?.account.userId as never, 1);
  const id = asking[0]?.request(reed as ReedId);
  await home[0]?.now.next('relayRequest');
  return {
    members: { home, asking },
    go: () => asking[0]?.cancel(id as never),
    again: async () => {
      // Whatever became of it: the member says so again, as its software does.
      asking[0]?.cancel(id as never);
    },
    check: async () => expect(await stage.holders(reed as ReedId)).toEqual([]),
  };
}

/** Some ask for what its only holder has no more. */
export async function missing(stage: BorderStage): Promise<BorderScene> {
  const home = await connected(stage, 'home', 1, { answer: 'nothing' });
  const asking = await connected(stage, 'asking', 2);
  const [reed] = await stage.home.community.reeds(home[0]?.account.userId as never, 1);
  const holder = home[0]?.now as LightMember;
  for (const reader of asking) reader.request(reed as ReedId);
  // Whoever asks once it is missed is told at once, which ends what the others wait for before their home has looked.
  await expect.poll(() => holder.asked.size, { timeout: 20_000, interval: 5 }).toBe(2);
  return {
    members: { home, asking },
    go: () => {
      holder.behaviour.answer = 'miss';
      for (const [id, attempt] of holder.asked) holder.send({ id, type: 'relayMiss', body: { attempt, missingReedId: '' } });
    },
    again: () => finish(asking),
    check: async () => {
      for (const reader of asking)
        expect(reader.lives.some((life) => life.frames.some(({ type }) => type === 'reedNotHeld' || type === 'reedNotFound'))).toBe(true);
    },
  };
}

/** The only holder of the asking side gives its copy up. */
export async function giving(stage: BorderStage): Promise<BorderScene> {
  const scene = await crossing(stage, 1);
  await scene.go();
  await scene.again();
  await stage.empty();
  const [reed] = scene.members.asking[0]?.settledReeds() ?? [];
  const give = (): void => {
    for (const reader of scene.members.asking) reader.now.send({ id: '', type: 'eviction', body: { reedId: reed as ReedId } });
  };
  return {
    ...scene,
    keeps: false,
    go: give,
    again: async () => give(),
    check: async () => {
      await expect.poll(() => stage.holders(reed as ReedId)).toEqual([]);
      await expect.poll(() => stage.known(reed as ReedId)).toEqual([false]);
    },
  };
}

const TEXT = 'across the border, once';

const textOf = async ({ member }: SdkMember, reed: ReedId): Promise<string | undefined> => {
  const copy = await member.copy(reed);
  return copy?.state === 'held' ? copy.body?.text : undefined;
};

/** Somebody at home publishes, and is followed from the asking side; all of them by the SDK. */
export async function publishing(stage: BorderStage): Promise<BorderScene> {
  const [ann, ...fans] = await Promise.all([stage.sdkMember('home'), stage.sdkMember('asking'), stage.sdkMember('asking')]);
  await Promise.all(fans.map(async ({ member }) => (await member.relations.follow(ann.user)).accepted));
  const users = fans.map(({ user }) => user).sort();
  const waiting = 'select user_id from online_users where sync_request_id is null and user_id = any($1)';
  await expect.poll(() => stage.asking.rows(waiting, [users]), { interval: 10 }).toEqual([]);
  await stage.empty();
  let published: Promise<{ readonly reedId: ReedId; readonly published: Promise<unknown> }>;
  return {
    members: { home: [], asking: [] },
    go: () => {
      published = ann.member.publish({ text: TEXT });
      published.catch(() => undefined);
    },
    again: async () => {
      await Promise.all([ann, ...fans].map(({ member }) => member.online()));
      const { reedId } = await published;
      const texts = () => Promise.all(fans.map((fan) => textOf(fan, reedId)));
      await expect.poll(texts, { timeout: 60_000, interval: 10, message: 'each follower has it' }).toEqual(fans.map(() => TEXT));
    },
    check: async () => {
      const { reedId } = await published;
      for (const { events } of fans)
        expect(
          events.filter((event) => event.type === 'arrived' && event.reedId === reedId),
          'each is told of it once',
        ).toHaveLength(1);
      expect(await stage.holders(reedId)).toEqual(users);
      expect(await stage.asking.rows('select number::int from received_streams where author_id = $1', [ann.user])).toEqual(
        await stage.home.rows('select last_number::int as number from author_streams where author_id = $1', [ann.user]),
      );
    },
  };
}
