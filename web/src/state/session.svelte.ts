// What every page knows about the member and the connection, as the leading tab's worker tells it.
import { Calls } from '../link/calls.ts';
import { lead } from '../link/leader.ts';
import { STARTING, type Status } from '../link/protocol.ts';
import { dropDrafts } from '../text/drafts.ts';

class Session {
  status = $state.raw<Status>(STARTING);
  /** Counts up whenever what is stored here may have changed. */
  changes = $state(0);
  /** Counts up whenever this member's own acts may have changed what the server answers. */
  said = $state(0);
  /** Set when the worker could not be started at all. */
  failure = $state('');
  /** Keys are only made in a secure context; elsewhere the browser offers no cryptography and no locks. */
  readonly secure = isSecureContext && 'locks' in navigator && 'subtle' in crypto;
  #calls: Calls | null = null;

  start(): void {
    if (!this.secure) return;
    this.#calls = new Calls(
      (status) => this.#hear(status),
      (own) => {
        this.changes += 1;
        if (own) this.said += 1;
      },
    );
    lead((detail) => {
      this.failure = detail;
    });
    this.#calls.ask('status', null).then(
      (status) => this.#hear(status),
      () => undefined,
    );
    addEventListener('pagehide', () => this.calls.pause());
    addEventListener('pageshow', (event) => {
      if (event.persisted) this.calls.resume();
    });
    addEventListener('online', () => void this.calls.ask('reconnect', null).catch(() => undefined));
  }

  /** What was begun belongs to the account, and goes with it. */
  #hear(status: Status): void {
    this.status = status;
    if (status.phase === 'signed-out' || status.end?.how === 'leaving') dropDrafts();
  }

  get calls(): Calls {
    if (!this.#calls) throw new Error('the session has not started');
    return this.#calls;
  }

  get signedIn(): boolean {
    return this.status.me !== null;
  }
}

export const session = new Session();
