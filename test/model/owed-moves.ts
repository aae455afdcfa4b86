// What members, time and faults may do in a run: each generated move becomes an action, once it is known how things stand. Numbers choose among
// what is there, so that every move means something and shrinks.
import fc from 'fast-check';
import type { ReedId, UserId, UserKeyId } from '../../src/wire/address.ts';
import type { InvalidReason } from '../../src/wire/frames.ts';
import { pick, SECOND_MS, TIMES } from './generate.ts';
import { type Act, draft, like, register, relate, remove } from './owed-acts.ts';
import { OwedConnections } from './owed-connections.ts';
import { type Device, HONEST, type Mood } from './owed-device.ts';
import { removeAccount, revoke, rotate, withdraw } from './owed-endings.ts';
import type { Post, Relation } from './owed-model.ts';
import type { Action, OwedPlay } from './owed-play.ts';

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
  tab: 3,
  closeTab: 3,
  evict: 4,
  ask: 5,
  readKey: 8,
  like: 3,
  rotate: 4,
  recover: 3,
  revoke: 1,
  removeAccount: 2,
  withdraw: 2,
} as const;
export type OwedMove = {
  readonly kind: keyof typeof KINDS;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly turns: number;
};

const ACTS = [
  'publish',
  'follow',
  'follow',
  'block',
  'unblock',
  'remove',
  'rotate',
  'recover',
  'removeAccount',
  'readKey',
  'evict',
] as const;

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

