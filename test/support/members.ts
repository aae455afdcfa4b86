// Members of a server under test, made with the SDK as anybody's program would: real keys, real sockets, a store in memory.
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { OffsetClock } from '../../src/base/clock.ts';
import { cryptoRandom } from '../../src/base/ids.ts';
import type { KeyRing } from '../../src/client/key-ring.ts';
import { type Member, type MemberDeps, openMember } from '../../src/client/member.ts';
import { type KeySafe, memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import type { Store } from '../../src/client/store.ts';
import type { MemberEvent } from '../../src/client/types.ts';
import { webSocketFactory } from '../../src/client/web-socket.ts';

export type MemberOptions = {
  readonly name?: string;
  /** A whole invite link; absent on an open server. */
  readonly invite?: string | null;
  readonly store?: Store;
  readonly safe?: KeySafe;
  readonly keyRing?: KeyRing;
  /** Given to take the place of a real part, at its port. */
  readonly deps?: Partial<MemberDeps>;
};

/** A member of `app`, neither signed up nor connected unless the store says so. */
export async function openTestMember(app: { readonly url: string }, options: MemberOptions = {}): Promise<Member> {
  return openMember({
    serverUrl: app.url,
    store: options.store ?? new MemoryStore(),
    keyRing: options.keyRing ?? (await openKeyRing(options.safe ?? memoryKeySafe())),
    socket: webSocketFactory(WebSocket),
    fetch: globalThis.fetch,
    clock: new OffsetClock(),
    random: cryptoRandom,
    ...options.deps,
  });
}

/** A member who has signed up and is online. */
export async function makeMember(app: { readonly url: string }, options: MemberOptions = {}): Promise<Member> {
  const member = await openTestMember(app, options);
  const username = options.name ?? `m${randomUUID().slice(0, 12)}`;
  if (!member.account) await member.signUp({ username, ...(options.invite ? { invite: options.invite } : {}) });
  member.connect();
  await member.online();
  return member;
}

/** Resolves with the first event that `matches`, from now on. */
export const nextEvent = <E extends MemberEvent>(member: Member, matches: (event: MemberEvent) => event is E): Promise<E> =>
  new Promise((done) => {
    const stop = member.subscribe((event) => {
      if (!matches(event)) return;
      stop();
      done(event);
    });
  });

/** An event of one type. */
export const isA =
  <T extends MemberEvent['type']>(type: T, also: (event: Extract<MemberEvent, { type: T }>) => boolean = () => true) =>
  (event: MemberEvent): event is Extract<MemberEvent, { type: T }> =>
    event.type === type && also(event as Extract<MemberEvent, { type: T }>);
