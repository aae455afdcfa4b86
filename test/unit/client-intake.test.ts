// Deliveries that nobody asked for, against a scripted server: what is agreed to, what is false, how much at once, and what is left of it.
import { beforeEach, describe, expect, test } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { fail, ok } from '../../src/base/result.ts';
import type { CheckedContent } from '../../src/client/check-copy.ts';
import type { Change } from '../../src/client/store.ts';
import { makeRequestId, type ReedId } from '../../src/wire/address.ts';
import type { DeliveryType } from '../../src/wire/frames.ts';
import { certificateOf, copyOf, countingRandom, newReedId, turns, userNamed } from '../support/sdk-parts.ts';
import { AUTHOR, beginOn, CIPHERTEXT, ME, outcomeOf, type Scene, setUp } from '../support/viewer-scene.ts';

const { deliveriesAtOnce, deliveriesQueued } = DEFAULT_LIMITS;
const OTHER = userNamed('c');
let on: Scene;
beforeEach(async () => {
  on = await setUp();
  on.viewer.connected(64);
});

type Says = Parameters<typeof certificateOf>[1];
const content = (id: ReedId, says: Says = {}): CheckedContent => ({ ...copyOf(id), certificate: certificateOf(id, says) });
const comes = async (id: ReedId, by: DeliveryType, says: Says = {}): Promise<'kept' | string> => {
  on.verdict(ok(content(id, says)));
  const before = on.of('dataInvalid').length;
  await on.deliver(id, `event of ${id} by ${by}`, '', by);
  return on.of('dataInvalid')[before]?.body.reason ?? ((await on.store.get('copies', id)) ? 'kept' : 'nothing');
};
const follow = (): Promise<void> => on.store.write([{ put: 'follows', record: { id: AUTHOR } }]);
const known: Change = { put: 'meta', record: { id: 'relations', value: true } };

