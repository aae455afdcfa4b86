// The end of a run: all processes live, everybody is back and honest, whoever missed something has synced, and time passes until nothing is under
// way. Then members hold what the model says, and know what they have to know.
import { type ReedId, type UserId, userOf } from '../../src/wire/address.ts';
import { HONEST } from './owed-device.ts';
import type { OwedMoves } from './owed-moves.ts';
import type { Action, OwedPlay } from './owed-play.ts';

const ROUNDS = 60;
const SECOND_MS = 1_000;

type Pending = {
  readonly events: number;
  readonly debts: number;
  readonly places: number;
  readonly notices: number;
  readonly due: number | null;
};

const pendingOf = async ({ stage }: OwedPlay): Promise<Pending> => {
  const [row] = await stage.application.query<Pending>({
    text: `select (select count(*)::int from pending_events) as events, (select count(*)::int from pending_fanout) + (select count(*)::int from pending_ends) as debts,
      (select count(*)::int from catchup_positions) as places, (select count(*)::int from owed_notices) as notices,
      (select min(due) from (select extract(epoch from min(due_at)) * 1000 as due from pending_events
        union all select extract(epoch from min(due_at)) * 1000 from pending_fanout
        union all select extract(epoch from min(due_at)) * 1000 from pending_ends
        union all select extract(epoch from min(due_at)) * 1000 from catchup_positions) d)::float8 as due`,
  });
  return row as Pending;
};

const still = (actions: readonly Omit<Action, 'turns'>[]): Action[] => actions.map((action) => ({ ...action, turns: 0 }));

/** One action after the other. */
const each = async (play: OwedPlay, actions: readonly Omit<Action, 'turns'>[]): Promise<void> => {
  for (const action of still(actions)) await play.run([action]);
};

export const finish = async (play: OwedPlay, moves: OwedMoves, replicas: number): Promise<void> => {
  const { devices, stage } = play;
  const begin = async (): Promise<void> => void (await moves.actions([]));
  for (let at = 0; at < replicas; at += 1)
    if (!stage.life(at)) await play.run(still([{ name: `replica ${at} starts`, fire: () => stage.start(at) }]));
  await each(play, [
    {
      name: 'everybody is honest',
      fire: () => {
        for (const device of devices) {
          device.mood = HONEST;
          device.catchUp();
        }
      },
    },
  ]);
  await settleEnds(play, moves);
  if (play.model.posts.size % 2 === 0) await payDebts(play, moves);
  for (const device of devices) {
    await begin();
    const arrival = moves.arrive(device, device.id.charCodeAt(0));
    if (arrival.length > 0) await play.run(still(arrival));
  }
  for (const device of devices) {
    await begin();
    await each(play, moves.again(device));
  }
  await comeToRest(play, moves);
  for (const device of devices) {
    await begin();
    if (device.mustSync || [...device.copies.values()].includes('unsettled')) await play.run(still(moves.sync(device)));
  }
  await comeToRest(play, moves);
  await check(play);
  await part(play);
};

/** Who has no key gets one, every other one whose account is hidden comes back, and the rest of those are gone for good. */
const settleEnds = async (play: OwedPlay, moves: OwedMoves): Promise<void> => {
  const { devices, model, stage } = play;
  for (const device of devices) {
    await moves.actions([]);
    await each(play, moves.again(device));
    await moves.actions([]);
    if (model.frozen.has(device.id)) await each(play, await moves.end(device, 'recover'));
    else if (model.hidden.has(device.id) && device.id.charCodeAt(0) % 2 === 0) await each(play, await moves.end(device, 'withdraw'));
  }
  await moves.actions([]);
  if (model.hidden.size > 0) await each(play, moves.time(stage.limits.accountRemovalMs));
  if (model.hidden.size + model.frozen.size > 0) throw new Error('an account did not come to its end');
};

/** What is told of itself is told before who is away comes back: for them it has to be found again. */
const payDebts = async (play: OwedPlay, moves: OwedMoves): Promise<void> => {
  const { fanoutLeaseMs, removalSecondLookMs } = play.stage.limits;
  for (const byMs of [fanoutLeaseMs, removalSecondLookMs]) {
    await moves.actions([]);
    await each(play, moves.time(byMs));
  }
};

const comeToRest = async (play: OwedPlay, moves: OwedMoves): Promise<void> => {
  for (let round = 0; ; round += 1) {
    const pending = await pendingOf(play);
    if (pending.events + pending.debts + pending.places === 0) return;
    if (round >= ROUNDS) {
      const rows = await play.stage.application.query({ text: 'select * from pending_events' });
      throw new Error(`it does not come to rest: ${JSON.stringify(pending)} ${JSON.stringify(rows)}`);
    }
    await moves.actions([]);
    const byMs = pending.due === null ? SECOND_MS : Math.max(SECOND_MS, Math.ceil(pending.due - play.now));
    await play.run(still(moves.time(byMs)));
  }
};

