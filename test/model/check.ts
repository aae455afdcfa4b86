// Compares what the real ledger did with the plain model: there must be an order of the commands, each taken alone, in which the model ends
// where the ledger did and members were told the same; and nothing may rest that could go on.
import type { ReedId, RequestId, UserId } from '../../src/wire/address.ts';
import type { Event, Subject } from './facts.ts';
import type { Facts } from './model.ts';

export type Row = {
  readonly event_id: string;
  readonly request_id: RequestId | null;
  readonly requester_user_id: UserId;
  readonly subject_kind: 'reed' | 'thread';
  readonly subject_id: ReedId;
  readonly state: number;
  readonly holder: UserId | null;
  readonly attempt: number;
  readonly relays: number;
  readonly due: number;
  readonly explicit: boolean;
};
export type Rows = {
  readonly events: readonly Row[];
  readonly tries: readonly { event_id: string; holder: UserId; failures: number; busy: number; due: number }[];
  readonly held: readonly string[];
  readonly strikes: readonly string[];
  readonly online: readonly string[];
};

/** One thing that happens, as the model sees it. Those of one member happen in their order. */
export type Command = {
  readonly by: UserId | null;
  readonly name: string;
  /** `start`: how things stood before all that happens at the same moment; where it is given, the command may have been judged by that. */
  readonly apply: (facts: Facts, start?: Facts) => void;
  readonly isJudgedTogether?: boolean;
  /**
   * 'refused' may be answered UNAVAILABLE and do nothing; 'cut' may have no effect, or one that nobody is told of.
   */
  readonly may?: 'refused' | 'cut';
  readonly refusal?: string;
  /** The event that it is about, if it is about one. */
  readonly about?: string;
  /** Time has passed before all the others; whatever is due is moved on before, between or after them, each event by itself. */
  readonly sweeps?: boolean;
};

export const ROWS = `select
  (select coalesce(json_agg(json_build_object('event_id', event_id, 'request_id', request_id, 'requester_user_id', requester_user_id,
    'subject_kind', subject_kind, 'subject_id', subject_id, 'state', state, 'holder', holder, 'attempt', attempt, 'relays', relays,
    'due', extract(epoch from due_at) * 1000, 'explicit', requested_at is not null) order by seq), '[]') from pending_events) as events,
  (select coalesce(json_agg(json_build_object('event_id', event_id, 'holder', holder, 'failures', failures, 'busy', busy,
    'due', extract(epoch from not_before) * 1000)), '[]') from pending_event_attempts) as tries,
  (select coalesce(json_agg(holder_user_id || ' ' || reed_id), '[]') from reed_allocations) as held,
  (select coalesce(json_agg(reed_id || ' ' || holder || ' ' || viewer || ' ' || (counted_at is not null)), '[]') from holder_strikes) as strikes,
  (select coalesce(json_agg(user_id || ' ' || congested), '[]') from online_users) as online`;

const PHASE = { open: [0, 1, 2, 4], asked: [2], relayed: [3] } as const;

const listDifference = (what: string, model: Iterable<string>, ledger: Iterable<string>): string | null => {
  const [a, b] = [[...model].sort(), [...ledger].sort()];
  const only = (x: string[], y: string[]) => x.filter((item, at) => x.indexOf(item) !== at || !y.includes(item));
  return a.join('\n') === b.join('\n')
    ? null
    : `${what}: model has ${JSON.stringify(only(a, b))}, ledger has ${JSON.stringify(only(b, a))}`;
};

const rowOf = (rows: Rows, e: Event): Row | undefined =>
  rows.events.find((r) => r.requester_user_id === e.requester && r.subject_id === e.subject.id && r.subject_kind === e.subject.kind);

