// What Node would answer by itself, or not at all, below the routes: requests that its parser can't read or that never end, CONNECT. Answered in our
// form, after the answers that are owed before it; then the connection is cut, whether or not its other side ends it.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { doubt } from './doubtful.ts';
import { securityLines } from './headers.ts';
import { problemOf } from './problems.ts';

type Owed = { readonly request: IncomingMessage; readonly response: ServerResponse };
type Refusal = { readonly status: number; readonly reason: string; readonly error: AppError };

const CHECKS_PER_REQUEST = 10;

/** Options of Node's server. Who sends slowly is looked for often enough for `httpRequestMs` to mean something. */
export const serverOptions = ({ httpRequestMs }: Limits) => ({
  // Here, since Node derives the time for a head from it; told later it would take its own minute for the body instead.
  requestTimeout: httpRequestMs,
  connectionsCheckingInterval: Math.ceil(httpRequestMs / CHECKS_PER_REQUEST),
  // Node would answer without headers or a problem document; doubtful.ts does it.
  requireHostHeader: false,
});

/**
 * How long nothing need be read or written before a connection is cut without a word: who never reads an answer. Longer than what
 * a request may take to arrive, whose end is told.
 */
export const silenceMs = ({ httpRequestMs }: Limits): number => 2 * httpRequestMs;

/** The connections of one HTTP server. */
export class Connections {
  readonly #deps: { readonly clock: Clock; readonly limits: Limits };
  readonly #owed = new WeakMap<Duplex, Owed[]>();
  readonly #over = new WeakSet<Duplex>();
  #server: Server | null = null;

  constructor(deps: { readonly clock: Clock; readonly limits: Limits }) {
    this.#deps = deps;
  }

  watch(server: Server): void {
    this.#server = server;
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => this.#owe({ request, response }));
    // Node would answer an Expect that it does not know by itself; it may be passed over.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connect', (_request: IncomingMessage, stream: Duplex) => {
      stream.on('error', () => stream.destroy());
      this.#refuse(stream, { status: 405, reason: 'Method Not Allowed', error: new AppError('METHOD_NOT_ALLOWED', 'this is no proxy') });
    });
  }

  /** For Node's `clientError`. */
  readonly onClientError = (error: Error & { code?: string }, socket: Duplex): void => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else this.#refuse(socket, refusalOf(error.code));
  };

  /**
   * For Node's `shouldUpgradeCallback`: what is not taken is a request like any other. To another protocol than ours a client only offers to change.
   * Behind a request that has no answer yet none can be made: the other side would take that answer for ours.
   */
  readonly takesUpgrade = (request: IncomingMessage): boolean =>
    (this.#server?.listenerCount('upgrade') ?? 0) > 0 &&
    request.headers.upgrade?.toLowerCase() === 'websocket' &&
    doubt(request) === null &&
    (this.#owed.get(request.socket) ?? []).length === 0;

  #owe(one: Owed): void {
    const { socket } = one.request;
    const owed = this.#owed.get(socket) ?? [];
    this.#owed.set(socket, owed);
    owed.push(one);
    one.response.once('close', () => void owed.splice(owed.indexOf(one), 1));
  }

  /** Answers once, and takes nothing more from this connection. */
  #refuse(stream: Duplex, refusal: Refusal): void {
    if (stream.destroyed || this.#over.has(stream)) return;
    this.#over.add(stream);
    const owed = this.#owed.get(stream) ?? [];
    const last = owed.at(-1);
    // Broken off in its body, the last request is the one that is refused, unless it has its answer.
    const isAnswered = last !== undefined && (last.request.complete || last.response.headersSent);
    const before = isAnswered ? last : owed.at(-2);
    const say = (): void => {
      if (stream.writable) stream.end(isAnswered && !last.request.complete ? '' : textOf(refusal));
    };
    if (before === undefined) say();
    else before.response.once('close', say);
    const cut = this.#deps.clock.after(this.#deps.limits.closeWaitMs, () => stream.destroy());
    stream.once('close', () => cut.cancel());
  }
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      status: 431,
      reason: 'Request Header Fields Too Large',
      error: new AppError('TOO_LARGE', 'the head of the request is too large'),
    };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, reason: 'Request Timeout', error: new AppError('BAD_REQUEST', 'the request did not arrive in time') };
  return { status: 400, reason: 'Bad Request', error: new AppError('BAD_REQUEST', 'the request can not be read') };
}

/** The whole answer, with the same headers and form as everything else. */
function textOf({ status, reason, error }: Refusal): string {
  const body = JSON.stringify({ ...problemOf(error), status });
  const fields = ['connection: close', 'content-type: application/problem+json', `content-length: ${Buffer.byteLength(body)}`];
  return `HTTP/1.1 ${status} ${reason}\r\n${fields.join('\r\n')}\r\n${securityLines()}\r\n${body}`;
}
