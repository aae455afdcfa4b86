// Scenes of the kill tests: each brings some members to the brink of one step of the ledger, says what sets the step off, and what the
// rows look like from outside. Nobody answers by itself: the scene drives each frame.
import { expect } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import type { KillStage, Persistent, Scene } from './kill-stage.ts';
import type { LightBehaviour } from './light-member.ts';

type Picture = { readonly events: readonly string[]; readonly holders: number; readonly attempts: number };

const STATES = ['dormant', 'waiting', 'dispatched', 'relayed', 'unassigned'];
const SILENT: Partial<LightBehaviour> = { answer: 'nothing', acknowledge: 'nothing' };

/** The events of reeds, by state, how many allocations they have, and how many attempts are noted. */
export const picture = async (stage: KillStage, reeds: readonly ReedId[]): Promise<Picture> => {
  const events = await stage.rows<{ state: number; event_id: string }>(
    'select state, event_id from pending_events where subject_id = any($1::text[]) order by state',
    [reeds],
  );
  const holders = await stage.rows('select from reed_allocations where reed_id = any($1::text[])', [reeds]);
  const attempts = await stage.rows('select from pending_event_attempts where event_id = any($1::uuid[])', [events.map((e) => e.event_id)]);
  return { events: events.map(({ state }) => STATES[state] ?? ''), holders: holders.length, attempts: attempts.length };
};

/** An author who holds `reeds`, and others; all are connected but those past `online`. */
const cast = async (stage: KillStage, count: number, reeds = 1, online = count) => {
  const members = await stage.members(count);
  await Promise.all(members.slice(0, online).map((member) => member.connect(SILENT)));
  const [author, viewer] = members as [Persistent, Persistent];
  const ids = await stage.community.reeds(author.account.userId, reeds);
  return { members, author, viewer, ids, reed: ids[0] as ReedId, look: () => picture(stage, ids) };
};

const asked = (holder: Persistent, count: number) => expect.poll(() => holder.now.asked.size, { timeout: 20_000, interval: 5 }).toBe(count);

/** A request that the author was asked for. */
const dispatched = async (stage: KillStage) => {
  const parts = await cast(stage, 2);
  const id = parts.viewer.request(parts.reed);
  const { id: event } = await parts.author.now.next('relayRequest');
  return { ...parts, id, event };
};

/** A request whose answer was delivered. */
const relayed = async (stage: KillStage) => {
  const parts = await dispatched(stage);
  parts.author.now.answerAll();
  await parts.viewer.now.next('dataResponse');
  return parts;
};

export const open = async (stage: KillStage): Promise<Scene> => {
  const { viewer, reed, ...rest } = await cast(stage, 2);
  return { ...rest, go: () => void viewer.request(reed) };
};

/** The author has four requests in hand, a fifth waits, and answers one. */
export const dispatch = async (stage: KillStage): Promise<Scene> => {
  const parts = await cast(stage, 2, 5);
  const { author, viewer, ids } = parts;
  const before = stage.proxy.passed('ledger_dispatch');
  for (const reed of ids) viewer.request(reed);
  await asked(author, 4);
  await viewer.now.next('requestAck', ({ body }) => body.state === 'IN_TURN');
  await expect.poll(() => stage.proxy.passed('ledger_dispatch'), { interval: 5 }).toBeGreaterThan(before);
  const [event, attempt] = [...author.now.asked][0] as [string, number];
  return { ...parts, go: () => author.now.answer(event, attempt) };
};

export const answer = async (stage: KillStage): Promise<Scene> => {
  const parts = await dispatched(stage);
  return { ...parts, go: () => void parts.author.now.answerAll() };
};

export const acknowledge = async (stage: KillStage): Promise<Scene> => {
  const parts = await relayed(stage);
  return { ...parts, go: () => parts.viewer.now.send({ id: parts.event, type: 'dataAck', body: {} }) };
};

export const invalid = async (stage: KillStage): Promise<Scene> => {
  const parts = await relayed(stage);
  return { ...parts, go: () => parts.viewer.now.send({ id: parts.event, type: 'dataInvalid', body: { reason: 'BAD_SIGNATURE' } }) };
};

