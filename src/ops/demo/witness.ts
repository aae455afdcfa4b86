// Sees every frame at the members' own sockets, which the demo can because all members live in its process; the server knows nothing of it.
// From these frames it tells who asked, who answered, whose copy went where, and by how many copies a reed came from its author.
import { createHash } from 'node:crypto';
import { DEFAULT_LIMITS } from '../../base/limits.ts';
import type { SocketFactory } from '../../client/ports.ts';
import type { ReedId } from '../../wire/address.ts';
import { decodeFrame } from '../../wire/codec.ts';
import type { Frame } from '../../wire/frames.ts';

/** What happened. `who`, `from` and `to` are members by their place in the cast. */
export type Sight =
  | { readonly type: 'asked'; readonly who: number; readonly reedId: ReedId }
  | { readonly type: 'dispatched'; readonly to: number; readonly reedId: ReedId; readonly attempt: number }
  | { readonly type: 'copied'; readonly who: number; readonly from: number | null; readonly reedId: ReedId; readonly round: number }
  | { readonly type: 'refused'; readonly who: number; readonly from: number | null; readonly reedId: ReedId };

export type Counts = {
  /** RELAY_REQUESTs of a later attempt than the first: each stands for one claim that the server took back and gave to someone. */
  readonly reopened: number;
  /** The longest chain of copies from an author to a member. */
  readonly rounds: number;
};

type Delivery = { readonly reedId: ReedId; readonly from: number | null };

// An answer that came too late is never delivered, so what is remembered of answers and deliveries is bounded.
const REMEMBERED = 4_096;
const ARMOR_HEAD = '-----BEGIN PGP MESSAGE-----';
/** Twelve bytes, which name the key that the message is for. */
const OPENING_CHARS = 16;

const remember = <K, V>(map: Map<K, V>, key: K, value: V): void => {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
};

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/** How a message begins, in base64: an armored one after its head and header lines. */
const openingOf = (ciphertext: Uint8Array): string => {
  const start = Buffer.from(ciphertext.subarray(0, 1_024));
  const text = start.toString('latin1');
  const blank = /\r?\n\r?\n/.exec(text);
  const base64 = text.startsWith(ARMOR_HEAD) && blank !== null ? text.slice(blank.index + blank[0].length) : start.toString('base64');
  return base64.slice(0, OPENING_CHARS);
};

export class Witness {
  readonly #listeners = new Set<(sight: Sight) => void>();
  readonly #answers = new Map<string, number>();
  readonly #deliveries = new Map<string, Delivery>();
  /** Reed → member → copies between the author and this member's copy. */
  readonly #rounds = new Map<string, Map<number, number>>();
  readonly #openings = new Set<string>();
  #reopened = 0;
  #longest = 0;

  subscribe(listener: (sight: Sight) => void): void {
    this.#listeners.add(listener);
  }

  counts(): Counts {
    return { reopened: this.#reopened, rounds: this.#longest };
  }

  /** How the ciphertexts began that passed so far; each once. */
  openings(): readonly string[] {
    return [...this.#openings];
  }

  /** Begins a reed's chains: its author has it without any copy. */
  wrote(author: number, reedId: ReedId): void {
    this.#rounds.set(reedId, new Map([[author, 0]]));
  }

  forget(reedId: ReedId): void {
    this.#rounds.delete(reedId);
  }

  /** The sockets of one member, seen from the inside. What `takes` refuses never reaches the member. */
  watch(real: SocketFactory, who: number, takes: (frame: Frame) => boolean): SocketFactory {
    return (url, protocol, handlers) => {
      const socket = real(url, protocol, {
        ...handlers,
        message: (data) => {
          const frame = typeof data === 'string' ? null : decodeFrame(data, DEFAULT_LIMITS);
          if (frame?.ok) this.#received(who, frame.value);
          if (!frame?.ok || takes(frame.value)) handlers.message(data);
        },
      });
      return {
        send: (bytes) => {
          const frame = decodeFrame(bytes, DEFAULT_LIMITS);
          if (frame.ok) this.#sent(who, frame.value);
          socket.send(bytes);
        },
        close: (code, reason) => socket.close(code, reason),
      };
    };
  }

  #received(who: number, frame: Frame): void {
    if (frame.type === 'relayRequest') {
      const { attempt } = frame.body;
      if (attempt > 1) this.#reopened += 1;
      this.#tell({ type: 'dispatched', to: who, reedId: frame.body.reedId as ReedId, attempt });
    } else if (frame.type === 'dataResponse') {
      const from = this.#answers.get(digestOf(frame.body.ciphertext)) ?? null;
      remember(this.#deliveries, frame.id, { reedId: frame.body.reedId as ReedId, from });
    }
  }

  #sent(who: number, frame: Frame): void {
    if (frame.type === 'requestReed') this.#tell({ type: 'asked', who, reedId: frame.body.reedId as ReedId });
    if (frame.type === 'relayResponse') {
      remember(this.#answers, digestOf(frame.body.ciphertext), who);
      this.#openings.add(openingOf(frame.body.ciphertext));
    }
    if (frame.type !== 'dataAck' && frame.type !== 'dataInvalid') return;
    const delivery = this.#deliveries.get(frame.id);
    this.#deliveries.delete(frame.id);
    if (delivery === undefined) return;
    if (frame.type === 'dataAck') this.#copied(who, delivery);
    else this.#tell({ type: 'refused', who, ...delivery });
  }

  #copied(who: number, { reedId, from }: Delivery): void {
    const rounds = this.#rounds.get(reedId);
    const before = from === null ? undefined : rounds?.get(from);
    if (rounds === undefined || before === undefined) return;
    const round = rounds.get(who) ?? before + 1;
    rounds.set(who, round);
    this.#longest = Math.max(this.#longest, round);
    this.#tell({ type: 'copied', who, from, reedId, round });
  }

  #tell(sight: Sight): void {
    for (const listener of this.#listeners) listener(sight);
  }
}
