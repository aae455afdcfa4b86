// One run: a cast on a stage, moves that are carried out a few at a time without waiting in between, and after each few the comparison with
// the model. Ends with everybody back, honest and patient: then whatever is open must come to its end.
import { inspect } from 'node:util';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import type { ReedId, RequestId, UserId } from '../../src/wire/address.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { type Ask, adopt, type Command, explain, overBounds, ROWS, type Rows, restless, wrongAsk } from './check.ts';
import type { Subject } from './facts.ts';
import { Facts } from './model.ts';
import { reportOf, type Scene } from './report.ts';
import type { Seat, Stage } from './stage.ts';

export type Action = Command & {
  /** Begins it; what follows is waited for by the stage's rest. */
  readonly fire: () => Promise<void> | void;
  /** How many turns of the loop later than the others. */
  readonly turns: number;
  /** Presence or processes change: members need not hear everything. */
  readonly unsteady?: readonly UserId[];
  readonly arrives?: UserId;
};
export type Delivered = { readonly to: UserId; readonly eventId: string };

const UTF8 = { in: new TextEncoder(), out: new TextDecoder() };
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
export const memberOf = (seat: Seat): UserId => seat.member.userId;

const nameOf = (actions: readonly Action[]): string => actions.map((action) => action.name).join(' | ');

export class Play {
  readonly stage: Stage;
  readonly members: readonly UserId[];
  readonly replicas: number;
  readonly subjects: Subject[] = [];
  facts: Facts;
  /** Open connections, the oldest first. */
  readonly seats = new Map<UserId, Seat[]>();
  readonly asks: (Ask & { readonly unseen: boolean })[] = [];
  readonly deliveries: (Delivered & { readonly unseen: boolean })[] = [];
  readonly requests: { readonly by: UserId; readonly requestId: RequestId; readonly subject: Subject }[] = [];
  readonly #said: string[] = [];
  readonly #newAsks: Ask[] = [];
  readonly #asked = new Set<string>();
  /** Events that may rest until their date, since others were in the way. */
  readonly #excused = new Map<string, number>();
  #faults: string[] = [];
  readonly #scenes: Scene[] = [];
  #lastRows: Rows = { events: [], tries: [], held: [], strikes: [], online: [] };

  constructor(stage: Stage, members: readonly UserId[], replicas: number) {
    this.stage = stage;
    this.members = members;
    this.replicas = replicas;
    this.facts = new Facts(stage.limits);
    this.facts.now = stage.clock.now();
  }

  get now(): number {
    return this.stage.clock.now();
  }

  get alone(): boolean {
    return this.replicas === 1;
  }

  requestId = (by: UserId): RequestId => `${by}/${uuidv7(this.now, cryptoRandom)}` as RequestId;

  /** Published reeds, one of them a thread of two, with copies at their authors and by the bits of `held` at others. */
  async cast(count: number, held: number): Promise<void> {
    const rows: { id: ReedId; author: UserId; head: ReedId | null; index: number | null }[] = [];
    const fresh = (author: UserId): ReedId => `${author}/${uuidv7(Date.now(), cryptoRandom)}` as ReedId;
    for (let at = 0; at < count; at += 1) {
      const author = this.members[at % 3] as UserId;
      const id = fresh(author);
      const parts = at === 1 ? [id, fresh(author)] : [id];
      this.subjects.push({ id, kind: at === 1 ? 'thread' : 'reed', author, parts });
      for (const [index, part] of parts.entries())
        rows.push({ id: part, author, head: at === 1 ? id : null, index: at === 1 ? index : null });
      const holders = this.members.filter((member, nth) => member === author || ((held >> ((at * 5 + nth) % 30)) & 1) === 1);
      for (const holder of holders) for (const part of parts) this.facts.held.add(`${holder} ${part}`);
    }
    const pairs = [...this.facts.held].map((pair) => pair.split(' '));
    await this.stage.world.db.query({
      text: `with p as (insert into reed_identities (id, server_id, author_id) select r.id, split_part(r.author, '@', 2), r.author from unnest($1::text[], $2::text[]) r(id, author)),
        r as (insert into reeds (id, author_id, statement_hash, registered_at, published_at, thread_head, thread_index)
          select r.id, r.author, u.identity_hash, now(), now(), r.head, r.index from unnest($1::text[], $2::text[], $3::text[], $4::smallint[]) r(id, author, head, index)
          join users u on u.id = r.author)
        insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select h, i, 'd', current_date from unnest($5::text[], $6::text[]) a(h, i)`,
      values: [
        rows.map((r) => r.id),
        rows.map((r) => r.author),
        rows.map((r) => r.head),
        rows.map((r) => r.index),
        pairs.map((p) => p[0]),
        pairs.map((p) => p[1]),
      ],
    });
  }

