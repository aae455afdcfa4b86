// The servers beside the member's own: what stands behind the names of their people, and whether they can be reached. The last answer is kept in
// the profile, so that lists read the same offline, and people of a server that is a peer no more keep their names.
import type { Clock } from '../../../src/base/clock.ts';
import type { ListedPeer } from '../../../src/client/lists.ts';
import type { Member } from '../../../src/client/member.ts';
import type { MemberEvent } from '../../../src/client/types.ts';
import { parseServerId, type ReedId, type ServerId, serverOf, type UserId } from '../../../src/wire/address.ts';
import type { PeerRef } from '../link/community.ts';
import type { Database } from '../store/database.ts';
import { hostOf, labelsOf } from '../text/servers.ts';

const KEPT = 'servers';
/** Nobody is told of a new peer: its people may be met before it was heard of. */
const ASKED_FOR_UNKNOWN_EVERY_MS = 10_000;

type Known = Omit<PeerRef, 'label'>;
type Parts = {
  readonly member: Member;
  readonly database: Database;
  readonly clock: Clock;
  /** What is known has changed. */
  changed(): void;
};

export class Servers {
  readonly #parts: Parts;
  #known: readonly Known[] = [];
  #labels: ReadonlyMap<string, string> = new Map();
  #asking: Promise<void> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.member.subscribe((event) => this.#hear(event));
  }

  async load(): Promise<void> {
    const kept = (await this.#parts.database.get('meta', KEPT))?.value;
    this.#take(Array.isArray(kept) ? (kept as Known[]) : []);
  }

  get list(): readonly PeerRef[] {
    return this.#known.map((known) => ({ ...known, label: this.#labels.get(known.server) ?? known.server }));
  }

  /** Empty for the member's own server. */
  labelOf(id: UserId | ReedId): string {
    const server = serverOf(id);
    return server === this.#parts.member.account?.server ? '' : this.nameOf(server);
  }

  /** By its id while it was not heard of, which it is asked for then. */
  nameOf(server: ServerId): string {
    const label = this.#labels.get(server);
    if (label === undefined) void this.#askForUnknown();
    return label ?? server;
  }

  /** The server that people are named with like this; null if there is none. */
  async named(label: string): Promise<ServerId | null> {
    const known = this.#named(label);
    if (known) return known;
    await this.#askForUnknown();
    return this.#named(label);
  }

  #named(label: string): ServerId | null {
    const found = this.#known.find(({ server }) => this.#labels.get(server) === label.toLowerCase());
    return parseServerId(found?.server ?? label);
  }

  /** Asks anew; without an answer it stays as it was known. */
  async ask(): Promise<readonly PeerRef[]> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    await this.#asking;
    return this.list;
  }

  async #askForUnknown(): Promise<void> {
    if (this.#asking || this.#parts.clock.now() - this.#askedAt >= ASKED_FOR_UNKNOWN_EVERY_MS) await this.ask();
  }

  #hear(event: MemberEvent): void {
    if (event.type === 'connection' ? event.state === 'online' : event.type === 'peer-lost') void this.ask();
  }

  async #ask(): Promise<void> {
    const { member, database, changed } = this.#parts;
    if (member.connection !== 'online') return;
    this.#askedAt = this.#parts.clock.now();
    const listed = await member.lists.peers().catch(() => null);
    if (listed === null) return;
    const next = merged(this.#known, listed);
    if (JSON.stringify(next) === JSON.stringify(this.#known)) return;
    this.#take(next);
    await database.put('meta', { id: KEPT, value: next });
    changed();
  }

  #take(known: readonly Known[]): void {
    this.#known = known;
    this.#labels = labelsOf(known, hostOf(self.location.origin));
  }
}

/** What is listed, then what was once. */
function merged(before: readonly Known[], listed: readonly ListedPeer[]): Known[] {
  const now = listed.map(({ server, name, webUrl, state }) => ({ server, name, webUrl, state }));
  const gone = before.filter(({ server }) => !listed.some((peer) => peer.server === server));
  return [...now, ...gone.map((known) => ({ ...known, state: 'ended' as const }))];
}
