// Telling whoever has a copy that it was taken back: open requests end, online holders are told first of all, then whoever looks at it; who is
// offline is told at its next sync, because its allocation still stands. Never throttled.

import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { LedgerContext } from '../ledger/context.ts';
import { subjectsGone } from '../ledger/ends.ts';
import { type NoticeAbout, type Served, serve, serveTo, unserved } from '../ledger/serve.ts';
import { NOTICE_NAMES, type NoticeKind } from '../ledger/state.ts';
import type { RemovalKind } from '../reeds/removal.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import { encodeFrame } from '../wire/codec.ts';
import type { Looks } from './looks.ts';
import { notify } from './notices.ts';
import type { Refusals } from './refusals.ts';

export type RemovalsDeps = LedgerContext & {
  readonly application: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly looks: Looks;
  readonly refusals: Refusals;
};

const NOTICES = { 'reed-removal': 'reed_removal', 'thread-removal': 'thread_removal' } as const;

const FRAMES = {
  REED_REMOVED: 'reedRemoved',
  THREAD_REMOVED: 'threadRemoved',
  ACCOUNT_REMOVED: 'accountRemoved',
  KEY_REVOKED: 'keyRevoked',
} as const;

const CERTIFICATES: Readonly<Record<NoticeKind, string>> = {
  reed_removal: 'select r.id, s.certificate from reeds r join statements s on s.hash = r.removal_hash where r.id = any($1::text[])',
  thread_removal: 'select t.id, s.certificate from threads t join statements s on s.hash = t.removal_hash where t.id = any($1::text[])',
  account_removal:
    'select a.user_id as id, s.certificate from account_removals a join statements s on s.hash = a.statement_hash where a.user_id = any($1::text[])',
  // Of a key that was put off the chain: the one by the recovery key that took its place.
  key: `select k.id, s.certificate from keys k left join key_revocations r on r.key_id = k.id
    join statements s on s.hash = coalesce(k.void_hash, r.statement_hash) where k.id = any($1::text[])`,
};

const UTF8 = new TextEncoder();

export class Removals {
  readonly #deps: RemovalsDeps;

  constructor(deps: RemovalsDeps) {
    this.#deps = deps;
  }

  /** Carries a committed removal out. May run any number of times. */
  async run(removal: RemovalKind, subject: ReedId): Promise<void> {
    await this.endRequests(removal === 'reed-removal' ? [subject] : await this.#partsOf(subject));
    await this.tellAll(NOTICES[removal], subject);
  }

  /** Tells everybody online who has something of `subject`, or looks at it. */
  async tellAll(kind: NoticeKind, subject: string): Promise<void> {
    const { clock, limits } = this.#deps;
    const about = { kind, eventName: NOTICE_NAMES[kind], subject };
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<typeof serve>> = await serve(this.#deps, about, { after, limit: limits.fanoutItems }, clock.now());
      await this.send(page.served.map((served) => ({ ...served, ...about })));
      after = page.next;
    }
  }

  /** Owes one member, who is online, notices about copies that it still has. @returns locked: it was coming or going; tell it again, later */
  async tell(member: UserId, about: readonly NoticeAbout[]): Promise<{ locked: boolean }> {
    const { served, locked } = await serveTo(this.#deps, member, about, this.#deps.clock.now());
    await this.send(served);
    return { locked };
  }

  /** Sends notices whose events are committed. What can't be written is sent again soon. */
  async send(notices: readonly (Served & NoticeAbout)[], requestId = ''): Promise<void> {
    const { bus, clock, looks } = this.#deps;
    const certificates = await this.#certificates(notices);
    for (const notice of notices) {
      const certificate = certificates.get(`${notice.kind} ${notice.subject}`);
      if (certificate === undefined) continue;
      const frame = encodeFrame({ id: notice.eventId, type: FRAMES[notice.eventName], body: { requestId, certificate } });
      looks.look(async () => {
        if (!(await bus.deliver(notice.requester, frame, 'content'))) await unserved(this.#deps, [notice], clock.now());
      });
    }
  }

  /** Open requests for these reeds end, whoever had them; one whose holder is at work ends with the answer. */
  async endRequests(subjects: readonly ReedId[]): Promise<void> {
    const { bus, db, limits, looks, refusals } = this.#deps;
    for (;;) {
      const ended = await subjectsGone(db, subjects, limits.batchItems);
      looks.ended(ended);
      const asked = ended.flatMap(({ explicit, requestId, requester, subjectId }) =>
        explicit && requestId !== null ? [{ eventId: '', requester, requestId, subjectId }] : [],
      );
      if (asked.length > 0) for (const { to, frame } of await refusals.removed(asked)) notify(bus, to, frame);
      if (ended.length < limits.batchItems) return;
    }
  }

  async #partsOf(thread: ReedId): Promise<ReedId[]> {
    const rows = await this.#deps.application.query<{ id: ReedId }>({
      name: 'removal_parts',
      text: 'select id from reeds where thread_head = $1',
      values: [thread],
    });
    return rows.map(({ id }) => id);
  }

  async #certificates(notices: readonly NoticeAbout[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for (const kind of Object.keys(CERTIFICATES) as NoticeKind[]) {
      const subjects = [...new Set(notices.flatMap((notice) => (notice.kind === kind ? [notice.subject] : [])))];
      if (subjects.length === 0) continue;
      const text = CERTIFICATES[kind];
      const rows = await this.#deps.application.query<{ id: string; certificate: object }>({
        name: `certificates_${kind}`,
        isPlannedAnew: true,
        text,
        values: [subjects],
      });
      for (const { id, certificate } of rows) found.set(`${kind} ${id}`, UTF8.encode(JSON.stringify(certificate)));
    }
    return found;
  }
}
