// One load process: members of both servers, so that each is loaded in turn by the same code.
import type { ReedId } from '../../src/wire/address.ts';
import type { LightAccount } from '../support/light-member.ts';
import type { BareSizes } from './bare-frames.ts';
import { BareMember } from './bare-member.ts';
import { serveCalls } from './calls.ts';
import { Load, type LoadCounts, type Samples } from './load.ts';
import { ReedbedMember, type Shape, shapeFor } from './reedbed-member.ts';
import { type Usage, usage } from './usage.ts';

/** The reeds of a community: reed number r is held by the members r, r + step, r + 2·step … */
export type Library = { readonly reeds: readonly ReedId[]; readonly members: number; readonly holders: number; readonly step: number };

/** A server's name among those that are loaded, and its members in this process. */
type Members = { readonly of: string; readonly url: string; readonly ciphertextBytes: number };
export type ReedbedMembers = Members & {
  /** With their numbers in the community. */
  readonly accounts: readonly { readonly account: LightAccount; readonly index: number }[];
  readonly library: Library | null;
};
export type BareMembers = Members & { readonly indices: readonly number[]; readonly members: number; readonly sizes: BareSizes };

const CONNECTING_AT_ONCE = 50;
/** How far apart the reeds are that members ask for first. */
const STRIDE = 101;

const loads = new Map<string, Load>();
const loadOf = (name: string): Load => {
  const load = loads.get(name) ?? new Load();
  loads.set(name, load);
  return load;
};

const membersOf = (name: string): ReedbedMember[] => loadOf(name).askers.filter((asker) => asker instanceof ReedbedMember);

const inTurn = async <T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> => {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await task(item);
  };
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, worker));
};

/** A member's requests: reeds that it does not hold, each once, starting where nobody else does. */
const chooser = (library: Library | null, index: number): ((nth: number) => ReedId) => {
  if (library === null) return () => '' as ReedId;
  const { reeds, members, holders, step } = library;
  const holds = (reed: number): boolean => Array.from({ length: holders }, (_, nth) => (reed + nth * step) % members).includes(index);
  let skipped = 0;
  return (nth) => {
    for (;;) {
      const reed = (index * STRIDE + nth + skipped) % reeds.length;
      if (!holds(reed)) return reeds[reed] as ReedId;
      skipped += 1;
    }
  };
};

const api = {
  connect: async ({ of, url, accounts, library, ciphertextBytes }: ReedbedMembers): Promise<void> => {
    const load = loadOf(of);
    const first = accounts[0]?.account.userId;
    if (first === undefined) return;
    const shape: Shape = shapeFor(first, ciphertextBytes);
    await inTurn(accounts, async ({ account, index }) => {
      const choose = chooser(library, index);
      load.askers.push(await ReedbedMember.connect(url, account, { shape, choose }, load));
    });
  },
  connectBare: async ({ of, url, indices, members, sizes }: BareMembers): Promise<void> => {
    const load = loadOf(of);
    await inTurn(indices, async (index) => void load.askers.push(await BareMember.connect(url, { index, members, sizes }, load)));
  },
  keep: ({ of, outstanding }: { of: string; outstanding: number }): void => loadOf(of).keep(outstanding),
  counts: ({ of }: { of: string }): LoadCounts & Usage => ({ ...loadOf(of).counts(), ...usage() }),
  drain: ({ of }: { of: string }): Promise<void> => loadOf(of).drain(),
  schedule: ({ of, perSecond, forMs }: { of: string; perSecond: number; forMs: number }): Promise<Samples> =>
    loadOf(of).schedule(perSecond, forMs),
  /** Every member asks once. */
  askEach: ({ of }: { of: string }): void => loadOf(of).askEach(),
  sync: ({ of }: { of: string }): void => {
    for (const member of membersOf(of)) member.sync();
  },
  publish: ({ of, reedId }: { of: string; reedId: ReedId }): void => membersOf(of)[0]?.publish(reedId),
  watch: ({ of, reedId }: { of: string; reedId: ReedId }): void => {
    for (const member of membersOf(of)) member.watch(reedId);
  },
  /** From now on members keep their answers back until `answer`. */
  keepBack: ({ of }: { of: string }): void => {
    for (const member of membersOf(of)) member.keepsBack = true;
  },
  /** How many answers each member keeps back, of those who keep any. */
  kept: ({ of }: { of: string }): number[] => membersOf(of).flatMap(({ held }) => (held.length > 0 ? [held.length] : [])),
  answer: ({ of }: { of: string }): void => {
    for (const member of membersOf(of)) member.answerHeld();
  },
  disconnect: ({ of }: { of: string }): void => loadOf(of).end(),
};
export type LoadApi = typeof api;

serveCalls(api, async () => undefined);