  /** The newest connection of a member that can still be sent through. */
  seatOf(member: UserId): Seat | null {
    return this.seats.get(member)?.findLast((seat) => seat.open && !seat.deaf) ?? null;
  }

  /** A frame was written to a connection. */
  note = (seat: Seat, frame: Frame): void => {
    const to = memberOf(seat);
    const say = (what: string): void => void this.#said.push(`${to} ${what}`);
    switch (frame.type) {
      case 'relayRequest':
      case 'relayThread': {
        const id = frame.type === 'relayThread' ? frame.body.threadId : frame.body.reedId;
        const { attempt, requesterId } = frame.body;
        this.#noteAsk({ holder: to, eventId: frame.id, attempt, requester: requesterId as UserId, subject: this.subjectOf(id) }, seat.deaf);
        return;
      }
      case 'dataResponse':
      case 'followReed':
        this.deliveries.push({ to, eventId: frame.id, unseen: seat.deaf });
        this.#noteContent(to, frame.id, UTF8.out.decode(frame.body.ciphertext));
        return say(`CONTENT ${frame.id} ${frame.body.requestId} ${UTF8.out.decode(frame.body.ciphertext).split(' ')[0]}`);
      case 'settled':
        for (const each of frame.body.events) say(`SETTLED ${each.eventId} ${each.outcome}`);
        return;
      case 'reedNotHeld':
        return say(`NOT_HELD ${frame.body.requestId}`);
      case 'reedNotFound':
        return say(`NOT_FOUND ${frame.body.requestId}`);
      case 'reedRemoved':
        return say(`REMOVED ${frame.body.requestId}`);
      case 'userBlocked':
        return say(`BLOCKED ${frame.body.requestId}`);
      case 'evictionAck':
        return say(`EVICTED ${frame.body.reedId}`);
      case 'error':
        return say(`ERROR ${frame.body.code} ${frame.body.requestId}`);
      case 'requestAck':
        return;
      default:
        this.#faults.push(`${to} was sent ${frame.type}`);
    }
  };

  /** A failure with all that happened before, and short names for ids. */
  readable(why: string): string {
    const text = `${why}\n\n  ${reportOf(this.#scenes)}\n`;
    const subjects = this.subjects.flatMap(({ parts }, at) =>
      parts.map((part, nth) => [part, `s${at}${nth > 0 ? `/${nth}` : ''}`] as const),
    );
    const members = this.members.map((member, at) => [member, `m${at}`] as const);
    return [...subjects, ...members].reduce((said, [id, name]) => said.replaceAll(id, name), text);
  }

  subjectOf = (id: string): Subject => this.subjects.find((subject) => subject.id === id) as Subject;

  ciphertext = (holder: UserId, eventId: string): Uint8Array<ArrayBuffer> => UTF8.in.encode(`${holder} ${eventId}`);

  #noteAsk(ask: Ask, unseen: boolean): void {
    const key = `${ask.eventId} ${ask.attempt}`;
    if (this.#asked.has(key)) this.#faults.push(`asked twice: ${key}`);
    this.#asked.add(key);
    this.asks.push({ ...ask, unseen });
    this.#newAsks.push(ask);
  }

