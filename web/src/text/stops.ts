// Why a connection was given up for good, in words. The SDK names a close code or says it in words of its own.

const WORDS: Readonly<Record<string, string>> = {
  CLOSE_REPLACED: 'you are signed in on another device now',
  CLOSE_SESSION_ENDED: 'this device was signed out, perhaps because another one took its place',
  CLOSE_UNAUTHENTICATED: 'the server does not accept this device’s key',
  CLOSE_UNSUPPORTED_PROTOCOL: 'this page and the server are of different versions; load the page again',
};

/** Fits after "Stopped: ". */
export const stopText = (reason: string): string =>
  WORDS[reason] ??
  (reason.startsWith('CLOSE_') ? `the server ended the connection (${reason.slice(6).toLowerCase().replaceAll('_', ' ')})` : reason);
