// What members, time and faults may do in a run: each generated move becomes an action, once it is known how things stand. Numbers choose among
// what is there, so that every move means something and shrinks.
import fc from 'fast-check';
import type { UserId } from '../../src/wire/address.ts';
import type { InvalidReason } from '../../src/wire/frames.ts';
import { pick, SECOND_MS, TIMES } from './generate.ts';
import { type Act, draft, register, relate, remove } from './owed-acts.ts';
import { type Device, HONEST, type Mood } from './owed-device.ts';
import type { Post, Relation } from './owed-model.ts';
import type { Action, OwedPlay } from './owed-play.ts';
import { Seat } from './stage.ts';

const KINDS = {
  publish: 18,
  follow: 8,
  unfollow: 2,
  block: 3,
  unblock: 4,
  remove: 5,
  watch: 6,
  unwatch: 2,
  mood: 7,
  catchUp: 5,
  arrive: 10,
  leave: 4,
  vanish: 2,
  sync: 2,
  time: 7,
  kill: 4,
  empty: 1,
} as const;
export type OwedMove = {
  readonly kind: keyof typeof KINDS;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly turns: number;
};

const ACTS = ['publish', 'follow', 'follow', 'block', 'unblock', 'remove'] as const;

const move: fc.Arbitrary<OwedMove> = fc.record({
  kind: fc.oneof(...Object.entries(KINDS).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as OwedMove['kind']) }))),
  a: fc.nat(29),
  b: fc.nat(255),
  c: fc.nat(29),
  turns: fc.nat(12),
});
const moves = fc.array(move, { minLength: 1, maxLength: 4 });
/** A process dies with acts under way in it: most of what can be lost is lost then. */
const crash = fc
  .tuple(move, fc.array(move, { minLength: 1, maxLength: 3 }), fc.array(fc.constantFrom(...ACTS), { minLength: 3, maxLength: 3 }))
  .map(([kill, acts, kinds]): OwedMove[] => [
    { ...kill, kind: 'kill', turns: 0 },
    ...acts.map((act, at): OwedMove => ({ ...act, kind: kinds[at] as OwedMove['kind'] })),
  ]);
export const owedMoves = fc.oneof({ weight: 4, arbitrary: moves }, { weight: 1, arbitrary: crash });

const TAGS = ['reeds', 'ponds'];
const COMPLAINTS: readonly InvalidReason[] = ['BAD_SIGNATURE', 'CLAIM_MISMATCH', 'CANNOT_STORE', 'UNDECRYPTABLE'];
const MOODS: readonly Mood[] = [
  HONEST,
  { serves: false, takes: 'now' },
  { serves: true, takes: 'later' },
  HONEST,
  ...COMPLAINTS.map((takes): Mood => ({ serves: true, takes })),
];

export class OwedMoves {
  readonly #play: OwedPlay;
  /** What acts of one batch are about, and members whose connections change in it. */
  #taken = new Set<string>();
  #sent = 0;

  constructor(play: OwedPlay) {
    this.#play = play;
  }

  /** Actions for moves that begin together. */
  async actions(of: readonly OwedMove[]): Promise<Action[]> {
    this.#taken = new Set();
    const made: Action[] = [];
    for (const each of of.toSorted((one, other) => one.turns - other.turns))
      for (const action of await this.#actions(each)) made.push({ turns: each.turns, ...action });
    return made;
  }

  async #actions(each: OwedMove): Promise<readonly Omit<Action, 'turns'>[]> {
    const { a, b, c, kind } = each;
    const device = pick(this.#play.devices, a) as Device;
    switch (kind) {
      case 'publish':
        return this.#publish(device, b, c);
      case 'follow':
      case 'unfollow':
      case 'block':
      case 'unblock':
        return this.#relate(device, kind, b);
      case 'remove':
        return this.#remove(b);
      case 'watch':
      case 'unwatch':
        return this.#watch(device, kind === 'watch', b);
      case 'mood':
        return this.#mood(device, pick(MOODS, b) as Mood);
      case 'catchUp':
        return [{ name: `${device.id} does what it put off`, fire: () => device.catchUp() }];
      case 'arrive':
        return this.arrive(device, b);
      case 'leave':
      case 'vanish':
        return this.#leave(device, kind === 'vanish');
      case 'sync':
        return this.sync(device);
      case 'time':
        return this.time(pick(TIMES, b) as number);
      default:
        return this.#crash(kind, b, c);
    }
  }

  #mood(device: Device, mood: Mood): Omit<Action, 'turns'>[] {
    const fire = (): void => {
      device.mood = mood;
    };
    return [{ name: `${device.id} ${JSON.stringify(mood)}`, fire }];
  }

