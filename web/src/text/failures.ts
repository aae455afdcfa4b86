// Failures of acts in plain words. What has no words here is shown with the server's own detail.

const WORDS: Readonly<Record<string, string>> = {
  USERNAME_TAKEN: 'Somebody here already has this name, or one that looks like it. Choose another.',
  INVITE_INVALID: 'This invite is not valid any more: it was used, it ran out, or the link is incomplete. Ask for a new one.',
  SIGNUP_CLOSED: 'This server takes no new members at the moment.',
  RATE_LIMITED: 'That was too often in a short time. Wait a little and try again.',
  UNAVAILABLE: 'The server can’t do this right now. Try again in a moment.',
  'the server could not be reached': 'The server can’t be reached. Check your connection and try again.',
  TOO_LARGE: 'This is longer than a reed may be.',
  INTERRUPTED: 'The tab that was doing this was closed. Look whether it was done before you try again.',
  BAD_BACKUP: 'This file is not a Reedbed backup, or a part of it is missing. It is the one that you downloaded, its name ends in .asc.',
  WRONG_WORDS: 'These words do not open this backup. Check their spelling and order.',
  'username: length': 'A name has 2 to 30 characters.',
  'username: sign': 'Names are made of letters, digits, dots, hyphens and underscores.',
  'username: invisible': 'This name has characters that can’t be seen. Type it again by hand.',
  'username: scripts': 'A name has letters, and all of one script: mixed ones could look like somebody else’s.',
  'username: edge': 'A name starts and ends with a letter or a digit.',
  'the passphrase does not open this backup': 'These words do not open this backup. Check their spelling and order.',
  'this is no backup': 'This file is not a Reedbed backup, or a part of it is missing.',
  'this is the backup of another account': 'This is the backup of another account than the one on this device.',
  OTHER_SERVER: 'This belongs to another server than the one this page came from.',
  'device: another one is linked': 'This account is used on another device now. Choose “Use this device again” below.',
  'target: of a server that is no peer of ours': 'Your server does not exchange reeds with theirs, so this can’t be done from here.',
  KEY_REVOKED: 'This key was revoked, so it can’t sign in any more.',
};

/** The detail without what the SDK says of its mend: the words here say it better. */
const whatWasWrong = (detail: string): string => detail.split('; ')[0] ?? '';

/** One sentence or two for the person. */
export function failureText(error: unknown): string {
  if (error instanceof Error && 'code' in error && 'detail' in error) {
    const { code, detail } = error as { code: unknown; detail: unknown };
    return (
      WORDS[whatWasWrong(String(detail))] ??
      WORDS[String(code)] ??
      (typeof detail === 'string' && detail !== '' ? detail : `It did not work (${String(code)}).`)
    );
  }
  return error instanceof Error ? error.message : 'It did not work.';
}

const NOT_WATCHED: Readonly<Record<string, string>> = {
  RATE_LIMITED: 'You have opened many pages in a short time. This one is listened to again when you come back to it in a minute.',
  TOO_MANY_OPEN: 'You are listening to as many things as the server allows. Close another page of Reedbed and open this one again.',
  BLOCKED: 'A block stands between you and this member.',
};

/** Why something is not watched, by the server's code. */
export const refusedWatchText = (code: string): string => NOT_WATCHED[code] ?? `The server does not let you listen to this (${code}).`;
