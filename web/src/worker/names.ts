// Names of members for display, from memory, the profile's store or the server, in this order. A name that can't be had is
// empty, and pages are told to look for it again; a question to the server is asked once at a time for each member.
import { doubling } from '../../../src/base/backoff.ts';
import type { Clock, Timer } from '../../../src/base/clock.ts';
import type { Member } from '../../../src/client/member.ts';
import { parseUserId, type ServerId, serverOf, type UserId } from '../../../src/wire/address.ts';
import type { Database } from '../store/database.ts';
import { allNames, getName, putName } from '../store/names.ts';
import { sameName } from '../text/names.ts';

const KEPT = 5_000;
const AGAIN_FIRST_MS = 2_000;
const AGAIN_MAX_MS = 60_000;

type Parts = {
  readonly member: Member;
  readonly database: Database;
  readonly clock: Clock;
  /** A name may be had now. */
  changed(): void;
};

export class Names {
  readonly #database: Database;
  readonly #member: Member;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #known = new Map<UserId, string>();
  readonly #asking = new Map<UserId, Promise<string>>();
  #failures = 0;
  #again: Timer | null = null;

  constructor({ member, database, clock, changed }: Parts) {
    this.#database = database;
    this.#member = member;
    this.#clock = clock;
    this.#changed = changed;
    member.subscribe((event) => {
      if (event.type === 'connection' && event.state === 'online' && this.#again) this.#lookAgain();
    });
  }

  async of(user: UserId): Promise<string> {
    const { account } = this.#member;
    if (account?.user === user) return account.username;
    const known = this.#known.get(user);
    if (known !== undefined) return known;
    const asking = this.#asking.get(user) ?? this.#find(user);
    this.#asking.set(user, asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(user);
    }
  }

  /** Whose name it is on that server, as far as this device has met them; null if nobody's. */
  async idOf(name: string, server: ServerId): Promise<string | null> {
    const { account } = this.#member;
    if (account?.server === server && sameName(account.username, name)) return account.user;
    const met = (await allNames(this.#database)).filter(({ username }) => sameName(username, name)).map(({ id }) => parseUserId(id));
    return met.find((user) => user !== null && serverOf(user) === server) ?? null;
  }

  /** A name that was just read from the server: it may have changed. */
  async learn(user: UserId, username: string): Promise<void> {
    if (this.#known.get(user) === username) return;
    this.#known.set(user, username);
    await putName(this.#database, { id: user, username });
  }

  async #find(user: UserId): Promise<string> {
    const stored = await getName(this.#database, user);
    const username = stored ?? (await this.#ask(user));
    if (username === '') return '';
    if (this.#known.size >= KEPT) this.#known.clear();
    this.#known.set(user, username);
    return username;
  }

  async #ask(user: UserId): Promise<string> {
    try {
      const author = await this.#member.author(user);
      this.#failures = 0;
      if (!author) return '';
      await putName(this.#database, { id: user, username: author.username });
      return author.username;
    } catch {
      this.#again ??= this.#clock.after(doubling(++this.#failures, AGAIN_FIRST_MS, AGAIN_MAX_MS), () => this.#lookAgain());
      return '';
    }
  }

  /** Pages that still show somebody without a name ask for it. */
  #lookAgain(): void {
    this.#again?.cancel();
    this.#again = null;
    this.#changed();
  }
}
