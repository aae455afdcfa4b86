// Lists as the SDK reads them from a server that may say anything: pages follow one another, end, and show only what is proved.
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import type { Api } from '../../src/client/api.ts';
import { Lists, type Pages } from '../../src/client/lists.ts';
import { serverOf } from '../../src/wire/address.ts';
import { newReedId, userNamed } from '../support/sdk-parts.ts';

const session = { token: async () => 'token', refused: () => undefined };
const keys = { context: { keys: { userKey: async () => null, serverKey: async () => null }, now: 0 } };
const [ann, bob] = [userNamed('a'), userNamed('b')];

/** Lists over a server that answers these in turn. */
const scene = (...answers: readonly unknown[]) => {
  const asked: string[] = [];
  const call = async (path: string): Promise<unknown> => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(decodeURIComponent(path));
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, lists: new Lists({ api: { call } as unknown as Api, session, keys }) };
};

async function pages<T>(list: Pages<T>): Promise<T[][]> {
  const read: T[][] = [];
  for await (const page of list) read.push([...page]);
  return read;
}
const person = (id: string) => ({ id, username: 'heron' });

describe('a list', () => {
  test('is read page by page, each asked for when it is wanted', async () => {
    const { asked, lists } = scene({ users: [person(ann)], next: ann }, { users: [person(bob)], next: null });
    const people = lists.people('her on');
    expect((await people.next()).value).toEqual([{ user: ann, username: 'heron' }]);
    expect(asked).toEqual(['users?query=her on']);
    expect(await pages(people)).toEqual([[{ user: bob, username: 'heron' }]]);
    expect(asked[1]).toBe(`users?query=her on&cursor=${ann}`);
  });

  test('of other servers has only those that say who they are and how they are', async () => {
    const peer = { server: serverOf(ann), name: 'Marsh', webUrl: 'https://marsh.example', state: 'away' };
    const { asked, lists } = scene({
      peers: [peer, { ...peer, server: 'x' }, { ...peer, state: 'pending' }, null, { ...peer, name: 1, webUrl: null }],
    });
    expect(await lists.peers()).toEqual([peer, { ...peer, name: '', webUrl: '' }]);
    expect(asked).toEqual(['peers']);
    await expect(scene({ peers: {} }).lists.peers()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(scene(null).lists.peers()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('that leads in a circle ends', async () => {
    const { asked, lists } = scene({ users: [person(ann)], next: ann }, { users: [person(bob)], next: bob }, { users: [], next: ann });
    await pages(lists.followers(ann));
    expect(asked).toHaveLength(3);
  });

  test('shows no reed whose certificate does not hold, and nobody without an id', async () => {
    const reed = newReedId(ann);
    const { lists } = scene({ reeds: [{ certificate: { statement: { id: reed, replyTo: reed } }, publishedAt: '' }, null, 7], next: null });
    expect(await pages(lists.replies(reed))).toEqual([[]]);
    const people = scene({ users: [{ id: 'x' }, null, { id: bob, username: 7 }], next: null });
    expect(await pages(people.lists.following(ann))).toEqual([[{ user: bob, username: null }]]);
  });

  test.each([null, {}, { users: {} }, { users: 'x' }])('that is none is told with what helps: %j', async (answer) => {
    await expect(pages(scene(answer).lists.people('x'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      detail: expect.stringContaining('try again'),
    });
  });

  test('that is refused keeps the certificate and names what helps', async () => {
    const certificate = { statement: {} };
    const { lists } = scene(new AppError('BLOCKED', 'the author blocks you', { certificate }));
    await expect(pages(lists.replies(newReedId(ann)))).rejects.toMatchObject({
      code: 'BLOCKED',
      certificate,
      detail: expect.stringMatching(/blocks you; .*can end it/),
    });
  });
});