describe('a delivery is agreed to', () => {
  test('by a follow', async () => {
    await on.store.write([known]);
    expect(await comes(newReedId(AUTHOR), 'followReed')).toBe('UNSOLICITED');
    await follow();
    expect(await comes(newReedId(AUTHOR), 'followReed')).toBe('kept');
  });

  test('as coming by a follow while it is not known yet whom the member follows', async () => {
    expect(await comes(newReedId(AUTHOR), 'followReed')).toBe('kept');
  });

  test('by a mention that is there', async () => {
    expect(await comes(newReedId(AUTHOR), 'mention', { mentions: [OTHER] })).toBe('UNSOLICITED');
    expect(await comes(newReedId(AUTHOR), 'mention', { mentions: [OTHER, ME] })).toBe('kept');
  });

  test('by a tag that is listened to', async () => {
    expect(await comes(newReedId(AUTHOR), 'pipeReed', { tags: ['heron'] })).toBe('UNSOLICITED');
    on.watches.watch({ kind: 'pipe', tag: 'heron' });
    expect(await comes(newReedId(AUTHOR), 'pipeReed', { tags: ['marsh'] })).toBe('UNSOLICITED');
    expect(await comes(newReedId(AUTHOR), 'pipeReed', { tags: ['heron'] })).toBe('kept');
  });

  test('by an answer to a reed of the member’s own, or to something below what it watches', async () => {
    const [own, watched, between] = [newReedId(ME), newReedId(OTHER), newReedId(OTHER)];
    expect(await comes(newReedId(AUTHOR), 'reedReply', { replyTo: watched, root: watched })).toBe('UNSOLICITED');
    expect(await comes(newReedId(AUTHOR), 'reedReply', { replyTo: own, root: own })).toBe('kept');
    on.watches.watch({ kind: 'reed', reedId: watched });
    await on.store.write([
      { put: 'copies', record: copyOf(watched) },
      { put: 'copies', record: { ...copyOf(between), certificate: certificateOf(between, { replyTo: watched, root: watched }) } },
    ]);
    expect(await comes(newReedId(AUTHOR), 'reedReply', { replyTo: between, root: watched })).toBe('kept');
    expect(await comes(newReedId(AUTHOR), 'reedReply', { replyTo: newReedId(OTHER), root: watched })).toBe('kept');
    const elsewhere = newReedId(OTHER);
    expect(await comes(newReedId(AUTHOR), 'reedReply', { replyTo: elsewhere, root: elsewhere })).toBe('UNSOLICITED');
  });

  test('by a profile that is open, or whose page was asked for', async () => {
    expect(await comes(newReedId(AUTHOR), 'dataResponse')).toBe('UNSOLICITED');
    const close = on.watches.watch({ kind: 'profile', user: AUTHOR });
    expect(await comes(newReedId(AUTHOR), 'dataResponse')).toBe('kept');
    close();
    expect(await comes(newReedId(AUTHOR), 'dataResponse')).toBe('UNSOLICITED');
    void on.watches.page(AUTHOR, 1).catch(() => undefined);
    expect(await comes(newReedId(AUTHOR), 'dataResponse')).toBe('kept');
  });

  test('by an archivist', async () => {
    expect(await comes(newReedId(AUTHOR), 'archiveReed')).toBe('UNSOLICITED');
    await on.agreements.setArchivist(true);
    expect(await comes(newReedId(AUTHOR), 'archiveReed')).toBe('kept');
  });

  test.each([
    ['who blocks the member', { put: 'blockers', record: { id: AUTHOR, active: true, seq: 1, certificate: {} } } as Change],
    ['whom the member blocks', { put: 'blocks', record: { id: AUTHOR } } as Change],
    ['whose account is gone', { put: 'tombstones', record: { id: AUTHOR, kind: 'account', certificate: {} } } as Change],
  ])('by no path from somebody %s (F23)', async (_name, change) => {
    await follow();
    on.watches.watch({ kind: 'profile', user: AUTHOR });
    await on.store.write([change]);
    for (const by of ['followReed', 'mention', 'dataResponse'] as const)
      expect(await comes(newReedId(AUTHOR), by, { mentions: [ME] }), by).toBe('UNSOLICITED');
  });
});

describe('what is false', () => {
  test('about the root of what it answers is reported and shown to nobody', async () => {
    await follow();
    const [root, parent] = [newReedId(OTHER), newReedId(OTHER)];
    await on.store.write([{ put: 'copies', record: { ...copyOf(parent), certificate: certificateOf(parent, { replyTo: root, root }) } }]);
    const reed = newReedId(AUTHOR);
    expect(await comes(reed, 'followReed', { replyTo: parent, root: parent })).toBe('CLAIM_MISMATCH');
    expect(on.of('contentRejected').map(({ body }) => body)).toEqual([{ reedId: reed, reason: 'claim mismatch: root' }]);
    expect(on.of('requestReed')).toEqual([]);
    expect(await comes(newReedId(AUTHOR), 'followReed', { replyTo: parent, root })).toBe('kept');
  });

  test('by its holder’s doing is asked for again three times at most', async () => {
    await follow();
    const reed = newReedId(AUTHOR);
    on.verdict(fail('BAD_SIGNATURE'));
    for (let round = 1; round <= 4; round++) {
      await on.deliver(reed, `event ${round}`, '', 'followReed');
      await turns();
    }
    expect(on.of('requestReed')).toHaveLength(3);
    expect(on.of('contentRejected')).toEqual([]);
  });
});

