// A socket whose handshake was completed only so that it can be told why it is closed. It is read no more, counts among the sockets that
// have not signed in, and is cut on the wheel if the other side does not close.
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { CLOSE_CODES, type CloseCode } from '../base/codes.ts';
import type { Limits } from '../base/limits.ts';
import type { MemberSocket } from './member-socket.ts';
import type { Timed, TimerWheel } from './timer-wheel.ts';

export type TurningAway = {
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  readonly limits: Limits;
  /** The socket is gone. Called once. */
  readonly gone: (turnedAway: TurnedAway) => void;
};

export class TurnedAway implements Timed {
  slot = -1;
  place = -1;
  dueAt = 0;
  readonly #socket: MemberSocket;

  /** Says why and closes our half of the connection. */
  constructor({ clock, wheel, limits, gone }: TurningAway, socket: MemberSocket, stream: Duplex, code: CloseCode) {
    this.#socket = socket;
    socket.on('error', () => this.cut());
    socket.once('close', () => {
      wheel.remove(this);
      gone(this);
    });
    wheel.set(this, clock.monotonicMs() + limits.closeWaitMs);
    socket.close(CLOSE_CODES[code].number, code);
    socket.pause();
    stream.end();
  }

  /** Cuts the socket without a word. */
  cut(): void {
    this.#socket.terminate();
  }

  due(): null {
    this.cut();
    return null;
  }
}
