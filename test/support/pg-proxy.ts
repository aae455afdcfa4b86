// A TCP proxy before Postgres. A test names a point in the life of a statement (before it is executed, before its transaction commits, after
// the commit with the answer withheld); there the connection stands still until the test lets it go on or cuts it. Or all of it is refused, or stalls.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { overTcp } from './database.ts';
import { type PgMessage, PgMessages, PgStatements } from './pg-messages.ts';

/** 'at-commit': all that is committed together is executed, nothing committed; of a statement by itself the same as 'before'. */
export type Side = 'before' | 'at-commit' | 'after';
/** The first statement that matches from now on: its name, a space, and its text. */
export type Point = {
  readonly statement: RegExp;
  readonly side: Side;
  /** What must stand in its parameters. */
  readonly about?: string;
};
/** A connection that stands still at a point. */
export type Hold = {
  /** Goes on as if nothing had been. */
  release(): void;
  /** Ends the connection on both sides; what was withheld is lost. */
  cut(): void;
};

type Armed = Point & { readonly reached: (hold: Hold) => void };

const IDLE = 'I'.charCodeAt(0);
/** Stands for the messages of a whole answer. */
const WITHHELD = 'withheld';

export class PgProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #lines = new Set<Line>();
  readonly #armed = new Set<Armed>();
  readonly #passed = new Map<string, number>();
  #refusing = false;
  #stalled = false;

  private constructor(server: Server, databaseUrl: string) {
    const url = new URL(overTcp(databaseUrl));
    this.#target = { host: url.hostname, port: Number(url.port) };
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    url.port = String(address.port);
    this.url = url.href;
    this.#server = server;
    server.on('connection', (socket) => this.#open(socket));
  }

  static async start(databaseUrl: string): Promise<PgProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PgProxy(server, databaseUrl);
  }

  /** Resolves when some connection stands still at the point. Each point is reached once. */
  at(point: Point): Promise<Hold> {
    return new Promise((reached) => this.#armed.add({ ...point, reached }));
  }

  /** Forgets the points that were not reached. */
  disarm(): void {
    this.#armed.clear();
  }

  /** How many statements of this name were answered, and their answers passed on, so far. */
  passed(name: string): number {
    return this.#passed.get(name) ?? 0;
  }

  /** Ends all connections and takes no new ones. */
  refuse(): void {
    this.#refusing = true;
    this.cutAll();
  }

  accept(): void {
    this.#refusing = false;
  }

  /** From now on nothing passes in either direction, though every connection stays open. */
  stall(): void {
    this.#stalled = true;
    for (const line of this.#lines) line.stall();
  }

  resume(): void {
    this.#stalled = false;
    for (const line of this.#lines) line.release();
  }

  cutAll(): void {
    for (const line of this.#lines) line.cut();
  }

  async close(): Promise<void> {
    this.#refusing = true;
    this.#server.close();
    this.cutAll();
    await once(this.#server, 'close');
  }

  #open(client: Socket): void {
    if (this.#refusing) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const passed = (name: string): void => void this.#passed.set(name, this.passed(name) + 1);
    const line = new Line(client, connect(this.#target.port, this.#target.host), { armed: this.#armed, passed });
    this.#lines.add(line);
    if (this.#stalled) line.stall();
    client.once('close', () => this.#lines.delete(line));
  }
}

/** One connection. What stands still is kept in order, in both directions. */
class Line implements Hold {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #armed: Set<Armed>;
  readonly #passed: (name: string) => void;
  /** Of the statement whose answer is awaited. */
  #name = '';
  readonly #fromClient = new PgMessages('client');
  readonly #fromServer = new PgMessages('server');
  readonly #statements = new PgStatements();
  /** Points whose statement has passed, and whose commit or answer is waited for. */
  #expected: Armed[] = [];
  #held = false;
  #inTransaction = false;
  #forServer: PgMessage[] = [];
  #forClient: PgMessage[] = [];
  /** The answers since the last ReadyForQuery: kept back while a point 'after' may be reached with them. */
  #answer: Buffer[] = [];

  constructor(client: Socket, server: Socket, test: { readonly armed: Set<Armed>; readonly passed: (name: string) => void }) {
    this.#client = client;
    this.#server = server;
    this.#armed = test.armed;
    this.#passed = test.passed;
    client.setNoDelay(true);
    server.setNoDelay(true);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    client.on('data', (chunk: Buffer) => {
      this.#forServer.push(...this.#fromClient.take(chunk));
      this.#flow();
    });
    server.on('data', (chunk: Buffer) => {
      this.#forClient.push(...this.#fromServer.take(chunk));
      this.#flow();
    });
  }

  stall(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#flow();
  }

  cut(): void {
    this.#held = true;
    this.#client.resetAndDestroy();
    this.#server.destroy();
  }

  #flow(): void {
    for (let message = this.#next(this.#forServer); message; message = this.#next(this.#forServer)) {
      if (this.#holdsBefore(message)) this.#forServer.unshift(message);
      else this.#server.write(message.bytes);
    }
    for (let message = this.#next(this.#forClient); message; message = this.#next(this.#forClient)) this.#answered(message);
  }

  #next(queue: PgMessage[]): PgMessage | undefined {
    return this.#held ? undefined : queue.shift();
  }

  #reach(point: Armed): void {
    this.#held = true;
    point.reached(this);
  }

  /** Whether the connection stops in front of this message of the client. */
  #holdsBefore(message: PgMessage): boolean {
    const statement = this.#statements.of(message);
    if (statement === null) return false;
    this.#name = statement.slice(0, statement.indexOf(' '));
    const commits = this.#expected.find(({ side }) => side === 'at-commit');
    if (commits && /^\s*commit/i.test(statement)) {
      this.#expected = this.#expected.filter((point) => point !== commits);
      this.#reach(commits);
      return true;
    }
    for (const point of this.#armed) {
      if (!point.statement.test(statement) || !message.bytes.includes(point.about ?? '')) continue;
      this.#armed.delete(point);
      if (point.side === 'after' || (point.side === 'at-commit' && this.#inTransaction)) this.#expected.push(point);
      else {
        this.#reach(point);
        return true;
      }
    }
    return false;
  }

  /** A message of the server: with a point 'after' ahead nothing is passed on until it is known that this answer is not the one to withhold. */
  #answered(message: PgMessage): void {
    if (message.type === 'Z') this.#inTransaction = message.bytes[5] !== IDLE;
    const after = this.#expected.find(({ side }) => side === 'after');
    if (!after) {
      this.#client.write(message.bytes);
      if (message.type === 'Z' || message.type === WITHHELD) this.#passed(this.#name);
      return;
    }
    this.#answer.push(message.bytes);
    if (message.type !== 'Z') return;
    const bytes = Buffer.concat(this.#answer);
    this.#answer = [];
    // Not idle: inside a transaction that goes on.
    if (message.bytes[5] === IDLE) {
      this.#expected = this.#expected.filter((point) => point !== after);
      this.#forClient.unshift({ type: WITHHELD, bytes });
      this.#reach(after);
    } else this.#client.write(bytes);
  }
}