describe('a copy that is here', () => {
  test('is acknowledged again and stored once', async () => {
    await follow();
    const reed = newReedId(AUTHOR);
    await comes(reed, 'followReed');
    await on.deliver(reed, 'again', '', 'mention');
    expect(on.of('dataAck')).toHaveLength(2);
    expect(on.events.filter(({ type }) => type === 'arrived')).toHaveLength(1);
  });

  test('on its way out is not acknowledged: it will not be there', async () => {
    await follow();
    const reed = newReedId(AUTHOR);
    await on.store.write([{ put: 'copies', record: copyOf(reed, { state: 'leaving' }) }, { delete: 'follows', id: AUTHOR }, known]);
    expect(await comes(reed, 'followReed')).toBe('UNSOLICITED');
    expect(on.of('dataAck')).toEqual([]);
  });

  describe('of a part that the whole thread brought', () => {
    const ids = (): [ReedId, ReedId] => [newReedId(AUTHOR), newReedId(AUTHOR)];
    const wholeOf = ([head, part]: [ReedId, ReedId]): CheckedContent => {
      const [first, second] = [head, part].map((id, index) => content(id, { thread: { head, index } })) as [CheckedContent, CheckedContent];
      return { ...first, thread: { record: { statement: { id: head, reeds: [head, part] } } as never, rest: [second] } };
    };
    const comesWhole = (of: [ReedId, ReedId]): Promise<void> => {
      on.verdict(ok(wholeOf(of)));
      return on.deliver(of[0], 'whole', '', 'followReed');
    };
    const held = (eventId: string): Promise<void> =>
      on.viewer.intake.settled({ id: '', type: 'settled', body: { events: [{ eventId, outcome: 'HELD' }] } });

    test('is not taken for the thread', async () => {
      await follow();
      const [head, part] = ids();
      const { thread: _, ...first } = wholeOf([head, part]);
      await on.store.write([{ put: 'copies', record: { ...copyOf(head), ...first } }]);
      await comesWhole([head, part]);
      expect(await on.store.get('copies', part)).not.toBe(null);
      await held('whole');
      for (const id of [head, part]) expect((await on.store.get('copies', id))?.state).toBe('held');
      expect(await on.store.list('requests')).toEqual([]);
    });

    test('is what a request for that part alone waits for', async () => {
      await follow();
      const [head, part] = ids();
      const { outcome } = await beginOn(on, part);
      await comesWhole([head, part]);
      expect(await outcome).toMatchObject({ id: part, state: 'unconfirmed' });
      await on.deliver(part, 'alone', on.lastRequest());
      expect(on.of('dataAck').map(({ id }) => id)).toEqual(['whole', 'alone']);
      await held('whole');
      await held('alone');
      expect((await on.store.get('copies', part))?.state).toBe('held');
      expect(await on.store.list('requests')).toEqual([]);
    });

    test('is not there yet where its head comes as it was asked for before, alone', async () => {
      const [head, part] = ids();
      const { thread: _, ...first } = wholeOf([head, part]);
      const alone = await beginOn(on, head);
      let isThere = false;
      const whole = on.viewer.request(head, { thread: true }).then((copy) => {
        isThere = true;
        return copy;
      });
      await turns();
      on.verdict(ok(first));
      await on.deliver(head, 'alone');
      expect(await alone.outcome).toMatchObject({ id: head });
      await held('alone');
      expect((await on.store.get('copies', head))?.state).toBe('held');
      expect(isThere).toBe(false);
      expect(await on.store.list('requests')).toMatchObject([{ id: head, want: 'copy', thread: true }]);
      on.verdict(ok(wholeOf([head, part])));
      await on.deliver(head, 'whole');
      expect(await whole).toMatchObject({ id: head });
      await held('whole');
      for (const id of [head, part]) expect((await on.store.get('copies', id))?.state).toBe('held');
      expect(await on.store.list('requests')).toEqual([]);
      expect(on.of('dataInvalid')).toEqual([]);
    });

    test('stays held where the thread is cancelled while it is written, or can not be written', async () => {
      await follow();
      const [head, part] = ids();
      const [second] = wholeOf([head, part]).thread?.rest ?? [];
      const before = { ...copyOf(part), ...second };
      await on.store.write([{ put: 'copies', record: before }]);
      const write = on.store.write.bind(on.store);
      for (const failure of [null, new Error('full')]) {
        const whole = on.viewer.request(head, { thread: true }).catch((error: unknown) => error);
        await turns();
        on.store.write = async (changes) => {
          on.store.write = write;
          if (failure) throw failure;
          await write(changes);
          await on.viewer.cancel(head);
        };
        await comesWhole([head, part]);
        expect(await outcomeOf(whole)).toBe(failure ? 'cannot-store' : 'cancelled');
        expect(await on.store.get('copies', part)).toEqual(before);
        expect(await on.store.get('copies', head)).toBe(null);
        expect(await on.store.list('requests')).toEqual([]);
      }
    });

    test('is given to who waits for it though the record of that can not be written', async () => {
      await follow();
      const [head, part] = ids();
      const { outcome } = await beginOn(on, part);
      const write = on.store.write.bind(on.store);
      on.store.write = async (changes) => {
        if (changes.length === 1) throw new Error('full');
        await write(changes);
      };
      await comesWhole([head, part]);
      on.store.write = write;
      expect(await outcome).toMatchObject({ id: part });
      expect(on.of('dataInvalid')).toEqual([]);
    });

    test('is awaited whole by who asked for it while its head, asked for alone, was written', async () => {
      const [head, part] = ids();
      const { thread: _, ...first } = wholeOf([head, part]);
      const alone = await beginOn(on, head);
      const write = on.store.write.bind(on.store);
      let whole: Promise<unknown> = Promise.resolve();
      on.store.write = async (changes) => {
        on.store.write = write;
        whole = on.viewer.request(head, { thread: true });
        await turns();
        await write(changes);
      };
      on.verdict(ok(first));
      await on.deliver(head, 'alone');
      expect(await alone.outcome).toMatchObject({ id: head });
      expect(await on.store.list('requests')).toMatchObject([{ id: head, want: 'copy', thread: true }]);
      on.verdict(ok(wholeOf([head, part])));
      await on.deliver(head, 'whole');
      expect(await whole).toMatchObject({ id: head });
      expect(await on.store.get('copies', part)).not.toBe(null);
    });

    test('is asked for whole by who asks for it and its head alone at once', async () => {
      const [head, part] = ids();
      const both = Promise.all([on.viewer.request(head, { thread: true }), on.viewer.request(head)]);
      await turns();
      expect(on.of('requestThread')).toHaveLength(1);
      on.verdict(ok(wholeOf([head, part])));
      await on.deliver(head, 'whole');
      expect(await both).toMatchObject([{ id: head }, { id: head }]);
    });

    const onRecord = async (part: ReedId): Promise<string> => {
      const requestId = makeRequestId(ME, uuidv7(on.clock.now(), countingRandom));
      await on.store.write([{ put: 'requests', record: { id: part, want: 'copy', requestId, invalid: 0, askedAt: on.clock.now() } }]);
      on = await setUp(on.store);
      on.viewer.connected(64);
      await turns();
      return requestId;
    };

    test('ends a request that was on record from before when its own delivery comes', async () => {
      await follow();
      const [head, part] = ids();
      await comesWhole([head, part]);
      const requestId = await onRecord(part);
      expect(on.of('requestReed').map(({ body }) => body.requestId)).toEqual([requestId]);
      await on.deliver(part, 'alone', requestId);
      await held('alone');
      expect((await on.store.list('requests')).map(({ id }) => id)).toEqual([head]);
    });

    test('ends such a request unsent once it is held: sending it would make the server let go of the copy', async () => {
      await follow();
      const [head, part] = ids();
      await comesWhole([head, part]);
      await held('whole');
      await onRecord(part);
      expect(on.of('requestReed')).toEqual([]);
      expect(await on.store.list('requests')).toEqual([]);
    });

    test('is not asked to be confirmed once the thread is', async () => {
      await follow();
      const [head, part] = ids();
      const { outcome } = await beginOn(on, part);
      await comesWhole([head, part]);
      expect(await outcome).toMatchObject({ id: part });
      await held('whole');
      expect(on.of('cancelRequest').map(({ body }) => body.requestId)).toEqual([on.lastRequest()]);
      expect(await on.store.list('requests')).toEqual([]);
      on.viewer.disconnected();
      on.viewer.connected(64);
      await turns();
      expect(on.of('requestReed')).toHaveLength(1);
      await on.deliver(part, 'alone', on.lastRequest());
      expect(on.of('dataAck').map(({ id }) => id)).toEqual(['whole', 'alone']);
    });

    test('is not what the holder of a thread may answer with in its place', async () => {
      const [head, part] = ids();
      const { thread: _, ...first } = wholeOf([head, part]);
      const whole = on.viewer.request(head, { thread: true });
      await turns();
      on.verdict(ok(first));
      await on.deliver(head, 'head', on.of('requestThread')[0]?.body.requestId);
      expect(on.of('dataInvalid').map(({ body }) => body.reason)).toEqual(['OTHER_REED']);
      await turns();
      expect(on.of('requestThread')).toHaveLength(2);
      on.verdict(ok(wholeOf([head, part])));
      await on.deliver(head, 'whole', on.of('requestThread')[1]?.body.requestId);
      expect(await whole).toMatchObject({ id: head });
    });

    test('leaves its head, which came alone before, to be confirmed where the rest is not to be had', async () => {
      const [head, part] = ids();
      const { thread: _, ...first } = wholeOf([head, part]);
      const alone = await beginOn(on, head);
      const whole = on.viewer.request(head, { thread: true }).catch((error: unknown) => error);
      await turns();
      on.verdict(ok(first));
      await on.deliver(head, 'alone', on.lastRequest());
      expect(await alone.outcome).toMatchObject({ id: head });
      const [asked] = on.of('requestThread');
      on.viewer.absent({ id: '', type: 'reedNotHeld', body: { requestId: asked?.body.requestId ?? '', reedId: head } });
      expect(await outcomeOf(whole)).toBe('not-held');
      await turns();
      expect(await on.store.list('requests')).toMatchObject([{ id: head, want: 'confirmation' }]);
      expect(on.of('requestReed')).toHaveLength(2);
    });
  });
});

