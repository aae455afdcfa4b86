// An outbox whose server is the test: what it registers, carries and announces is written down, and refused as the test says.
import type { AppError } from '../../src/base/errors.ts';
import type { ActCertificate } from '../../src/client/act-carrier.ts';
import { actStatement } from '../../src/client/acts.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { Outbox } from '../../src/client/outbox.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import type { ActRecord } from '../../src/client/store.ts';
import type { MemberEvent, ReedCertificate, ReedStatement, ThreadCertificate } from '../../src/client/types.ts';
import { parseServerId, userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import type { Signed } from '../../src/wire/canonical.ts';
import type { Frame, FrameBodies } from '../../src/wire/frames.ts';
import type { StatementOf } from '../../src/wire/statements.ts';
import { ManualClock } from './manual-clock.ts';
import { countingRandom } from './sdk-parts.ts';

const safe = memoryKeySafe();
const keyRing = await openKeyRing(safe);
const keys = await keyRing.make(Date.UTC(2026, 0, 1));
const server = parseServerId('s'.repeat(16));
if (!server) throw new Error('no server id');
export const user = await userIdFromFingerprint(keys.fingerprint, server);
const key = userKeyId(user, keys.fingerprint);

/** An outbox over a store, new or of an earlier life; the server's side of it is scripted. */
export const outboxScene = async (store = new MemoryStore()) => {
  const clock = new ManualClock();
  const sent: Frame[] = [];
  const events: MemberEvent[] = [];
  const registered: Signed<ReedStatement>[] = [];
  let problem: ((signed: Signed<ReedStatement>) => AppError | null) | null = null;
  const records: Signed<StatementOf<'thread'>>[] = [];
  const carried: ActRecord[] = [];
  let actProblem: ((record: ActRecord) => AppError | null) | null = null;
  let online = true;
  const outbox = new Outbox({
    store,
    time: new ServerTime(clock),
    random: countingRandom,
    user,
    key,
    keyRing,
    register: async (signed) => {
      registered.push(signed);
      const error = problem?.(signed);
      if (error) throw error;
      const countersignature = { statement: { signedAt: '2026-01-01T00:00:00.000Z' }, signature: '' };
      return { certificate: { ...signed, countersignature } as unknown as ReedCertificate, mentions: [] };
    },
    registerThread: async (signed) => {
      records.push(signed);
      return signed as unknown as ThreadCertificate;
    },
    acts: {
      sign: async (act, target, atMs) => keyRing.sign(actStatement(act, target, { user, key, atMs }), atMs),
      carry: async (record) => {
        carried.push(record);
        const error = actProblem?.(record);
        if (error) throw error;
        return record.signed as ActCertificate;
      },
    },
    send: (frame) => {
      if (online) sent.push(frame);
      return online;
    },
    emit: (event) => events.push(event),
  });
  await outbox.load();
  const announced = (): string[] => sent.flatMap((frame) => (frame.type === 'publishReady' ? [frame.body.reedId] : []));
  return {
    ...{ store, clock, outbox, sent, events, registered, announced, records, carried },
    refused: (error: Partial<FrameBodies['error']>, id = '') =>
      outbox.refused({ id, type: 'error', body: { code: 'INTERNAL', detail: '', requestId: '', retryAfterMs: 0, ...error } }),
    problem: (next: typeof problem) => {
      problem = next;
    },
    actProblem: (next: typeof actProblem) => {
      actProblem = next;
    },
    online: (next: boolean) => {
      online = next;
    },
  };
};

export type OutboxScene = Awaited<ReturnType<typeof outboxScene>>;
