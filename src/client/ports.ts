// What the member SDK needs from its surroundings: a socket and HTTP. Browsers, workers, Node and tests each bring their own.
// A socket calls each handler at most once per event and `closed` exactly once, also when it never opened.

export interface MemberSocket {
  /** Queues bytes for sending. After `close` it does nothing. */
  send(bytes: Uint8Array): void;
  /** Starts closing; `closed` follows. */
  close(code: number, reason?: string): void;
}

export type SocketHandlers = {
  opened(): void;
  /** Binary messages as bytes, text messages as a string. */
  message(data: Uint8Array | string): void;
  closed(code: number, reason: string): void;
};

/** Opens a socket to `url` (ws or wss) with one subprotocol. */
export type SocketFactory = (url: string, protocol: string, handlers: SocketHandlers) => MemberSocket;

export type HttpFetch = typeof globalThis.fetch;
