// Who may open a socket at all: the path, the origin and the subprotocol are judged before any WebSocket exists.
import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Whether a page of this origin may open a socket here: none (not a browser), or our own. */
export function isOwnOrigin(request: IncomingMessage, publicOrigin: string | null): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  if (publicOrigin !== null) return origin === publicOrigin;
  // Without a configured address: the one that the page itself was asked under.
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host.toLowerCase();
}

/** The subprotocols a client offers, in its order. */
export const offeredProtocols = (request: IncomingMessage): string[] =>
  (request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

export type Refusal = { readonly status: number; readonly detail: string; readonly retryAfterMs?: number };

/**
 * Answers an upgrade with a plain HTTP refusal and ends the connection.
 * @param always lines of every response
 */
export function refuseUpgrade(stream: Duplex, { status, detail, retryAfterMs }: Refusal, always: string): void {
  stream.on('error', () => stream.destroy());
  // Nobody watches this connection any more: it must not wait for the other side's end.
  stream.once('finish', () => stream.destroy());
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(detail)}`,
    ...(status === 400 ? ['Sec-WebSocket-Version: 13'] : []),
    ...(status === 405 ? ['Allow: GET'] : []),
    ...(retryAfterMs === undefined ? [] : [`Retry-After: ${Math.ceil(retryAfterMs / 1_000)}`]),
  ];
  stream.end(`${head.join('\r\n')}\r\n${always}\r\n${detail}`);
}
