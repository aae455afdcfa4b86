// One run: a few actions at a time are begun side by side, everything comes to rest, the model is told what was committed, and what members were
// sent meanwhile is judged: nothing that they may not see, nothing twice, and by the right message.
import { inspect } from 'node:util';
import { AppError } from '../../src/base/errors.ts';
import { type ReedId, type UserId, type UserKeyId, userOf } from '../../src/wire/address.ts';
import type { Person } from '../support/people.ts';
import { type Act, isCommitted } from './owed-acts.ts';
import { type Delivery, Device } from './owed-device.ts';
import { OwedModel, type Post } from './owed-model.ts';
import { ARCHIVIST, type OwedStage, PRIVATE } from './owed-stage.ts';
import type { Life, Stage } from './stage.ts';

export type Action = {
  readonly name: string;
  /** How many turns of the loop later than the others. */
  readonly turns: number;
  readonly fire: () => Promise<void> | void;
  /** Once all that was begun is over. */
  readonly after?: () => Promise<void>;
  /** Members whose connections, or what they watch, change. */
  readonly moves?: readonly UserId[];
  /** A process or the database dies: what was under way may have to wait for its date. */
  readonly crashes?: boolean;
};

type Sent = { readonly act: Act; outcome: 'none' | 'taken' | { readonly refused: string }; isApplied: boolean };
type Judged = {
  readonly device: Device;
  readonly frame: Delivery;
  readonly post: Post;
  readonly wasHeld: boolean;
  readonly isAsked: boolean;
  readonly isSecond: boolean;
  readonly wasEvicted: boolean;
};

const sameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((each) => other.has(each));

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

export class OwedPlay {
  readonly stage: Stage;
  readonly devices: readonly Device[];
  readonly model = new OwedModel();
  readonly watches = new Map<UserId, Set<string>>();
  /** Acts that were not answered: sent again later. */
  unanswered: Act[] = [];
  /** What was done, a line for what began together. */
  readonly history: string[] = [];
  /** `member post`: delivered to those who were there and stay, though only to them. */
  readonly due = new Set<string>();
  /** `member post`: at some time there was a reason to have it. */
  readonly may = new Set<string>();
  /** Members who have synced and stayed since. */
  readonly steady = new Set<UserId>();
  /** `post message member` of each way there ever was. */
  readonly #ways = new Set<string>();
  readonly #cut = new Set<string>();
  /** `member post`: evicted, acknowledged, and not asked for since. */
  readonly #evicted = new Set<string>();
  readonly #streamed = new Set<string>();
  #stream: (readonly [UserId, Post])[] = [];
  /** Published, with the debt of its fan-out still open. */
  #fresh = new Set<ReedId>();
  #sent: Sent[] = [];
  #judged: Judged[] = [];
  #faults: string[] = [];
  /** Members were told that these ended. */
  #noticed: (readonly [UserId, string])[] = [];
  readonly #archivist: UserId | undefined;