export const fail = async (stage: KillStage): Promise<Scene> => {
  const parts = await dispatched(stage);
  const { author, event } = parts;
  return { ...parts, go: () => author.now.send({ id: event, type: 'relayError', body: { attempt: 1, reason: 'FAILED' } }) };
};

/** One of two holders fails; when that is committed, and only then, the event can be given to the other. */
export const assign = async (stage: KillStage): Promise<Scene> => {
  const parts = await cast(stage, 3);
  const { members, author, viewer, reed } = parts;
  const other = members[2] as Persistent;
  await stage.rows(`insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)`, [
    other.account.userId,
    reed,
  ]);
  viewer.request(reed);
  const { id } = await Promise.race([author.now.next('relayRequest'), other.now.next('relayRequest')]);
  const holder = author.now.asked.has(id) ? author : other;
  return { ...parts, go: () => holder.now.send({ id, type: 'relayError', body: { attempt: 1, reason: 'FAILED' } }) };
};

/** Four of six requests for a reed are with its author, one was answered and one waits; then the one that was answered is acknowledged. */
export const spread = async (stage: KillStage): Promise<Scene> => {
  const parts = await cast(stage, 7);
  const { members, author, reed } = parts;
  const first = members[1] as Persistent;
  first.request(reed);
  const { id } = await author.now.next('relayRequest');
  for (const viewer of members.slice(2)) {
    viewer.request(reed);
    await viewer.now.next('requestAck');
  }
  const [spreads, dispatches] = [stage.proxy.passed('ledger_spread'), stage.proxy.passed('ledger_dispatch')];
  author.now.answer(id, 1);
  await first.now.next('dataResponse');
  await expect.poll(() => stage.proxy.passed('ledger_spread'), { timeout: 20_000, interval: 5 }).toBeGreaterThan(spreads);
  await expect.poll(() => stage.proxy.passed('ledger_dispatch'), { timeout: 20_000, interval: 5 }).toBeGreaterThan(dispatches);
  await asked(author, 4);
  return { ...parts, go: () => first.now.send({ id, type: 'dataAck', body: {} }) };
};

/** Somebody waits for a reed whose only holder is away, and comes. */
export const wake = async (stage: KillStage): Promise<Scene> => {
  const [author, viewer] = (await stage.members(2)) as [Persistent, Persistent];
  const reeds = await stage.community.reeds(author.account.userId, 1);
  await viewer.connect(SILENT);
  const rechecks = stage.proxy.passed('ledger_recheck');
  viewer.request(reeds[0] as ReedId);
  await viewer.now.next('requestAck');
  // Its second look has found nobody either: from now on only WAKE brings it to somebody.
  await expect.poll(() => stage.proxy.passed('ledger_recheck'), { timeout: 20_000, interval: 5 }).toBeGreaterThan(rechecks);
  const go = () => void author.connect(SILENT).catch(() => undefined);
  return { members: [author, viewer], about: author.account.userId, go, look: () => picture(stage, reeds) };
};

/** A request for what nobody online has. */
export const dormant = async (stage: KillStage): Promise<Scene> => {
  const [author, viewer] = (await stage.members(2)) as [Persistent, Persistent];
  const reeds = await stage.community.reeds(author.account.userId, 1);
  await viewer.connect(SILENT);
  return { members: [author, viewer], go: () => void viewer.request(reeds[0] as ReedId), look: () => picture(stage, reeds) };
};

export const cancel = async (stage: KillStage): Promise<Scene> => {
  const parts = await dispatched(stage);
  return { ...parts, go: () => parts.viewer.cancel(parts.id) };
};

export const evict = async (stage: KillStage): Promise<Scene> => {
  const parts = await cast(stage, 2);
  const { author, reed } = parts;
  const give = () => author.now.send({ id: '', type: 'eviction', body: { reedId: reed } });
  const again = async () => {
    give();
    await author.now.next('evictionAck');
    expect(await parts.look()).toMatchObject({ holders: 0 });
  };
  return { ...parts, go: give, again };
};