const check = async (play: OwedPlay): Promise<void> => {
  const { devices, model, stage } = play;
  const faults: string[] = [];
  const allocations = await stage.application.query<{ holder: UserId; reed: ReedId }>({
    text: 'select holder_user_id as holder, reed_id as reed from reed_allocations',
  });
  const given = new Set(allocations.map(({ holder, reed }) => `${holder} ${reed}`));
  for (const device of devices) {
    const { id: member } = device;
    if (model.gone.has(member)) {
      for (const row of given) if (row.includes(member)) faults.push(`${row}: is there still, of an account that is gone`);
      continue;
    }
    for (const post of device.unanswered) faults.push(`${member} was not answered about ${post}`);
    for (const key of model.ended) if (device.keys.get(key) === 'good') faults.push(`${member} was not told that ${key} ended`);
    for (const post of model.posts.values()) {
      const key = `${member} ${post.id}`;
      const isMine = post.author === member;
      const state = device.copies.get(post.id);
      const isHeld = state === 'held' || (isMine && model.published.has(post.id) && !model.removed.has(post.id));
      if (state === 'unsettled') faults.push(`${key} is not settled`);
      for (const part of post.parts)
        if (isHeld !== given.has(`${member} ${part}`))
          faults.push(`${key}: the device ${isHeld ? 'has' : 'lacks'} ${part}, the server's row says otherwise`);
      if (isMine) {
        const isRefused = model.refusesPost(post) !== null || !device.own.has(post.id);
        if (!model.published.has(post.id) && !isRefused) faults.push(`${post.id} was never published`);
        continue;
      }
      if (isHeld && !play.may.has(key)) faults.push(`${key} is held without a reason`);
      if (isHeld && model.gone.has(post.author)) faults.push(`${key} is held though its author's account is gone`);
      if (isHeld && model.removed.has(post.id)) faults.push(`${key} is held though it was removed`);
      if (isHeld && model.blocks.has(`${post.author} ${member}`)) faults.push(`${key} is held though its author blocks them`);
      if (!isHeld && model.isOwed(member, post)) faults.push(`${key} is owed and was lost`);
      if (!isHeld && play.due.has(key) && model.isOpenTo(member, post)) faults.push(`${key} was due to who was there, and lost`);
    }
    for (const other of devices) {
      if (model.bereft.has(`${member} ${other.id}`) && !device.departed.has(other.id))
        faults.push(`${member} was not told that the account of ${other.id} is gone`);
      const isBlocked = model.blocks.has(`${other.id} ${member}`);
      if ((device.blockers.get(other.id)?.active ?? false) !== isBlocked)
        faults.push(`${member} was not told that ${other.id} ${isBlocked ? 'blocks' : 'does not block'} them`);
    }
  }
  const edges = await stage.application.query<{ edge: string }>({
    text: `select user_id || ' ' || target as edge from follows where active and target = any($1::text[])`,
    values: [[...model.gone]],
  });
  for (const { edge } of edges) faults.push(`${edge}: an account that is gone is followed`);
  faults.push(...(await keyFaults(play)), ...(await likeFaults(play)));
  const { notices } = await pendingOf(play);
  if (notices > 0) faults.push(`${notices} notices of blocks were not acknowledged`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
};

/** Who verifies with a key is known as long as it stands, and no longer once it was told of its end. */
const keyFaults = async ({ devices, model, stage }: OwedPlay): Promise<string[]> => {
  const rows = await stage.application.query<{ row: string }>({ text: `select user_id || ' ' || key_id as row from key_allocations` });
  const known = new Set(rows.map(({ row }) => row));
  return devices.flatMap(({ id, keys }) =>
    model.gone.has(id)
      ? []
      : [...keys].flatMap(([key, state]) =>
          state === 'good' && !known.has(`${id} ${key}`) ? [`${id} ${key}: its end would not be told`] : [],
        ),
  );
};

/** A post that is there has as many likes as members say. */
const likeFaults = async ({ model, stage }: OwedPlay): Promise<string[]> => {
  const there = [...model.published].filter((id) => !model.removed.has(id) && !model.gone.has(userOf(id)));
  const rows = await stage.application.query<{ id: ReedId; likes: number }>({
    text: 'select reed_id as id, likes::int from reed_stats where reed_id = any($1::text[])',
    values: [there],
  });
  const counted = new Map(rows.map(({ id, likes }) => [id, likes]));
  return there.flatMap((id) => {
    const likes = [...model.likes].filter((each) => each.endsWith(` ${id}`)).length;
    return (counted.get(id) ?? 0) === likes ? [] : [`${id} has ${counted.get(id)} likes, not ${likes}`];
  });
};

/** Everybody leaves; nothing may be left behind. */
const part = async (play: OwedPlay): Promise<void> => {
  for (const device of play.devices) {
    for (const seat of device.seats) seat.close();
    device.left();
  }
  await play.stage.rest();
  const left = await play.stage.application.query<{ left: number }>({
    text: `select (select count(*) from pending_events) + (select count(*) from reed_subscriptions) + (select count(*) from pipe_subscriptions)
      + (select count(*) from profile_subscriptions) + (select count(*) from broadcast_subscriptions) + (select count(*) from online_users) as left`,
  });
  if (Number(left[0]?.left) > 0) throw new Error('something was left behind by those who left');
};