describe('many deliveries', () => {
  test('are looked at a few at a time; what is too much is left unanswered and counted as missed', async () => {
    await follow();
    const reeds = Array.from({ length: deliveriesQueued + 10 }, () => newReedId(AUTHOR));
    const { intake } = on.viewer;
    let [now, most] = [0, 0];
    const write = on.store.write.bind(on.store);
    on.store.write = async (changes) => {
      most = Math.max(most, ++now);
      await turns(1);
      await write(changes);
      now--;
    };
    const taken = reeds.map((reedId, at) =>
      intake.delivery({ id: `event ${at}`, type: 'followReed', body: { requestId: '', reedId, ciphertext: CIPHERTEXT } }),
    );
    expect(taken.filter(Boolean)).toHaveLength(deliveriesQueued);
    expect(intake.waiting).toBe(deliveriesQueued);
    await intake.idle();
    expect(most).toBe(deliveriesAtOnce);
    expect(on.missed()).toBe(10);
    expect(on.of('dataAck')).toHaveLength(deliveriesQueued);
    expect(on.of('dataInvalid')).toEqual([]);
    expect(intake.waiting).toBe(0);
  });

  test('leave nothing behind but their copies, and no request is sent for any of them', async () => {
    await follow();
    for (let at = 0; at < 500; at++) {
      await on.deliver(newReedId(AUTHOR), `event ${at}`, '', 'followReed');
      await on.viewer.intake.settled({ id: '', type: 'settled', body: { events: [{ eventId: `event ${at}`, outcome: 'HELD' }] } });
    }
    expect(await on.store.list('requests')).toEqual([]);
    on.viewer.connected(64);
    await turns();
    expect(on.of('requestReed')).toEqual([]);
    expect((await on.store.list('copies')).filter(({ state }) => state === 'held')).toHaveLength(500);
  });
});
