// What each number of a summary means, for the table at the end and for the help of the command. Imports types alone: help loads nothing.
import type { BorderSummary } from './border.ts';
import type { CommunitySummary } from './community.ts';
import type { Summary } from './scenario.ts';

export const OF_THE_RELAY: Readonly<Record<keyof Summary, string>> = {
  requested: 'requests for a reed',
  delivered: 'verified copies that arrived',
  acked: 'copies the server counts as held',
  invalid: 'false copies, each found out',
  reopened: 'claims taken back and given to another holder',
  rounds: 'copies from an author to the farthest member',
  bodiesOnServer: 'bodies found in tables, files and log',
  p50Ms: 'ms from request to copy, median',
  p99Ms: 'ms from request to copy, 99th percentile',
};

export const OF_THE_COMMUNITY: Readonly<Record<keyof CommunitySummary, string>> = {
  owedLost: 'reeds that a member was owed and does not have',
  duplicates: 'copies sent to members who had them',
  blockedSaw: 'reeds that passed a block',
  removedStillHeld: 'copies left of what was taken back',
  fanoutStatements: 'statements for one reed to all followers',
};

export const OF_THE_BORDER: Readonly<Record<keyof BorderSummary, string>> = {
  crossingsMax: 'copies of one reed between the servers at once, at most',
  crossingsTotal: 'copies that went from one server to the other',
  foreignDelivered: "copies that members have of the other server's reeds",
  owedLost: 'reeds and likes that were owed across and did not arrive',
};
