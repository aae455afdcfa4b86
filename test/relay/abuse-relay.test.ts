// Lies told to the relay by members who hold nothing, were not asked, or were asked and are late. What counts is who the row names, and in
// which state it is; everything else changes nothing, is told nothing, and costs the liar.
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { AbuseStage } from '../support/abuse-stage.ts';
import type { LightAccount } from '../support/light-member.ts';
import { uuid } from '../support/raw-person.ts';
import { countOf, type RawSocket, textOf } from '../support/raw-socket.ts';
import { body, bytes, CLOSE, ERROR, frame, numberOf, type RawType, settledEvents, uint } from '../support/raw-wire.ts';

const stage = AbuseStage.forFile();
const NEVER = '01890000-0000-7000-8000-000000000000';
/** What can't be an event's id, or is one that nobody has. */
const FORGED = [
  '',
  ' ',
  'no-event',
  NEVER,
  NEVER.toUpperCase(),
  `${NEVER} `,
  `{${NEVER}}`,
  '0'.repeat(36),
  "' or true --",
  '%',
  'x'.repeat(5_000),
];
const ANSWERS: readonly (readonly [RawType, object])[] = [
  ['relayResponse', { ciphertext: 'forged', attempt: 1 }],
  ['relayMiss', { attempt: 1 }],
  ['relayError', { attempt: 1, reason: 4 }],
  ['relayError', { attempt: 1, reason: 1 }],
];
const ACKNOWLEDGEMENTS: readonly (readonly [RawType, object])[] = [
  ['dataAck', {}],
  ['dataInvalid', { reason: 1 }],
  ['dataInvalid', { reason: 7 }],
];

let author: LightAccount;
let viewer: LightAccount;
let liar: LightAccount;
let reed: ReedId;

type Scene = { readonly holder: RawSocket; readonly reader: RawSocket; readonly enemy: RawSocket };

beforeAll(async () => {
  [author, viewer, liar] = (await stage.accounts(3)) as [LightAccount, LightAccount, LightAccount];
  reed = await stage.reed(author);
});

const scene = async (): Promise<Scene> => {
  const [holder, reader, enemy] = await Promise.all([author, viewer, liar].map((account) => stage.signIn(account)));
  return { holder, reader, enemy } as Scene;
};
const ask = (reader: RawSocket, requestId = stage.requestId(viewer), reedId: string = reed): string => {
  reader.send('requestReed', { requestId, reedId, authorId: reedId.split('/')[0] as string });
  return requestId;
};
/** Asked for, and with its holder: the event's id and attempt. */
const dispatched = async ({ holder, reader }: Scene): Promise<{ id: string; attempt: number }> => {
  ask(reader);
  const asked = await holder.next('relayRequest');
  return { id: asked.id, attempt: countOf(asked, 'attempt') };
};
const row = async (id: string) =>
  (
    await stage.community.rows<{ state: number; attempt: number }>('select state, attempt from pending_events where event_id = $1', [id])
  )[0];
const holders = async (of: string = reed): Promise<string[]> =>
  (await stage.community.rows<{ holder_user_id: string }>('select holder_user_id from reed_allocations where reed_id = $1', [of])).map(
    (found) => found.holder_user_id,
  );
/** Sends, and waits until all of it was carried out. */
const tell = async (socket: RawSocket, sent: readonly (readonly [RawType, object])[], ids: readonly string[]): Promise<void> => {
  for (const id of ids) for (const [type, values] of sent) socket.send(type, values as Record<string, string>, id);
  expect(await socket.echo()).toBe(null);
  await stage.server.settle();
};
const finishes = async ({ holder, reader }: Scene, { id, attempt }: { id: string; attempt: number }): Promise<void> => {
  holder.send('relayResponse', { ciphertext: 'true', attempt }, id);
  const delivered = await reader.next('dataResponse');
  expect([delivered.id, String(delivered.body['ciphertext'])]).toEqual([id, 'true']);
  reader.send('dataAck', {}, id);
  await reader.next('settled');
  expect((await holders()).sort()).toEqual([author.userId, viewer.userId].sort());
};

