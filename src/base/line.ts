// What stands on one line of a list or a terminal as it was written: nothing in it breaks the line, moves what stands beside it, or is invisible.

const MOST_POINTS = 80;
/** Controls, line ends, and what turns the direction of what follows or joins nothing: a name with them can look like other words beside it. */
const UNSEEN =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]/u;

/** Whether this can be the name of a server: NFC, 1 to 80 code points, not blank. */
export const isServerName = (text: string): boolean =>
  text.trim() === text &&
  text !== '' &&
  text.length <= 2 * MOST_POINTS &&
  [...text].length <= MOST_POINTS &&
  text.normalize('NFC') === text &&
  !UNSEEN.test(text);
