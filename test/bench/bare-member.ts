// A member of the bare relay: asks, answers and acknowledges with frames of Reedbed's sizes.
import { ANSWERED_AT, BARE_OP, type BareSizes, FROM_AT, KIND_AT, SEQUENCE_AT } from './bare-frames.ts';
import { type Asker, type Load, sharedNow } from './load.ts';
import { framed, headBytes, RawSocket } from './raw-socket.ts';

const STEP = 7;

const template = (bytes: number, kind: number): Buffer => {
  const payload = Buffer.alloc(bytes);
  payload[KIND_AT] = kind;
  return framed(payload);
};

export class BareMember implements Asker {
  readonly #index: number;
  readonly #members: number;
  readonly #load: Load;
  readonly #request: Buffer;
  readonly #answer: Buffer;
  readonly #acknowledge: Buffer;
  #socket: RawSocket | null = null;

  private constructor(of: { index: number; members: number; sizes: BareSizes }, load: Load) {
    this.#index = of.index;
    this.#members = of.members;
    this.#load = load;
    this.#request = template(of.sizes.requestReed, BARE_OP.request);
    this.#answer = template(of.sizes.relayResponse, BARE_OP.answer);
    this.#acknowledge = template(of.sizes.dataAck, BARE_OP.acknowledge);
  }

  static async connect(url: string, of: { index: number; members: number; sizes: BareSizes }, load: Load): Promise<BareMember> {
    const member = new BareMember(of, load);
    member.#socket = await RawSocket.open({ url, path: `/${of.index}` }, (payload) => member.#receive(payload));
    return member;
  }

  ask(sequence: number): void {
    const to = (this.#index + 1 + ((sequence * STEP) % (this.#members - 1))) % this.#members;
    this.#send(this.#request, { to, sequence, answeredAt: 0 });
  }

  cut(): void {
    this.#socket?.cut();
  }

  #receive(payload: Buffer): void {
    const kind = payload[KIND_AT];
    if (kind === BARE_OP.settled) return this.#load.settled(1);
    if (kind !== BARE_OP.request && kind !== BARE_OP.answer) return;
    const sequence = payload.readUInt32LE(SEQUENCE_AT);
    const to = payload.readUInt32LE(FROM_AT);
    if (kind === BARE_OP.request) return this.#send(this.#answer, { to, sequence, answeredAt: sharedNow() });
    this.#load.delivered(sequence, payload.readDoubleLE(ANSWERED_AT));
    this.#send(this.#acknowledge, { to, sequence, answeredAt: 0 });
  }

  #send(frame: Buffer, of: { to: number; sequence: number; answeredAt: number }): void {
    const sent = Buffer.allocUnsafe(frame.length);
    frame.copy(sent);
    const at = headBytes(frame.length < 132 ? 1 : 126);
    sent.writeUInt32LE(of.to, at);
    sent.writeUInt32LE(this.#index, at + FROM_AT);
    sent.writeUInt32LE(of.sequence, at + SEQUENCE_AT);
    sent.writeDoubleLE(of.answeredAt, at + ANSWERED_AT);
    this.#socket?.write(sent);
  }
}
