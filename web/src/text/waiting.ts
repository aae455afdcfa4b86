// What a person reads while a reed is on its way, and when it can't come. Honest, specific, and never more than is known.
import type { Phase, Waiting } from '../link/protocol.ts';

export type WaitText = { readonly title: string; readonly note: string };

const people = (count: number): string => (count >= 3 ? 'Three or more people' : count === 2 ? 'Two people' : 'One person');
const have = (count: number): string => (count === 1 ? 'has it and is online' : 'have it and are online');

const UNHEARD: Readonly<Record<Exclude<Phase, 'online'>, WaitText>> = {
  starting: { title: 'Looking on this device', note: 'If it is not here, those who have it are asked.' },
  connecting: { title: 'Connecting to the server', note: 'The server has no copy of its own; it knows whose devices do.' },
  offline: { title: 'You are not connected', note: 'It is asked for as soon as the connection is back.' },
  stopped: { title: 'This device is not connected any more', note: 'The line at the bottom of the page says why.' },
  'signed-out': { title: 'You are not signed in here', note: '' },
};

/** The words for a request's present state; `phase` is where the connection stands, `server` what the reed's is called if it is another one. */
export function waitText(waiting: Waiting, phase: Phase, server?: string): WaitText {
  if (phase !== 'online') return UNHEARD[phase];
  const { title, note } = stateText(waiting, server);
  return { title, note: waiting.brokenCopies > 0 && waiting.state !== 'asking-again' ? `${note} ${broken(waiting.brokenCopies)}` : note };
}

const broken = (count: number): string =>
  count === 1
    ? 'One copy that came was not what its author signed; it was thrown away and the server was told.'
    : `${count} copies that came were not what their author signed; they were thrown away and the server was told.`;

function stateText(waiting: Waiting, server: string | undefined): WaitText {
  const { onlineHolders: count } = waiting;
  switch (waiting.state) {
    case 'sending':
      return { title: 'Asking the server who has it', note: 'The server has no copy of its own; it knows whose devices do.' };
    case 'held-back':
      return {
        title: 'Asked for too often, waiting to ask again',
        note: 'The server takes the same request only so often in an hour. It is repeated by itself when the server allows it; if the last one still stands, the reed may come before.',
      };
    case 'asking':
      return {
        title:
          count > 0
            ? `${people(count)} ${have(count)}, asking ${count === 1 ? 'them' : 'one'}`
            : 'Someone has it and is online, asking them',
        note: 'Their device checks your key, encrypts a copy for you alone and sends it.',
      };
    case 'in-turn':
      if (server !== undefined && count === 0)
        return {
          title: `Asked of ${server}, you are in turn`,
          note: 'Only a few copies come over at a time; whoever gets one here passes it on. It comes by itself once somebody who has it is online.',
        };
      return {
        title: count > 0 ? `${people(count)} ${have(count)}; you are in turn` : 'Someone has it; you are in turn',
        note: 'Their devices are answering others at the moment. You are next as soon as there is room.',
      };
    case 'nobody-online':
      return {
        title: 'No one who has it is online',
        note: 'It comes by itself when one of them opens Reedbed. You can leave this page meanwhile; the request stays open for a day.',
      };
    case 'holders-failing':
      return {
        title: 'Those who have it could not send it',
        note: 'Their devices were asked and did not manage. They are asked again, with longer pauses, and so is anyone else who gets it.',
      };
    case 'peer-away':
      return {
        title: `${server ?? 'Its author’s server'} is away at the moment`,
        note: 'Nobody here has a copy that could be given to you. It comes by itself when that server is back, or when somebody here has it. You can leave this page meanwhile.',
      };
    case 'checking':
      return { title: 'It is here, checking the signatures', note: 'Nothing is shown before its author’s signature is checked.' };
    case 'asking-again':
      return {
        title: 'What came was not what its author signed, asking someone else',
        note: 'That copy was thrown away and the server was told.',
      };
  }
}

const ENDS: Readonly<Record<string, WaitText>> = {
  'not-held': {
    title: 'Nobody has it any more',
    note: 'It was published, but every device that had a copy has given it up. If its author still has it, it can return.',
  },
  'not-found': { title: 'There is no such reed', note: 'Nothing is published under this link, or the link is incomplete.' },
  removed: { title: 'Its author removed it', note: 'The removal is signed. Copies of it are deleted as devices hear of it.' },
  invalid: {
    title: 'Its signature is broken',
    note: 'What came is not what its author signed, so it is not shown. The server was told. Asking again asks someone else.',
  },
  'cannot-check': {
    title: 'It came, but could not be checked',
    note: 'A key that proves it could not be had at the moment, so it is not shown. Ask again in a while.',
  },
  'cannot-store': { title: 'This device has no room for it', note: 'It came, but could not be stored. Free some space and ask again.' },
  expired: { title: 'Nobody came online with it for a day', note: 'The request has ended. You can ask again.' },
  'not-acknowledged': { title: 'It was sent twice and did not arrive here', note: 'Your connection may be weak. You can ask again.' },
  left: { title: 'It is no longer on this device', note: 'The copy that was here was given up. You can ask for it again.' },
  blocked: { title: 'You can’t read this', note: 'Its author has blocked you, or you have blocked them.' },
  'rate-limited': { title: 'You asked for this too often', note: 'The same reed can be asked for five times an hour. Try again later.' },
  'too-many-open': { title: 'You are waiting for many reeds already', note: 'Try again when some of them have come.' },
  cancelled: { title: 'You stopped asking', note: 'Nothing more is requested.' },
  'signed-out': { title: 'You are not signed in here', note: '' },
  BAD_REQUEST: { title: 'This is not a reed’s link', note: 'Check that the whole link was copied.' },
};

const FINAL: ReadonlySet<string> = new Set(['not-found', 'removed', 'blocked', 'signed-out', 'BAD_REQUEST']);

const NO_PEER: WaitText = {
  title: 'It is of a server that yours exchanges nothing with',
  note: 'Reeds come from other servers only while the two have agreed to it. “About this server” lists those with which yours has.',
};

/**
 * The words for a request that ended without a reed. `detail` is shown only for what has no words of its own.
 * @param isCutOff it is of a server that is no peer, or none any more
 */
export function endText(outcome: string, detail: string, isCutOff = false): WaitText {
  if (isCutOff && (outcome === 'not-found' || outcome === 'not-held')) return NO_PEER;
  return ENDS[outcome] ?? { title: 'It could not be fetched', note: detail };
}

/** Whether asking again can help. */
export const canAskAgain = (outcome: string): boolean => !FINAL.has(outcome);
