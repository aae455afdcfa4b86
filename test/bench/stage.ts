// The processes of a run: servers, the bare relay and the load processes. Whatever is started is on one stack and ends with it.
import packageJson from '../../package.json' with { type: 'json' };
import { LightCommunity } from '../support/light-member.ts';
import { RAISED_LIMITS } from '../support/raised-limits.ts';
import type { BareApi } from './bare-child.ts';
import { Child } from './calls.ts';
import type { LoadApi } from './load-child.ts';
import type { PeersApi } from './peers-child.ts';
import type { ServerApi, StartOptions } from './server-child.ts';
import { machineCpuMs, type Usage } from './usage.ts';

/** What `npm start` tells Node. */
const NODE_FLAGS = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'));

export type Server = {
  readonly child: Child<ServerApi>;
  readonly url: string;
  /** Where it listens, whatever its public address is. */
  readonly port: number;
  readonly serverId: string;
  readonly community: LightCommunity;
  readonly databaseUrl: string;
};

export class Stage implements AsyncDisposable {
  readonly #owned = new AsyncDisposableStack();

  /** A server on a database of its own, both in processes of their own. */
  async server({ limits, ...options }: Partial<StartOptions> = {}): Promise<Server> {
    const child = await Child.start<ServerApi>('server-child.ts', ['--expose-gc', ...NODE_FLAGS]);
    this.#owned.defer(() => child.stop());
    const { url, serverId, databaseUrl } = await child.call('start', { ...options, limits: { ...RAISED_LIMITS, ...limits } });
    return {
      child,
      url,
      serverId,
      port: options.config?.port ?? Number(new URL(url).port),
      databaseUrl,
      community: new LightCommunity(databaseUrl, serverId),
    };
  }

  async bare(): Promise<Child<BareApi>> {
    const child = await Child.start<BareApi>('bare-child.ts', ['--expose-gc']);
    this.#owned.defer(() => child.stop());
    return child;
  }

  async peers(): Promise<Child<PeersApi>> {
    const child = await Child.start<PeersApi>('peers-child.ts');
    this.#owned.defer(() => child.stop());
    return child;
  }

  async loads(count: number): Promise<Child<LoadApi>[]> {
    const children = await Promise.all(Array.from({ length: count }, () => Child.start<LoadApi>('load-child.ts')));
    for (const child of children) this.#owned.defer(() => child.stop());
    return children;
  }

  /** Ends with the stage, before what was started earlier. */
  owns<T extends { close(): Promise<void> }>(resource: T): T {
    this.#owned.defer(() => resource.close());
    return resource;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }
}

/** What is shared out among processes: item n goes to process n modulo their number. */
export const share = <T>(items: readonly T[], of: number, among: number): T[] => items.filter((_, index) => index % among === of);

/** What one process used between two looks, as shares of one core. */
export type Shares = { readonly cpu: number; readonly loop: number };

export const sharesOf = (before: Usage, after: Usage): Shares => {
  const passedMs = after.atMs - before.atMs;
  return { cpu: (after.cpuMs - before.cpuMs) / passedMs, loop: (after.loopMs - before.loopMs) / passedMs };
};

/** Cores that the whole machine was busy with while `work` ran. */
export const machineDuring = async <T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly cores: number }> => {
  const [from, cpuMs] = [performance.now(), machineCpuMs()];
  const value = await work();
  return { value, cores: (machineCpuMs() - cpuMs) / (performance.now() - from) };
};