describe('an answer', () => {
  test('under a forged or unknown event id changes nothing, whoever sends it', async () => {
    const all = await scene();
    const event = await dispatched(all);
    for (const socket of [all.enemy, all.holder]) await tell(socket, ANSWERS, FORGED);
    expect(all.enemy.frames).toEqual([]);
    await finishes(all, event);
  });

  test('by another than the one who was asked changes nothing: not by the requester, a stranger or another holder', async () => {
    const all = await scene();
    const event = await dispatched(all);
    for (const socket of [all.enemy, all.reader]) await tell(socket, ANSWERS, [event.id, stage.dispatched, stage.relayed]);
    expect(await row(event.id)).toEqual({ state: 2, attempt: event.attempt });
    expect(all.reader.frames.map(({ type }) => type)).not.toContain('dataResponse');
    await finishes(all, event);
  });

  test('sent a second time delivers nothing a second time', async () => {
    const all = await scene();
    const event = await dispatched(all);
    for (let at = 0; at < 5; at += 1)
      all.holder.send('relayResponse', { ciphertext: at === 0 ? 'true' : 'another', attempt: event.attempt }, event.id);
    await tell(all.holder, ANSWERS, [event.id]);
    expect(all.reader.frames.filter(({ type }) => type === 'dataResponse')).toHaveLength(1);
    expect(await row(event.id)).toMatchObject({ state: 3 });
    const delivered = await all.reader.next('dataResponse');
    expect(String(delivered.body['ciphertext'])).toBe('true');
    all.reader.send('dataAck', {}, event.id);
    await all.reader.next('settled');
    await tell(all.holder, ANSWERS, [event.id]);
  });

  test('of another attempt fails nothing: too low, too high, beyond 32 bits', async () => {
    const all = await scene();
    const event = await dispatched(all);
    for (const attempt of [0, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]) {
      all.holder.send('relayMiss', { attempt }, event.id);
      all.holder.send('relayError', { attempt, reason: 4 }, event.id);
    }
    const beyond = bytes(numberOf('relayMiss'), uint(1, 2n ** 64n - 1n));
    all.holder.message(Buffer.concat([bytes(1, event.id), beyond]));
    await tell(all.holder, [], []);
    expect(await row(event.id)).toEqual({ state: 2, attempt: event.attempt });
    await finishes(all, event);
  });

  test('of a miss that names the parts of others loses nobody a copy', async () => {
    const all = await scene();
    const event = await dispatched(all);
    const theirs = stage.honest.reed;
    all.holder.send('relayMiss', { attempt: event.attempt, missingReedId: theirs }, event.id);
    await all.reader.next('reedNotHeld');
    expect(await holders(theirs)).toContain(stage.honest.author.userId);
    expect(await holders()).toEqual([]);
    await stage.community.rows(
      `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)`,
      [author.userId, reed],
    );
  });

  test('after its event went to somebody else is not heard, and delivers nothing', async () => {
    const [other] = (await stage.accounts(1)) as [LightAccount];
    const shared = await stage.reed(author, [author, other]);
    const all = await scene();
    const second = await stage.signIn(other);
    ask(all.reader, stage.requestId(viewer), shared);
    const asks = [all.holder, second].map((socket) => socket.next('relayRequest').then((asked) => ({ socket, asked })));
    const late = await Promise.race(asks);
    late.socket.send('relayError', { attempt: countOf(late.asked, 'attempt'), reason: 4 }, late.asked.id);
    const now = (await Promise.all(asks)).find(({ socket }) => socket !== late.socket) as typeof late;
    await tell(late.socket, ANSWERS, [late.asked.id]);
    expect(await row(now.asked.id)).toEqual({ state: 2, attempt: countOf(now.asked, 'attempt') });
    now.socket.send('relayResponse', { ciphertext: 'now', attempt: countOf(now.asked, 'attempt') }, now.asked.id);
    expect(String((await all.reader.next('dataResponse')).body['ciphertext'])).toBe('now');
  });

  test('that is empty, or no answer at all, counts as a failure and not as a copy', async () => {
    const [holding] = (await stage.accounts(1)) as [LightAccount];
    const lone = await stage.reed(author, [holding]);
    const [socket, reader] = [await stage.signIn(holding), await stage.signIn(viewer)];
    ask(reader, stage.requestId(viewer), lone);
    const asked = await socket.next('relayRequest');
    socket.message(frame('relayResponse', { attempt: countOf(asked, 'attempt') }, asked.id));
    await reader.next('requestAck', (found) => countOf(found, 'state') === 4);
    expect(reader.frames.some(({ type }) => type === 'dataResponse')).toBe(false);
    expect(await holders(lone)).toEqual([holding.userId]);
  });
});

