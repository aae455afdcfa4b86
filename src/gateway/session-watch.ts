// The regular look at whether the sessions of our sockets still stand. Who ends a session says so at once, after its commit; a process that died
// in between, or word that was lost, leaves sockets open that nobody will speak of again.
import type { Logger } from 'pino';
import type { CloseCode } from '../base/codes.ts';
import type { Limits } from '../base/limits.ts';
import type { Member, SessionEnd } from '../identity/sessions.ts';

/** A connection, as this look sees it. */
export interface Watched {
  /** Signed in and not ending. */
  readonly open: boolean;
  readonly member: Member;
  end(code: CloseCode): void;
}

export type SessionWatchDeps = {
  readonly sessions: { endedOf(members: readonly Member[]): Promise<readonly (SessionEnd | null)[]> };
  readonly limits: Pick<Limits, 'batchItems' | 'sessionLookMs'>;
  readonly log: Logger;
};

const CODES = { ended: 'CLOSE_SESSION_ENDED', replaced: 'CLOSE_REPLACED' } as const satisfies Record<SessionEnd, CloseCode>;

export class SessionWatch {
  readonly #deps: SessionWatchDeps;
  #lookedAt: number;
  #isLooking = false;

  constructor(deps: SessionWatchDeps, now: number) {
    this.#deps = deps;
    this.#lookedAt = now;
  }

  get idle(): boolean {
    return !this.#isLooking;
  }

  /** Looks at all of `connections`, if it is time. What fails is looked at the next time. */
  look(now: number, connections: Iterable<Watched>): void {
    const { limits, log } = this.#deps;
    if (this.#isLooking || now - this.#lookedAt < limits.sessionLookMs) return;
    this.#lookedAt = now;
    this.#isLooking = true;
    this.#run([...connections].filter(({ open }) => open))
      .catch((error) => log.warn({ err: error }, 'whether sessions still stand could not be looked at; it is again'))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #run(connections: readonly Watched[]): Promise<void> {
    const { limits, sessions } = this.#deps;
    for (let at = 0; at < connections.length; at += limits.batchItems) {
      const page = connections.slice(at, at + limits.batchItems).filter(({ open }) => open);
      const ends = await sessions.endedOf(page.map(({ member }) => member));
      for (const [place, connection] of page.entries()) {
        const end = ends[place] ?? null;
        if (end !== null) connection.end(CODES[end]);
      }
    }
  }
}
