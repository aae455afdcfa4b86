// What a holder can do to a request, by members as they really are: the SDK on real sockets, its store or its line going wrong. What
// runs out is let run out in the rows; what is waited for is a frame, a row or what a member is told, never a time.
import { describe, expect, test } from 'vitest';
import { STATE } from '../../src/ledger/state.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { InvalidReason } from '../../src/wire/frames.ts';
import { holdAnswers } from '../support/altered-parts.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const stage = SdkStage.forEachTest();
const askedOf = ({ line }: Actor, reed: ReedId) => line.frames('in', 'relayRequest').filter(({ body }) => body.reedId === reed);
const fails = (): never => {
  throw new Error('the disk is full of sand');
};

/** An author who has gone, with a reed that one keeper has; the keeper is not online, either. */
const leftBehind = async () => {
  const author = await stage.join();
  const [reed] = (await stage.publish(author)) as [ReedId];
  const [keeper] = await stage.keepers(1, [reed]);
  await author.member.close();
  if (!keeper) throw new Error('no keeper');
  return { author, reed, keeper };
};

describe('a holder that', () => {
  test('errs keeps its allocation, is charged one failure, and another serves meanwhile', async () => {
    const { author, reed, keeper } = await leftBehind();
    keeper.store.copyRead = fails;
    const broken = await stage.join(keeper);
    const reader = await stage.join();
    const asked = stage.ask(reader, reed);
    await asked.shown('holders-failing');
    expect(await stage.rows('select holder, failures, outcome from pending_event_attempts')).toEqual([
      { holder: broken.user, failures: 1, outcome: 'error' },
    ]);
    expect((await broken.line.seen('out', 'relayError')).body.reason).toBe('STORE_UNAVAILABLE');
    await stage.join(author);
    expect(await asked.copy).toContain('reed 0');
    await stage.empty();
    expect(await stage.allocations(reed)).toEqual([author.user, broken.user, reader.user].sort());
  });

  test('is busy is passed over without being charged a failure', async () => {
    const { author, reed, keeper } = await leftBehind();
    const busy = await stage.join(keeper, { holderBytesPerMinute: 0 });
    const reader = await stage.join();
    const asked = stage.ask(reader, reed);
    await asked.shown('holders-failing');
    expect(await stage.rows('select holder, failures, outcome from pending_event_attempts')).toEqual([
      { holder: busy.user, failures: 0, outcome: 'busy' },
    ]);
    await stage.join(author);
    expect(await asked.copy).toContain('reed 0');
  });

  test('misses loses that copy; the others keep theirs and serve', async () => {
    const { author, reed, keeper } = await leftBehind();
    keeper.store.copyRead = () => null;
    const forgetful = await stage.join(keeper);
    const reader = await stage.join();
    const asked = stage.ask(reader, reed);
    await asked.shown('nobody-online');
    expect(await stage.allocations(reed)).toEqual([author.user]);
    await stage.join(author);
    expect(await asked.copy).toContain('reed 0');
    expect(askedOf(forgetful, reed)).toHaveLength(1);
  });

  test('misses as the last one ends the requests of all who wait, by name', async () => {
    await stage.again({ holderWindow: 1 });
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    author.store.copyRead = () => null;
    author.line.fate = (frame, way) => (way === 'out' && frame.type === 'relayMiss' ? 'hold' : 'pass');
    const [first, second] = [await stage.join(), await stage.join()];
    const inHand = stage.ask(first, reed);
    await author.line.seen('out', 'relayMiss');
    const inTurn = stage.ask(second, reed);
    await inTurn.shown('in-turn');
    expect(await stage.states()).toEqual([STATE.dispatched, STATE.waiting]);
    author.line.release();
    expect((await inHand.failure()).outcome).toBe('not-held');
    expect((await inTurn.failure()).outcome).toBe('not-held');
    await stage.empty();
    expect(await stage.allocations(reed)).toEqual([]);
  });

  test('gives up the last copy ends the request of whoever waits for it, by name', async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    author.line.fate = holdAnswers;
    const asked = stage.ask(await stage.join(), reed);
    await author.line.seen('out', 'relayResponse');
    await author.member.evict(reed);
    await stage.expire(STATE.dispatched);
    expect((await asked.failure()).outcome).toBe('not-held');
  });

  test('never answers loses the event at its deadline; its late answer to what others were given is not delivered', async () => {
    const { author, reed, keeper } = await leftBehind();
    const late = await stage.join(keeper);
    late.line.fate = holdAnswers;
    const reader = await stage.join();
    const asked = stage.ask(reader, reed);
    const kept = await late.line.seen('out', 'relayResponse');
    await stage.expire(STATE.dispatched);
    await asked.shown('holders-failing');
    expect(await stage.rows('select holder, failures from pending_event_attempts')).toEqual([{ holder: late.user, failures: 1 }]);
    const back = await stage.join(author);
    back.line.fate = holdAnswers;
    const given = await back.line.seen('out', 'relayResponse');
    expect(given.id).toBe(kept.id);
    late.line.release();
    // Frames of a connection take effect in order: once this one has, the late answer has had its chance.
    await stage.publish(late);
    await stage.server.settle();
    expect(await stage.states()).toEqual([STATE.dispatched]);
    expect(reader.line.frames('in', 'dataResponse')).toEqual([]);
    back.line.release();
    expect(await asked.copy).toContain('reed 0');
    expect(reader.line.frames('in', 'dataResponse').map(({ body }) => body.ciphertext)).toEqual([given.body.ciphertext]);
  });

  test('errs for ever is asked a bounded number of times, which the requester is shown; signed in anew it is asked again', async () => {
    await stage.again({ failureBackoffFirstMs: 1, failureBackoffMaxMs: 4 });
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    author.store.copyRead = fails;
    const asked = stage.ask(await stage.join(), reed);
    await asked.shown('holders-failing');
    await author.line.seen('out', 'relayError', ({ body }) => body.attempt === 8);
    while ((await stage.states())[0] !== STATE.dormant) await stage.server.settle();
    await stage.expire(STATE.dormant);
    await stage.server.settle();
    expect(askedOf(author, reed).map(({ body }) => body.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await stage.rows('select failures from pending_event_attempts')).toEqual([{ failures: 8 }]);
    expect(asked.states.at(-1)).toBe('holders-failing');
    expect(await stage.allocations(reed)).toEqual([author.user]);
    await author.member.close();
    author.store.copyRead = (copy) => copy;
    const mended = await stage.join(author);
    expect(await asked.copy).toContain('reed 0');
    expect(askedOf(mended, reed)).toHaveLength(1);
  });
});

