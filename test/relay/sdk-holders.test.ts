// Holders as they really are: liars, keepers of nothing, those who freeze; and sockets and servers that go away in the middle.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import type { Member } from '../../src/client/member.ts';
import { memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import type { MemberSocket, SocketFactory } from '../../src/client/ports.ts';
import type { Collection, CopyRecord, Records } from '../../src/client/store.ts';
import type { MemberEvent } from '../../src/client/types.ts';
import { webSocketFactory } from '../../src/client/web-socket.ts';
import { decodeFrame } from '../../src/wire/codec.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { isA, type MemberOptions, makeMember, nextEvent } from '../support/members.ts';
import { startServer, type TestServer, type TestServerOptions } from '../support/server.ts';

/** For all who do nothing to it: each has members and reeds of its own. */
let shared: TestServer;
const servers: TestServer[] = [];
const members: Member[] = [];

beforeAll(async () => {
  shared = await startServer({ config: { signup: 'open' } });
});
afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => shared.close());

const start = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const server = await startServer({ ...options, config: { signup: 'open', ...options.config } });
  servers.push(server);
  return server;
};

const join = async (server: TestServer, options?: MemberOptions): Promise<Member> => {
  const member = await makeMember(server, options);
  members.push(member);
  return member;
};

const publishBy = async (author: Member, text: string) => {
  const { reedId, published } = await author.publish({ text });
  await published;
  return reedId;
};

const isHeld = isA('copy', ({ state }) => state === 'held');

const keep = async (member: Member, reedId: Parameters<Member['request']>[0]): Promise<void> => {
  const held = nextEvent(member, isHeld);
  await member.request(reedId);
  await held;
};

/** A store whose copies come out as `change` makes them. */
class AlteredStore extends MemoryStore {
  change: (copy: CopyRecord) => CopyRecord | null = (copy) => copy;

  override async get<C extends Collection>(collection: C, id: string): Promise<Records[C] | null> {
    const record = await super.get(collection, id);
    return collection === 'copies' && record ? (this.change(record as CopyRecord) as Records[C] | null) : record;
  }
}

/** Sockets that pass on only what `passes` lets through, and that can be cut. */
const watched = (passes: (frame: Frame, way: 'in' | 'out') => boolean) => {
  const open: MemberSocket[] = [];
  const real = webSocketFactory(WebSocket);
  const lets = (bytes: Uint8Array, way: 'in' | 'out'): boolean => {
    const frame = decodeFrame(bytes, DEFAULT_LIMITS);
    return !frame.ok || passes(frame.value, way);
  };
  const factory: SocketFactory = (url, protocol, handlers) => {
    const socket = real(url, protocol, {
      ...handlers,
      message: (data) => {
        if (typeof data === 'string' || lets(data, 'in')) handlers.message(data);
      },
    });
    open.push(socket);
    return {
      send: (bytes) => {
        if (lets(bytes, 'out')) socket.send(bytes);
      },
      close: (code, reason) => socket.close(code, reason),
    };
  };
  const cut = (): void => {
    for (const socket of open.splice(0)) socket.close(3_000);
  };
  return { factory, cut };
};

/** Sockets that die without the server's hearing of it. */
class UnseenDeath {
  /** What each WELCOME said. */
  readonly resumed: boolean[] = [];
  /** What came for a member that heard nothing any more. */
  readonly missed: Frame['type'][] = [];
  /** Nothing reaches the member any more; it does not know yet. */
  mute: () => void = () => undefined;
  /** The member finds out; the server does not. */
  part: () => void = () => undefined;

  readonly factory: SocketFactory = (url, protocol, handlers) => {
    let [hears, here] = [true, true];
    const socket = webSocketFactory(WebSocket)(url, protocol, {
      opened: () => handlers.opened(),
      message: (data) => {
        const frame = typeof data === 'string' ? null : decodeFrame(data, DEFAULT_LIMITS);
        if (frame?.ok && frame.value.type === 'welcome') this.resumed.push(frame.value.body.resumed);
        if (hears) handlers.message(data);
        else if (frame?.ok) this.missed.push(frame.value.type);
      },
      closed: (code, reason) => {
        if (here) handlers.closed(code, reason);
      },
    });
    this.mute = () => {
      hears = false;
    };
    this.part = () => {
      here = false;
      handlers.closed(1006, '');
    };
    return {
      send: (bytes) => {
        if (here) socket.send(bytes);
      },
      close: (code, reason) => {
        // The member closes what is dead already: the server hears nothing of that either.
        if (here) socket.close(code, reason);
      },
    };
  };
}

