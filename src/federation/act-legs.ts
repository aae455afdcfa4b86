// Acts of a peer's members towards ours: follow, like and block, with their ends. Verified like everything of theirs; for each pair the highest seq is
// the state, so that any may come twice and in any order.
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Blocks } from '../identity/blocks.ts';
import type { Follows } from '../identity/follows.ts';
import type { Likes } from '../reeds/likes.ts';
import { parseReedId, parseUserId, type ServerId, serverOf, type UserId } from '../wire/address.ts';
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
  /** Somebody did something here that lists show. */
  readonly meet: (user: UserId) => void;
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
  // Before anything is learned of who did it.
  if (!isOurs(given.value, deps.home)) throw new AppError('NOT_FOUND', 'target: of another server');
  const accepted = await deps.judge.accept(user, given.value, act);
  if (!accepted.ok)
    throw new AppError(isOfTheMoment(accepted.reason) ? 'UNAVAILABLE' : 'INVALID', `${accepted.detail}: ${accepted.reason}`);
  await store(deps, accepted.value);
  deps.meet(user);
  return { status: NO_CONTENT };
}

/** Whether a certificate, which is verified later, says that it is about a member or a reed of this server. */
function isOurs(certificate: object, home: ServerId): boolean {
  const target = String((certificate as { statement?: { target?: unknown } }).statement?.target);
  const id = parseUserId(target) ?? parseReedId(target);
  return id !== null && serverOf(id) === home;
}

type Accepted = Extract<Awaited<ReturnType<ActLegsDeps['judge']['accept']>>, { ok: true }>['value'];

function store({ blocks, follows, likes }: ActLegsDeps, act: Accepted): Promise<void> {
  const { type } = act.certificate.statement;
  if (type === 'follow' || type === 'unfollow') return follows.takeForeign(act as Parameters<Follows['takeForeign']>[0]);
  if (type === 'like' || type === 'unlike') return likes.takeForeign(act as Parameters<Likes['takeForeign']>[0]);
  return blocks.takeForeign(act as Parameters<Blocks['takeForeign']>[0]);
}