describe('a holder that goes', () => {
  test('with an event in hand leaves it to another at once', async () => {
    const { author, reed, keeper } = await leftBehind();
    const holder = await stage.join(keeper);
    holder.line.fate = holdAnswers;
    const reader = await stage.join();
    const asked = stage.ask(reader, reed);
    await holder.line.seen('out', 'relayResponse');
    const back = await stage.join(author);
    expect(await stage.rows('select state, holder from pending_events')).toEqual([{ state: STATE.dispatched, holder: holder.user }]);
    await stage.vanish(holder);
    expect(await asked.copy).toContain('reed 0');
    expect(askedOf(back, reed)).toHaveLength(1);
    expect(await stage.allocations(reed)).toContain(holder.user);
  });

  test('with events in its queue leaves all of them to another', async () => {
    await stage.again({ holderWindow: 1 });
    const author = await stage.join();
    const reeds = await stage.publish(author, 3);
    const [keeper] = await stage.keepers(1, reeds);
    author.line.fate = holdAnswers;
    const reader = await stage.join();
    const asked = reeds.map((reed) => stage.ask(reader, reed));
    await Promise.all(asked.slice(1).map((one) => one.shown('in-turn')));
    const back = await stage.join(keeper);
    expect(await stage.rows('select state, holder from pending_events order by state')).toEqual(
      [STATE.waiting, STATE.waiting, STATE.dispatched].map((state) => ({ state, holder: author.user })),
    );
    await stage.vanish(author);
    await Promise.all(asked.map(({ copy }) => copy));
    expect(back.line.frames('in', 'relayRequest')).toHaveLength(3);
  });

  test('as the only one lets the request wait, said so, until it is back', async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    author.line.fate = holdAnswers;
    const asked = stage.ask(await stage.join(), reed);
    await author.line.seen('out', 'relayResponse');
    await stage.vanish(author);
    await asked.shown('nobody-online');
    expect(await stage.states()).toEqual([STATE.dormant]);
    await stage.join(author);
    expect(await asked.copy).toContain('reed 0');
  });
});

