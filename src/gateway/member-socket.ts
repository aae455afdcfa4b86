// The WebSocket class of the gateway: finds its connection without a closure for each event, and closes with our codes where
// the library would use the protocol's own.
import { WebSocket } from 'ws';
import { CLOSE_CODES } from '../base/codes.ts';

/** Who is told what happens to a socket. */
export interface SocketEvents {
  receive(data: Buffer, isBinary: boolean): void;
  /** A ping or pong of the WebSocket protocol. @returns whether a ping is answered */
  control(payloadBytes: number): boolean;
  /** The socket is gone; nothing follows. */
  closed(): void;
  /** The other side broke the protocol, or the network failed; `closed` follows. */
  failed(): void;
}

/** What the library closes with when the other side breaks the WebSocket protocol itself. */
const OURS: Readonly<Record<number, number>> = {
  1002: CLOSE_CODES.CLOSE_MALFORMED_FRAME.number,
  1007: CLOSE_CODES.CLOSE_MALFORMED_FRAME.number,
  1008: CLOSE_CODES.CLOSE_MALFORMED_FRAME.number,
  1009: CLOSE_CODES.CLOSE_FRAME_TOO_LARGE.number,
};

export class MemberSocket extends WebSocket {
  events: SocketEvents | null = null;

  override close(code?: number, data?: string | Buffer): void {
    super.close(code === undefined ? code : (OURS[code] ?? code), data);
  }

  /** Starts to pass events on. */
  serve(events: SocketEvents): void {
    this.events = events;
    this.on('message', onMessage);
    this.on('ping', onPing);
    this.on('pong', onPong);
    this.on('close', onClose);
    this.on('error', onError);
  }
}

function onMessage(this: WebSocket, data: Buffer, isBinary: boolean): void {
  (this as MemberSocket).events?.receive(data, isBinary);
}

function onPing(this: WebSocket, data: Buffer): void {
  if ((this as MemberSocket).events?.control(data.length)) this.pong(data);
}

function onPong(this: WebSocket, data: Buffer): void {
  (this as MemberSocket).events?.control(data.length);
}

function onClose(this: WebSocket): void {
  (this as MemberSocket).events?.closed();
}

/** The library closes by itself after an error; without a listener it would end the process. */
function onError(this: WebSocket): void {
  (this as MemberSocket).events?.failed();
}
