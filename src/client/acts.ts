// Acts on others and on one's own reeds: what is signed, where it is sent, and what it changes on this device at once and if it is refused.
import type { UserKeyId } from '../wire/address.ts';
import { type ReedId, type UserId, userOf } from '../wire/address.ts';
import { printTime } from '../wire/kinds.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { ActRecord, Change, Store } from './store.ts';
import type { ActType } from './types.ts';

export type ActStatement = StatementOf<ActType>;
export type By = { readonly user: UserId; readonly key: UserKeyId };

const REMOVALS = { 'reed-removal': 'reed', 'thread-removal': 'thread' } as const;

type RemovalType = keyof typeof REMOVALS;

export const isRemoval = (act: ActType): act is RemovalType => act in REMOVALS;

export function actStatement(act: ActType, target: ReedId | UserId, { user, key, atMs }: By & { readonly atMs: number }): ActStatement {
  const statement = isRemoval(act)
    ? { ...heading(act), id: target, author: user, key }
    : { ...heading(act), user, key, target, createdAt: printTime(atMs) };
  return statement as ActStatement;
}

/** Where an act is sent, under `/api/v1/`. */
export function actPath(act: ActType, target: ReedId | UserId): string {
  const id = encodeURIComponent(target);
  if (isRemoval(act)) return `${REMOVALS[act]}s/${id}/removal`;
  return `${act === 'like' || act === 'unlike' ? 'reeds' : 'users'}/${id}/${act}`;
}

/** The id in `meta` under which a like of this member's is remembered. */
export const likeId = (reed: string): string => `like ${reed}`;

/** What this device takes to be so as soon as the act is written. */
export function changesOf({ act, target, signed, buried = [] }: ActRecord): Change[] {
  if (!isRemoval(act)) return relationChanges(act, target as UserId);
  return buried.flatMap((id) => burial(id, REMOVALS[act], signed as object));
}

const burial = (id: ReedId, kind: 'reed' | 'thread', certificate: object): Change[] => [
  { put: 'tombstones', record: { id, kind, certificate } },
  { delete: 'copies', id },
  { delete: 'threads', id },
];

/** The reeds that a removal takes away here: the parts of a thread that are known, the head always. */
export async function buriedBy(store: Store, act: ActType, id: ReedId): Promise<ReedId[]> {
  if (act === 'reed-removal') return [id];
  const record = await store.get('threads', id);
  const here = await store.feed(`thread ${id}`);
  return [...new Set([id, ...(record?.certificate.statement.reeds ?? []), ...here.map(({ copy }) => copy.id)])];
}

function relationChanges(act: Exclude<ActType, RemovalType>, target: UserId): Change[] {
  switch (act) {
    case 'follow':
      return [{ put: 'follows', record: { id: target } }];
    case 'unfollow':
      return [{ delete: 'follows', id: target }];
    case 'block':
      return [{ put: 'blocks', record: { id: target } }];
    case 'unblock':
      return [{ delete: 'blocks', id: target }];
    case 'like':
      return [{ put: 'meta', record: { id: likeId(target), value: true } }];
    case 'unlike':
      return [{ delete: 'meta', id: likeId(target) }];
  }
}

/** The certificate takes its place beside what is still so on this device. */
export async function acceptedChanges(store: Store, { act, target, buried = [] }: ActRecord, certificate: object): Promise<Change[]> {
  // Once more: what was being published while it was taken back has come since.
  if (isRemoval(act)) return buried.flatMap((id) => burial(id, REMOVALS[act], certificate));
  const user = target as UserId;
  if (act === 'follow' && (await store.get('follows', user))) return [{ put: 'follows', record: { id: user, certificate } }];
  if (act === 'block' && (await store.get('blocks', user))) return [{ put: 'blocks', record: { id: user, certificate } }];
  return [];
}

const OPPOSITE = { follow: 'unfollow', unfollow: 'follow', like: 'unlike', unlike: 'like', block: 'unblock', unblock: 'block' } as const;

/** A refused act is undone here, unless a later one about the same is on its way. */
export function refusedChanges({ id, act, target, buried = [] }: ActRecord, waiting: readonly ActRecord[]): Change[] {
  if (isRemoval(act)) return buried.map((reed): Change => ({ delete: 'tombstones', id: reed }));
  const isOvertaken = waiting.some(
    (later) => later.id > id && later.target === target && (later.act === act || later.act === OPPOSITE[act]),
  );
  return isOvertaken ? [] : relationChanges(OPPOSITE[act], target as UserId);
}

/** Whether a certified statement is the act on this target by this member. */
export function isThatAct(statement: ActStatement, { act, target }: Pick<ActRecord, 'act' | 'target'>): boolean {
  if (statement.type !== act) return false;
  return 'id' in statement ? statement.id === target && statement.author === userOf(target) : statement.target === target;
}