describe('a holder', () => {
  test('that changes the text is found out, and the copy comes from someone else', async () => {
    const server = shared;
    const author = await join(server);
    const reedId = await publishBy(author, 'the truth');
    const store = new AlteredStore();
    const liar = await join(server, { store });
    await keep(liar, reedId);
    store.change = (copy) => ({ ...copy, body: { ...copy.body, text: 'a lie' } });
    await author.close();
    const reader = await join(server);
    const invalid = nextEvent(reader, isA('invalid'));
    const request = reader.request(reedId);
    expect((await invalid).reason).toBe('BAD_SIGNATURE');
    await nextEvent(
      reader,
      isA('request', ({ progress }) => progress.state === 'nobody-online' || progress.state === 'holders-failing'),
    );
    // To whoever it has not lied to yet, the liar is still a holder; from there the truth reaches the reader.
    store.change = (copy) => copy;
    const other = await join(server);
    expect((await other.request(reedId)).body.text).toBe('the truth');
    expect((await request).body.text).toBe('the truth');
  });

  test('that sends another reed than asked for is found out', async () => {
    const server = shared;
    const author = await join(server);
    const [reedId, other] = [await publishBy(author, 'asked for'), await publishBy(author, 'sent instead')];
    const store = new AlteredStore();
    const liar = await join(server, { store });
    await keep(liar, reedId);
    await keep(liar, other);
    const instead = await store.get('copies', other);
    store.change = (copy) => (copy.id === reedId ? instead : copy);
    await author.close();
    const reader = await join(server);
    const invalid = nextEvent(reader, isA('invalid'));
    void reader.request(reedId).catch(() => null);
    expect((await invalid).reason).toBe('OTHER_REED');
  });

  test('that lost its copy says so, and is not asked again', async () => {
    const server = shared;
    const author = await join(server);
    const reedId = await publishBy(author, 'fading');
    const store = new AlteredStore();
    const forgetful = await join(server, { store });
    await keep(forgetful, reedId);
    await author.close();
    store.change = () => null;
    const served = nextEvent(forgetful, isA('served'));
    const reader = await join(server);
    const request = reader.request(reedId).catch(() => null);
    expect((await served).outcome).toBe('miss');
    await nextEvent(
      reader,
      isA('request', ({ progress }) => progress.state === 'nobody-online'),
    );
    await reader.cancel(reedId);
    expect(await request).toBe(null);
  });

  test('that lost part of its store never calls a copy gone', async () => {
    const server = shared;
    const author = await join(server);
    const reedId = await publishBy(author, 'perhaps');
    class Damaged extends AlteredStore {
      override readonly complete = false;
    }
    const store = new Damaged();
    const holder = await join(server, { store });
    await keep(holder, reedId);
    store.change = () => null;
    await author.close();
    const served = nextEvent(holder, isA('served'));
    const reader = await join(server);
    void reader.request(reedId).catch(() => null);
    expect((await served).outcome).toBe('store-unavailable');
  });

  test('that never answers is passed over once its deadline is gone', async () => {
    const server = await start({ limits: { dispatchDeadlineMs: 300, sweepEveryMs: 50 } });
    const author = await join(server);
    const reedId = await publishBy(author, 'still here');
    const frozen = watched(({ type }, way) => way === 'in' || !type.startsWith('relay'));
    const freezer = await join(server, { deps: { socket: frozen.factory } });
    await keep(freezer, reedId);
    const others = [await join(server), await join(server)];
    for (const other of others) await keep(other, reedId);
    await author.close();
    const reader = await join(server);
    expect((await reader.request(reedId)).body.text).toBe('still here');
  });
});

