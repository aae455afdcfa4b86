// `reedbed users`: who the members of a server are, and what they may. Works beside the running server or without it, see database.ts.
import { OffsetClock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { SetupError, WrongUse } from '../base/setup-error.ts';
import type { Database } from '../db/pool.ts';
import { couldBeMember, findMember, giveRole, hasAnother, type ListedMember, listMembers } from '../identity/roles.ts';
import type { Role } from '../wire/roles.ts';
import { type Beside, withDatabase } from './database.ts';
import { openOwnIdentity } from './own-identity.ts';
import type { ListTerminal } from './terminal.ts';

type UsersCommand = Beside & { readonly terminal: ListTerminal };
export type UsersListCommand = UsersCommand & { readonly role?: Role };
export type UsersRoleCommand = UsersCommand & {
  readonly member: string;
  readonly role: Role;
  readonly dryRun: boolean;
  /** Asks whoever sits there; null if nobody can be asked. */
  readonly confirm: ((question: string, signal: AbortSignal) => Promise<boolean>) | null;
  /** The answer was given beforehand. */
  readonly isSure: boolean;
};

const PAGE_ROWS = 500;
const NOT_DONE = 1;

const strikesSince = ({ config }: Beside): Date => new Date(new OffsetClock().now() - config.limits.strikeLifeMs);

const day = (at: Date): string => at.toISOString().slice(0, 'YYYY-MM-DD'.length);

/** The name stands last: nobody knows how wide it is on this terminal. */
const rowOf = (role: string, since: string, state: string, { strikes, id, name }: Record<'strikes' | 'id' | 'name', string>): string =>
  `${role.padEnd(9)}  ${since.padEnd(10)}  ${state.padEnd(7)}  ${strikes.padStart(7)}  ${id.padEnd(33)}  ${name}`;

const shownMember = ({ id, name, role, since, state, strikes }: ListedMember): string =>
  rowOf(role, day(since), state, { strikes: String(strikes), id, name });

const HEADING = rowOf('role', 'since', 'state', { strikes: 'strikes', id: 'id', name: 'name' });

/** Prints a line for each member, by id; a page is in memory at a time. */
export const runUsersList = (command: UsersListCommand): Promise<void> =>
  withDatabase(command, async (db, signal) => {
    const { role, terminal } = command;
    const asked = { ...(role === undefined ? {} : { role }), limit: PAGE_ROWS, strikesSince: strikesSince(command) };
    let page = await listMembers(db, asked);
    if (page.length === 0) terminal.note(role === undefined ? 'There are no members yet.' : `No member is ${role}.`);
    else terminal.note(HEADING);
    while (page.length > 0 && !terminal.isGone()) {
      for (const member of page) terminal.print({ ...member, since: member.since.toISOString() }, shownMember(member));
      const after = page.at(-1)?.id;
      if (after === undefined || page.length < PAGE_ROWS) return;
      signal.throwIfAborted();
      page = await listMembers(db, { ...asked, after });
    }
  });

const GIVES: Readonly<Record<Role, string>> = {
  root: 'can do everything an admin can, and is who the server belongs to',
  admin:
    'can make invites that give roles, and begin, approve, pause and end peerings. Where two are root or admin, one approves what the other began',
  archivist: 'is sent a copy of every new reed whose author lets archivists keep it',
  user: 'has no rights beyond those of every member',
};

const notesOn = async (db: Database, member: ListedMember, to: Role): Promise<string[]> => {
  const notes = [`${to}: ${GIVES[to]}.`];
  if (to === 'archivist') notes.push('Their device has to agree to it: reedbed holder --archivist.');
  if (member.role === 'root' && !(await hasAnother(db, 'root', member.id)))
    notes.push('Nobody else is root: until somebody is, each start of the server makes a root invite.');
  if (member.state !== 'active') notes.push(`Their account is ${member.state}.`);
  return notes;
};

const requireMember = async (db: Database, command: UsersRoleCommand): Promise<ListedMember> => {
  const { member: asked, role } = command;
  const member = await findMember(db, asked, strikesSince(command));
  if (member === null)
    throw new SetupError(
      `There is no member ${JSON.stringify(asked)} on this server.`,
      'reedbed users list shows names and ids; members of other servers get their role there.',
    );
  if (member.state === 'removed' && role !== 'user')
    throw new SetupError(`The account of ${member.name} was removed for good.`, 'Its role can only become user.');
  return member;
};

/** Changes a role, once somebody is sure. @returns the exit code: 1 if the answer was no */
export const runUsersRole = async (command: UsersRoleCommand): Promise<number> => {
  const { role, terminal, dryRun, isSure, confirm } = command;
  if (!couldBeMember(command.member))
    throw new WrongUse(`${JSON.stringify(command.member)} is neither a name nor the id of a member.`, 'reedbed users list shows both.');
  return withDatabase(command, async (db, signal) => {
    const member = await requireMember(db, command);
    const { id, name, role: from } = member;
    const say = (changed: boolean, shown: string): void => terminal.print({ id, name, from, to: role, changed, dryRun }, shown);
    const who = `${name} (${id})`;
    if (from === role) {
      say(false, `${who} is ${role} already; nothing to do.`);
      return 0;
    }
    const notes = await notesOn(db, member, role);
    if (dryRun) {
      say(false, [`${who} would become ${role} instead of ${from}. Run it without --dry-run to do it.`, ...notes].join('\n  '));
      return 0;
    }
    if (isSure || confirm !== null) terminal.note(notes.join('\n'));
    if (!isSure) {
      if (confirm === null)
        throw new SetupError(`${who} is still ${from}: nobody is here to confirm that they become ${role}.`, 'Say --yes if you are sure.');
      if (!(await confirm(`${who} is ${from}. Make them ${role}?`, signal))) {
        signal.throwIfAborted();
        say(false, `${who} is still ${from}.`);
        return NOT_DONE;
      }
    }
    const { adminActs } = await openOwnIdentity(command, db);
    await giveRole(adminActs, 'operator', { user: id, from, to: role }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
      throw new SetupError(
        `The role of ${who} was changed by somebody else meanwhile; nothing was done.`,
        'Look again: reedbed users list',
      );
    });
    say(true, `${who} is ${role} now, and was ${from}.`);
    return 0;
  });
};
