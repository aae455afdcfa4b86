// Where a reed stands with this device and the server, in a sentence.
import type { CopyView, StatsView } from '../link/community.ts';
import { countText } from './dates.ts';

export function standingText({ refused, own, settled }: Pick<CopyView, 'refused' | 'own' | 'settled'>): string {
  if (refused !== '') return `The server refused it: ${refused}`;
  if (own) return settled ? 'Published. Yours, on this device.' : 'Not published yet: it is sent when the server can be reached.';
  return settled
    ? 'Kept on this device. While this tab is open it is given to others who ask.'
    : 'Kept on this device; the server has not confirmed it yet.';
}

/** How many have a reed. @param server whose members are counted, if it is another one */
export function coverageText({ coveragePercent, holderServers }: StatsView, server?: string): string {
  const members = `On the devices of ${countText(coveragePercent)} % of the members${server === undefined ? '' : ` of ${server}`}.`;
  if (holderServers === 0) return members;
  const others =
    holderServers === 1 ? 'Somebody on another server has it, too.' : `People on ${countText(holderServers)} other servers have it, too.`;
  return `${members} ${others}`;
}

/** What blocking does, before it is done. */
export const BLOCK_DOES = [
  'They can’t get anything you write from then on.',
  'Their device is sent your signed block. It shows nothing by itself, but says that you blocked them where they look for you or your reeds.',
  'They stop following you, and their device deletes what it has of yours.',
  'What they write no longer comes to you, and does not count as an answer to you.',
] as const;
/** Beside those, of somebody of another server. */
export const BLOCK_TELLS_SERVER = 'Their server is told, too, and gives them nothing of yours from then on.';
export const BLOCK_CANT =
  'It can’t make them forget what they have read. You can end it at any time; they will not follow you again by themselves.';
