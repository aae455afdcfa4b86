// Threads across the border with real records of several parts, members of the SDK on both sides and signed HTTP between them: fetched whole from home,
// fetched whole from a peer whose members hold it when nobody at home is online, told and taken back as a whole.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { BorderPair } from '../support/border-pair.ts';
import { isA, makeMember, nextEvent } from '../support/members.ts';
import type { Side } from '../support/pair-stage.ts';

const TEXTS = ['the first part', 'the second part', 'the third part', 'the last part'];

const pair = new BorderPair();
const members: Member[] = [];
beforeAll(() => pair.start());
afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.close()));
  await settle();
  pair.calm();
});
afterAll(() => pair.close());

const join = async (side: Side): Promise<Member> => {
  const member = await makeMember({ url: side.url });
  members.push(member);
  return member;
};

const settle = async (): Promise<void> => {
  for (let round = 0; round < 3; round++) await pair.settle();
};

/** A thread, published. @returns its head and all parts, in order */
async function thread(author: Member): Promise<{ head: ReedId; parts: ReedId[] }> {
  const { reedId, published } = await author.publish({ texts: TEXTS });
  await published;
  await settle();
  const rows = await pair.home.community.rows<{ id: ReedId }>('select id from reeds where thread_head = $1 order by thread_index', [
    reedId,
  ]);
  return { head: reedId, parts: rows.map(({ id }) => id) };
}

const textsOf = async (member: Member, parts: readonly ReedId[]): Promise<(string | undefined)[]> =>
  Promise.all(parts.map(async (part) => (await member.copy(part))?.body.text));

const holdsAll = async (member: Member, parts: readonly ReedId[]): Promise<void> => {
  await expect.poll(() => Promise.all(parts.map(async (part) => (await member.copy(part))?.state))).toEqual(parts.map(() => 'held'));
  expect(await textsOf(member, parts)).toEqual(TEXTS);
};

const holdersAt = async (side: Side, parts: readonly ReedId[]): Promise<string[][]> =>
  Promise.all(parts.map((part) => pair.holders(side, part)));

const userOf = (member: Member): UserId => member.account?.user as UserId;

describe('a thread of another server', () => {
  it('crosses once as a whole, and every part of it is held here and known at home to be', async () => {
    const [author, reader, second] = [await join(pair.home), await join(pair.asking), await join(pair.asking)];
    const { head, parts } = await thread(author);
    await reader.request(head, { thread: true });
    await holdsAll(reader, parts);
    await settle();
    expect(pair.border.arrived).toHaveLength(1);
    expect(await holdersAt(pair.asking, parts)).toEqual(parts.map(() => [userOf(reader)]));
    const known = await pair.home.community.rows('select reed_id from reed_server_allocations where reed_id = any($1) and holding', [
      parts,
    ]);
    expect(known).toHaveLength(TEXTS.length);
    await second.request(head, { thread: true });
    await holdsAll(second, parts);
    await settle();
    expect(pair.border.arrived, 'whoever comes next is served here').toHaveLength(1);
  });

  it('comes back to its home from there, when nobody at home who has it is online', async () => {
    const [author, reader, local] = [await join(pair.home), await join(pair.asking), await join(pair.home)];
    const { head, parts } = await thread(author);
    await reader.request(head, { thread: true });
    await holdsAll(reader, parts);
    await settle();
    await author.close();
    await settle();
    await local.request(head, { thread: true });
    await holdsAll(local, parts);
    expect(pair.border.count('fallback')).toBe(1);
    expect(pair.border.arrived).toHaveLength(2);
    await settle();
    expect((await holdersAt(pair.home, parts)).every((holders) => holders.includes(userOf(local)))).toBe(true);
  });

  it('is told to who follows its author there as one, and taken back as one', async () => {
    const [author, follower] = [await join(pair.home), await join(pair.asking)];
    await (await follower.relations.follow(userOf(author))).accepted;
    await settle();
    const { head, parts } = await thread(author);
    await holdsAll(follower, parts);
    expect(pair.border.arrived).toHaveLength(1);
    const gone = nextEvent(
      follower,
      isA('tombstone', ({ id }) => id === head),
    );
    await (await author.relations.removeThread(head)).accepted;
    await settle();
    await gone;
    await expect.poll(() => Promise.all(parts.map((part) => follower.copy(part)))).toEqual(parts.map(() => null));
    expect(await holdersAt(pair.asking, parts)).toEqual(parts.map(() => []));
  });
});