describe('a connection that breaks', () => {
  test('is made again by token, and what was open goes on', async () => {
    const server = shared;
    const [store, safe] = [new MemoryStore(), memoryKeySafe()];
    const author = await join(server, { store, safe });
    const reedId = await publishBy(author, 'across the gap');
    await author.close();
    const used: Frame[] = [];
    const line = watched((frame, way) => {
      if (way === 'out' && frame.type === 'authenticate') used.push(frame);
      return true;
    });
    const reader = await join(server, { deps: { socket: line.factory } });
    const request = reader.request(reedId);
    await nextEvent(
      reader,
      isA('request', ({ progress }) => progress.state === 'nobody-online'),
    );
    const online = nextEvent(
      reader,
      isA('connection', ({ state }) => state === 'online'),
    );
    line.cut();
    await online;
    await join(server, { store, safe });
    expect((await request).body.text).toBe('across the gap');
    expect(used).toHaveLength(2);
    expect(used.every(({ type, body }) => type === 'authenticate' && 'token' in body && body.token !== '')).toBe(true);
  });

  test('between the copy and its confirmation leads to a held copy all the same', async () => {
    const server = shared;
    const author = await join(server);
    const reedId = await publishBy(author, 'hold on');
    let isCut = false;
    const line = watched(({ type }, way) => {
      if (isCut || way === 'in' || type !== 'dataAck') return true;
      isCut = true;
      line.cut();
      return false;
    });
    const reader = await join(server, { deps: { socket: line.factory } });
    const held = nextEvent(reader, isHeld);
    expect((await reader.request(reedId)).body.text).toBe('hold on');
    await held;
    expect(isCut).toBe(true);
    expect((await reader.copy(reedId))?.state).toBe('held');
    expect((await reader.copies()).length).toBe(1);
  });
});

describe('an end that was told to a connection that had died unseen', () => {
  test('is told again to the next one, though the server never knew the member gone', async () => {
    const server = shared;
    // It gives its copy up before it answers whoever waits for that.
    const slow = watched(({ type }, way) => way === 'in' || !type.startsWith('relay'));
    const author = await join(server, { deps: { socket: slow.factory } });
    const reedId = await publishBy(author, 'about to be given up');
    await author.close();
    const unseen = new UnseenDeath();
    const reader = await join(server, { deps: { socket: unseen.factory } });
    const waiting = nextEvent(
      reader,
      isA('request', ({ progress }) => progress.state === 'nobody-online'),
    );
    const failure = reader.request(reedId).catch((error: unknown) => error);
    await waiting;
    unseen.mute();
    author.connect();
    await author.online();
    await author.evict(reedId);
    await expect.poll(() => unseen.missed, { timeout: 60_000 }).toContain('reedNotHeld');
    unseen.part();
    expect(await failure).toMatchObject({ outcome: 'not-held' });
    expect(unseen.resumed).toEqual([false, true]);
  });
});

describe('a server that goes away', () => {
  test('finds its members back: signed in anew, requests driven again, copies served', async () => {
    const server = await start();
    const port = Number(new URL(server.url).port);
    const author = await join(server);
    const reedId = await publishBy(author, 'before the storm');
    const events: MemberEvent[] = [];
    author.subscribe((event) => events.push(event));
    const again = new Promise<void>((done) => {
      author.subscribe((event) => {
        if (event.type === 'connection' && event.state === 'online') done();
      });
    });
    await server.app.close();
    const next = await startServer({ config: { signup: 'open', port }, database: server.database });
    servers.splice(0, 1, next);
    await again;
    expect(events.some((event) => event.type === 'connection' && event.state === 'offline')).toBe(true);
    const reader = await join(next);
    expect((await reader.request(reedId)).body.text).toBe('before the storm');
  });
});

describe('invites', () => {
  test('of the root and of members make members, once each', async () => {
    const server = await start({ config: { signup: 'invite' } });
    const root = await join(server, { invite: server.rootInvite });
    const link = await root.createInvite();
    const guest = await join(server, { invite: link });
    expect(guest.account?.server).toBe(root.account?.server);
    await expect(makeMember(server, { invite: link })).rejects.toMatchObject({ code: 'INVITE_INVALID' });
    await expect(makeMember(server)).rejects.toMatchObject({ code: 'INVITE_INVALID' });
  });

  test('pin the server: another one at the same address makes no member', async () => {
    const [server, other] = [await start({ config: { signup: 'invite' } }), await start({ config: { signup: 'invite' } })];
    const link = server.rootInvite.replace(server.url, other.url);
    await expect(makeMember(other, { invite: link })).rejects.toMatchObject({ code: 'INVALID' });
  });
});
