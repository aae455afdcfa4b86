// Why a connection was given up for good, in words. The SDK names a close code or says it in words of its own.

const WORDS: Readonly<Record<string, string>> = {
  CLOSE_REPLACED: 'you are signed in on another device now',
  CLOSE_SESSION_ENDED: 'this device was signed out, perhaps because another one took its place',
  CLOSE_UNAUTHENTICATED: 'the server does not accept this device’s key',
  UNAUTHENTICATED: 'the server does not sign this device in; another one may have taken its place',
  CLOSE_UNSUPPORTED_PROTOCOL: 'this page and the server are of different versions; load the page again',
};

const LINK_AGAIN: ReadonlySet<string> = new Set(['CLOSE_REPLACED', 'CLOSE_SESSION_ENDED', 'CLOSE_UNAUTHENTICATED', 'UNAUTHENTICATED']);

/** Whether this device can be made the active one again, as far as the reason tells. */
export const canUseAgain = (reason: string): boolean => LINK_AGAIN.has(reason);

/** Fits after "Stopped: ". */
export const stopText = (reason: string): string =>
  WORDS[reason] ??
  (reason.startsWith('CLOSE_') ? `the server ended the connection (${reason.slice(6).toLowerCase().replaceAll('_', ' ')})` : reason);