describe('an acknowledgement', () => {
  test('before the relay, of what is only asked for, makes no holder', async () => {
    const all = await scene();
    const event = await dispatched(all);
    await tell(all.reader, ACKNOWLEDGEMENTS, [event.id]);
    expect(await row(event.id)).toMatchObject({ state: 2 });
    expect(await holders()).toEqual([author.userId]);
    await finishes(all, event);
  });

  test('by somebody else, the holder included, makes no holder and takes nothing from the requester', async () => {
    const all = await scene();
    const event = await dispatched(all);
    all.holder.send('relayResponse', { ciphertext: 'true', attempt: event.attempt }, event.id);
    await all.reader.next('dataResponse');
    for (const socket of [all.enemy, all.holder]) await tell(socket, ACKNOWLEDGEMENTS, [event.id, stage.relayed, stage.dispatched]);
    expect(await row(event.id)).toMatchObject({ state: 3 });
    expect(await stage.community.rows('select from holder_strikes where reed_id = $1', [reed])).toEqual([]);
    all.reader.send('dataAck', {}, event.id);
    await all.reader.next('settled');
    expect(await holders()).not.toContain(liar.userId);
  });

  test('sent twice, or taken back, settles once, as the first one said', async () => {
    const all = await scene();
    const event = await dispatched(all);
    all.holder.send('relayResponse', { ciphertext: 'true', attempt: event.attempt }, event.id);
    await all.reader.next('dataResponse');
    await tell(all.reader, [['dataAck', {}], ['dataAck', {}], ...ACKNOWLEDGEMENTS], [event.id]);
    const settled = all.reader.messages.filter((message) => message.includes(event.id)).filter((message) => message[0] !== 10);
    expect(settled.flatMap(settledEvents)).toEqual([{ id: event.id, outcome: 1 }]);
    expect(await holders()).toContain(viewer.userId);
  });

  test('under a forged or unknown event id changes nothing', async () => {
    const all = await scene();
    await tell(all.enemy, ACKNOWLEDGEMENTS, FORGED);
    expect(all.enemy.frames).toEqual([]);
  });
});

describe('a request', () => {
  test('under the request id of another member is refused by name, and theirs stands', async () => {
    const all = await scene();
    ask(all.reader);
    const { body: acked } = await all.reader.next('requestAck');
    const theirs = String(acked['requestId']);
    all.enemy.send('requestReed', { requestId: theirs, reedId: reed, authorId: author.userId });
    all.enemy.send('requestThread', { requestId: theirs, threadId: reed });
    all.enemy.send('cancelRequest', { requestId: theirs });
    all.enemy.send('syncRequest', { requestId: theirs });
    for (let at = 0; at < 4; at += 1) {
      const told = await all.enemy.next('error');
      expect([told.body['code'], textOf(told, 'requestId')]).toEqual([ERROR.invalid, theirs]);
    }
    expect(await stage.community.rows('select from pending_events where request_id = $1', [theirs])).toHaveLength(1);
    await finishes(all, await all.holder.next('relayRequest').then((asked) => ({ id: asked.id, attempt: countOf(asked, 'attempt') })));
  });

  test.each<[string, (own: string) => Record<string, string>]>([
    ['whose author is not the reed’s', (own) => ({ requestId: own, reedId: reed, authorId: liar.userId })],
    ['without an author', (own) => ({ requestId: own, reedId: reed, authorId: '' })],
    ['with NUL in the reed', (own) => ({ requestId: own, reedId: `${reed}\0`, authorId: author.userId })],
    ['with an id in capitals', (own) => ({ requestId: own, reedId: reed.toUpperCase(), authorId: author.userId.toUpperCase() })],
    [
      'of the sentinel of a server',
      (own) => ({ requestId: own, reedId: `peer@${own.slice(17, 33)}/${NEVER}`, authorId: `peer@${own.slice(17, 33)}` }),
    ],
    ['with a path', (own) => ({ requestId: own, reedId: `${author.userId}/../${NEVER}`, authorId: author.userId })],
    ['with wildcards', (own) => ({ requestId: own, reedId: `${author.userId}/%`, authorId: author.userId })],
    ['under an id that is none', () => ({ requestId: 'x', reedId: reed, authorId: author.userId })],
    [
      'under an id of the year 10,889',
      () => ({ requestId: `${liar.userId}/ffffffff-ffff-7fff-bfff-ffffffffffff`, reedId: reed, authorId: author.userId }),
    ],
  ])('%s is refused by name and opens nothing', async (_what, values) => {
    const enemy = await stage.signIn(liar);
    enemy.send('requestReed', values(stage.requestId(liar)));
    const told = await enemy.next('error');
    expect(told.body['code']).toBe(ERROR.invalid);
    expect(textOf(told, 'detail')).not.toBe('');
    expect(await stage.community.rows('select from pending_events where requester_user_id = $1', [liar.userId])).toEqual([]);
  });

  test('under an id in use for another reed is a conflict; the same again is the same one', async () => {
    const all = await scene();
    const requestId = ask(all.reader);
    const first = await all.reader.next('requestAck');
    const other = await stage.reed(author);
    ask(all.reader, requestId, other);
    expect((await all.reader.next('error')).body['code']).toBe(ERROR.conflict);
    ask(all.reader, requestId);
    expect((await all.reader.next('requestAck')).id).toBe(first.id);
    expect(await stage.community.rows('select from pending_events where requester_user_id = $1', [viewer.userId])).toHaveLength(1);
  });

  test('made twenty times at once for one reed, over connections and ids, is one event and one delivery', async () => {
    const all = await scene();
    const second = await stage.signIn(viewer);
    for (let at = 0; at < 20; at += 1) ask(at % 2 === 0 ? all.reader : second);
    const asked = await all.holder.next('relayRequest');
    await all.reader.echo();
    await second.echo();
    await stage.server.settle();
    expect(await stage.community.rows('select from pending_events where requester_user_id = $1', [viewer.userId])).toHaveLength(1);
    expect(all.holder.frames.filter(({ type }) => type === 'relayRequest')).toEqual([]);
    all.holder.send('relayResponse', { ciphertext: 'true', attempt: 1 }, asked.id);
    // Content goes to the newest connection.
    second.send('dataAck', {}, (await second.next('dataResponse')).id);
    await second.next('settled');
    expect(all.reader.frames.filter(({ type }) => type === 'dataResponse')).toEqual([]);
  });
});

