// The fold on a wire that loses, repeats and delays: each leg once without its request, once without its answer, and twice. It ends as on a good
// wire, with nothing left on either side (the stage proves that after each test), and no copy is delivered twice.
import { describe, expect, it } from 'vitest';
import type { FoldLeg } from '../../src/federation/fold-ports.ts';
import { decodeFoldRequest } from '../../src/wire/fold.ts';
import { FoldPair, setPeer } from '../support/fold-pair.ts';
import type { Fate } from '../support/fold-wire.ts';

const pair = FoldPair.forEachTest();

/** The first call of a leg has this fate. */
const once = (leg: FoldLeg, fate: Fate): void => {
  let left = 1;
  pair.wire.fate = (call) => (call.leg === leg && left-- > 0 ? fate : 'pass');
};

const held = async (reed: string) => (await pair.holders(pair.asking, reed as never)).length > 0;

describe.each(['lose-request', 'lose-answer', 'repeat'] as const)('with %s of', (fate) => {
  it.each(['request', 'deliver', 'ack'] as const)('%s, a copy comes once all the same', async (leg) => {
    const { reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    once(leg, fate);
    reader.request(reed);
    await pair.settle();
    await pair.passUntil(5_000, () => held(reed));
    await pair.pass(30_000);
    expect(reader.frames.filter(({ type }) => type === 'dataResponse')).toHaveLength(1);
    expect(pair.wire.mostCopies).toBeLessThanOrEqual(fate === 'repeat' ? 2 : 1);
    expect(await pair.home.community.rows('select holding from reed_server_allocations where reed_id = $1', [reed])).toEqual([
      { holding: true },
    ]);
  });

  it('cancel, nothing of it is left at home', async () => {
    const { reed } = await pair.reed({ answer: 'nothing' });
    const reader = await pair.member(pair.asking);
    reader.request(reed);
    await pair.settle();
    once('cancel', fate);
    await reader.vanish();
    await pair.passUntil(5_000, async () => (await pair.home.community.rows('select from pending_events')).length === 0);
  });

  it('not-held, whoever waits is told', async () => {
    const { author, reed } = await pair.reed({ answer: 'miss' });
    const reader = await pair.member(pair.asking);
    once('not-held', fate);
    reader.request(reed);
    await pair.settle();
    await pair.passUntil(5_000, () => reader.frames.some(({ type }) => type === 'reedNotHeld'));
    expect(author.isOpen).toBe(true);
  });
});

describe('a copy that comes a second time', () => {
  it('before its end is told is answered as the first was, and written nowhere', async () => {
    const { reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    pair.wire.fate = ({ leg }) => (leg === 'ack' ? 'hold' : 'pass');
    reader.request(reed);
    await expect.poll(() => pair.wire.held).toBe(1);
    const delivered = pair.wire.calls.find(({ leg }) => leg === 'deliver');
    const again = await pair.asking.server.app.legs.get('deliver')?.handle(pair.home.id, delivered?.body ?? new Uint8Array(0));
    expect(again?.status).toBe(204);
    await reader.ping();
    expect(reader.frames.filter(({ type }) => type === 'dataResponse')).toHaveLength(1);
  });
});

describe('a home that does not know any more what it was asked for', () => {
  it('is asked once more by the same id, though no list says so, and the copy comes', async () => {
    const { author, reed } = await pair.reed({ answer: 'nothing' });
    const reader = await pair.member(pair.asking);
    reader.request(reed);
    await pair.settle();
    pair.wire.fate = ({ leg }) => (leg === 'crossings' ? 'lose-answer' : 'pass');
    await pair.home.community.rows('delete from foreign_relay_requests');
    await pair.home.community.rows('delete from pending_events');
    author.behaviour.answer = 'bytes';
    await pair.passUntil(5_000, () => held(reed));
    const ids = pair.wire.calls.filter(({ leg }) => leg === 'request').map(({ body }) => decodeFoldRequest(body)?.peerRequestId);
    expect(ids).toEqual([ids[0], ids[0]]);
  });
});

describe('an ack that comes while its event is being written', () => {
  it('is taken in its turn', async () => {
    const { reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    pair.wire.fate = ({ leg }) => (leg === 'ack' ? 'hold' : 'pass');
    reader.request(reed);
    await expect.poll(() => pair.wire.held).toBe(1);
    let isTaken = false;
    await pair.home.community.holding('select * from pending_events where is_foreign for update', [], async () => {
      pair.wire.mend();
      await reader.ping();
      isTaken = (await pair.home.community.rows('select from reed_server_allocations where reed_id = $1 and holding', [reed])).length > 0;
    });
    await pair.settle();
    expect(isTaken).toBe(false);
    expect(await pair.home.community.rows('select holding from reed_server_allocations where reed_id = $1', [reed])).toEqual([
      { holding: true },
    ]);
    expect(await pair.asking.community.rows('select from fold_peers where away_until is not null')).toEqual([]);
  });
});

describe('a copy whose answer was lost', () => {
  it('is on the wire no more once it is acknowledged, though it was being sent a second time', async () => {
    const { reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    let sent = 0;
    pair.wire.fate = ({ leg }) => {
      if (leg === 'ack') return 'hold';
      if (leg !== 'deliver') return 'pass';
      sent += 1;
      return sent === 1 ? 'lose-answer' : 'hold';
    };
    reader.request(reed);
    await expect.poll(() => pair.wire.held).toBe(2);
    expect(pair.wire.flights).toHaveLength(1);
    pair.wire.fate = () => 'pass';
    const acknowledges = pair.wire.calls.at(-1)?.leg === 'ack' ? 'last' : 'first';
    pair.wire.releaseOne(acknowledges);
    await expect.poll(() => pair.home.community.rows('select from pending_events')).toEqual([]);
    expect(pair.wire.flights).toEqual([]);
    expect(await pair.home.community.rows('select holding from reed_server_allocations where reed_id = $1', [reed])).toEqual([
      { holding: true },
    ]);
    pair.wire.mend();
  });
});

describe('a copy whose time is over before it sets out', () => {
  it('is sent no more: its event is for others by then, and its slot may be', async () => {
    const { author, reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    const asked = () => author.frames.filter(({ type }) => type === 'relayRequest').length;
    const forwarding = () => pair.home.community.rows('select from pending_events where state = 6');
    const ofThePeer = 'insert into reed_server_allocations (reed_id, server_id, holding) values ($1, $2, false)';
    // What is looked at before it sets out takes longer than it may be kept.
    await pair.home.community.holding(ofThePeer, [reed, pair.asking.id], async () => {
      reader.request(reed);
      await expect.poll(forwarding).toHaveLength(1);
      author.behaviour.answer = 'nothing';
      pair.clock.move(31_000);
      await pair.home.server.app.round();
      expect(await forwarding()).toEqual([]);
    });
    await pair.settle();
    expect(pair.wire.count('deliver')).toBe(0);
    author.behaviour.answer = 'bytes';
    await pair.passUntil(5_000, () => held(reed));
    expect(asked()).toBeGreaterThan(1);
  });
});

describe('a request that comes after its cancel', () => {
  it('opens nothing', async () => {
    const { author, reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    pair.wire.fate = ({ leg }) => (leg === 'request' ? 'hold' : 'pass');
    reader.request(reed);
    await expect.poll(() => pair.wire.held).toBe(1);
    await reader.vanish();
    await expect.poll(() => pair.wire.count('cancel')).toBe(1);
    pair.wire.release();
    await pair.settle();
    expect(author.frames.some(({ type }) => type === 'relayRequest')).toBe(false);
    expect(await pair.home.community.rows('select from pending_events')).toEqual([]);
  });
});

describe('an event at home that nobody waits for', () => {
  it('ends with a list of what is open, the first that finds it in nobody’s hands', async () => {
    const { reed } = await pair.reed({ answer: 'nothing' });
    const reader = await pair.member(pair.asking);
    reader.request(reed);
    await pair.settle();
    await pair.asking.community.rows('delete from foreign_pending_events');
    await pair.asking.community.rows('delete from pending_events');
    await pair.passUntil(61_000, () => pair.wire.count('crossings') > 0);
    // An event that somebody has at that moment, as it is due as well, is left to the next list.
    await pair.passUntil(61_000, async () => (await pair.home.community.rows('select from pending_events')).length === 0);
    expect(pair.wire.count('cancel')).toBe(0);
  });
});

describe('an asking server that forgot what it asked for', () => {
  it('is sent no fourth copy at once, and whatever it asks for comes', async () => {
    const { reed } = await pair.reed();
    const early = await pair.members(pair.asking, 3);
    pair.wire.fate = ({ leg }) => (leg === 'deliver' ? 'hold' : 'pass');
    for (const reader of early) reader.request(reed);
    await expect.poll(() => pair.wire.held).toBe(3);
    await pair.asking.community.rows('delete from foreign_pending_events');
    await pair.asking.community.rows('delete from pending_events');
    const late = await pair.members(pair.asking, 3);
    for (const reader of late) reader.request(reed);
    await expect.poll(() => pair.wire.count('deliver')).toBe(6);
    pair.wire.mend();
    for (const reader of late) await reader.next('dataResponse');
    await pair.settle();
    expect(pair.wire.mostCopies).toBe(3);
  });

  it('and had a copy whose answer did not come back, still acknowledges it', async () => {
    const { reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    pair.wire.fate = ({ leg }) => (leg === 'ack' ? 'hold' : leg === 'deliver' ? 'hold-answer' : 'pass');
    reader.request(reed);
    await reader.next('dataResponse');
    await expect.poll(() => pair.wire.held).toBe(2);
    // The copy here is not asked for: its holder is gone.
    await reader.vanish();
    const other = await pair.member(pair.asking);
    other.request(reed);
    await other.next('dataResponse');
    pair.wire.mend();
    await pair.settle();
    expect(await pair.home.community.rows('select holding from reed_server_allocations where reed_id = $1', [reed])).toEqual([
      { holding: true },
    ]);
  });
});

describe('a crossing that the home server lost', () => {
  it('is found out by the list, and asked for anew', async () => {
    const { reed } = await pair.reed({ answer: 'nothing' });
    const reader = await pair.member(pair.asking);
    reader.request(reed);
    await pair.settle();
    for (const table of ['pending_events', 'foreign_relay_requests', 'pending_event_attempts'])
      await pair.home.community.rows(`truncate ${table}`);
    await pair.pass(61_000);
    // What finds a row locked, by the list or by the crossing's own date, which come at the same moment, is tried again a while later.
    // For a moment the event of the crossing that is given up may stand beside the new one.
    const one = async () => (await pair.home.community.rows('select from pending_events')).length === 1;
    await pair.passUntil(5_000, async () => pair.wire.count('request') >= 2 && (await one()));
    await reader.vanish();
  });
});

describe('a crossing that brings nothing, though a holder is online there', () => {
  it('is asked for once more by its id, then cancelled and asked for anew: it takes nobody’s place for ever (F8)', async () => {
    const { reed } = await pair.reed({ answer: 'nothing' });
    const reader = await pair.member(pair.asking);
    reader.request(reed);
    await pair.settle();
    const ids = () =>
      pair.wire.calls.flatMap(({ leg, body }) => (leg === 'request' ? [decodeFoldRequest(body)?.peerRequestId ?? 'not a request'] : []));
    expect(ids()).toHaveLength(1);
    // More than one may go out while a step of time settles.
    await pair.passUntil(20_000, () => ids().length >= 2);
    const [first, again] = ids();
    expect(again).toBe(first);
    await pair.passUntil(20_000, () => ids().some((id) => id !== first));
    const legs = pair.wire.calls.map(({ leg }) => leg);
    expect(legs.indexOf('cancel')).toBeGreaterThan(legs.indexOf('request', legs.indexOf('request') + 1));
    expect(ids().filter((id) => id === first)).toHaveLength(2);
    await reader.vanish();
  });
});

describe('a copy that its requester can not take', () => {
  it('is asked for again, a while later, and no holder is to blame', async () => {
    const { author, reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    let failing = true;
    pair.wire.fate = ({ leg }) => (leg === 'deliver' && failing ? 'lose-request' : 'pass');
    reader.request(reed);
    await pair.settle();
    failing = false;
    await pair.passUntil(5_000, () => held(reed));
    expect(await pair.home.community.rows('select from pending_event_attempts')).toEqual([]);
    expect(author.frames.filter(({ type }) => type === 'relayRequest').length).toBeGreaterThanOrEqual(2);
  });
});

describe('a peer that is away and back at the same moment', () => {
  it('is held back no longer than until the next look', async () => {
    const { reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    await pair.home.community.rows("update online_users set congested = true where user_id like 'peer@%'");
    reader.request(reed);
    await pair.passUntil(5_000, () => held(reed));
  });
});

describe('a home server that starts again', () => {
  it('has forgotten what was asked, is asked anew and serves it', async () => {
    const { author, reed } = await pair.reed({ answer: 'nothing' });
    const account = await pair.accountOf(author);
    const reader = await pair.member(pair.asking);
    reader.request(reed);
    await pair.settle();
    await pair.restartHome();
    await pair.home.community.signInAgain([account]);
    await pair.join(pair.home, account);
    await pair.pass(61_000);
    await reader.next('dataResponse');
    await pair.settle();
    expect(await held(reed)).toBe(true);
  });
});

describe('a request that nothing comes of', () => {
  it('ends after a day, and is said to', async () => {
    const { reed } = await pair.reed();
    const reader = await pair.member(pair.asking);
    pair.wire.fate = () => 'lose-request';
    await setPeer(pair.asking, pair.home, "failures = 9, retry_at = now() + interval '2 days'");
    const requestId = reader.request(reed);
    await pair.settle();
    await pair.pass(86_400_000 + 61_000);
    const end = await reader.next('error');
    expect(end.body).toMatchObject({ code: 'EXPIRED', requestId });
    pair.wire.fate = () => 'pass';
    await setPeer(pair.asking, pair.home, 'failures = 0, retry_at = null');
  });
});
