// What members, time and faults may do: each generated move becomes actions, once it is known how things stand. Numbers choose among what is
// there, so that every move means something and shrinks.
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import type { ReedId, RequestId, UserId } from '../../src/wire/address.ts';
import type { Frame, FrameOf, InvalidReason } from '../../src/wire/frames.ts';
import type { Subject } from './facts.ts';
import { AT_ONCE, FRAME_BYTES, type Move, pick, REASONS, recent, SECOND_MS, TIMES } from './generate.ts';
import type { Facts } from './model.ts';
import type { Action, Play } from './play.ts';

export class Moves {
  readonly #play: Play;
  /** Members whose connections change in these moves: what they do else must wait. */
  #moving = new Set<UserId>();
  #cut = false;
  #isFaulted = false;
  /** Requests of one batch are judged by what was before all of them: an id that another one gives up there is not free yet. */
  #several = false;
  #movedMs = 0;

  constructor(play: Play) {
    this.#play = play;
  }

  /** Actions for moves that begin together. */
  actions(of: readonly Move[]): Action[] {
    this.#moving = new Set();
    this.#cut = of.some((each) => each.kind === 'fault');
    this.#isFaulted = false;
    this.#movedMs = 0;
    this.#several = of.length > 1;
    const made: Action[] = [];
    // Made in the order in which they begin: who goes away sends nothing after it.
    for (const each of of.toSorted((one, other) => one.turns - other.turns))
      for (const action of this.#actions(each)) made.push({ ...action, turns: each.turns });
    // Time that has passed is never without the sweep that follows.
    return made.filter((action, at) => at < AT_ONCE || action.sweeps);
  }

  #actions(each: Move): readonly Action[] {
    const member = pick(this.#play.members, each.a) as UserId;
    switch (each.kind) {
      case 'request':
        return this.#request(member, each);
      case 'burst':
        return [0, 1, 2, 3].flatMap((more) => this.#request(member, { ...each, b: each.b + more, c: 0 }));
      case 'cancel':
        return this.#cancel(each);
      case 'answer':
        return this.#answer(each);
      case 'ack':
      case 'invalid':
        return this.#settle(each);
      case 'forged':
        return this.#forged(member, each);
      case 'time':
        return this.time(pick(TIMES, each.a) as number);
      case 'arrive':
        return this.arrive(member, each.b % 2);
      case 'leave':
        return this.#leave(member, each.b % 3 === 0);
      case 'vanish':
        return this.#vanish(member);
      case 'fill':
      case 'drain':
        return this.#fill(member, each.kind === 'fill');
      case 'arriving':
      case 'buffered':
        return this.#postpone(member, each.kind === 'arriving');
      case 'owe':
        return this.#owe(member, each.b);
      case 'remove':
      case 'block':
        return this.#forbid(each);
      case 'fault':
        return this.#faultOnce(each);
      default:
        return this.#tell(member, each);
    }
  }

  /** What a member sends through the connection that it has now. */
  #by(
    by: UserId,
    name: string,
    of: Pick<Action, 'apply' | 'about' | 'isJudgedTogether'> & { readonly frame: Frame; readonly refusal?: string },
  ): Action[] {
    const seat = this.#play.seatOf(by);
    if (this.#moving.has(by) || !seat) return [];
    const may = this.#cut ? ({ may: 'cut' } as const) : of.refusal === undefined ? {} : ({ may: 'refused', refusal: of.refusal } as const);
    const fire = (): void => {
      if (seat.open) seat.inbox.push(of.frame, FRAME_BYTES);
    };
    const about = of.about === undefined ? {} : { about: of.about };
    const judged = of.isJudgedTogether ? { isJudgedTogether: true } : {};
    return [{ by, name: `${this.#name(by)} ${name}`, turns: 0, apply: of.apply, fire, ...may, ...about, ...judged }];
  }

  #request(by: UserId, { b, c }: Move): Action[] {
    const play = this.#play;
    const subject = pick(play.subjects, b) as Subject;
    const own = play.requests.filter((request) => request.by === by);
    const again =
      c % 6 === 4 ? own.findLast((request) => request.subject === subject) : c % 12 === 5 && !this.#several ? recent(own, c) : undefined;
    return this.request(by, subject, again?.requestId ?? play.requestId(by));
  }

  request(by: UserId, subject: Subject, requestId: RequestId): Action[] {
    const made = this.#by(by, `requests ${this.#title(subject)}`, {
      apply: (facts, start = facts) => facts.request(by, subject, requestId, start.held),
      isJudgedTogether: true,
      refusal: requestId,
      ...this.#aboutOf(by, subject),
      frame:
        subject.kind === 'reed'
          ? { id: '', type: 'requestReed', body: { requestId, reedId: subject.id, authorId: subject.author } }
          : { id: '', type: 'requestThread', body: { requestId, threadId: subject.id } },
    });
    if (made.length > 0) this.#play.requests.push({ by, requestId, subject });
    return made;
  }

  #cancel({ a }: Move): Action[] {
    const request = recent(this.#play.requests, a);
    if (!request) return [];
    const { by, requestId } = request;
    return this.#by(by, `cancels ${this.#title(request.subject)}`, {
      apply: (facts) => facts.cancel(by, requestId),
      refusal: requestId,
      ...this.#aboutOf(by, request.subject),
      frame: { id: '', type: 'cancelRequest', body: { requestId } },
    });
  }

  #answer({ a, b, c }: Move): Action[] {
    const ask = recent(this.#play.asks, a);
    if (!ask) return [];
    const by = c % 10 === 9 ? (pick(this.#play.members, b) as UserId) : ask.holder;
    const attempt = c % 10 === 8 ? ask.attempt + 1 : ask.attempt;
    return this.answer(
      by,
      { ...ask, attempt },
      ['response', 'response', 'response', 'response', 'miss', 'error', 'busy', 'error', 'empty'][b % 9] as string,
    );
  }

  answer(by: UserId, ask: { eventId: string; attempt: number; subject: Subject }, how: string): Action[] {
    const { attempt, eventId: id, subject } = ask;
    const failure = { holder: by, id, attempt };
    const missingReedId = subject.kind === 'thread' ? (subject.parts[attempt % 2] ?? '') : '';
    const [apply, frame] = this.#answerOf(how, { failure, missingReedId });
    return this.#by(by, `answers ${this.#title(subject)} #${attempt} with ${how}`, {
      about: id,
      apply,
      frame,
    });
  }

  #answerOf(
    how: string,
    of: { failure: { holder: UserId; id: string; attempt: number }; missingReedId: string },
  ): readonly [Action['apply'], FrameOf<'relayResponse'> | FrameOf<'relayMiss'> | FrameOf<'relayError'>] {
    const { failure, missingReedId } = of;
    const { attempt, holder, id } = failure;
    if (how === 'miss')
      return [
        (f) => f.miss(failure, missingReedId === '' ? null : (missingReedId as never)),
        { id, type: 'relayMiss', body: { attempt, missingReedId } },
      ];
    if (how === 'error') return [(f) => f.error(failure), { id, type: 'relayError', body: { attempt, reason: 'FAILED' } }];
    if (how === 'busy') return [(f) => f.busy(failure), { id, type: 'relayError', body: { attempt, reason: 'BUSY' } }];
    if (how === 'empty') return [(f) => f.error(failure), { id, type: 'relayResponse', body: { attempt, ciphertext: new Uint8Array(0) } }];
    return [(f) => f.respond(holder, id), { id, type: 'relayResponse', body: { attempt, ciphertext: this.#play.ciphertext(holder, id) } }];
  }

  #settle({ kind, a, b, c }: Move): Action[] {
    const delivery = recent(this.#play.deliveries, a);
    if (!delivery) return [];
    const by = c % 8 === 7 ? (pick(this.#play.members, b) as UserId) : delivery.to;
    const reason = kind === 'invalid' ? (pick(REASONS, b) as InvalidReason) : null;
    const once = this.settle(by, delivery.eventId, reason);
    return c % 5 === 4 ? [...once, ...once.map((action) => ({ ...action }))] : once;
  }

  settle(by: UserId, id: string, reason: InvalidReason | null): Action[] {
    return this.#by(by, reason === null ? `acks ${id}` : `finds ${id} ${reason}`, {
      about: id,
      apply: (facts) => (reason === null ? facts.ack(by, id) : facts.invalid(by, id, reason)),
      frame: reason === null ? { id, type: 'dataAck', body: {} } : { id, type: 'dataInvalid', body: { reason } },
    });
  }

  /** Answers and acknowledgements for events that are somebody else's, not yet relayed, or nobody's. */
  #forged(by: UserId, { b, c }: Move): Action[] {
    const nobodys = uuidv7(this.#play.now, cryptoRandom);
    const id = c % 3 === 0 ? nobodys : (pick(this.#play.facts.events, c)?.id ?? nobodys);
    const subject = this.#play.facts.events.find((e) => e.id === id)?.subject ?? (pick(this.#play.subjects, 0) as Subject);
    if (b % 3 === 0) return this.settle(by, id, null);
    if (b % 3 === 1) return this.settle(by, id, 'BAD_SIGNATURE');
    return this.answer(by, { eventId: id, attempt: 1, subject }, ['response', 'miss', 'error'][c % 3] as string);
  }

  /** Time passes at once; then every replica sweeps. */
  time(byMs: number): Action[] {
    if (this.#movedMs > 0) return [];
    this.#movedMs = byMs;
    const { stage } = this.#play;
    stage.clock.move(byMs);
    // Not waited for here: a replica that is killed meanwhile never comes to the end of its sweep.
    const fire = (): void => {
      for (const life of stage.lives) void life.task(() => life.relay.sweep());
    };
    return [{ by: null, name: `${byMs / SECOND_MS} s pass`, turns: 0, sweeps: true, apply: () => undefined, fire }];
  }

  arrive(member: UserId, at: number): Action[] {
    if (this.#moving.has(member) || this.#cut || (this.#play.seats.get(member) ?? []).length >= 2) return [];
    this.#moving.add(member);
    return this.anew(member, at);
  }

  /** One more connection of a member, on a replica that lives; as every device does, it syncs. */
  anew(member: UserId, at: number): Action[] {
    const { stage, seats, note } = this.#play;
    const on = stage.life(at) ? at : 1 - at;
    const seat = stage.seat(on, member, note);
    if (!seat) return [];
    const open = seats.get(member) ?? [];
    const requestId = this.#play.requestId(member);
    const fire = async (): Promise<void> => {
      await seat.life.signIn(seat);
      seats.set(member, [...open, seat]);
      seat.inbox.push({ id: '', type: 'syncRequest', body: { requestId } }, FRAME_BYTES);
    };
    const apply = (facts: Facts): void => facts.arrive(member);
    return [{ by: member, name: `${this.#name(member)} signs in at ${on}`, turns: 0, unsteady: [member], arrives: member, apply, fire }];
  }

  #leave(member: UserId, all: boolean): Action[] {
    const { seats } = this.#play;
    const open = seats.get(member) ?? [];
    const going = all ? open : open.slice(0, 1);
    if (this.#moving.has(member) || this.#cut || going.length === 0) return [];
    this.#moving.add(member);
    const rest = open.filter((seat) => !going.includes(seat));
    const fire = (): void => {
      seats.set(member, rest);
      for (const seat of going) seat.close();
    };
    const apply = (facts: Facts): void => (rest.length === 0 ? facts.leave(member) : undefined);
    return [
      { by: member, name: `${this.#name(member)} closes ${going.length} of ${open.length}`, turns: 0, unsteady: [member], apply, fire },
    ];
  }

  /** Nobody notices yet. */
  #vanish(member: UserId): Action[] {
    for (const seat of this.#play.seats.get(member) ?? []) seat.deaf = true;
    return [];
  }

  #fill(member: UserId, full: boolean): Action[] {
    const open = this.#play.seats.get(member) ?? [];
    if (this.#moving.has(member) || open.length === 0 || this.#cut) return [];
    const name = `${this.#name(member)}'s buffers are ${full ? 'full' : 'empty'}`;
    const apply = (facts: Facts): void => void (full ? facts.full.add(member) : facts.full.delete(member));
    const fire = (): void => {
      for (const seat of open) {
        seat.full = full;
        seat.life.hub.look(member);
      }
    };
    return [{ by: null, name, turns: 0, apply, fire }];
  }

  #postpone(member: UserId, arriving: boolean): Action[] {
    const life = this.#play.seatOf(member)?.life;
    if (!life || this.#cut) return [];
    const apply = (facts: Facts): void => facts.postpone(member, arriving ? 'asked' : 'relayed');
    const fire = (): void => (arriving ? life.relay.bytesArriving([member]) : life.relay.stillBuffered([member]));
    return [{ by: null, name: `${this.#name(member)} ${arriving ? 'sends' : 'reads'} slowly`, turns: 0, apply, fire }];
  }

  /** An event as publication will open them, for a member who did not ask. */
  #owe(member: UserId, b: number): Action[] {
    const { stage } = this.#play;
    const [life] = stage.lives;
    const subject = pick(this.#play.subjects, b) as Subject;
    if (
      !life ||
      this.#cut ||
      this.#moving.has(member) ||
      ![...this.#play.facts.held].some((pair) => pair.endsWith(` ${subject.id}`) && !pair.startsWith(member))
    )
      return [];
    const fire = async (): Promise<void> => {
      await stage.world.owe(member, subject, this.#play.now);
      life.relay.looks.assign('due');
    };
    return [
      {
        by: null,
        name: `${this.#name(member)} is owed ${this.#title(subject)}`,
        turns: 0,
        apply: (facts) => facts.owe(member, subject),
        fire,
      },
    ];
  }

  #forbid({ kind, a, b, c }: Move): Action[] {
    const { stage } = this.#play;
    const subject = pick(this.#play.subjects, b) as Subject;
    const viewer = pick(this.#play.members, a) as UserId;
    if (this.#cut || c % 2 === 0 || viewer === subject.author) return [];
    return kind === 'remove'
      ? [
          {
            by: null,
            name: `${this.#title(subject)} is removed`,
            turns: 0,
            apply: (facts) => void facts.removed.add(subject.id),
            fire: () => stage.world.remove(subject.id),
          },
        ]
      : [
          {
            by: null,
            name: `${this.#name(viewer)} is blocked`,
            turns: 0,
            apply: (facts) => void facts.blocked.add(`${subject.author} ${viewer}`),
            fire: () => stage.world.block(subject.author, viewer),
          },
        ];
  }

  /** One at a time: a process that is killed while it starts, or while it is waited for, would never come to the end of that. */
  #faultOnce(each: Move): Action[] {
    const made = this.#isFaulted ? [] : this.#fault(each);
    this.#isFaulted ||= made.length > 0;
    return made;
  }

  #fault({ a, b }: Move): Action[] {
    const { members, stage, seats } = this.#play;
    const at = a % 2;
    const everybody = { by: null, turns: 0, unsteady: members };
    if (b % 6 === 5)
      return [{ ...everybody, name: 'the database is emptied', apply: (facts) => facts.emptied(), fire: () => this.#empty() }];
    const life = stage.life(at);
    if (!life && at >= this.#play.replicas) return [];
    if (!life) return [{ ...everybody, unsteady: [], name: `replica ${at} starts`, apply: () => undefined, fire: () => stage.start(at) }];
    const here = members.filter((member) => seats.get(member)?.some((seat) => seat.life === life));
    // Who starts alone starts with empty tables.
    const isLast = stage.lives.length === 1;
    const isRestart = b % 2 === 0 || isLast;
    const staying = new Set(here.filter((member) => seats.get(member)?.some((seat) => seat.life !== life)));
    const apply = (facts: Facts): void => {
      if (isLast) facts.emptied();
      else for (const member of here) if (!staying.has(member)) facts.leave(member);
    };
    const fire = async (): Promise<void> => {
      stage.kill(at);
      for (const member of here)
        seats.set(
          member,
          (seats.get(member) ?? []).filter((seat) => seat.life !== life),
        );
      await (isRestart ? stage.start(at) : stage.pass(2 * stage.limits.replicaLeaseMs));
    };
    return [{ ...everybody, unsteady: here, name: `replica ${at} ${isRestart ? 'is restarted' : 'dies'}`, apply, fire }];
  }

  async #empty(): Promise<void> {
    const { seats, stage } = this.#play;
    await stage.world.empty();
    seats.clear();
    await stage.pass(stage.limits.replicaRefreshMs);
  }

  #tell(by: UserId, { kind, b }: Move): Action[] {
    const requestId = this.#play.requestId(by);
    if (kind === 'sync')
      return this.#by(by, 'syncs', { apply: () => undefined, frame: { id: '', type: 'syncRequest', body: { requestId } } });
    const reedId = pick(this.#play.subjects, b)?.parts.at(-1) as ReedId;
    return this.#by(by, `evicts ${reedId}`, {
      apply: (facts) => facts.evict(by, reedId),
      frame: { id: '', type: 'eviction', body: { reedId } },
    });
  }

  #aboutOf(by: UserId, subject: Subject): Pick<Action, 'about'> {
    const id = this.#play.facts.events.find((e) => e.requester === by && e.subject === subject)?.id;
    return id ? { about: id } : {};
  }

  #name = (member: UserId): string => `m${this.#play.members.indexOf(member)}`;
  #title = (subject: Subject): string => `s${this.#play.subjects.indexOf(subject)}`;
}