describe('publishing and giving up', () => {
  test('PUBLISH_READY by a stranger, of nothing or of an id that is none, is refused by name and makes no holder', async () => {
    const enemy = await stage.signIn(liar);
    for (const [reedId, code] of [
      [reed, ERROR.notFound],
      [stage.honest.reed, ERROR.notFound],
      [`${liar.userId}/${uuid()}`, ERROR.notFound],
      ['x', ERROR.invalid],
      [`${reed}\0`, ERROR.invalid],
    ] as const) {
      enemy.send('publishReady', { reedId, broadcast: 1 }, 'mine');
      const told = await enemy.next('error');
      expect([reedId, told.body['code']]).toEqual([reedId, code]);
    }
    await stage.server.settle();
    expect(enemy.frames).toEqual([]);
    expect(await holders()).not.toContain(liar.userId);
  });

  test('EVICTION and KEY_EVICTION of what others hold take nothing from them', async () => {
    const enemy = await stage.signIn(liar);
    const before = await holders(stage.honest.reed);
    const keys = await stage.community.rows<{ id: string }>('select id from keys where user_id = $1', [author.userId]);
    enemy.send('eviction', { reedId: stage.honest.reed });
    enemy.send('keyEviction', { keyId: keys[0]?.id ?? '' });
    await enemy.next('evictionAck');
    await enemy.next('keyEvictionAck');
    for (const sent of [frame('eviction', { reedId: 'x' }), frame('keyEviction', { keyId: reed })]) {
      enemy.message(sent);
      expect((await enemy.next('error')).body['code']).toBe(ERROR.invalid);
    }
    expect(await holders(stage.honest.reed)).toEqual(before);
    expect(await stage.community.rows('select from keys where id = $1', [keys[0]?.id])).toHaveLength(1);
  });

  test('forged answers cost like requests: who goes on is told, then closed', async () => {
    const enemy = await stage.signIn(liar);
    const noise = Buffer.from(body('relayResponse', { ciphertext: 'forged', attempt: 1 }));
    for (let at = 0; at < 420; at += 1) enemy.message(Buffer.concat([bytes(1, stage.dispatched), bytes(numberOf('relayResponse'), noise)]));
    expect((await enemy.next('error')).body['code']).toBe(ERROR.rateLimited);
    expect((await enemy.closed).code).toBe(CLOSE.rateLimited);
  });
});
