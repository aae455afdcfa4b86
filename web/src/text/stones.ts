// What is said of something that was taken back, and before it is: what a removal can do and what it can't.
import type { StoneView } from '../link/community.ts';
import type { WaitText } from './waiting.ts';

const NOTE =
  'The removal is signed, and stands in its place for good. Every device that has a copy is told and deletes it; one that is away hears of it when it comes back.';

export function stoneText({ kind, own }: Pick<StoneView, 'kind' | 'own'>): WaitText {
  if (kind === 'account') return { title: own ? 'You removed your account' : 'Its author removed their account', note: NOTE };
  const what = kind === 'thread' ? 'this thread' : 'it';
  return { title: own ? `You removed ${what}` : `Its author removed ${what}`, note: NOTE };
}

export const REMOVAL_CAN =
  'Every member’s Reedbed that has a copy is told to delete it, those that are away as soon as they come back. Nobody can fetch it from then on, and its link shows that you removed it.';
export const REMOVAL_CANT =
  'It can’t be undone. Nobody can make people forget what they have read, and a picture of their screen, or a changed app that keeps copies all the same, is out of reach.';