const eventDifference = (e: Event, rows: Rows): string | null => {
  const row = rowOf(rows, e);
  const name = `event of ${e.requester} for ${e.subject.id}`;
  if (!row) return `${name} is missing`;
  const open = e.phase === 'open';
  const model = [e.id ?? row.event_id, e.requestId, e.requestedAt !== null, open || e.holder, open || e.attempt, e.relays, open || e.due];
  const ledger = [row.event_id, row.request_id, row.explicit, open || row.holder, open || row.attempt, row.relays, open || row.due];
  if (JSON.stringify(model) !== JSON.stringify(ledger)) return `${name}: model ${model}, ledger ${ledger}`;
  if (!(PHASE[e.phase] as readonly number[]).includes(row.state)) return `${name}: model ${e.phase}, ledger ${row.state}`;
  const tries = rows.tries.filter((t) => t.event_id === row.event_id).map((t) => `${t.holder} ${t.failures} ${t.busy} ${t.due}`);
  return listDifference(
    `tries of ${name}`,
    [...e.tries].map(([h, t]) => `${h} ${t.failures} ${t.busy} ${t.notBefore}`),
    tries,
  );
};

/** The first difference between the model and what was seen; null: they agree. `steady` members are told everything. */
const difference = (facts: Facts, rows: Rows, said: readonly string[], steady: ReadonlySet<UserId>): string | null => {
  const ids = new Set(rows.events.map((row) => row.event_id));
  const heard = (all: readonly string[]) => all.filter((each) => steady.has(each.slice(0, each.indexOf(' ')) as UserId));
  if (rows.tries.some((t) => !ids.has(t.event_id))) return 'attempts of no event';
  for (const e of facts.events) {
    const found = eventDifference(e, rows);
    if (found) return found;
  }
  if (rows.events.length !== facts.events.length) return `the ledger has ${rows.events.length} events, the model ${facts.events.length}`;
  return (
    listDifference('copies', facts.held, rows.held) ??
    listDifference(
      'strikes',
      [...facts.strikes].map(([strike, counts]) => `${strike} ${counts}`),
      rows.strikes,
    ) ??
    listDifference(
      'presence',
      [...facts.online].map((m) => `${m} ${facts.full.has(m)}`),
      rows.online,
    ) ??
    listDifference('said', heard(facts.said), heard(said))
  );
};

export type Ask = {
  readonly holder: UserId;
  readonly eventId: string;
  readonly attempt: number;
  readonly requester: UserId;
  readonly subject: Subject;
};

export type Seen = {
  readonly rows: Rows;
  readonly said: readonly string[];
  readonly steady: ReadonlySet<UserId>;
  /** Who was asked meanwhile. */
  readonly asks: readonly Ask[];
};

/** What SWEEP makes of everything that is due, or of one event; `expires`: what is over its time and gone went by this. */
const swept = (before: Facts, rows: Rows, only: string | null, expires = true): Facts => {
  const after = before.copy();
  after.sweep(
    (e) => only === null || e.id === only,
    (e) => expires && !rows.events.some((row) => row.event_id === e.id),
  );
  return after;
};

/** All that may come of one command. */
const outcomes = (before: Facts, command: Command, { start, said }: { start: Facts; said: readonly string[] }): Facts[] => {
  const whole = before.copy();
  command.apply(whole);
  const together = before.copy();
  if (command.isJudgedTogether) command.apply(together, start);
  const wholes = command.isJudgedTogether && together.events.length !== whole.events.length ? [whole, together] : [whole];
  if (command.may === undefined) return wholes;
  const refused = before.copy();
  if (command.may === 'refused') {
    if (!said.some((each) => each.includes('ERROR UNAVAILABLE'))) return wholes;
    refused.said.push(`${command.by} ERROR UNAVAILABLE ${command.refusal}`);
    return [...wholes, refused];
  }
  const silent = whole.copy();
  silent.said = [...before.said];
  return [...wholes, silent, refused];
};

type Explained = { readonly facts: Facts } | { readonly difference: string };

/** The search for an order of the commands that explains what was seen. */
class Search {
  readonly #seen: Seen;
  readonly #start: Facts;
  readonly #sweeps: boolean;
  readonly #isCut: boolean;
  readonly #commands: readonly Command[];
  #visited = new Set<string>();
  first: string | null = null;

  constructor(seen: Seen, start: Facts, commands: readonly Command[]) {
    this.#seen = seen;
    this.#start = start;
    this.#commands = commands;
    this.#sweeps = commands.some((command) => command.sweeps);
    this.#isCut = commands.some((command) => command.may === 'cut');
  }

