// Sockets over the WebSocket class of browsers, workers and Node, and over `ws`, which has the same shape.
// A socket that could not be opened is told as closed with code 1006, never as a throw.
import type { MemberSocket, SocketFactory, SocketHandlers } from './ports.ts';

const OPEN = 1;
const ABNORMAL = 1006;

type SocketEvents = {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
};

/** The part of WebSocket that is used; `ws` and the standard class both have it. */
export type WebSocketLike = SocketEvents & {
  binaryType: string;
  readonly readyState: number;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
};

export type WebSocketClass = new (url: string, protocol: string) => unknown;

/** Makes a socket factory from a WebSocket class. */
export const webSocketFactory =
  (socketClass: WebSocketClass): SocketFactory =>
  (url, protocol, handlers) => {
    const socket = new socketClass(url, protocol) as WebSocketLike;
    socket.binaryType = 'arraybuffer';
    listen(socket, handlers);
    return wrap(socket);
  };

function listen(socket: WebSocketLike, handlers: SocketHandlers): void {
  let closed = false;
  const close = (code: number, reason: string): void => {
    if (closed) return;
    closed = true;
    handlers.closed(code, reason);
  };
  socket.onopen = () => handlers.opened();
  socket.onmessage = (event: { data: unknown }) => {
    handlers.message(typeof event.data === 'string' ? event.data : new Uint8Array(event.data as ArrayBuffer));
  };
  socket.onclose = (event: { code?: number; reason?: string }) => close(event.code ?? ABNORMAL, event.reason ?? '');
  // An error is always followed by a close event; it needs a listener because `ws` throws without one.
  socket.onerror = () => undefined;
}

const wrap = (socket: WebSocketLike): MemberSocket => ({
  send: (bytes) => {
    if (socket.readyState === OPEN) socket.send(bytes as Uint8Array<ArrayBuffer>);
  },
  close: (code, reason) => socket.close(code, reason),
});
