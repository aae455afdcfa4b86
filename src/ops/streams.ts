// `reedbed streams`: how far peers are behind with what is published here, what they refused, and that it be sent again. Works beside the running
// server, which takes it up within half a minute, or without it.
import { SetupError, WrongUse } from '../base/setup-error.ts';
import type { Database } from '../db/pool.ts';
import { tryPeers } from '../federation/peer-report.ts';
import { type ParkedOf, type PeerStream, parkedItems, peerStreams, retryStreams } from '../federation/stream-report.ts';
import type { Parked } from '../federation/stream-table.ts';
import { parseServerId, parseUserId, type ServerId } from '../wire/address.ts';
import { type Beside, withDatabase } from './database.ts';
import { counted, type ListTerminal, seconds } from './terminal.ts';

/** As they stand on the command line. */
export type StreamsOf = { readonly peer?: string; readonly author?: string; readonly number?: number };
export type StreamsCommand = Beside & { readonly terminal: ListTerminal; readonly of: StreamsOf };

const PAGE_ROWS = 500;

const ofPeer = (peer: string | undefined): { server?: ServerId } => {
  if (peer === undefined) return {};
  const server = parseServerId(peer);
  if (server === null)
    throw new WrongUse(`${JSON.stringify(peer)} is no server id.`, 'It is 16 letters and digits; reedbed peers list shows those of peers.');
  return { server };
};

const parkedOf = ({ author, number, peer }: StreamsOf): ParkedOf => {
  if (author !== undefined && parseUserId(author) === null)
    throw new WrongUse(
      `${JSON.stringify(author)} is no member's id.`,
      'It looks like <id>@<server id>; reedbed streams parked shows those of authors.',
    );
  return { ...ofPeer(peer), ...(author === undefined ? {} : { author }), ...(number === undefined ? {} : { number }) };
};

/** A peer that was named, and is none, has nothing parked and lacks nothing: who mistyped its id would take that for an answer. */
const requirePeering = async (db: Database, { server }: ParkedOf): Promise<void> => {
  if (server === undefined) return;
  const known = await db.query({ name: 'streams_peer', text: 'select from peers where server_id = $1', values: [server] });
  if (known.length === 0) throw new SetupError(`There is no peering with ${server}.`, 'reedbed peers list shows them.');
};

/** Whether anything published here is meant for it. */
export const isExchanging = (state: string): boolean => state === 'live' || state === 'suspended';

/** What a peer has of what is published here. */
export const lackOf = ({ authors, items, nextTryAt, parked, waiting }: PeerStream): string => {
  const all = parked === 0 ? 'has everything' : 'has everything else';
  const behind = items === 0 ? all : `lacks ${counted(items, 'item')} of ${counted(authors, 'author')}`;
  const waits = nextTryAt === null ? '' : `, ${counted(waiting, 'author waits', 'authors wait')}, the next until ${seconds(nextTryAt)}`;
  return `${parked === 0 ? '' : `${parked} parked, `}${behind}${waits}`;
};

/** Of how many of its members a peer has sent something. */
const cameOf = ({ received }: PeerStream): string =>
  received === 0 ? 'nothing came from there yet' : `something came from ${counted(received, 'member')} of theirs`;

/** Why nothing goes to a peer now; empty if something does. */
const stopOf = ({ away, server, state, unanswered }: PeerStream): string => {
  if (state !== 'live') return '';
  if (unanswered) return `; it does not answer: reedbed peers show ${server}`;
  return away ? '; it is away' : '';
};

const shownPeer = (row: PeerStream): string => {
  const standing = isExchanging(row.state) ? `${lackOf(row)}${stopOf(row)}; ${cameOf(row)}` : 'nothing is exchanged until it is live';
  return `${row.server}  ${row.state.padEnd(14)}  ${standing}  ${row.name}`;
};

/** Prints a line for each peer. */
export const runStreamsList = async (command: StreamsCommand): Promise<void> => {
  const { of, terminal } = command;
  const asked = ofPeer(of.peer);
  await withDatabase(command, async (db) => {
    await requirePeering(db, asked);
    const rows = await peerStreams(db, asked.server);
    if (rows.length === 0) terminal.note('There are no peers.');
    for (const row of rows) terminal.print({ ...row, nextTryAt: row.nextTryAt?.toISOString() ?? null }, shownPeer(row));
  });
};

/** What an operator who asked for it again is told while the peer takes nothing. */
const askedFor = ({ isAskedFor, nextTryAt, said }: Parked): string => {
  if (!isAskedFor) return '';
  return said === null || nextTryAt === null
    ? '; asked for again'
    : `; asked for again: the peer said ${said}, the next try is at ${seconds(nextTryAt)}`;
};

const shownParked = (item: Parked): string => {
  const { author, kind, number, parkedAt, peer, reason, replays, subject } = item;
  const [word, detail] = reason.split(': ', 2);
  const why = word === detail ? word : reason;
  return `${seconds(parkedAt)}  ${peer}  ${author}  ${number}  ${kind}  ${subject}  tried again ${counted(replays, 'time')}  ${why}${askedFor(item)}`;
};

/** Prints a line for each parked item; a page is in memory at a time. */
export const runStreamsParked = async (command: StreamsCommand): Promise<void> => {
  const { of, terminal } = command;
  const asked = parkedOf(of);
  await withDatabase(command, async (db, signal) => {
    await requirePeering(db, asked);
    let page = await parkedItems(db, asked, { after: null, limit: PAGE_ROWS });
    if (page.length === 0) terminal.note('Nothing is parked.');
    while (page.length > 0 && !terminal.isGone()) {
      for (const item of page)
        terminal.print(
          { ...item, parkedAt: item.parkedAt.toISOString(), nextTryAt: item.nextTryAt?.toISOString() ?? null },
          shownParked(item),
        );
      if (page.length < PAGE_ROWS) return;
      signal.throwIfAborted();
      page = await parkedItems(db, asked, { after: page.at(-1) ?? null, limit: PAGE_ROWS });
    }
  });
};

/** Has parked items sent again, and whatever waits for its date. */
export const runStreamsRetry = async (command: StreamsCommand): Promise<void> => {
  const { of, terminal } = command;
  const asked = parkedOf(of);
  await withDatabase(command, async (db) => {
    await requirePeering(db, asked);
    const { parked, waiting } = await retryStreams(db, asked);
    // Who names an author or an item means those, and not all that waits for a peer.
    const peers = of.author === undefined && of.number === undefined ? await tryPeers(db, asked.server) : 0;
    const again = [
      ...(peers === 0 ? [] : [`${counted(peers, 'peer')} that did not answer or had enough`]),
      ...(parked === 0 ? [] : [counted(parked, 'parked item')]),
      ...(waiting === 0 ? [] : [`what waits of ${counted(waiting, 'author')}`]),
    ];
    terminal.print(
      { parked, waiting, peers },
      parked + waiting + peers === 0
        ? 'Nothing is parked, and nothing waits for its next try.'
        : `To be tried again: ${again.join(', ')}; by the running server within half a minute, else at its start.`,
    );
  });
};
