// How members' devices come and go in a run, with any number of connections each, and how processes and the database die under them.
import { pick } from './generate.ts';
import type { Device } from './owed-device.ts';
import type { Action, OwedPlay } from './owed-play.ts';
import { type Life, Seat } from './stage.ts';

const TABS = 3;

export class OwedConnections {
  readonly #play: OwedPlay;
  readonly #take: (...keys: readonly string[]) => boolean;

  /** @param take false if another move of the batch has it already */
  constructor(play: OwedPlay, take: (...keys: readonly string[]) => boolean) {
    this.#play = play;
    this.#take = take;
  }

  /** A new connection, on a replica that lives; what the device has to do then it does. */
  arrive(device: Device, b: number): Omit<Action, 'turns'>[] {
    const { watches } = this.#play;
    if (device.isHere || !this.#play.model.isMember(device.id) || !this.#take(device.id)) return [];
    const old = device.seats;
    const fire = async (): Promise<void> => {
      device.left();
      if (!(await this.#connect(device, b))) return;
      // As a browser does: the new connection first, then the old one's end.
      for (const seat of old) seat.close();
      if (old.length === 0) watches.get(device.id)?.clear();
      device.sync();
    };
    return [{ name: `${device.id} signs in`, moves: [device.id], fire }];
  }

  /** False if the process died meanwhile. */
  async #connect(device: Device, b: number): Promise<boolean> {
    const { stage } = this.#play;
    const life = stage.life(b % 2) ?? stage.lives[0];
    if (!life) return false;
    const seat = new Seat(life, device.person.member, (at, frame) => device.note(at, frame));
    // What comes at once is heard already.
    device.seats = [...device.seats, seat];
    await Promise.race([life.signIn(seat), life.death]);
    if (!life.dead) return true;
    device.seats = device.seats.filter((each) => each !== seat);
    return false;
  }

  /** One more connection of somebody who is there: nothing changes for it. */
  tab(device: Device, b: number): Omit<Action, 'turns'>[] {
    if (!device.isHere || device.seats.length >= TABS || !this.#take(device.id)) return [];
    return [{ name: `${device.id} opens a tab`, fire: async () => void (await this.#connect(device, b)) }];
  }

  /** One connection less, the newest or an older one: nothing changes either. */
  closeTab(device: Device, b: number): Omit<Action, 'turns'>[] {
    if (!device.isHere || device.seats.length < 2 || !this.#take(device.id)) return [];
    const fire = (): void => {
      const seat = pick(device.seats, b) as Seat;
      device.seats = device.seats.filter((each) => each !== seat);
      seat.close();
    };
    return [{ name: `${device.id} closes a tab`, fire }];
  }

  leave(device: Device, unnoticed: boolean): Omit<Action, 'turns'>[] {
    const { seat } = device;
    if (!seat || (unnoticed && seat.deaf) || !this.#take(device.id)) return [];
    const fire = (): void => {
      const { seats } = device;
      this.#play.forget(device, unnoticed);
      for (const each of seats)
        if (unnoticed) each.deaf = true;
        else each.close();
    };
    return [{ name: `${device.id} ${unnoticed ? 'vanishes' : 'leaves'}`, moves: [device.id], fire }];
  }

  crash(kind: 'kill' | 'empty', b: number, c: number): Omit<Action, 'turns'>[] {
    const { devices, stage } = this.#play;
    if (!this.#take('crash', ...devices.map(({ id }) => id))) return [];
    const moves = devices.map(({ id }) => id);
    if (kind === 'empty')
      return [{ name: 'the database is emptied', moves, crashes: true, fire: () => stage.world.empty(), after: () => this.#emptied() }];
    const at = stage.life(b % 2) ? b % 2 : 1 - (b % 2);
    const life = stage.life(at);
    if (!life) return [];
    const isRestart = (b >> 1) % 2 === 0 || stage.lives.length === 1;
    const die = (): void => {
      if (!life.dead) stage.kill(at);
    };
    const after = async (): Promise<void> => {
      die();
      for (const device of devices) this.#disconnected(device, life);
      if (isRestart) await stage.start(at);
      else await stage.pass(2 * stage.limits.replicaLeaseMs);
    };
    const [count, of] = c % 3 === 0 ? ([c + 1, 'statements'] as const) : ([(c % 2) + 1, 'transactions'] as const);
    const name = `replica ${at} dies after ${count} ${of}${isRestart ? ' and starts again' : ''}`;
    return [{ name, moves, crashes: true, fire: () => life.lightFuse(count, of, die), after }];
  }

  /** Connections of a process end with it, and what was under way in them; others of the same device stay. */
  #disconnected(device: Device, life: Life): void {
    const left = device.seats.filter((seat) => seat.life !== life);
    if (left.length === device.seats.length) return;
    this.#play.forget(device, left.length > 0);
    device.seats = left;
    device.mustSync = true;
  }

  async #emptied(): Promise<void> {
    const { devices, stage } = this.#play;
    await stage.pass(stage.limits.replicaRefreshMs);
    for (const device of devices) this.#play.forget(device);
  }
}