  /** False if another one has it already. */
  #take(...keys: readonly string[]): boolean {
    if (keys.some((key) => this.#taken.has(key))) return false;
    for (const key of keys) this.#taken.add(key);
    return true;
  }

  /** The time of a new statement: no two are the same, else the second would be a repetition of the first. */
  get #now(): number {
    this.#play.stage.clock.move(1);
    return this.#play.now;
  }

  async #act(by: Device, made: Promise<Act>, post?: Post): Promise<Omit<Action, 'turns'>[]> {
    // Who waits for an answer asks for that one first.
    if (this.#play.unanswered.some((act) => act.by === by.person)) return this.again(by);
    return this.#state(await made, post);
  }

  /** States again what was not answered. */
  again(by: Device): Omit<Action, 'turns'>[] {
    const own = this.#play.unanswered.filter((act) => act.by === by.person);
    return own.flatMap((act) => this.#state(act));
  }

  #state(act: Act, post?: Post): Omit<Action, 'turns'>[] {
    const play = this.#play;
    if (!this.#take(...act.about)) return [];
    const fire = (): void => {
      // Over HTTP any process may get it, whichever has the socket.
      this.#sent += 1;
      const to = pick(play.stage.lives, this.#sent);
      if (!to) return;
      play.unanswered = play.unanswered.filter((each) => each !== act);
      play.state(act, to, post);
    };
    return [{ name: act.name, fire }];
  }

  #publish(by: Device, b: number, c: number): Promise<Omit<Action, 'turns'>[]> {
    const { devices, model } = this.#play;
    const others = devices.flatMap(({ id }) => (id === by.id ? [] : [id]));
    const parents = [...model.posts.values()].filter(({ id }) => model.published.has(id));
    const parent = b % 3 === 0 ? (parents.at(-1 - (c % Math.max(1, Math.min(3, parents.length)))) ?? null) : null;
    const mentions = (b >> 2) % 3 === 0 ? [pick(others, c) as UserId] : [];
    const tags = (b >> 4) % 3 === 0 ? [pick(TAGS, c) as string] : [];
    const post = draft(by.person, { mentions, parent, tags, broadcast: b % 2 === 0, isThread: c % 5 === 0 }, this.#now);
    return this.#act(by, register(by.person, post, this.#now), post);
  }

  async #relate(by: Device, kind: Relation, b: number): Promise<Omit<Action, 'turns'>[]> {
    const { devices, model } = this.#play;
    const others = devices.flatMap(({ id }) => (id === by.id ? [] : [id]));
    const edges = kind === 'unfollow' ? model.follows : kind === 'unblock' ? model.blocks : null;
    // Whoever follows has something to lose.
    const followers = kind === 'block' ? others.filter((other) => model.follows.has(`${other} ${by.id}`)) : [];
    const near = b % 4 > 0 && followers.length > 0 ? followers : others;
    if (edges === null) return this.#act(by, relate(by.person, kind, pick(near, b >> 2) as UserId, this.#now));
    const [one, other] = (pick([...edges], b) ?? '').split(' ') as [UserId, UserId?];
    if (other === undefined) return [];
    const owner = this.#play.deviceOf(one);
    return this.#act(owner, relate(owner.person, kind, other, this.#now));
  }

  async #remove(b: number): Promise<Omit<Action, 'turns'>[]> {
    const { deviceOf, model } = this.#play;
    const post = pick(
      [...model.posts.values()].filter(({ id }) => !model.removed.has(id)),
      b,
    );
    if (!post) return [];
    const by = deviceOf(post.author);
    const act = await remove(by.person, post, this.#now);
    const made = await this.#act(by, Promise.resolve(act));
    return made.map((action) => {
      // What was not answered may have come first.
      if (action.name !== act.name) return action;
      const fire = (): void | Promise<void> => {
        by.own.delete(post.id);
        return action.fire();
      };
      return { ...action, fire };
    });
  }

  #watch(device: Device, on: boolean, b: number): Omit<Action, 'turns'>[] {
    const { devices, model, watches } = this.#play;
    const set = watches.get(device.id) as Set<string>;
    const post = pick([...model.published], b >> 2);
    const author = (post?.split('/')[0] ?? pick(devices, b >> 2)?.id) as UserId;
    const what = [`pipe ${pick(TAGS, b >> 2)}`, 'broadcast', `profile ${author}`, `reed ${post}`][b % 4] as string;
    if (!device.isHere || (on && (model.isCut(device.id, author) || (what.startsWith('reed') && !post)))) return [];
    if (!on && set.size === 0) return [];
    const subject = on ? what : (pick([...set], b) as string);
    if (!this.#take(device.id, [device.id, author].sort().join(' '))) return [];
    const fire = (): void => {
      if (!device.isHere) return;
      device.watch(subject, on);
      if (on) set.add(subject);
      else set.delete(subject);
    };
    return [{ name: `${device.id} ${on ? 'watches' : 'watches no more'} ${subject}`, fire }];
  }

  /** A new connection, on a replica that lives; what the device has to do then it does. */
  arrive(device: Device, b: number): Omit<Action, 'turns'>[] {
    const { stage, watches } = this.#play;
    if (device.isHere || !this.#take(device.id)) return [];
    const old = device.seat;
    const fire = async (): Promise<void> => {
      const life = stage.life(b % 2) ?? stage.lives[0];
      if (!life) return;
      const seat = new Seat(life, device.person.member, (at, frame) => device.note(at, frame));
      device.left();
      await Promise.race([life.signIn(seat), life.death]);
      if (life.dead) return;
      device.seat = seat;
      // As a browser does: the new connection first, then the old one's end.
      old?.close();
      if (old === null) watches.get(device.id)?.clear();
      device.sync();
    };
    const again = this.again(device);
    return [{ name: `${device.id} signs in`, moves: [device.id], fire }, ...again];
  }

  #leave(device: Device, unnoticed: boolean): Omit<Action, 'turns'>[] {
    const { seat } = device;
    if (!seat || (unnoticed && seat.deaf) || !this.#take(device.id)) return [];
    const fire = (): void => {
      this.#forget(device, unnoticed);
      if (unnoticed) seat.deaf = true;
      else seat.close();
    };
    return [{ name: `${device.id} ${unnoticed ? 'vanishes' : 'leaves'}`, moves: [device.id], fire }];
  }

  /** What is owed only to who is there is owed no more. */
  #forget(device: Device, isStillWatching: boolean): void {
    const { due, watches } = this.#play;
    for (const key of [...due]) if (key.startsWith(`${device.id} `)) due.delete(key);
    if (isStillWatching) return;
    watches.get(device.id)?.clear();
    device.left();
  }

  sync(device: Device): Omit<Action, 'turns'>[] {
    if (!device.isHere || !this.#take(device.id)) return [];
    return [{ name: `${device.id} syncs`, fire: () => device.sync() }];
  }

  /** Time passes at once; then every replica sweeps. */
  time(byMs: number): Omit<Action, 'turns'>[] {
    const { stage } = this.#play;
    if (!this.#take('time')) return [];
    stage.clock.move(byMs);
    const fire = (): void => {
      for (const life of stage.lives) void life.task(() => life.relay.sweep());
    };
    return [{ name: `${byMs / SECOND_MS} s pass`, fire }];
  }

  #crash(kind: 'kill' | 'empty', b: number, c: number): Omit<Action, 'turns'>[] {
    const { devices, stage } = this.#play;
    if (!this.#take('crash', ...devices.map(({ id }) => id))) return [];
    const moves = devices.map(({ id }) => id);
    if (kind === 'empty')
      return [{ name: 'the database is emptied', moves, crashes: true, fire: () => stage.world.empty(), after: () => this.#emptied() }];
    const at = stage.life(b % 2) ? b % 2 : 1 - (b % 2);
    const life = stage.life(at);
    if (!life) return [];
    const isRestart = (b >> 1) % 2 === 0 || stage.lives.length === 1;
    const die = (): void => {
      if (!life.dead) stage.kill(at);
    };
    const after = async (): Promise<void> => {
      die();
      for (const device of devices) if (device.seat?.life === life) this.#forget(device, false);
      if (isRestart) await stage.start(at);
      else await stage.pass(2 * stage.limits.replicaLeaseMs);
    };
    const [count, of] = c % 3 === 0 ? ([c + 1, 'statements'] as const) : ([(c % 2) + 1, 'transactions'] as const);
    const name = `replica ${at} dies after ${count} ${of}${isRestart ? ' and starts again' : ''}`;
    return [{ name, moves, crashes: true, fire: () => life.lightFuse(count, of, die), after }];
  }

  async #emptied(): Promise<void> {
    const { devices, stage } = this.#play;
    await stage.pass(stage.limits.replicaRefreshMs);
    for (const device of devices) this.#forget(device, false);
  }
}
