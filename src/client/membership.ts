// The running parts of one account, wired together: session, holder, outbox, receiving, and who gets which frame.
// Made once the account is known; everything that must survive is in the store before any of it acts.
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { ReedId } from '../wire/address.ts';
import type { Frame, FrameBodies } from '../wire/frames.ts';
import { ActCarrier } from './act-carrier.ts';
import type { Api } from './api.ts';
import { checkCopy } from './check-copy.ts';
import { Holder } from './holder.ts';
import type { KeyRing } from './key-ring.ts';
import { KeyDirectory } from './keys.ts';
import { Lists } from './lists.ts';
import { Outbox } from './outbox.ts';
import type { SocketFactory } from './ports.ts';
import { Profiles } from './profile.ts';
import type { Measure } from './quota.ts';
import { Receiving } from './receiving.ts';
import { registerReed, registerThread } from './registration.ts';
import { Relations } from './relations.ts';
import type { PinnedServer } from './server.ts';
import type { ServerTime } from './server-time.ts';
import { Session } from './session.ts';
import type { Store } from './store.ts';
import type { Account, ConnectionState, Emit } from './types.ts';

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
  readonly measure: Measure | undefined;
  emit: Emit;
};

export class Membership {
  readonly session: Session;
  /** A removal that an answer tells of is learned before the caller hears of it. */
  readonly api: Api;
  readonly keys: KeyDirectory;
  readonly receiving: Receiving;
  readonly outbox: Outbox;
  readonly lists: Lists;
  readonly profiles: Profiles;
  readonly relations: Relations;
  readonly #deps: MembershipDeps;
  readonly #holder: Holder;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
    const { account, server } = deps;
    const { user, key } = account;
    this.session = new Session({
      ...deps,
      isGenuine: (welcome, clientNonce) => server.isGenuine(welcome, clientNonce),
      changed: (state, details) => this.#changed(state, details),
      welcomed: (welcome) => this.#welcomed(welcome),
      frame: (frame) => this.#frame(frame),
    });
    const send = (frame: Frame): boolean => this.session.send(frame);
    // Not with the API that tells of removals: to prove one, keys are asked for.
    this.keys = new KeyDirectory({ ...deps, session: this.session });
    this.api = deps.api.telling((certificate) => this.receiving.explained(certificate));
    const asking = { ...deps, api: this.api, session: this.session, keys: this.keys };
    this.lists = new Lists(asking);
    this.profiles = new Profiles({ ...asking, user, key });
    this.outbox = new Outbox({
      ...deps,
      user,
      key,
      send,
      acts: new ActCarrier({ ...asking, user, key }),
      register: (signed) => registerReed(asking, signed),
      registerThread: (signed) => registerThread(asking, signed),
    });
    this.relations = new Relations({ ...deps, user, outbox: this.outbox, lists: this.lists });
    this.receiving = new Receiving({
      ...deps,
      ...{ user, send, keys: this.keys, lists: this.lists },
      relationsKnown: () => this.relations.known(),
      check: (ciphertext, reedId) => this.#check(ciphertext, reedId),
    });
    this.#holder = new Holder({ ...deps, user, send, requesterKey: (_user, id) => this.keys.forRelay(id) });
  }

  /** Takes up what the store says was open. */
  async load(): Promise<void> {
    await Promise.all([this.receiving.load(), this.outbox.load()]);
  }

  /** Resolves when nothing of ours is being worked on. */
  async idle(): Promise<void> {
    await Promise.all([this.receiving.idle(), this.outbox.idle(), this.relations.idle(), this.#holder.idle()]);
  }

  async close(): Promise<void> {
    this.session.close();
    this.receiving.close();
    await this.idle();
  }

  #changed(state: ConnectionState, details: { reason?: string; retryInMs?: number }): void {
    this.#deps.emit({ type: 'connection', state, ...details });
    if (state !== 'offline' && state !== 'stopped') return;
    this.receiving.disconnected();
    this.outbox.disconnected();
    this.#holder.disconnected();
  }

  #welcomed({ limits }: FrameBodies['welcome']): void {
    this.relations.connected();
    this.receiving.connected(limits?.openRequests || this.#deps.limits.openRequests);
    this.outbox.connected();
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
      case 'publishReadyAck':
        return this.outbox.acknowledged(frame.body.reedId);
      case 'error':
        this.outbox.refused(frame);
        return this.receiving.frame(frame);
      default:
        return this.receiving.frame(frame);
    }
  }
}