  /** Goes on from `facts` with each command that may be next; `midway`: looks may have come to their end in between. */
  from(facts: Facts, left: readonly Command[], midway: boolean): Facts | null {
    const here = `${left.length} ${left.map((command) => this.#commands.indexOf(command))} ${facts.print()}`;
    if (this.#visited.has(here)) return null;
    this.#visited.add(here);
    if (left.length === 0) return this.#end(facts);
    for (const [at, command] of left.entries()) {
      if (command.by !== null && left.slice(0, at).some((earlier) => earlier.by === command.by)) continue;
      const rest = left.filter((each) => each !== command);
      for (const start of this.#starts(facts, command, midway)) {
        const afters = outcomes(start, command, { start: this.#start, said: this.#seen.said });
        for (const after of midway ? [...afters, ...this.#unwritten(start, command)] : afters) {
          const found = this.from(after, rest, midway);
          if (found) return found;
        }
      }
    }
    return null;
  }

  /** The same, with looks that come to their end midway. */
  again(facts: Facts, left: readonly Command[]): Facts | null {
    this.#visited = new Set();
    return this.from(facts, left, true);
  }

  #starts(facts: Facts, command: Command, midway: boolean): Facts[] {
    const { rows } = this.#seen;
    const starts = [facts];
    if (midway) starts.push(closedOf(facts, this.#seen));
    if (this.#sweeps && command.about !== undefined)
      starts.push(swept(facts, rows, command.about), swept(facts, rows, command.about, false));
    if (this.#sweeps) starts.push(swept(facts, rows, null));
    return starts.flatMap((start) => [start, ...this.#asked(start, command)]);
  }

  /** Whoever answers may have been asked just before, anew. */
  #asked(facts: Facts, { about, by }: Command): Facts[] {
    const ask = this.#seen.asks.findLast(({ eventId, holder }) => eventId === about && holder === by);
    if (!ask) return [];
    const asked = facts.copy();
    const e = asked.events.find((each) => each.id === about && each.phase === 'open');
    if (e) Object.assign(e, { phase: 'asked', holder: by, attempt: ask.attempt, since: facts.now });
    return e ? [asked] : [];
  }

  /**
   * What can't be written is taken back a statement later than it is relayed: an acknowledgement by its requester finds it relayed in between,
   * and so does a cancellation, which then changes nothing.
   */
  #unwritten(facts: Facts, command: Command): Facts[] {
    const retryAt = facts.now + facts.limits.undeliverableRetryMs;
    const after = facts.copy();
    const e = after.events.find(
      (each) => each.id === command.about && each.requester === command.by && each.phase === 'open' && each.retryAt === retryAt,
    );
    if (!e) return [];
    Object.assign(e, { phase: 'relayed', retryAt: 0 });
    command.apply(after);
    Object.assign(e, { phase: 'open', retryAt });
    return [after];
  }

  #end(facts: Facts): Facts | null {
    const { rows, said, steady } = this.#seen;
    // What is over its time and has lost its last copy ends by either, also where it was taken back from a holder just before.
    const lasts = this.#sweeps
      ? [swept(facts, rows, null), swept(closedOf(swept(facts, rows, null, false), this.#seen), rows, null)]
      : [facts];
    const ends = lasts.flatMap((last) => [closedOf(last, this.#seen), last]);
    if (this.#isCut) ends.push(...ends.map((each) => Object.assign(each.copy(), { said: facts.said })));
    for (const each of ends) {
      const found = difference(each, rows, said, steady);
      if (!found) return each;
      this.first ??= found;
    }
    return null;
  }
}

/** @returns the model after the commands, in the first order that explains what was seen; or the first difference where there is none */
export const explain = (before: Facts, commands: readonly Command[], seen: Seen): Explained => {
  const search = new Search(seen, before, commands);
  const own = commands.filter((command) => !command.sweeps);
  const facts = search.from(before, own, false) ?? (own.length > 1 ? search.again(before, own) : null);
  return facts ? { facts } : { difference: search.first ?? 'none' };
};

/** Those that are gone with the last copy; whoever was told another end had that one. */
const closedOf = (facts: Facts, { rows, said }: Seen): Facts => {
  const closed = facts.copy();
  closed.giveUp((e) => !rowOf(rows, e) && !said.includes(`${e.requester} ERROR EXPIRED ${e.requestId}`));
  return closed;
};

/** When an event is looked at again whose holder was just coming or going. */
const LOCKED_HOLDER_MS = 50;

/**
 * Takes over what the ledger chose: ids, holders and dates. While presence changes, a request to a holder may be taken back because it could not be
 * written any more, or the holder's presence be locked: then the event rests for the time that is for that.
 */
export const adopt = (facts: Facts, rows: Rows, of: { readonly before: Rows; readonly isUnsteady: boolean }): void => {
  for (const e of facts.events) {
    const row = rowOf(rows, e) as Row;
    const claimed = e.phase === 'open' && row.state === 2;
    if (claimed) Object.assign(e, { phase: 'asked', holder: row.holder, due: row.due, since: facts.now, retryAt: 0 });
    Object.assign(e, { id: row.event_id, attempt: row.attempt });
    const isOld = of.before.events.some((r) => r.event_id === row.event_id && r.attempt === row.attempt && r.due === row.due);
    const rests = [facts.limits.undeliverableRetryMs, LOCKED_HOLDER_MS].includes(row.due - facts.now);
    if (of.isUnsteady && !isOld && row.state === 4 && rests) e.retryAt = row.due;
  }
};

/** What rests though it could go on, with its date. */
export const restless = (facts: Facts, rows: Rows): { readonly row: Row; readonly why: string }[] => {
  const inFlight = (holder: UserId | null) => rows.events.filter((row) => row.state === 2 && row.holder === holder).length;
  /** An event that backs off is looked at before those behind it, and may keep its place from them until their dates. */
  const backsOff = (row: Row) => row.state === 4 && rows.tries.some((t) => t.event_id === row.event_id && t.due > facts.now);
  const places = (of: Row) =>
    rows.events.filter((r) => r.requester_user_id === of.requester_user_id && r !== of && ([1, 2, 3].includes(r.state) || backsOff(r)))
      .length;
  return facts.events.flatMap((e) => {
    const row = rowOf(rows, e) as Row;
    const at = { state: row.state, holder: row.holder, inFlight: inFlight(row.holder), places: places(row) };
    const why = facts.whyRestless(e, at);
    return why === null ? [] : [{ row, why }];
  });
};

/** Bounds that hold whatever happens; a requester's places are exact only where one replica gives them out. */
export const overBounds = (facts: Facts, rows: Rows, exactPlaces: boolean): string | null => {
  const { awakeEventsPerMember, holderWindow } = facts.limits;
  const count = new Map<string, number>();
  const add = (key: string): void => void count.set(key, (count.get(key) ?? 0) + 1);
  for (const row of rows.events) {
    if (row.state === 2) add(`holder ${row.holder}`);
    if ([1, 2, 3].includes(row.state)) add(`requester ${row.requester_user_id}`);
  }
  for (const [key, n] of count) {
    if (key.startsWith('holder') && n > holderWindow) return `${n} in flight for ${key}`;
    if (exactPlaces && key.startsWith('requester') && n > awakeEventsPerMember) return `${n} places for ${key}`;
  }
  return null;
};

/** Why a RELAY_REQUEST that was just seen should not have been sent. `queued`: it was in that holder's queue before. */
export const wrongAsk = (ask: Ask, before: Facts, after: Facts, forgiven: boolean): string | null => {
  const { eventId, holder, requester, subject } = ask;
  const known = before.events.find((e) => e.id === eventId) ?? { id: eventId, requester, subject, tries: new Map() };
  const e = known as Event;
  if (holder === requester) return 'the requester itself was asked';
  if (before.strikes.has(`${subject.id} ${holder} ${requester}`)) return 'a struck holder was asked';
  if (forgiven) return null;
  if (!before.mayAsk(holder, e)) return 'a holder was asked that had failed too often';
  if ((e.tries.get(holder)?.notBefore ?? 0) > after.now) return 'a holder was asked that backs off';
  return null;
};
