// The running parts of one account, wired together: session, viewer, holder, outbox, evictions, notices, and who gets which frame.
// Made once the account is known; everything that must survive is in the store before any of it acts.
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { parseReedId, type ReedId } from '../wire/address.ts';
import type { Frame, FrameBodies } from '../wire/frames.ts';
import { ActCarrier } from './act-carrier.ts';
import type { Api } from './api.ts';
import { checkCopy } from './check-copy.ts';
import { Evictions } from './evictions.ts';
import { Holder } from './holder.ts';
import type { KeyRing } from './key-ring.ts';
import { KeyDirectory } from './keys.ts';
import { Lists } from './lists.ts';
import { Notices } from './notices.ts';
import { Outbox } from './outbox.ts';
import type { SocketFactory } from './ports.ts';
import { Profiles } from './profile.ts';
import { registerReed, registerThread } from './registration.ts';
import { Relations } from './relations.ts';
import type { PinnedServer } from './server.ts';
import type { ServerTime } from './server-time.ts';
import { Session } from './session.ts';
import type { Store } from './store.ts';
import type { Account, ConnectionState, Emit } from './types.ts';
import { Viewer } from './viewer.ts';

export type MembershipDeps = {
  readonly api: Api;
  readonly store: Store;
  readonly keyRing: KeyRing;
  readonly socket: SocketFactory;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly account: Account;
  readonly server: PinnedServer;
  emit: Emit;
};

export class Membership {
  readonly session: Session;
  readonly keys: KeyDirectory;
  readonly viewer: Viewer;
  readonly outbox: Outbox;
  readonly lists: Lists;
  readonly profiles: Profiles;
  readonly relations: Relations;
  readonly evictions: Evictions;
  readonly #deps: MembershipDeps;
  readonly #holder: Holder;
  readonly #notices: Notices;
  /** Frames whose work is done one after the other. */
  #inOrder: Promise<void> = Promise.resolve();

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
    const { account, server, emit } = deps;
    const { user, key } = account;
    this.session = new Session({
      ...deps,
      isGenuine: (welcome, clientNonce) => server.isGenuine(welcome, clientNonce),
      changed: (state, details) => this.#changed(state, details),
      welcomed: (welcome) => this.#welcomed(welcome),
      frame: (frame) => this.#frame(frame),
    });
    const send = (frame: Frame): boolean => this.session.send(frame);
    this.keys = new KeyDirectory({ ...deps, session: this.session });
    this.viewer = new Viewer({ ...deps, user, send, check: (ciphertext, reedId) => this.#check(ciphertext, reedId) });
    this.lists = new Lists({ ...deps, session: this.session, keys: this.keys });
    this.profiles = new Profiles({ ...deps, user, key, session: this.session, keys: this.keys });
    this.outbox = new Outbox({
      ...deps,
      user,
      key,
      send,
      acts: new ActCarrier({ ...deps, user, key, session: this.session, keys: this.keys }),
      register: (signed) => registerReed({ ...deps, session: this.session, keys: this.keys }, signed),
      registerThread: (signed) => registerThread({ ...deps, session: this.session, keys: this.keys }, signed),
    });
    this.relations = new Relations({ ...deps, user, outbox: this.outbox, lists: this.lists });
    this.evictions = new Evictions({ ...deps, user, send });
    this.#holder = new Holder({ ...deps, user, send, requesterKey: (_user, id) => this.keys.forRelay(id) });
    this.#notices = new Notices({ ...deps, keys: this.keys, viewer: this.viewer, user, send, emit });
  }

  /** Takes up what the store says was open. */
  async load(): Promise<void> {
    await Promise.all([this.viewer.load(), this.outbox.load(), this.evictions.load()]);
  }

  /** Resolves when nothing of ours is being worked on. */
  async idle(): Promise<void> {
    await this.#inOrder;
    await Promise.all([this.viewer.idle(), this.outbox.idle(), this.relations.idle(), this.#holder.idle()]);
  }

  async close(): Promise<void> {
    this.session.close();
    this.viewer.close();
    await this.idle();
  }

  #changed(state: ConnectionState, details: { reason?: string; retryInMs?: number }): void {
    this.#deps.emit({ type: 'connection', state, ...details });
    if (state !== 'offline' && state !== 'stopped') return;
    this.viewer.disconnected();
    this.outbox.disconnected();
    this.#holder.disconnected();
  }

  #welcomed({ limits }: FrameBodies['welcome']): void {
    this.viewer.connected(limits?.openRequests || this.#deps.limits.openRequests);
    this.evictions.connected();
    this.outbox.connected();
    this.relations.connected();
  }

  #check(ciphertext: Uint8Array, reedId: ReedId) {
    return checkCopy(ciphertext, reedId, { keyRing: this.#deps.keyRing, context: this.keys.context });
  }

  #frame(frame: Frame): void {
    switch (frame.type) {
      case 'relayRequest':
        return this.#holder.relayRequest(frame);
      case 'relayThread':
        return this.#holder.relayThread(frame);
      case 'requestAck':
        return this.viewer.requestAck(frame);
      case 'reedNotFound':
      case 'reedNotHeld':
        return this.viewer.absent(frame);
      case 'publishReadyAck':
        return this.outbox.acknowledged(frame.body.reedId);
      case 'error':
        this.viewer.refused(frame.body);
        return this.outbox.refused(frame);
      default:
        return this.#content(frame);
    }
  }

  #content(frame: Frame): void {
    switch (frame.type) {
      case 'dataResponse':
      case 'followReed':
      case 'pipeReed':
      case 'archiveReed':
      case 'reedReply':
      case 'mention':
        return this.viewer.delivery(frame);
      case 'settled':
        return this.#queue(() => this.viewer.settled(frame));
      case 'evictionAck': {
        const reedId = parseReedId(frame.body.reedId);
        return reedId ? this.#queue(() => this.evictions.acknowledged(reedId)) : undefined;
      }
      case 'reedRemoved':
      case 'keyRevoked':
      case 'userBlocked':
        return this.#queue(() => this.#notices.take(frame));
      // Frames of features that this version does not use; a newer server may send them.
      default:
        return undefined;
    }
  }

  /** What fails here is not acknowledged, so that the server says it again. */
  #queue(work: () => Promise<void>): void {
    this.#inOrder = this.#inOrder.then(work).catch(() => undefined);
  }
}