type Ending = 'rotate' | 'recover' | 'revoke' | 'removeAccount' | 'withdraw';
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
  /** Members who make an act of this batch or are needed for one; and those whose key or account ends in it. */
  #acting = new Set<UserId>();
  #ending = new Set<UserId>();
  readonly #connections: OwedConnections;
  #sent = 0;

  constructor(play: OwedPlay) {
    this.#play = play;
    this.#connections = new OwedConnections(play, (...keys) => this.#take(...keys));
  }

  /** Actions for moves that begin together. */
  async actions(of: readonly OwedMove[]): Promise<Action[]> {
    this.#taken = new Set();
    this.#acting = new Set();
    this.#ending = new Set();
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
      case 'like':
        return this.#like(device, b, c);
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
        return this.#connections.leave(device, kind === 'vanish');
      case 'sync':
        return this.sync(device);
      case 'time':
        return this.time(pick(TIMES, b) as number);
      case 'tab':
        return this.#connections.tab(device, b);
      case 'closeTab':
        return this.#connections.closeTab(device, b);
      case 'evict':
        return this.#evict(device, b);
      case 'ask':
        return this.#ask(device, b);
      case 'readKey':
        return this.#readKey(device, b, c);
      case 'rotate':
      case 'recover':
      case 'revoke':
      case 'removeAccount':
      case 'withdraw':
        return this.end(device, kind);
      default:
        return this.#connections.crash(kind, b, c);
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
    if (this.#play.unanswered.some((act) => act.by.user === by.id)) return this.again(by);
    return this.#play.model.isMember(by.id) ? this.#state(await made, post) : [];
  }

  /** States again what was not answered. */
  again(by: Device): Omit<Action, 'turns'>[] {
    const { model, unanswered } = this.#play;
    const own = unanswered.filter((act) => act.by.user === by.id);
    return own.flatMap((act) => (act.next || model.isMember(by.id) ? this.#state(act) : []));
  }

  /** No act is made that needs a key or an account while it ends. */
  #takeMembers({ by, next, touches = [] }: Act): boolean {
    const needed = [by.user, ...touches];
    if (needed.some((user) => this.#ending.has(user)) || (next && this.#acting.has(by.user))) return false;
    for (const user of needed) this.#acting.add(user);
    if (next) this.#ending.add(by.user);
    return true;
  }

  #state(act: Act, post?: Post): Omit<Action, 'turns'>[] {
    const play = this.#play;
    // Nobody comes or goes in a batch in which a process dies.
    const connections = act.next && !this.#taken.has('crash') ? [act.by.user] : [];
    if (!this.#take(...act.about, ...connections) || !this.#takeMembers(act)) return [];
    const fire = (): void => {
      // Over HTTP any process may get it, whichever has the socket.
      this.#sent += 1;
      const to = pick(play.stage.lives, this.#sent);
      if (!to) return;
      play.unanswered = play.unanswered.filter((each) => each !== act);
      play.state(act, to, post);
    };
    return [{ name: act.name, fire, ...(act.next ? { moves: [act.by.user] } : {}) }];
  }

  /** What ends a member's key or account, or takes that back, where it may. */
  async end(device: Device, kind: Ending): Promise<Omit<Action, 'turns'>[]> {
    const { model, stage, unanswered } = this.#play;
    const { id, person } = device;
    if (unanswered.some((act) => act.by.user === id)) return this.again(device);
    const isFrozen = model.frozen.has(id);
    const isPossible = {
      rotate: model.isMember(id),
      recover: !model.gone.has(id),
      revoke: !model.gone.has(id) && !isFrozen,
      removeAccount: model.isMember(id),
      withdraw: model.hidden.has(id),
    }[kind];
    if (!isPossible) return [];
    stage.clock.move(1);
    if (kind === 'rotate' || kind === 'recover')
      return this.#state(await rotate(person, kind === 'rotate' ? 'key' : 'recovery', isFrozen, stage));
    return this.#state(await { revoke, removeAccount, withdraw }[kind](person, stage));
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

  async #like(by: Device, b: number, c: number): Promise<Omit<Action, 'turns'>[]> {
    const { model } = this.#play;
    const post = model.posts.get(pick([...model.published], b) as ReedId);
    if (!post) return [];
    return this.#act(by, like(by.person, c % 4 === 0 || model.likes.has(`${by.id} ${post.id}`) ? 'unlike' : 'like', post, this.#now));
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
        // Where no process lives nothing was said.
        if (this.#play.stage.lives.length > 0) by.own.delete(post.id);
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

  /** A new connection, and what a device does then. */
  arrive(device: Device, b: number): Omit<Action, 'turns'>[] {
    const arrival = this.#connections.arrive(device, b);
    return arrival.length === 0 ? [] : [...arrival, ...this.again(device)];
  }

  #evict(device: Device, b: number): Omit<Action, 'turns'>[] {
    const post = pick([...device.copies.keys()], b);
    if (post === undefined || !device.isHere) return [];
    const fire = (): void => {
      this.#play.due.delete(`${device.id} ${post}`);
      device.evict(post);
    };
    return [{ name: `${device.id} evicts ${post}`, fire }];
  }

  /** Most of the time for what it does not get of itself. */
  #ask(device: Device, b: number): Omit<Action, 'turns'>[] {
    const { may, model } = this.#play;
    const declined = [...model.published].filter((id) => model.declined.has(`${device.id} ${id}`));
    const post = pick(b % 4 > 0 && declined.length > 0 ? declined : [...model.published], b >> 2);
    if (post === undefined || !device.isHere) return [];
    const fire = (): void => {
      may.add(`${device.id} ${post}`);
      device.ask(post);
    };
    return [{ name: `${device.id} asks for ${post}`, fire }];
  }

  #readKey(device: Device, b: number, c: number): Omit<Action, 'turns'>[] {
    const { devices, model, readKey } = this.#play;
    const owner = pick(devices, b) as Device;
    const former = [...model.ended].filter((key) => key.startsWith(owner.id));
    const key = pick([owner.person.keyId, owner.person.keyId, ...former], c) as UserKeyId;
    if (owner === device || !device.isHere) return [];
    this.#sent += 1;
    const life = pick(this.#play.stage.lives, this.#sent);
    return life ? [{ name: `${device.id} reads ${key}`, fire: () => readKey(device, key, life, c % 2 === 0) }] : [];
  }

  sync(device: Device): Omit<Action, 'turns'>[] {
    if (!device.isHere || !this.#take(device.id)) return [];
    return [{ name: `${device.id} syncs`, fire: () => device.sync() }];
  }

  /** Time passes at once; then every replica sweeps. */
  time(byMs: number): Omit<Action, 'turns'>[] {
    const { model, stage } = this.#play;
    // An account may end for good by it.
    if ([...model.hidden].some((user) => this.#acting.has(user)) || !this.#take('time')) return [];
    for (const user of model.hidden) this.#ending.add(user);
    stage.clock.move(byMs);
    const fire = (): void => {
      for (const life of stage.lives) void life.task(() => life.relay.sweep());
    };
    return [{ name: `${byMs / SECOND_MS} s pass`, fire }];
  }
}
