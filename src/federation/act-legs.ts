// Acts of a peer's members towards ours: follow, like and block, with their ends. Verified like everything of theirs; for each pair the highest seq is
// the state, so that any may come twice and in any order.
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Blocks } from '../identity/blocks.ts';
import type { Follows } from '../identity/follows.ts';
import type { Likes } from '../reeds/likes.ts';
import { parseUserId, type ServerId, serverOf } from '../wire/address.ts';
import { decodeAct } from '../wire/streams.ts';
import type { ItemJudge } from './stream-judge.ts';
import { isOfTheMoment } from './stream-judge.ts';
import type { Leg, LegAnswer } from './stream-ports.ts';

export type ActLegsDeps = {
  readonly home: ServerId;
  readonly limits: Limits;
  readonly judge: Pick<ItemJudge, 'accept'>;
  readonly follows: Pick<Follows, 'takeForeign'>;
  readonly blocks: Pick<Blocks, 'takeForeign'>;
  readonly likes: Pick<Likes, 'takeForeign'>;
};

export const ACTS = ['follow', 'unfollow', 'like', 'unlike', 'block', 'unblock'] as const;
type Act = (typeof ACTS)[number];

const NO_CONTENT = 204;

export const actLegs = (deps: ActLegsDeps): [Act, Leg][] =>
  ACTS.map((act) => [act, { limitBytes: 2 * deps.limits.statementBytes, handle: (peer, body) => take(deps, act, { peer, body }) }]);

async function take(deps: ActLegsDeps, act: Act, { body, peer }: { peer: ServerId; body: Uint8Array }): Promise<LegAnswer> {
  const given = decodeAct(body);
  if (!given.ok) throw new AppError('BAD_REQUEST', 'certificate: not to be read');
  const user = parseUserId(String((given.value as { statement?: { user?: unknown } }).statement?.user));
  if (user === null) throw new AppError('INVALID', 'user: no user id');
  if (serverOf(user) !== peer) throw new AppError('FORBIDDEN', 'user: of another server');
  const accepted = await deps.judge.accept(user, given.value, act);
  if (!accepted.ok)
    throw new AppError(isOfTheMoment(accepted.reason) ? 'UNAVAILABLE' : 'INVALID', `${accepted.detail}: ${accepted.reason}`);
  const { target } = accepted.value.certificate.statement;
  if (serverOf(target) !== deps.home) throw new AppError('NOT_FOUND', 'target: of another server');
  await store(deps, accepted.value);
  return { status: NO_CONTENT };
}

type Accepted = Extract<Awaited<ReturnType<ActLegsDeps['judge']['accept']>>, { ok: true }>['value'];

function store({ blocks, follows, likes }: ActLegsDeps, act: Accepted): Promise<void> {
  const { type } = act.certificate.statement;
  if (type === 'follow' || type === 'unfollow') return follows.takeForeign(act as Parameters<Follows['takeForeign']>[0]);
  if (type === 'like' || type === 'unlike') return likes.takeForeign(act as Parameters<Likes['takeForeign']>[0]);
  return blocks.takeForeign(act as Parameters<Blocks['takeForeign']>[0]);
}
