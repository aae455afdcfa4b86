// Many light members who act as one: they come, ask, are cut off and come back together. Each has an address of its own, waits as long as
// it is told to, and asks anew, under the same id, for what it had not got when its presence ended.
import { OffsetClock, pause } from '../../src/base/clock.ts';
import type { ReedId, RequestId } from '../../src/wire/address.ts';
import { CutOff, type LightAccount, type LightBehaviour, LightMember, TurnedAway } from './light-member.ts';

/** `wants`: what it asks for. */
export type Person = { readonly account: LightAccount; readonly address: string; readonly wants: ReedId | null };
export type Entry = {
  /** How often they were turned away, and the longest wait that they were told. */
  readonly turnedAway: number;
  readonly longestWaitMs: number;
  /** Whose presence still stood, and who asked anew. */
  readonly resumed: number;
  readonly asked: number;
};

/** What a client waits after a connection that ended without a word. */
const BACK_OFF_MS = 1_000;

type Seat = { readonly person: Person; member: LightMember | null; requestId: RequestId | null };

export class Storm {
  readonly #url: string;
  readonly #seats: readonly Seat[];
  readonly #clock = new OffsetClock();
  #entry = { turnedAway: 0, longestWaitMs: 0, resumed: 0, asked: 0 };

  constructor(url: string, people: readonly Person[]) {
    this.#url = url;
    this.#seats = people.map((person) => ({ person, member: null, requestId: null }));
  }

  /** Everybody comes, so many at a time at most; resolves when the last one is in. */
  async come(behaviour: Partial<LightBehaviour>, together = this.#seats.length): Promise<Entry> {
    this.#entry = { turnedAway: 0, longestWaitMs: 0, resumed: 0, asked: 0 };
    const coming = this.#seats.values();
    const lines = Array.from({ length: together }, async () => {
      for (const seat of coming) await this.#enter(seat, behaviour);
    });
    await Promise.all(lines);
    return this.#entry;
  }

  /** Everybody who wants something asks for it; resolves when the server has said of each that it is asking. */
  async ask(): Promise<number> {
    const asking = this.#seats.filter(({ person }) => person.wants !== null);
    for (const seat of asking) this.#ask(seat);
    await Promise.all(asking.map(({ member, requestId }) => member?.next('requestAck', (frame) => frame.body.requestId === requestId)));
    return asking.length;
  }

  /** Cuts all connections at once, without a word. */
  async cut(): Promise<void> {
    await Promise.all(this.#seats.map(({ member }) => member?.vanish()));
  }

  /** Resolves when everything that was asked for is here and settled. @returns how many deliveries there were */
  async served(): Promise<number> {
    const asking = this.#seats.filter(({ requestId }) => requestId !== null);
    await Promise.all(
      asking.map(async ({ member, requestId }) => {
        const { id } = (await member?.next('dataResponse', (frame) => frame.body.requestId === requestId)) ?? {};
        await member?.next('settled', (frame) => frame.body.events.some(({ eventId, outcome }) => eventId === id && outcome === 'HELD'));
      }),
    );
    return this.#seats.reduce((sum, { member }) => sum + (member?.frames.filter(({ type }) => type === 'dataResponse').length ?? 0), 0);
  }

  async #enter(seat: Seat, behaviour: Partial<LightBehaviour>): Promise<void> {
    const { account, address } = seat.person;
    for (;;) {
      try {
        seat.member = await LightMember.connect(this.#url, account, behaviour, { 'x-forwarded-for': address });
        break;
      } catch (error) {
        if (error instanceof TurnedAway) this.#note(error);
        else if (!(error instanceof CutOff)) throw error;
        await pause(this.#clock, error instanceof TurnedAway ? error.retryAfterMs : BACK_OFF_MS);
      }
    }
    const { body } = await seat.member.next('welcome');
    if (body.resumed) this.#entry.resumed += 1;
    else if (seat.requestId !== null) {
      this.#entry.asked += 1;
      this.#ask(seat);
    }
  }

  #note({ retryAfterMs }: TurnedAway): void {
    this.#entry.turnedAway += 1;
    this.#entry.longestWaitMs = Math.max(this.#entry.longestWaitMs, retryAfterMs);
  }

  #ask(seat: Seat): void {
    const { member, person, requestId } = seat;
    if (member === null || person.wants === null) return;
    seat.requestId = requestId === null ? member.request(person.wants) : member.request(person.wants, requestId);
  }
}
