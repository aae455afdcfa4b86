// Sends parked items again on an operator's word, each by itself. A refusal of the moment, or of the peering, says nothing of the item: it stays parked
// with the reason it had, and is sent at the next date, without another word. What the peer said to it meanwhile is kept for whoever looks.
import { doubling, jittered } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ServerId, UserId } from '../wire/address.ts';
import { encodeStreamRequest } from '../wire/streams.ts';
import { type Reply, reasonOf, replyOf, statusMeans } from './stream-cursor.ts';
import type { PeerCalls } from './stream-ports.ts';
import type { StreamTable } from './stream-table.ts';

export type StreamReplaysDeps = {
  readonly db: Database;
  readonly table: Pick<StreamTable, 'build'>;
  readonly calls: PeerCalls;
  readonly clock: Clock;
  readonly limits: Limits;
  /** 0 ≤ x < 1 */
  readonly random: () => number;
  /** A new token of a request. */
  readonly token: () => string;
};

export type Replay = {
  readonly peer: ServerId;
  readonly author: UserId;
  readonly number: number;
  /** How often in a row the peer put it off since it was asked for. */
  readonly waits: number;
};

/** parked: why, from now on. later: what was said, and until when nothing is tried; isOfThePeer: nor anything else of this peer. */
type Outcome =
  | { readonly kind: 'taken' }
  | { readonly kind: 'parked'; readonly reason: string }
  | { readonly kind: 'later'; readonly said: string; readonly waitMs: number; readonly isOfThePeer: boolean }
  | { readonly kind: 'unknown' };

export class StreamReplays {
  readonly #deps: StreamReplaysDeps;

  constructor(deps: StreamReplaysDeps) {
    this.#deps = deps;
  }

  /** Sends what is due. @returns whether the peer takes more */
  async round(peer: ServerId): Promise<boolean> {
    const { limits } = this.#deps;
    for (;;) {
      const due = await this.due(peer, limits.streamItems);
      for (const item of due) if (!(await this.#one(item))) return false;
      if (due.length < limits.streamItems) return true;
    }
  }

  /** Parked items of a peer that are to be sent again now. */
  due(peer: ServerId, limit: number): Promise<Replay[]> {
    return this.#deps.db.query({
      name: 'streams_replays',
      text: `select server_id as peer, author_id as author, number::float8 as number, replay_waits as waits
        from parked_items where server_id = $1 and replay_at <= $2 order by replay_at, author_id, number limit $3`,
      values: [peer, new Date(this.#deps.clock.now()), limit],
    });
  }

  async #one(of: Replay): Promise<boolean> {
    const { calls, table, token } = this.#deps;
    const [item] = await table.build(of.author, null, [of.number]);
    // What is taken back meanwhile needs not be taken by anybody.
    if (item === undefined || item.kind === 'nothing') return this.#taken(of).then(() => true);
    const said = { authorId: of.author, start: 0, cursor: 0, sent: 0, token: token(), items: [item], replay: true };
    const outcome = this.#judge(of, replyOf(await calls.call(of.peer, 'stream', encodeStreamRequest(said))));
    if (outcome.kind === 'unknown') return false;
    if (outcome.kind === 'taken') await this.#taken(of);
    else if (outcome.kind === 'parked') await this.#parked(of, outcome.reason);
    else await this.#later(of, outcome);
    return outcome.kind !== 'later' || !outcome.isOfThePeer;
  }

  #judge({ number, waits }: Replay, reply: Reply): Outcome {
    const { limits, random } = this.#deps;
    if (reply.kind === 'transport') return { kind: 'unknown' };
    const backoffMs = jittered(doubling(waits + 1, limits.streamRetryFirstMs, limits.streamRetryMaxMs), random);
    if (reply.kind === 'status') {
      const said = `status ${reply.status}`;
      const means = statusMeans(reply.status);
      if (means === 'fault') return { kind: 'parked', reason: said };
      const leastMs = means === 'not-for-us' ? limits.streamEveryMs : Math.min(reply.retryAfterMs, limits.peerPauseMaxMs);
      return { kind: 'later', said, waitMs: Math.max(leastMs, backoffMs), isOfThePeer: true };
    }
    const outcome = reply.answer.outcomes.find((each) => each.number === number);
    if (outcome?.verdict === 'accepted' || outcome?.verdict === 'known') return { kind: 'taken' };
    if (outcome?.verdict === 'later') return { kind: 'later', said: reasonOf(outcome.reason), waitMs: backoffMs, isOfThePeer: false };
    return { kind: 'parked', reason: outcome === undefined ? 'not named' : reasonOf(outcome.reason) };
  }

  #taken({ author, number, peer }: Replay): Promise<unknown> {
    return this.#deps.db.query({
      name: 'streams_unpark',
      text: 'delete from parked_items where server_id = $1 and author_id = $2 and number = $3',
      values: [peer, author, number],
    });
  }

  #parked({ author, number, peer }: Replay, reason: string): Promise<unknown> {
    return this.#deps.db.query({
      name: 'streams_park_again',
      text: `update parked_items set replay_at = null, replay_waits = 0, replay_said = null, replays = replays + 1, reason = $4
        where server_id = $1 and author_id = $2 and number = $3`,
      values: [peer, author, number, reason],
    });
  }

  #later({ author, number, peer }: Replay, { said, waitMs }: { readonly said: string; readonly waitMs: number }): Promise<unknown> {
    const { clock } = this.#deps;
    return this.#deps.db.query({
      name: 'streams_replay_later',
      text: `update parked_items set replay_at = $4, replay_waits = replay_waits + 1, replay_said = $5
        where server_id = $1 and author_id = $2 and number = $3`,
      values: [peer, author, number, new Date(clock.now() + waitMs), said],
    });
  }
}
