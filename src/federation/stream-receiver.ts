// Takes what a home tells of its own people: each item in a transaction of its own with its number, so that it is taken once and in order, whatever
// is lost, repeated or comes late. Certificates are verified before anything is stored; a key that is not known is asked for at its home.
import { sql, type Transaction } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';
import { type ForeignPersons, meeting } from '../identity/foreign.ts';
import { parseUserId, type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { decodeStreamRequest, encodeStreamAnswer, type StreamItem, type StreamOutcome, type StreamRequest } from '../wire/streams.ts';
import { type ItemJudge, isOfTheMoment, type Judged } from './stream-judge.ts';
import type { Leg, LegAnswer } from './stream-ports.ts';

export type StreamReceiverDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly foreign: Pick<ForeignPersons, 'learnChain'>;
  readonly judge: ItemJudge;
};

/** What is above the cursor, and where the stream stands as this server has it. */
type Course = {
  readonly author: UserId;
  readonly start: number;
  readonly before: number;
  readonly token: string;
  readonly isReplay: boolean;
};

const TOKEN = /^[\x21-\x7e]{1,64}$/;

type Verdict = Omit<StreamOutcome, 'number'>;
const verdict = (word: Verdict['verdict'], reason = ''): Verdict => ({ verdict: word, reason });

/** Undoes an item's transaction with the verdict on it. */
class Untaken extends Error {
  readonly verdict: Verdict;

  constructor(of: Verdict) {
    super(of.reason);
    this.verdict = of;
  }
}

export class StreamReceiver implements Leg {
  readonly limitBytes: number;
  readonly #deps: StreamReceiverDeps;

  constructor(deps: StreamReceiverDeps) {
    this.#deps = deps;
    // One item may be longer than a request is made.
    this.limitBytes = deps.limits.streamBytes + deps.limits.threadParts * deps.limits.statementBytes;
  }

  /** @throws AppError BAD_REQUEST, FORBIDDEN */
  async handle(peer: ServerId, body: Uint8Array): Promise<LegAnswer> {
    const { request, author } = this.#read(peer, body);
    const { cursor, items, replay, sent, start, token } = request;
    const stands = await this.#standing(author);
    const have = Math.max(stands.number, start);
    // More than was ever sent, and not by this very request: the home came back from a backup, and its numbers mean something else by now.
    const isStrange = have > Math.max(sent, start) && stands.token !== token;
    if (!replay && (cursor > have || isStrange)) return answerOf(have, []);
    const outcomes: StreamOutcome[] = [];
    let before = cursor;
    for (const item of items) {
      const judged = await this.#item({ author, start, before, token, isReplay: replay }, item);
      outcomes.push({ number: item.number, ...judged });
      if (!replay && (judged.verdict === 'later' || judged.verdict === 'refused')) break;
      before = item.number;
    }
    return answerOf(Math.max((await this.#standing(author)).number, start), outcomes);
  }

  #read(peer: ServerId, body: Uint8Array): { request: StreamRequest; author: UserId } {
    const read = decodeStreamRequest(body);
    if (!read.ok) throw new AppError('BAD_REQUEST', 'this is no stream request');
    const { authorId, cursor, items, replay, token } = read.value;
    const author = parseUserId(authorId);
    if (author === null) throw new AppError('BAD_REQUEST', 'author_id is no user id');
    if (serverOf(author) !== peer) throw new AppError('FORBIDDEN', 'author_id is of another server');
    if (!TOKEN.test(token)) throw new AppError('BAD_REQUEST', 'token is not 1 to 64 signs');
    if (items.length > this.#deps.limits.streamItems) throw new AppError('BAD_REQUEST', `at most ${this.#deps.limits.streamItems} items`);
    const ascends = items.every(({ number }, at) => number > (items[at - 1]?.number ?? (replay ? 0 : cursor)));
    if (!ascends) throw new AppError('BAD_REQUEST', 'the numbers of the items do not ascend from the cursor');
    return { request: read.value, author };
  }

  async #standing(author: UserId): Promise<{ number: number; token: string }> {
    const [row] = await this.#deps.db.query<{ number: number; token: string }>({
      name: 'streams_have',
      text: 'select number::float8 as number, token from received_streams where author_id = $1',
      values: [author],
    });
    return row ?? { number: 0, token: '' };
  }

  async #item(course: Course, item: StreamItem): Promise<Verdict> {
    const { judge } = this.#deps;
    const judged = item.kind === 'nothing' ? NOTHING : await judge.judge(course.author, item);
    if (judged.kind === 'refused')
      return verdict(
        isOfTheMoment(judged.reason) ? 'later' : 'refused',
        judged.detail === '' ? judged.reason : `${judged.detail}: ${judged.reason}`,
      );
    try {
      return await this.#take(course, item, judged);
    } catch (error) {
      if (error instanceof Untaken) return error.verdict;
      if (error instanceof AppError && error.code === 'UNAVAILABLE') return verdict('later', 'unavailable');
      throw error;
    }
  }

  /** @throws Untaken */
  async #take(course: Course, item: StreamItem, judged: Exclude<Judged, { kind: 'refused' }>): Promise<Verdict> {
    const { db, foreign } = this.#deps;
    if (judged.kind === 'chain') {
      const within = (tx: Transaction<DB>) => this.#number(tx, course, item.number).then(() => true);
      const learned = await foreign.learnChain(course.author, judged.entries, { within });
      if (!learned.ok) return verdict(isOfTheMoment(learned.reason) ? 'later' : 'refused', learned.reason);
      return verdict(learned.value === 'learned' ? 'accepted' : 'known');
    }
    const taken = await db.transaction(async (tx) => {
      await this.#number(tx, course, item.number);
      const outcome = await judged.take(tx);
      if (!outcome.ok) throw new Untaken(verdict(isOfTheMoment(outcome.reason) ? 'later' : 'refused', outcome.reason));
      return outcome.value;
    });
    if (taken === 'accepted') judged.afterCommit();
    return verdict(taken);
  }

  /**
   * Takes the item's number in its transaction. Of two requests at once the second one sees what the first one took.
   * @throws Untaken for a number of before the peering, or with others before it that are not taken
   */
  async #number(tx: Transaction<DB>, { author, before, isReplay, start, token }: Course, number: number): Promise<void> {
    if (!isReplay && number <= start) throw new Untaken(verdict('known'));
    // Not above what is taken: maybe of something else, for a home that came back from a backup gives numbers again. What it is of says whether it is known.
    const isFirst = !isReplay && before <= start;
    const have = sql`greatest(r.number, ${start}::bigint)`;
    const isNext = sql`(not ${isReplay}::boolean and ${number}::bigint > ${have} and ${before}::bigint <= ${have})`;
    const { rows } = await sql<{ number: number }>`
      with met as (${meeting([author], new Date(this.#deps.clock.now()))})
      insert into received_streams as r (author_id, number, token) values (${author}, ${isFirst ? number : 0}, ${isFirst ? token : ''})
      on conflict (author_id) do update set number = case when ${isNext} then ${number} else r.number end,
        token = case when ${isNext} then ${token} else r.token end
      returning number::float8 as number`.execute(tx);
    if (!isReplay && (rows[0]?.number ?? 0) < number) throw new Untaken(verdict('later', 'out of order'));
  }
}

const NOTHING: Judged = { kind: 'take', take: async () => ({ ok: true, value: 'known' }), afterCommit: () => undefined };

const answerOf = (have: number, outcomes: readonly StreamOutcome[]): LegAnswer => ({
  status: 200,
  body: encodeStreamAnswer({ have, outcomes }),
});