  /** Content is its requester's alone, and from somebody who was asked for it. */
  #noteContent(to: UserId, eventId: string, text: string): void {
    const [from, of] = text.split(' ');
    if (of !== eventId) this.#faults.push(`${eventId} was delivered with the content of ${of}`);
    if (!this.asks.some((ask) => ask.eventId === eventId && ask.holder === from && ask.requester === to))
      this.#faults.push(`${to} was sent content of ${from}, who was not asked for it`);
  }

  async rows(): Promise<Rows> {
    const [rows] = await this.stage.application.query<Rows>({ name: 'model_rows', text: ROWS });
    return rows as Rows;
  }

  /** Carries out actions side by side, lets everything come to rest, and compares. */
  async run(actions: readonly Action[], clean = true): Promise<void> {
    const { stage } = this;
    this.facts.now = this.now;
    const before = this.facts;
    await Promise.all(
      actions.map(async (action) => {
        for (let turns = action.turns; turns > 0; turns -= 1) await turn();
        await action.fire();
      }),
    );
    await stage.rest();
    for (const { failures } of stage.lives) for (const failure of failures.splice(0)) this.#fail(actions, inspect(failure));
    if (actions.some((action) => action.sweeps)) await this.#sweep();
    const rows = await this.rows();
    this.#scenes.push({ name: nameOf(actions), now: this.now, rows });
    const unsteady = new Set(actions.flatMap((action) => action.unsteady ?? []));
    const steady = new Set(this.members.filter((member) => !unsteady.has(member)));
    const start = before.copy();
    start.said = [];
    const explained = explain(start, actions, { rows, said: this.#said, steady, asks: this.#newAsks });
    if ('difference' in explained) this.#fail(actions, `${explained.difference}\n  said: ${this.#said.join('; ')}`);
    const after = explained.facts;
    after.said = [];
    this.#judgeAsks(actions, before, after);
    adopt(after, rows, { before: this.#lastRows, isUnsteady: unsteady.size > 0 });
    this.#judgeRest(actions, after, rows, clean);
    this.facts = after;
    this.#lastRows = rows;
    this.#said.length = 0;
  }

  #fail(actions: readonly Action[], why: string): never {
    throw new Error(`${nameOf(actions)}\n  ${why}`);
  }

  /** The round of the sweeper after the next: what others had locked in the one before is found. */
  async #sweep(): Promise<void> {
    await Promise.all(this.stage.lives.map((life) => life.relay.sweep()));
    await this.stage.rest();
  }

  #judgeAsks(actions: readonly Action[], before: Facts, after: Facts): void {
    const arrived = new Set(actions.flatMap((action) => action.arrives ?? []));
    for (const ask of this.#newAsks.splice(0)) {
      const wrong = wrongAsk(ask, before, after, arrived.has(ask.holder)) ?? this.#wrongHolder(ask, before, after);
      if (wrong) this.#fail(actions, `${wrong}: ${JSON.stringify(ask)}`);
    }
    const [fault] = this.#faults;
    if (fault) this.#fail(actions, fault);
  }

  /** Who is asked has it, or had it for a moment, having acknowledged it and asked for it anew; or the event was in its queue when it lost it. */
  #wrongHolder({ eventId, holder, subject }: Ask, before: Facts, after: Facts): string | null {
    const queued = this.#lastRows.events.some((row) => row.event_id === eventId && row.state === 1 && row.holder === holder);
    const acked = before.events.some(
      (e) => e.requester === holder && e.subject === subject && this.#said.includes(`${holder} SETTLED ${e.id} HELD`),
    );
    return before.holdsAll(holder, subject) || after.holdsAll(holder, subject) || acked || queued
      ? null
      : 'somebody was asked who does not have it';
  }

  #judgeRest(actions: readonly Action[], after: Facts, rows: Rows, clean: boolean): void {
    const over = overBounds(after, rows, this.alone);
    if (over) this.#fail(actions, over);
    for (const row of rows.events.filter((each) => each.state === 2))
      if (!this.#asked.has(`${row.event_id} ${row.attempt}`))
        this.#fail(actions, `${row.holder} was never sent the request for ${row.event_id}`);
    const isStrict = clean && actions.length <= 1 && this.alone;
    const excused = new Map<string, number>();
    for (const { row, why } of restless(after, rows)) {
      const known = this.#excused.get(row.event_id) === row.due && row.due > this.now;
      if (isStrict && !known) this.#fail(actions, `${why}; due in ${row.due - this.now} ms: ${JSON.stringify(row)}`);
      excused.set(row.event_id, row.due);
    }
    this.#excused.clear();
    for (const [id, due] of excused) this.#excused.set(id, due);
  }
}
