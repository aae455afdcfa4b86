// Whom a holder follows because its command line says so. Names are asked of the server, so what is not known yet is tried again with each
// connection; a follow that was written is durable, and said to the server by the SDK.
import { AppError } from '../base/errors.ts';
import type { Member } from '../client/member.ts';
import { parseUserId, type UserId } from '../wire/address.ts';
import { checkUsername } from '../wire/username.ts';
import type { Terminal } from './terminal.ts';

/** `whom`: name or id. */
export type Wish = { readonly act: 'follow' | 'unfollow'; readonly whom: string };

type Telling = { readonly member: Member; readonly terminal: Terminal };

/** What another try could not change. */
const FINAL: ReadonlySet<string> = new Set(['NOT_FOUND', 'REMOVED', 'BLOCKED', 'FORBIDDEN', 'INVALID', 'CONFLICT']);
const DONE = { follow: ['following', 'following'], unfollow: ['unfollowed', 'not following'] } as const;

const foldedOf = (name: string): string | null => {
  const checked = checkUsername(name);
  return checked.ok ? checked.value.folded : null;
};

/** @throws AppError NOT_FOUND, or that the server can't be asked now */
async function find(member: Member, whom: string): Promise<UserId> {
  const id = parseUserId(whom);
  if (id !== null) {
    if (await member.author(id)) return id;
    throw new AppError('NOT_FOUND', 'there is no such member');
  }
  const folded = foldedOf(whom);
  for await (const page of member.lists.people(whom))
    for (const { user, username } of page) if (username !== null && foldedOf(username) === folded) return user;
  throw new AppError('NOT_FOUND', 'nobody of this server has that name; who is of another server is named by id, <id>@<server id>');
}

async function fulfil({ member, terminal }: Telling, { act, whom }: Wish): Promise<void> {
  const user = await find(member, whom);
  const isSoAlready = (await member.relations.follows(user)) === (act === 'follow');
  if (!isSoAlready) await (await member.relations[act](user)).accepted;
  const [state, shown] = DONE[act];
  terminal.print({ event: 'follow', user, whom, state }, `${shown} ${whom} (${user})`);
}

/** Fulfils each wish once, as soon as the server can be asked. */
export function fulfilWishes(telling: Telling, wishes: readonly Wish[]): void {
  const { member, terminal } = telling;
  const open = new Set(wishes);
  let working: Promise<void> = Promise.resolve();
  const work = async (wish: Wish): Promise<void> => {
    if (!open.has(wish)) return;
    try {
      await fulfil(telling, wish);
    } catch (error) {
      if (!(error instanceof AppError && FINAL.has(error.code))) return;
      const { code, detail } = error;
      terminal.print({ event: 'follow', whom: wish.whom, state: 'refused', code, detail }, `not ${wish.act}ed  ${wish.whom}: ${detail}`);
    }
    open.delete(wish);
  };
  member.subscribe((event) => {
    if (event.type !== 'connection' || event.state !== 'online') return;
    for (const wish of open) working = working.then(() => work(wish));
  });
}
