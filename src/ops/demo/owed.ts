// What members of the community scenario are owed and must not see, and what reached them: by the frames at their own sockets and by what is in
// their own stores.
import type { Member } from '../../client/member.ts';
import type { ReedId } from '../../wire/address.ts';
import type { Frame } from '../../wire/frames.ts';

type Pair = `${number} ${ReedId}`;
const pair = (who: number, reed: ReedId): Pair => `${who} ${reed}`;
const partsOf = (at: Pair): readonly [number, ReedId] => {
  const [who = '', reed = ''] = at.split(' ');
  return [Number(who), reed as ReedId];
};

export class Ledger {
  readonly #owed = new Set<Pair>();
  readonly #apart = new Set<Pair>();
  readonly #removed = new Set<ReedId>();
  readonly #sent = new Set<Pair>();
  /** What an event that a member was sent content for is about. */
  readonly #subjects = new Map<string, Pair>();
  readonly #confirmed = new Set<Pair>();
  /** Content sent to members who had it, as the server had told them. */
  duplicates = 0;
  /** Deliveries so far. */
  received = 0;

  owe(reed: ReedId, members: readonly number[]): void {
    for (const who of members) this.#owed.add(pair(who, reed));
  }

  keepApart(reed: ReedId, who: number): void {
    this.#apart.add(pair(who, reed));
  }

  /** A block: what was owed to this member before is no longer, and need not be there. */
  cutOff(who: number): void {
    for (const at of this.#owed) if (partsOf(at)[0] === who) this.#owed.delete(at);
  }

  takeBack(reed: ReedId): void {
    this.#removed.add(reed);
    for (const at of this.#owed) if (partsOf(at)[1] === reed) this.#owed.delete(at);
  }

  /** A frame reached a member. */
  saw(who: number, frame: Frame): void {
    switch (frame.type) {
      case 'dataResponse':
      case 'followReed':
      case 'pipeReed':
      case 'archiveReed':
      case 'reedReply':
      case 'mention':
      case 'broadcastReed':
        return this.#delivered(who, frame.id, frame.body.reedId as ReedId);
      case 'settled':
        for (const { eventId, outcome } of frame.body.events) {
          const subject = this.#subjects.get(eventId);
          if (outcome === 'HELD' && subject !== undefined) this.#confirmed.add(subject);
        }
        return;
      default:
        return;
    }
  }

  /** How much of what is owed is not there. */
  async lost(members: readonly Member[]): Promise<number> {
    return count(this.#owed, async (who, reed) => (await members[who]?.copy(reed)) === null);
  }

  async passedBlocks(members: readonly Member[]): Promise<number> {
    return count(this.#apart, async (who, reed) => this.#sent.has(pair(who, reed)) || (await members[who]?.copy(reed)) !== null);
  }

  async stillHeld(members: readonly Member[]): Promise<number> {
    const held = [...this.#removed].flatMap((reed) => members.map((member) => member.copy(reed)));
    return (await Promise.all(held)).filter((copy) => copy !== null).length;
  }

  #delivered(who: number, eventId: string, reed: ReedId): void {
    const at = pair(who, reed);
    this.received += 1;
    if (this.#confirmed.has(at)) this.duplicates += 1;
    this.#sent.add(at);
    if (eventId !== '') this.#subjects.set(eventId, at);
  }
}

const count = async (pairs: ReadonlySet<Pair>, is: (who: number, reed: ReedId) => Promise<boolean>): Promise<number> => {
  const found = await Promise.all([...pairs].map((at) => is(...partsOf(at))));
  return found.filter(Boolean).length;
};
