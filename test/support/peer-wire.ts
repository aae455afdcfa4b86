// Several servers in one process, peers of each other, over a wire that loses, repeats, holds back and rewrites calls and answers as a test says.
// It takes the place of the signed transport at its port: who calls is what the wire says.
import type { App } from '../../src/app.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/base/codes.ts';
import { AppError } from '../../src/base/errors.ts';
import type { Called, PeerCalls } from '../../src/federation/stream-ports.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { connected } from './connections.ts';
import { run } from './database.ts';

export type WireCall = { readonly from: ServerId; readonly to: ServerId; readonly leg: string; readonly body: Uint8Array };
type Refused = { readonly status: number; readonly code?: ErrorCode; readonly retryAfterMs?: number };
/** deliver: as it is. lose-request, lose-answer: a fault of transport, without and with effect. repeat: it comes twice. no-peer: it is not made. */
export type Fate = 'deliver' | 'lose-request' | 'lose-answer' | 'repeat' | 'no-peer' | Refused;

export class PeerWire {
  readonly #apps = new Map<ServerId, Pick<App, 'legs'>>();
  /** Every call that was made, in order. */
  readonly calls: WireCall[] = [];
  /** What becomes of a call. */
  fate: (call: WireCall) => Fate | Promise<Fate> = () => 'deliver';

  /** The way out of the server `from`, whose id is known once it has started. */
  callsOf(from: () => ServerId): PeerCalls {
    return { call: (to, leg, body) => this.call({ from: from(), to, leg, body }) };
  }

  join(id: ServerId, app: Pick<App, 'legs'>): void {
    this.#apps.set(id, app);
  }

  leave(id: ServerId): void {
    this.#apps.delete(id);
  }

  async call(call: WireCall): Promise<Called> {
    this.calls.push(call);
    const fate = await this.fate(call);
    if (fate === 'lose-request') return { kind: 'transport' };
    if (fate === 'no-peer') return { kind: 'held', untilMs: null };
    if (typeof fate === 'object')
      return {
        ...{ kind: 'answer', status: fate.status, body: new Uint8Array() },
        refusal: { ...(fate.code === undefined ? {} : { code: fate.code }), retryAfterMs: fate.retryAfterMs ?? 0 },
      };
    if (fate === 'repeat') await this.#handle(call);
    const answer = await this.#handle(call);
    return fate === 'lose-answer' ? { kind: 'transport' } : answer;
  }

  /** As the signed transport answers: refusals by their code, faults as INTERNAL. */
  async #handle({ body, from, leg, to }: WireCall): Promise<Called> {
    const app = this.#apps.get(to);
    if (app === undefined) return { kind: 'transport' };
    const handler = app.legs.get(leg);
    if (handler === undefined) return { kind: 'answer', status: 501, body: new Uint8Array() };
    if (body.length > handler.limitBytes) return { kind: 'answer', status: 413, body: new Uint8Array() };
    try {
      const answer = await handler.handle(from, new Uint8Array(body));
      return { kind: 'answer', status: answer.status, body: answer.body ?? new Uint8Array() };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return {
        kind: 'answer',
        status: ERROR_CODES[error.code].httpStatus,
        body: new Uint8Array(),
        refusal: {
          code: error.code,
          retryAfterMs: error.retryAfterMs ?? 0,
          ...(error.certificate === undefined ? {} : { certificate: error.certificate }),
        },
      };
    }
  }
}

/** Writes what a server knows of another once both have approved: its row, its identity key, and that it is live. */
export async function approve(here: string, there: string): Promise<void> {
  const [self] = await run(
    there,
    `select s.id, s.name, k.id as key, k.public_key as armor, k.statement from servers s join server_keys k on k.server_id = s.id
     where s.is_self and k.kind = 'identity'`,
  );
  const other = self?.rows[0] as { id: string; name: string; key: string; armor: string; statement: object } | undefined;
  if (other === undefined) throw new Error('the other server has no key');
  await connected(here, async (client) => {
    await client.query('insert into servers (id, name, first_seen_at) values ($1, $2, now()) on conflict do nothing', [
      other.id,
      other.name,
    ]);
    await client.query(
      `insert into server_keys (id, server_id, kind, public_key, statement, created_at, effective_at) values ($1, $2, 'identity', $3, $4, '-infinity', '-infinity') on conflict do nothing`,
      [other.key, other.id, other.armor, JSON.stringify(other.statement)],
    );
    await client.query(
      `insert into peers (server_id, state, begun_by, begun_at) values ($1, 'live', 'operator', now())
       on conflict (server_id) do update set state = 'live', away = false, retry_at = null, failures = 0`,
      [other.id],
    );
  });
}
