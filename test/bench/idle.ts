// What a socket costs that does nothing: memory of the server's process for each, and the share of a core that all of them take, Postgres included.
import { OffsetClock, pause } from '../../src/base/clock.ts';
import type { LightAccount } from '../support/light-member.ts';
import type { Child } from './calls.ts';
import type { LoadApi } from './load-child.ts';
import { shapeFor } from './reedbed-member.ts';
import { type Server, type Stage, share } from './stage.ts';
import { CIPHERTEXT_BYTES } from './throughput.ts';
import type { Usage } from './usage.ts';

export type IdleSizes = { readonly sockets: number; readonly warmUpSockets: number; readonly settleMs: number; readonly windowMs: number };

export type Idle = {
  readonly sockets: number;
  readonly bytesPerSocket: number;
  readonly bareBytesPerSocket: number;
  readonly coreShare: number;
  readonly serverCoreShare: number;
  readonly bareCoreShare: number;
  readonly signInsPerSecond: number;
};

const clock = new OffsetClock();
const PAGE = 2_000;

const accountsOf = async (server: Server, count: number): Promise<LightAccount[]> => {
  const accounts: LightAccount[] = [];
  while (accounts.length < count) accounts.push(...(await server.community.accounts(Math.min(PAGE, count - accounts.length))));
  return accounts;
};

type Look = { readonly collected: () => Promise<Usage>; readonly cpuMs: () => Promise<readonly [process: number, postgres: number]> };

/** Memory for each of the sockets that `connect` opens beyond those that warm the process up, then CPU while nothing happens. */
const measure = async (sizes: IdleSizes, look: Look, connect: (from: number, to: number) => Promise<void>) => {
  await connect(0, sizes.warmUpSockets);
  await pause(clock, sizes.settleMs);
  const before = await look.collected();
  const startedAt = performance.now();
  await connect(sizes.warmUpSockets, sizes.sockets);
  const connectedMs = performance.now() - startedAt;
  await pause(clock, sizes.settleMs);
  const after = await look.collected();
  const [fromMs, cpu] = [performance.now(), await look.cpuMs()];
  await pause(clock, sizes.windowMs);
  const [server, postgres] = await look.cpuMs();
  const passedMs = performance.now() - fromMs;
  const added = sizes.sockets - sizes.warmUpSockets;
  return {
    bytes: (after.rssBytes - before.rssBytes) / added,
    serverShare: (server - cpu[0]) / passedMs,
    postgresShare: (postgres - cpu[1]) / passedMs,
    perSecond: (added / connectedMs) * 1_000,
  };
};

/** `server` must be one that nobody used yet: what a process keeps from earlier loads would hide what sockets take. */
export const measureIdle = async (stage: Stage, server: Server, loads: readonly Child<LoadApi>[], sizes: IdleSizes): Promise<Idle> => {
  const accounts = (await accountsOf(server, sizes.sockets)).map((account, index) => ({ account, index }));
  const everyone = (task: (load: Child<LoadApi>, index: number) => Promise<void>) => Promise.all(loads.map(task));
  const look = {
    collected: () => server.child.call('collected', undefined as never),
    used: () => server.child.call('used', undefined as never),
  };
  const connected = Promise.withResolvers<void>();
  const own = measure(
    sizes,
    { collected: look.collected, cpuMs: async () => look.used().then(({ cpuMs, postgresCpuMs }) => [cpuMs, postgresCpuMs] as const) },
    async (from, to) => {
      const common = { of: 'idle', url: server.url, library: null, ciphertextBytes: CIPHERTEXT_BYTES };
      const some = accounts.slice(from, to);
      await everyone((load, index) => load.call('connect', { ...common, accounts: share(some, index, loads.length) }));
      if (to === sizes.sockets) connected.resolve();
    },
  );
  const bareSide = async () => {
    const bare = await stage.bare();
    const frames = shapeFor(accounts[0]?.account.userId ?? ('' as never), CIPHERTEXT_BYTES).sizes;
    const { url } = await bare.call('start', frames);
    const indices = Array.from({ length: sizes.sockets }, (_, index) => index);
    return measure(
      { ...sizes, windowMs: sizes.windowMs / 3 },
      {
        collected: () => bare.call('collected', undefined as never),
        cpuMs: async () => bare.call('used', undefined as never).then(({ cpuMs }) => [cpuMs, 0] as const),
      },
      async (from, to) => {
        const common = { of: 'idle-bare', url, ciphertextBytes: CIPHERTEXT_BYTES, members: sizes.sockets, sizes: frames };
        const some = indices.slice(from, to);
        await everyone((load, index) => load.call('connectBare', { ...common, indices: share(some, index, loads.length) }));
      },
    );
  };
  // What is measured is what each server's own processes use: the bare one is connected while the other one's sockets do nothing.
  const [ours, bare] = await Promise.all([own, connected.promise.then(bareSide)]);
  await everyone(async (load) => void (await Promise.all(['idle', 'idle-bare'].map((of) => load.call('disconnect', { of })))));
  return {
    ...{ sockets: sizes.sockets, bytesPerSocket: ours.bytes, bareBytesPerSocket: bare.bytes, signInsPerSecond: ours.perSecond },
    ...{ coreShare: ours.serverShare + ours.postgresShare, serverCoreShare: ours.serverShare, bareCoreShare: bare.serverShare },
  };
};