/** The only holder has no copy any more. */
export const miss = async (stage: KillStage): Promise<Scene> => {
  const parts = await dispatched(stage);
  const { author, event } = parts;
  return { ...parts, go: () => author.now.send({ id: event, type: 'relayMiss', body: { attempt: 1, missingReedId: '' } }) };
};

/** The holder's socket is gone, its presence is not: what it is asked can't be written. */
export const unwritten = async (stage: KillStage): Promise<Scene> => {
  const { author, viewer, reed, ...rest } = await cast(stage, 2);
  const leaving = stage.proxy.at({ statement: LEAVE, side: 'before', about: author.account.userId });
  await author.now.vanish();
  await leaving;
  return { ...rest, go: () => void viewer.request(reed) };
};

const presenceOf = async (stage: KillStage, { account }: Persistent): Promise<unknown> => {
  const [row] = await stage.rows(
    `select (select count(*)::int from online_users where user_id = $1) as users, (select count(*)::int from online_connections where user_id = $1) as connections`,
    [account.userId],
  );
  return row;
};

export const LEAVE = /select from online_users where user_id = any\(.*for update/s;

export const signIn = async (stage: KillStage): Promise<Scene> => {
  const [member] = (await stage.members(1)) as [Persistent];
  const go = () => void member.connect().catch(() => undefined);
  return { members: [member], about: member.account.userId, go, look: () => presenceOf(stage, member) };
};

export const leave = async (stage: KillStage): Promise<Scene> => {
  const parts = await dispatched(stage);
  const look = async () => ({ presence: await presenceOf(stage, parts.viewer), ...(await parts.look()) });
  return { ...parts, about: parts.viewer.account.userId, go: () => void parts.viewer.now.vanish(), look };
};

export const requesterGone = async (stage: KillStage): Promise<Scene> => {
  const parts = await dispatched(stage);
  return { ...parts, go: () => void parts.viewer.now.vanish() };
};

export const holderGone = async (stage: KillStage): Promise<Scene> => {
  const parts = await dispatched(stage);
  return { ...parts, go: () => void parts.author.now.vanish() };
};

export const publish = async (stage: KillStage): Promise<Scene> => {
  const { members, author, reed } = await cast(stage, 1);
  await stage.rows(
    `with r as (update reeds set published_at = null where id = $1), a as (delete from reed_allocations where reed_id = $1)
    insert into author_streams (author_id) values ($2)`,
    [reed, author.account.userId],
  );
  const ready = () => author.now.send({ id: '', type: 'publishReady', body: { reedId: reed } });
  const look = async () =>
    (
      await stage.rows(
        `select published_at is not null as published, (select count(*)::int from author_facts where subject_id = $1) as facts,
          (select count(*)::int from reed_allocations where reed_id = $1) as holders from reeds where id = $1`,
        [reed],
      )
    )[0];
  const again = async () => {
    ready();
    await author.now.next('publishReadyAck');
    expect(await look(), 'published once, however often it was said').toEqual({ published: true, facts: 1, holders: 1 });
  };
  return { members, about: reed, go: ready, look, again };
};

/** A holder's deadline is over: the date is put back while a sweep stands still, so that it is that one or the next which finds it. */
export const overdue = async (stage: KillStage): Promise<Scene> => {
  const parts = await dispatched(stage);
  const between = await stage.proxy.at({ statement: /^ledger_sweep /, side: 'before' });
  await stage.rows(`update pending_events set due_at = now() - interval '1 hour' where event_id = $1`, [parts.event]);
  return { ...parts, go: () => between.release() };
};

export const evictKey = async (stage: KillStage): Promise<Scene> => {
  const { members, author } = await cast(stage, 1);
  const [key] = await stage.rows<{ id: string }>('select key_id as id from users where id = $1', [author.account.userId]);
  const keyId = key?.id ?? '';
  await stage.rows('insert into key_allocations (user_id, key_id) values ($1, $2)', [author.account.userId, keyId]);
  const go = () => author.now.send({ id: '', type: 'keyEviction', body: { keyId } });
  const look = async () =>
    (await stage.rows('select count(*)::int as kept from key_allocations where user_id = $1', [author.account.userId]))[0];
  return { members, go, look };
};