  constructor({ people, stage }: OwedStage) {
    this.stage = stage;
    this.#archivist = people[ARCHIVIST]?.user;
    const closed = people[PRIVATE]?.user;
    if (closed) this.model.private.add(closed);
    this.devices = people.map((person) => {
      this.watches.set(person.user, new Set());
      return new Device(person, {
        now: () => this.now,
        postOf: this.postOf,
        delivered: (device, frame) => this.#note(device, frame),
        streamed: (device, post) => this.#noteStream(device, post),
        noticed: ({ id }, subject) => void this.#noticed.push([id, subject]),
        declines: ({ id }, post, does) => {
          for (const set of [this.model.declined, this.#evicted]) set[does ? 'add' : 'delete'](`${id} ${post}`);
        },
        trace: (what) => void this.history.push(`  ${what}`),
        fault: (what) => void this.#faults.push(what),
      });
    });
  }

  get now(): number {
    return this.stage.clock.now();
  }

  postOf = (id: string): Post => {
    const post = this.model.posts.get(id as ReedId) ?? this.#drafts.get(id);
    if (!post) throw new Error(`nobody wrote ${id}`);
    return post;
  };
  readonly #drafts = new Map<string, Post>();

  deviceOf = (user: UserId): Device => this.devices.find(({ id }) => id === user) as Device;
  watchesOf = (user: UserId): ReadonlySet<string> =>
    new Set([...(this.watches.get(user) ?? []), ...(user === this.#archivist ? ['archive'] : [])]);

  /** Its connections have ended: what is owed only to who is there is owed no more. */
  forget(device: Device, isStillWatching = false): void {
    this.#dueNoMore((member) => member === device.id);
    if (isStillWatching) return;
    this.watches.get(device.id)?.clear();
    device.left();
  }

  #dueNoMore(ends: (member: UserId, author: UserId) => boolean): void {
    for (const key of [...this.due]) {
      const [member, post] = key.split(' ') as [UserId, ReedId];
      if (ends(member, userOf(post))) this.due.delete(key);
    }
  }

  /** Sends an act to a process. What its author's device does next follows the answer. */
  state(act: Act, life: Life, post?: Post): void {
    const sent: Sent = { act, outcome: 'none', isApplied: false };
    this.#sent.push(sent);
    if (post) this.#drafts.set(post.id, post);
    void life.task(async () => {
      try {
        await act.run(life.acts as NonNullable<Life['acts']>);
        sent.outcome = 'taken';
      } catch (error) {
        sent.outcome = { refused: error instanceof AppError ? error.code : inspect(error) };
        return;
      }
      const written = this.#drafts.get(act.post ?? '');
      if (written === undefined) return;
      const device = this.deviceOf(written.author);
      if (!device.own.has(written.id)) device.own.set(written.id, false);
      device.ready(written.id);
    });
  }

  /** A member reads a key to verify with: as far as it is answered, it knows it from then on, and what ended it. */
  readKey = (device: Device, key: UserKeyId, life: Life, chain: boolean): void => {
    void life.task(async () => {
      const read = await life.acts?.keys.read(device.id, key, { forRelay: false, chain });
      if (read) for (const each of read.chain ?? [read]) device.knows(each.certificate.statement.key, each.revocation !== undefined);
    });
  };

  /** Carries out actions side by side, lets everything come to rest, and judges. */
  async run(actions: readonly Action[]): Promise<void> {
    const before = this.model.copy();
    const watched = new Map(this.devices.map(({ id }) => [id, this.watchesOf(id)]));
    const moved = new Set(actions.flatMap(({ moves = [] }) => moves));
    const steady = new Set([...this.steady].filter((member) => !moved.has(member)));
    this.history.push(actions.map(({ name }) => name).join(' | '));
    const clean = !actions.some(({ crashes }) => crashes);
    const had = this.devices
      .filter(({ isHonest }) => isHonest)
      .map(({ id, copies, keys }) => ({ id, copies: new Map(copies), keys: new Map(keys) }));
    await Promise.all(
      actions.map(async ({ fire, turns }) => {
        for (let left = turns; left > 0; left -= 1) await turn();
        await fire();
      }),
    );
    await this.stage.rest();
    for (const { after } of actions) await after?.();
    await this.stage.rest();
    for (const { failures } of this.stage.lives) for (const failure of failures.splice(0)) this.#faults.push(inspect(failure));
    await this.#learn(before, clean);
    await this.stage.rest();
    await this.#learnEnds(before);
    this.#expect(before, watched, clean ? steady : new Set());
    this.#judgeStream(before);
    this.#judge(before, watched, clean ? steady : new Set());
    this.#judgeNotices();
    if (clean) for (const each of had) if (steady.has(each.id)) this.#judgeUntold(before, each);
    const [fault] = this.#faults;
    if (fault) throw new Error(fault);
    for (const device of this.devices) if (device.isHere && !moved.has(device.id)) this.steady.add(device.id);
    for (const device of this.devices) if (!device.isHere) this.steady.delete(device.id);
  }

  /** Tells the model what was committed, answered or not. */
  async #learn(before: OwedModel, isClean: boolean): Promise<void> {
    const { application } = this.stage;
    for (const sent of this.#sent.splice(0)) {
      const { act, outcome } = sent;
      const isLost = outcome === 'none';
      if (isLost) this.unanswered.push(act);
      if (isLost && (await isCommitted(application, { ...act, signed: act.signed.slice(0, 1) }))) this.#begun.add(act);
      const refusal = before.ended.has(act.by.keyId) && !act.next ? 'KEY_REVOKED' : this.#begun.has(act) ? null : act.refuses(before);
      if (typeof outcome === 'object' && outcome.refused !== refusal)
        this.#faults.push(`${act.name} was refused with ${outcome.refused}, not ${refusal}`);
      if (outcome === 'taken' && refusal !== null && !this.#applied.has(act))
        this.#faults.push(`${act.name} was taken, not refused with ${refusal}`);
      if (this.#applied.has(act) || (outcome !== 'taken' && !(isLost && (await isCommitted(application, act))))) continue;
      this.#applied.add(act);
      act.apply(this.model);
      if (act.next) this.#signedOut(act.next, isClean);
    }
    for (const pair of this.model.blocks) if (!before.blocks.has(pair)) this.#cutOff(pair);
    for (const pair of before.blocks)
      if (!this.model.blocks.has(pair)) for (const id of pair.split(' ')) this.deviceOf(id as UserId).mustSync = true;
    const waiting = [...this.model.posts.keys()].filter((id) => !this.model.published.has(id));
    const rows = await application.query<{ id: ReedId; owing: boolean }>({
      text: `select r.id, exists (select from pending_fanout f where f.kind = 'publication' and f.subject_id = r.id) as owing
        from reeds r where r.id = any($1::text[]) and r.published_at is not null`,
      values: [[...waiting, ...this.#fresh]],
    });
    for (const { id } of rows) this.model.published.add(id);
    this.#fresh = new Set(rows.flatMap(({ id, owing }) => (owing ? [id] : [])));
  }
  readonly #applied = new Set<Act>();
  /** What a part of was taken before the answer was lost: what came in between refuses the rest no more. */
  readonly #begun = new Set<Act>();

  /** Whose sessions ended with an act of its own, which is not said again. */
  #signedOut(person: Person, isClean: boolean): void {
    const device = this.deviceOf(person.user);
    device.person = person;
    this.unanswered = this.unanswered.filter((act) => act.next?.user !== person.user);
    const open = device.seats.filter((seat) => seat.open);
    // Replicas live in one process, whose end closes all: of one that dies alone the others' sockets stay.
    if (open.length > 0 && isClean) this.#faults.push(`${device.id} is connected though its session ended`);
    for (const seat of open) seat.close();
    this.forget(device);
  }

  /** What is hidden is owed to nobody; what is there again comes with the next sync. */
  async #learnEnds(before: OwedModel): Promise<void> {
    const { model } = this;
    const gone = await this.stage.application.query<{ id: UserId }>({
      text: 'select user_id as id from account_removals where statement_hash is not null and user_id = any($1::text[])',
      values: [[...model.hidden]],
    });
    for (const { id } of gone) model.depart(id);
    this.#dueNoMore((_, author) => model.isAway(author));
    if ([...before.hidden].some((user) => !model.isAway(user))) for (const device of this.devices) device.mustSync = true;
  }

  #judgeNotices(): void {
    const { ended, gone, removed } = this.model;
    for (const [member, subject] of this.#noticed.splice(0))
      if (!ended.has(subject as UserKeyId) && !gone.has(subject as UserId) && !removed.has(subject as ReedId))
        this.#faults.push(`${member} was told that ${subject} ended`);
  }

  /** Who was there, and had something that ended just now, was told at once. */
  #judgeUntold(before: OwedModel, had: Pick<Device, 'id' | 'copies' | 'keys'>): void {
    const device = this.deviceOf(had.id);
    const { bereft, ended, gone, removed } = this.model;
    if (!device.isHonest || !device.isHere) return;
    const fault = (what: string): void => void this.#faults.push(`${had.id} was there, and not told that ${what} ended`);
    for (const [key, state] of had.keys)
      if (state === 'good' && ended.has(key) && !before.ended.has(key) && device.keys.get(key) === 'good') fault(key);
    for (const user of gone) if (!before.gone.has(user) && bereft.has(`${had.id} ${user}`) && !device.departed.has(user)) fault(user);
    for (const [post, state] of had.copies)
      if (state === 'held' && removed.has(post) && !before.removed.has(post) && device.copies.has(post)) fault(post);
  }

  #cutOff(pair: string): void {
    const [one, other] = pair.split(' ') as [UserId, UserId];
    this.#cut.add(`${one} ${other}`).add(`${other} ${one}`);
  }

  /** Who was there for what was published just now, and stays, is to get it; who may have it has a reason. */
  #expect(before: OwedModel, watched: ReadonlyMap<UserId, ReadonlySet<string>>, steady: ReadonlySet<UserId>): void {
    for (const post of this.model.posts.values()) {
      if (!this.model.published.has(post.id)) continue;
      const isNew = !before.published.has(post.id);
      for (const { id: member } of this.devices) {
        const key = `${member} ${post.id}`;
        const [was, is] = [watched.get(member) ?? new Set<string>(), this.watchesOf(member)];
        const isLive = isNew || this.#fresh.has(post.id);
        const any = isLive ? new Set([...was, ...is]) : new Set<string>();
        const ways = [...before.ways(member, post, any), ...this.model.ways(member, post, any)];
        for (const way of ways) this.#ways.add(`${post.id} ${way} ${member}`);
        if (ways.length > 0) this.may.add(key);
        const isServed = isNew && !this.#fresh.has(post.id) && steady.has(member) && this.model.isOpenTo(member, post);
        if (
          isServed &&
          this.deviceOf(member).isHonest &&
          this.model.ways(member, post, new Set([...was].filter((watch) => is.has(watch)))).length > 0
        )
          this.due.add(key);
      }
    }
  }

  #note(device: Device, frame: Delivery): void {
    const post = this.postOf(frame.body.reedId);
    const wasHeld = device.copies.get(post.id) === 'held';
    const isSecond = device.isPuttingOff(post.id, frame.id, this.stage.limits.relaysPerEvent);
    const wasEvicted = this.#evicted.has(`${device.id} ${post.id}`);
    this.#judged.push({ device, frame, post, wasHeld, isAsked: frame.body.requestId !== '', isSecond, wasEvicted });
    if (device.mood.takes !== 'now') this.due.delete(`${device.id} ${post.id}`);
    if (device.isDeclining) this.model.declined.add(`${device.id} ${post.id}`);
  }

  #noteStream({ id: member }: Device, id: string): void {
    const post = this.postOf(id);
    if (this.#streamed.has(`${member} ${id}`)) this.#faults.push(`${member} was sent ${id} twice in the community stream`);
    this.#streamed.add(`${member} ${id}`);
    this.#stream.push([member, post]);
  }

  #judgeStream(before: OwedModel): void {
    for (const [member, post] of this.#stream.splice(0)) {
      const fault = (why: string): void => void this.#faults.push(`${member} was sent ${post.id} in the community stream, ${why}`);
      if (!post.broadcast || !this.model.published.has(post.id)) fault('which is not for it');
      if (before.removed.has(post.id)) fault('which was removed');
      if (before.isAway(post.author) && this.model.isAway(post.author)) fault('whose author is gone');
      if (before.isCut(member, post.author) && this.model.isCut(member, post.author)) fault('over a block');
    }
  }

