// What a holder is told on its command line, judged before anything is made on disk.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SetupError, WrongUse } from '../base/setup-error.ts';
import { parseInviteLink } from '../client/invite-link.ts';
import { parseReedId, parseUserId, type ReedId } from '../wire/address.ts';
import { checkUsername, type UsernameReason } from '../wire/username.ts';

export const KEY_FILE = 'keys.json';
export const FIRST_START = 'Start it with --invite <link> and --username <name>.';

const REED_PAGE = /^\/reed\/([^/]+)\/?$/;

const USERNAME_FAULTS: Readonly<Record<UsernameReason, string>> = {
  length: 'has to have 2 to 30 characters',
  sign: 'may hold letters, digits, dot, dash and underscore only',
  invisible: 'holds a character that can not be seen',
  scripts: 'mixes letters of different scripts',
  edge: 'may have a dot, dash or underscore only between other characters',
};

const linkedId = (text: string): string | null => {
  if (!URL.canParse(text)) return null;
  const coded = REED_PAGE.exec(new URL(text).pathname)?.[1];
  try {
    return coded === undefined ? null : decodeURIComponent(coded);
  } catch {
    return null;
  }
};

/** A reed's id, given as it is or in the link of its page. @throws WrongUse */
export const reedIdOf = (text: string): ReedId => {
  const trimmed = text.trim();
  const reedId = parseReedId(trimmed) ?? parseReedId(linkedId(trimmed) ?? '');
  if (reedId === null)
    throw new WrongUse(
      `${JSON.stringify(text)} is neither the id of a reed nor a link to one.`,
      'Copy the link of the reed in the web app; an id looks like <author id>@<server id>/<uuid>.',
    );
  return reedId;
};

/** Somebody's name or id, as given. @throws WrongUse */
export const personOf = (text: string): string => {
  const trimmed = text.trim();
  if (parseUserId(trimmed) === null && !checkUsername(trimmed).ok)
    throw new WrongUse(
      `${JSON.stringify(text)} is neither a name nor the id of a member.`,
      'Names are of its own server and written without @; who is of another server is named by id, which looks like <id>@<server id>.',
    );
  return trimmed;
};

/** The address in an invite link. @throws WrongUse if it isn't a whole one */
export const inviteOrigin = (link: string): string => {
  const origin = parseInviteLink(link)?.origin;
  if (origin === undefined)
    throw new WrongUse(
      `${JSON.stringify(link)} is not a whole invite link.`,
      'Copy it from https:// to its end and put it in quotation marks: the part after # belongs to it.',
    );
  return origin;
};

/** @throws SetupError if nobody can have this name */
export const assertUsername = (name: string): void => {
  const checked = checkUsername(name);
  if (!checked.ok)
    throw new WrongUse(`The username ${JSON.stringify(name)} ${USERNAME_FAULTS[checked.reason]}.`, 'Choose another --username.');
};

/** The folder of a holder. An empty name would be the working folder, which is somebody else's. @throws WrongUse */
export const folderOf = (given: string): string => {
  if (given === '') throw new WrongUse('--store names no folder.', 'It is the path of one that is the holder’s alone, or of none yet.');
  return resolve(given);
};

/** A folder that holds no keys yet needs to be told where to go and as whom. @throws SetupError */
export const assertStartable = (
  folder: string,
  { server, invite, username }: { readonly server?: string; readonly invite?: string; readonly username?: string },
): void => {
  if (existsSync(join(folder, KEY_FILE))) return;
  if ((server === undefined && invite === undefined) || username === undefined)
    throw new SetupError(`There is no holder in ${folder} yet.`, FIRST_START);
};