describe('a queue', () => {
  test('that does not move hands what has waited too long to another holder', async () => {
    await stage.again({ holderWindow: 1 });
    const author = await stage.join();
    const reeds = (await stage.publish(author, 2)) as [ReedId, ReedId];
    const [keeper] = await stage.keepers(1, reeds);
    author.line.fate = holdAnswers;
    const reader = await stage.join();
    const [stuck, moved] = [stage.ask(reader, reeds[0]), stage.ask(reader, reeds[1])];
    await moved.shown('in-turn');
    const back = await stage.join(keeper);
    await stage.expire(STATE.waiting);
    expect(await moved.copy).toContain('reed 1');
    expect(askedOf(back, reeds[1])).toHaveLength(1);
    expect(askedOf(author, reeds[1]).map(({ body }) => body.requesterId)).not.toContain(reader.user);
    author.line.release();
    await stuck.copy;
  });
});

describe('a false copy', () => {
  const lies: Readonly<Partial<Record<InvalidReason, (liar: Actor, other: ReedId) => Promise<void>>>> = {
    BAD_SIGNATURE: async (liar) => {
      liar.store.copyRead = (copy) => ({ ...copy, body: { ...copy.body, text: 'a lie' } });
    },
    BAD_CERTIFICATE: async (liar) => {
      liar.store.copyRead = (copy) => {
        const { countersignature } = copy.certificate;
        const statement = { ...countersignature.statement, seq: countersignature.statement.seq + 1 };
        return { ...copy, certificate: { ...copy.certificate, countersignature: { ...countersignature, statement } } };
      };
    },
    OTHER_REED: async (liar, other) => {
      const instead = await liar.store.get('copies', other);
      liar.store.copyRead = () => instead;
    },
    UNDECRYPTABLE: async (liar) => {
      liar.line.fate = (frame, way) => {
        if (way === 'in' || frame.type !== 'relayResponse') return 'pass';
        return { ...frame, body: { ...frame.body, ciphertext: new TextEncoder().encode('no message at all') } };
      };
    },
  };

  test.each(Object.entries(lies))(
    'that is %s strikes its holder; the reader asks again and gets it from someone else',
    async (reason, lie) => {
      const author = await stage.join();
      const [reed, other] = (await stage.publish(author, 2)) as [ReedId, ReedId];
      const [keeper] = await stage.keepers(1, [reed, other]);
      await author.member.close();
      const liar = await stage.join(keeper);
      await lie(liar, other);
      const reader = await stage.join();
      const asked = stage.ask(reader, reed);
      expect((await reader.line.seen('out', 'dataInvalid')).body.reason).toBe(reason);
      await asked.shown('holders-failing');
      expect(asked.states).toContain('asking-again');
      expect(await stage.allocations(reed)).toEqual([author.user, liar.user].sort());
      await stage.join(author);
      expect(await asked.copy).toContain('reed 0');
      await reader.line.seen('in', 'settled', ({ body }) => body.events[0]?.outcome === 'HELD');
      const strikes = await stage.rows(
        'select holder, reed_id, viewer, reason, counted_at is not null as counted from holder_strikes where reed_id = $1',
        [reed],
      );
      expect(strikes).toEqual([{ holder: liar.user, reed_id: reed, viewer: reader.user, reason, counted: true }]);
      expect(askedOf(liar, reed)).toHaveLength(1);
      expect(reader.line.frames('in', 'settled')).toHaveLength(2);
    },
  );

  test("that is the author's own strikes nobody and is asked for a bounded number of times", async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    author.store.copyRead = (copy) => ({ ...copy, body: { ...copy.body, text: 'a lie' } });
    const failure = await stage.ask(await stage.join(), reed).failure();
    expect(failure).toMatchObject({ outcome: 'invalid', invalidReason: 'BAD_SIGNATURE' });
    expect(askedOf(author, reed)).toHaveLength(4);
    expect(await stage.rows('select holder from holder_strikes where reed_id = $1', [reed])).toEqual([]);
  });

  test('that is only too much for the device accuses nobody', async () => {
    const author = await stage.join();
    const [reed] = (await stage.publish(author)) as [ReedId];
    const reader = await stage.join();
    reader.store.beforeWrite = (changes) => {
      if (changes.some((change) => 'put' in change && change.put === 'copies')) fails();
    };
    expect((await stage.ask(reader, reed).failure()).outcome).toBe('cannot-store');
    expect((await reader.line.seen('out', 'dataInvalid')).body.reason).toBe('CANNOT_STORE');
    await stage.empty();
    expect(await stage.rows('select holder from holder_strikes where reed_id = $1', [reed])).toEqual([]);
    expect(await stage.allocations(reed)).toEqual([author.user]);
  });
});
