// Parts of the SDK that go wrong on purpose, at its ports: a store that fails or lies, and a line whose frames are watched, kept back,
// changed or cut. Everything is as it should be until a test says otherwise.
import { WebSocket } from 'ws';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import type { SocketFactory, SocketHandlers } from '../../src/client/ports.ts';
import type { Change, Collection, CopyRecord, Records } from '../../src/client/store.ts';
import { webSocketFactory } from '../../src/client/web-socket.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import type { Frame, FrameOf, FrameType } from '../../src/wire/frames.ts';

export class AlteredStore extends MemoryStore {
  /** What a copy comes out as. May throw. */
  copyRead: (copy: CopyRecord) => CopyRecord | null = (copy) => copy;
  /** Asked before each write. May throw. */
  beforeWrite: (changes: readonly Change[]) => void = () => undefined;

  override async get<C extends Collection>(collection: C, id: string): Promise<Records[C] | null> {
    const record = await super.get(collection, id);
    return collection === 'copies' && record ? (this.copyRead(record as CopyRecord) as Records[C] | null) : record;
  }

  override async write(changes: readonly Change[]): Promise<void> {
    this.beforeWrite(changes);
    await super.write(changes);
  }
}

export type Way = 'in' | 'out';
/** What becomes of a frame: it goes its way, never arrives, waits for `release`, or arrives as another. */
export type Fate = 'pass' | 'drop' | 'hold' | Frame;
type Waiter = { readonly wanted: (frame: Frame, way: Way) => boolean; readonly resolve: (frame: Frame) => void };

/** One member's sockets, one after the other. */
export class Line {
  fate: (frame: Frame, way: Way) => Fate = () => 'pass';
  readonly #seen: { readonly frame: Frame; readonly way: Way }[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #sockets = new Set<WebSocket>();
  #held: (() => void)[] = [];

  readonly factory: SocketFactory = (url, protocol, handlers) => {
    const sockets = this.#sockets;
    class Watched extends WebSocket {
      constructor(address: string, subprotocol: string) {
        super(address, subprotocol);
        sockets.add(this);
        this.once('close', () => sockets.delete(this));
      }
    }
    const socket = webSocketFactory(Watched)(url, protocol, this.#listener(handlers));
    return {
      send: (bytes) => this.#carry(bytes, 'out', (sent) => socket.send(sent)),
      close: (code, reason) => socket.close(code, reason),
    };
  };

  /** Every frame that came to (or went from) the member, in order. */
  all(way: Way): Frame[] {
    return this.#seen.filter((seen) => seen.way === way).map(({ frame }) => frame);
  }

  /** Frames of this type that came to (or went from) the member, whatever became of them. */
  frames<T extends FrameType>(way: Way, type: T): FrameOf<T>[] {
    return this.#seen.filter((seen) => seen.way === way && seen.frame.type === type).map(({ frame }) => frame as FrameOf<T>);
  }

  /** The first such frame that matches, whether it was seen already or is yet to be. */
  seen<T extends FrameType>(way: Way, type: T, matches: (frame: FrameOf<T>) => boolean = () => true): Promise<FrameOf<T>> {
    const known = this.frames(way, type).find(matches);
    if (known) return Promise.resolve(known);
    const wanted = (frame: Frame, itsWay: Way): boolean => itsWay === way && frame.type === type && matches(frame as FrameOf<T>);
    return new Promise((resolve) => this.#waiters.add({ wanted, resolve: (frame) => resolve(frame as FrameOf<T>) }));
  }

  /** Lets go what was held, in order, and everything from now on. */
  release(): void {
    this.fate = () => 'pass';
    for (const go of this.#held.splice(0)) go();
  }

  /** Cuts the connection without a word. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  #listener(handlers: SocketHandlers): SocketHandlers {
    return {
      ...handlers,
      message: (data) => {
        if (typeof data === 'string') handlers.message(data);
        else this.#carry(data, 'in', (received) => handlers.message(received));
      },
    };
  }

  #carry(bytes: Uint8Array, way: Way, go: (bytes: Uint8Array) => void): void {
    const decoded = decodeFrame(bytes, DEFAULT_LIMITS);
    if (!decoded.ok) return go(bytes);
    const frame = decoded.value;
    const fate = this.fate(frame, way);
    if (fate === 'hold') this.#held.push(() => go(bytes));
    else if (fate !== 'drop') go(fate === 'pass' ? bytes : encodeFrame(fate));
    this.#seen.push({ frame, way });
    for (const waiter of this.#waiters) {
      if (!waiter.wanted(frame, way)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(frame);
    }
  }
}

/** Keeps back every copy that a holder sends. */
export const holdAnswers = (frame: Frame, way: Way): Fate => (way === 'out' && frame.type === 'relayResponse' ? 'hold' : 'pass');
