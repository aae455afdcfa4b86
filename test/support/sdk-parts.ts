// What unit tests of the SDK's parts share: ids, a certificate that looks like one, and a socket whose other end is the test.
import { uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import type { MemberSocket, SocketFactory, SocketHandlers } from '../../src/client/ports.ts';
import type { CopyRecord } from '../../src/client/store.ts';
import type { ReedCertificate } from '../../src/client/types.ts';
import { makeReedId, parseUserId, type ReedId, type UserId, userOf } from '../../src/wire/address.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import type { Frame } from '../../src/wire/frames.ts';

/** Random bytes that are different each time; those of one source are the same in each run. */
export const countingSource = (): ((count: number) => Uint8Array<ArrayBuffer>) => {
  let counter = 0;
  return (count) => {
    const bytes = new Uint8Array(count);
    counter++;
    for (let place = 0; place < Math.min(count, 4); place++) bytes[count - 1 - place] = (counter >> (8 * place)) & 0xff;
    return bytes;
  };
};

/** One source for whoever wants no more than different bytes: which ones, depends on what ran before. */
export const countingRandom = countingSource();

export const userNamed = (letter: string): UserId => {
  const user = parseUserId(`${letter.repeat(16)}@${'s'.repeat(16)}`);
  if (!user) throw new Error('no user id');
  return user;
};

export const newReedId = (author: UserId): ReedId =>
  makeReedId(
    author,
    uuidv7(1_700_000_000_000, (count) => countingRandom(count)),
  );

/** What looks like the certificate of a reed with these words about it. */
export const certificateOf = (id: ReedId, says: Partial<ReedCertificate['statement']> = {}): ReedCertificate => {
  const statement = { id, author: userOf(id), tags: [], mentions: [], ...says };
  const countersignature = { statement: { signedAt: '2026-01-01T00:00:00.000Z' }, signature: '' };
  return { statement, signatures: [], countersignature } as unknown as ReedCertificate;
};

export const copyOf = (id: ReedId, change: Partial<CopyRecord> = {}): CopyRecord => ({
  id,
  certificate: certificateOf(id),
  body: { text: 'a text', createdAt: '2026-01-01T00:00:00.000Z', salt: 'AAAAAAAAAAAAAAAAAAAAAA' },
  own: false,
  state: 'held',
  storedAt: 0,
  ...change,
});

/** Sockets whose server is the test: it says what arrives, and sees what was sent. */
export class FakeSockets {
  readonly opened: FakeSocket[] = [];

  readonly factory: SocketFactory = (url, protocol, handlers) => {
    const socket = new FakeSocket(url, protocol, handlers);
    this.opened.push(socket);
    return socket;
  };

  get last(): FakeSocket {
    const socket = this.opened.at(-1);
    if (!socket) throw new Error('no socket was opened');
    return socket;
  }
}

export class FakeSocket implements MemberSocket {
  readonly url: string;
  readonly protocol: string;
  readonly sent: Frame[] = [];
  closedWith: number | null = null;
  readonly #handlers: SocketHandlers;

  constructor(url: string, protocol: string, handlers: SocketHandlers) {
    this.url = url;
    this.protocol = protocol;
    this.#handlers = handlers;
  }

  send(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes, DEFAULT_LIMITS);
    if (!frame.ok) throw new Error(`sent a frame that is ${frame.reason}`);
    this.sent.push(frame.value);
  }

  close(code: number): void {
    this.closedWith ??= code;
  }

  /** The server sends a frame. */
  receive(frame: Frame): void {
    this.#handlers.message(encodeFrame(frame));
  }

  receiveText(text: string): void {
    this.#handlers.message(text);
  }

  receiveBytes(bytes: Uint8Array): void {
    this.#handlers.message(bytes);
  }

  /** The server or the network closes. */
  drop(code: number, reason = ''): void {
    this.#handlers.closed(code, reason);
  }

  sentOf<T extends Frame['type']>(type: T): Extract<Frame, { type: T }>[] {
    return this.sent.filter((frame): frame is Extract<Frame, { type: T }> => frame.type === type);
  }
}

/** Lets everything run that waits for nothing but its turn. */
export const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((done) => setImmediate(done));
};

/** Lets things run until `condition` holds; for work whose turns nobody can count, like signing. */
export const until = async (condition: () => boolean): Promise<void> => {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 100_000) throw new Error('what was waited for did not happen');
    await new Promise<void>((done) => setImmediate(done));
  }
};
