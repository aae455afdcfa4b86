// What tests of receiving share: members who write, follow and are caught up, and what came to them by which message.
import type { MemberEvent } from '../../src/client/types.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { DELIVERY_TYPES } from '../../src/wire/frames.ts';
import type { Actor, SdkStage } from './sdk-stage.ts';

export const write = async (
  { member }: Actor,
  draft: { text: string; replyTo?: ReedId; echoOf?: ReedId; broadcast?: boolean },
): Promise<ReedId> => {
  const { reedId, published } = await member.publish(draft);
  await published;
  return reedId;
};
export const follow = async (one: Actor, other: Actor): Promise<void> =>
  void (await (
    await one.member.relations.follow(other.user)
  ).accepted);
export const eventsOf = ({ member }: Actor): MemberEvent[] => {
  const events: MemberEvent[] = [];
  member.subscribe((event) => void events.push(event));
  return events;
};
/** By which messages a reed came to a member. */
export const messages = ({ line }: Actor, reed: ReedId): string[] => {
  const types: readonly string[] = [...DELIVERY_TYPES, 'broadcastReed'];
  return line
    .all('in')
    .flatMap((frame) => (types.includes(frame.type) && 'reedId' in frame.body && frame.body.reedId === reed ? [frame.type] : []));
};
export const state = async ({ store }: Actor, reed: ReedId) => (await store.get('copies', reed))?.state ?? null;
export const texts = async ({ member }: Actor, timeline: Parameters<Actor['member']['receiving']['timeline']>[0]): Promise<string[]> =>
  (await member.receiving.timeline(timeline)).copies.map(({ body }) => body.text);

/** Waits that need the stage. */
export const waitsOn = (stage: SdkStage) => ({
  /** Caught up as far as the server is concerned: its label is committed, nothing is owed. */
  synced: async (...actors: Actor[]): Promise<void> => {
    for (const actor of actors) await actor.line.seen('out', 'syncRequest');
    await stage.server.settle();
  },
  /** Nothing is open, and nobody is at work. */
  quiet: async (...actors: Actor[]): Promise<void> => {
    await stage.empty();
    for (const { member } of actors) await member.idle();
  },
});
