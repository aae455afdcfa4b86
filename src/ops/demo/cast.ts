// The members of the demo: real ones, made with the SDK, signed up through invites, each with keys and a store of its own in memory.
// Who misbehaves does so at a port: the liar's store gives out other copies than were put in, the freezer's socket swallows what it is asked.
import { WebSocket } from 'ws';
import { OffsetClock } from '../../base/clock.ts';
import { cryptoRandom } from '../../base/ids.ts';
import type { KeyRing } from '../../client/key-ring.ts';
import { type Member, openMember } from '../../client/member.ts';
import { memoryKeySafe, openKeyRing } from '../../client/memory-key-ring.ts';
import { MemoryStore } from '../../client/memory-store.ts';
import type { Collection, CopyRecord, Records } from '../../client/store.ts';
import { webSocketFactory } from '../../client/web-socket.ts';
import type { Frame } from '../../wire/frames.ts';
import type { RunningApp } from '../serve.ts';
import type { Witness } from './witness.ts';

export type Role = 'honest' | 'liar' | 'freezer';

export type CastOptions = {
  readonly app: Pick<RunningApp, 'url' | 'rootInvite'>;
  readonly witness: Witness;
  /** One role for each member. */
  readonly roles: readonly Role[];
  /** Told of every frame that reaches a member. */
  readonly observe?: (who: number, frame: Frame) => void;
  /** The first one's place among all members, where there is more than one cast. */
  readonly first?: number;
  /** The first one's keys, for whoever needs them beside the member. */
  readonly keyRing?: KeyRing;
};

const NAMES = [
  ...['ada', 'ben', 'cleo', 'dov', 'edda', 'finn', 'gala', 'hugo', 'ines', 'jon', 'kaya', 'luis'],
  ...['mila', 'nils', 'orla', 'piet', 'quin', 'rosa', 'sven', 'tove', 'udo', 'vera', 'wim', 'yara'],
] as const;

export const nameOf = (who: number): string => NAMES[who] ?? `member-${who + 1}`;

/** Lies about what the server counts it a holder of: by turns another text under the true certificate, and another reed altogether. */
class LyingStore extends MemoryStore {
  #lies = 0;

  override async get<C extends Collection>(collection: C, id: string): Promise<Records[C] | null> {
    const record = await super.get(collection, id);
    return collection === 'copies' && record !== null ? ((await this.#falseCopy(record as CopyRecord)) as Records[C]) : record;
  }

  async #falseCopy(copy: CopyRecord): Promise<CopyRecord> {
    if (copy.state !== 'held') return copy;
    this.#lies += 1;
    const other = this.#lies % 2 === 0 ? (await this.list('copies')).find(({ id }) => id !== copy.id) : undefined;
    if (other !== undefined) return other;
    return { ...copy, body: { ...copy.body, text: 'This is not what the author wrote.' } };
  }
}

const openOne = async ({ app, witness, observe, first = 0, keyRing }: CastOptions, at: number, role: Role): Promise<Member> => {
  const who = first + at;
  const takes = (frame: Frame): boolean => {
    observe?.(who, frame);
    return role !== 'freezer' || frame.type !== 'relayRequest';
  };
  return openMember({
    serverUrl: app.url,
    store: role === 'liar' ? new LyingStore() : new MemoryStore(),
    keyRing: (at === 0 ? keyRing : undefined) ?? (await openKeyRing(memoryKeySafe())),
    socket: witness.watch(webSocketFactory(WebSocket), who, takes),
    fetch: globalThis.fetch,
    clock: new OffsetClock(),
    random: cryptoRandom,
  });
};

const join = async (member: Member, who: number, invite: string): Promise<void> => {
  await member.signUp({ username: nameOf(who), invite });
  member.connect();
  await member.online();
};

/** Signs up one member by the root invite and the others by invites of that first one. All are online when this resolves. */
export const assemble = async (options: CastOptions): Promise<readonly Member[]> => {
  const { app, roles, first: place = 0 } = options;
  if (app.rootInvite === null) throw new Error('the server of the demo has members already');
  const members = await Promise.all(roles.map((role, at) => openOne(options, at, role)));
  try {
    const [first, ...others] = members;
    if (first === undefined) return [];
    await join(first, place, app.rootInvite);
    await Promise.all(others.map(async (member, at) => join(member, place + at + 1, await first.createInvite())));
    return members;
  } catch (error) {
    await disband(members);
    throw error;
  }
};

export const disband = async (members: readonly Member[]): Promise<void> => {
  await Promise.all(members.map((member) => member.close()));
};