  #judge(before: OwedModel, watched: ReadonlyMap<UserId, ReadonlySet<string>>, steady: ReadonlySet<UserId>): void {
    for (const judged of this.#judged.splice(0)) {
      const { device, frame, isAsked, isSecond, post, wasEvicted, wasHeld } = judged;
      const { id: member } = device;
      const wasCut = this.#cut.has(`${member} ${post.author}`);
      const fault = (why: string): void => void this.#faults.push(`${member} was sent ${post.id} by ${frame.type}, ${why}`);
      if (!this.model.published.has(post.id)) fault('which is not published');
      if (before.removed.has(post.id)) fault('which was removed');
      if (before.isAway(post.author) && this.model.isAway(post.author)) fault('whose author is gone');
      if (before.isCut(member, post.author) && this.model.isCut(member, post.author)) fault('over a block');
      if (isAsked) continue;
      if (post.author === member) fault('its own');
      if (wasEvicted && !wasCut) fault('which it has evicted');
      if (wasHeld && !wasCut) fault('which it has acknowledged');
      if (isSecond && !wasCut) fault('while another delivery of it was in flight');
      if (!this.#ways.has(`${post.id} ${frame.type} ${member}`)) fault('which is not the way');
      const [was, is] = [watched.get(member) ?? new Set<string>(), this.watchesOf(member)];
      const isPlain = steady.has(member) && !before.published.has(post.id) && sameSet(was, is);
      const [strongest] = this.model.ways(member, post, was);
      const isSame = before.ways(member, post, was)[0] === strongest;
      if (isPlain && isSame && strongest !== undefined && frame.type !== strongest) fault(`though ${strongest} is stronger`);
    }
  }
}
