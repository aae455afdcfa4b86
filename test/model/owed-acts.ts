// What members state, signed by them: each act can be sent any number of times, to any process, and counts once.
import { base64url, cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import type { Database, Sql } from '../../src/db/pool.ts';
import { type ReedId, type UserId, userOf } from '../../src/wire/address.ts';
import { canonicalBytes, type Signed, statementHash } from '../../src/wire/canonical.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type Statement } from '../../src/wire/statements.ts';
import { type Person, sign } from '../support/people.ts';
import type { OwedModel, Post, Relation } from './owed-model.ts';
import type { Acts } from './stage.ts';

export type Act = {
  readonly name: string;
  readonly by: Person;
  /** The post that it registers. */
  readonly post?: ReedId;
  /** What it is about: two acts about the same do not begin together. */
  readonly about: readonly string[];
  /** Members whose account or key it needs, apart from who makes it. */
  readonly touches?: readonly UserId[];
  /** It ends the sessions of who makes it, who is this from then on. */
  readonly next?: Person;
  /** What it leaves instead of stored statements, if anything. */
  readonly trace?: Sql;
  readonly signed: readonly Signed<Statement>[];
  /** Sends it whole. */
  readonly run: (acts: Acts) => Promise<unknown>;
  readonly apply: (model: OwedModel) => void;
  readonly refuses: (model: OwedModel) => string | null;
};

type Draft = Omit<Act, 'signed' | 'run' | 'by'> & {
  readonly statements: readonly Statement[];
  readonly send: (acts: Acts, signed: readonly Signed<Statement>[]) => Promise<unknown>;
};

const drawn = async (by: Person, now: number, { statements, send, ...act }: Draft): Promise<Act> => {
  const signed = await Promise.all(statements.map((statement) => sign(by, statement, now)));
  return { ...act, by, signed, run: (acts) => send(acts, signed) };
};

const pairOf = (one: UserId, other: UserId): string => [one, other].sort().join(' ');

export const relate = (by: Person, kind: Relation, target: UserId, now: number): Promise<Act> => {
  const type = kind;
  return drawn(by, now, {
    name: `${by.user} ${kind}s ${target}`,
    about: [pairOf(by.user, target)],
    touches: [target],
    statements: [{ ...heading(type), user: by.user, key: by.keyId, target, createdAt: printTime(now) } as Statement],
    send: async ({ blocks, follows }, [signed]) =>
      kind === 'follow' || kind === 'unfollow' ? follows.set(by.member, target, kind, signed) : blocks.set(by.member, target, kind, signed),
    apply: (model) => model.relate(kind, by.user, target),
    refuses: (model) => model.refusesRelation(kind, by.user, target),
  });
};

export const like = (by: Person, kind: 'like' | 'unlike', { author, id }: Post, now: number): Promise<Act> =>
  drawn(by, now, {
    name: `${by.user} ${kind}s ${id}`,
    about: [id, pairOf(by.user, author)],
    touches: [author],
    statements: [{ ...heading(kind), user: by.user, key: by.keyId, target: id, createdAt: printTime(now) } as Statement],
    send: ({ likes }, [signed]) => likes.set(by.member, id, kind, signed),
    apply: ({ likes }) => void likes[kind === 'like' ? 'add' : 'delete'](`${by.user} ${id}`),
    refuses: (model) => (kind === 'like' ? model.refusesLike(id, by.user) : null),
  });

export type PostFields = Pick<Post, 'mentions' | 'tags' | 'parent' | 'broadcast'> & { readonly isThread: boolean };

export const draft = (by: Person, { isThread, ...fields }: PostFields, now: number): Post => {
  const fresh = (): ReedId => `${by.user}/${uuidv7(now, cryptoRandom)}` as ReedId;
  const id = fresh();
  return { ...fields, id, author: by.user, parts: isThread ? [id, fresh()] : [id] };
};

const rootOf = ({ id, parent }: Post): ReedId => (parent === null ? id : rootOf(parent));

export const register = (by: Person, post: Post, now: number): Promise<Act> => {
  const { id, mentions, parent, parts, tags } = post;
  const owned = { author: by.user, key: by.keyId };
  const reeds = parts.map(
    (part, index): Statement => ({
      ...{ ...heading('reed'), ...owned, id: part, bodyHash: base64url(cryptoRandom(32)) },
      ...{ tags: index === 0 ? tags : [], mentions: index === parts.length - 1 ? mentions : [] },
      ...(parent === null || index > 0 ? {} : { replyTo: parent.id, root: rootOf(parent) }),
      ...(parts.length > 1 ? { thread: { head: id, index } } : {}),
    }),
  );
  const record: Statement[] = parts.length > 1 ? [{ ...heading('thread'), ...owned, id, reeds: parts }] : [];
  return drawn(by, now, {
    post: id,
    name: `${by.user} writes ${id}${parent === null ? '' : ` in reply to ${parent.id}`}`,
    touches: [...mentions, ...(parent === null ? [] : [userOf(parent.id)])],
    about: [...mentions.map((member) => pairOf(by.user, member)), ...(parent === null ? [] : [parent.id, pairOf(by.user, parent.author)])],
    statements: [...reeds, ...record],
    send: async (acts, signed) => {
      for (const each of signed.slice(0, parts.length)) await acts.register.reed(by.member, each);
      if (record.length > 0) await acts.threads.register(by.member, signed.at(-1));
    },
    apply: (model) => model.register(post),
    refuses: (model) => model.refusesPost(post),
  });
};

export const remove = (by: Person, post: Post, now: number): Promise<Act> => {
  const type = post.parts.length > 1 ? 'thread-removal' : 'reed-removal';
  return drawn(by, now, {
    name: `${by.user} removes ${post.id}`,
    about: [post.id],
    statements: [{ ...heading(type), id: post.id, author: by.user, key: by.keyId } as Statement],
    send: (acts, [signed]) => acts.removal.remove(by.member, type, post.id, signed),
    apply: (model) => void model.removed.add(post.id),
    refuses: () => null,
  });
};

/** Whether all that the act states was taken, whoever heard of it. */
export const isCommitted = async (db: Database, { signed, trace }: Act): Promise<boolean> => {
  if (trace) return (await db.query(trace)).length > 0;
  const hashes = await Promise.all(
    signed.map(async ({ statement }) => {
      const bytes = canonicalBytes(statement);
      if (!bytes.ok) throw new Error(bytes.reason);
      return Buffer.from(await statementHash(bytes.value), 'base64url');
    }),
  );
  const rows = await db.query({ text: 'select hash from statements where hash = any($1::bytea[])', values: [hashes] });
  return rows.length === hashes.length;
};
