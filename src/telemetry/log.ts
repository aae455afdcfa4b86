// The log: JSON lines, or readable ones on a terminal. What identifies a member, opens something or was written by one never gets in: known
// field names are redacted as a last line of defence, and an error shows its kind, code and place, not its text.
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import pretty from 'pino-pretty';
import { describe } from './describe.ts';

/** Field names whose values are removed wherever they stand at the top of a record or one level down. */
const REDACTED = [
  'passphrase',
  'password',
  'token',
  'authorization',
  'cookie',
  'secret',
  'privateKey',
  'key',
  'signature',
  'ciphertext',
  'body',
  'frame',
  'text',
  'statement',
  'certificate',
  'userId',
  'member',
  'requester',
  'holder',
  'username',
  'address',
  'ip',
  'remoteAddress',
  'url',
  'databaseUrl',
  'detail',
  'values',
] as const;

const options = (level: string): LoggerOptions => ({
  level,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  redact: { paths: REDACTED.flatMap((name) => [name, `*.${name}`]), censor: '(redacted)' },
  serializers: { err: (error: unknown) => describe(error), error: (error: unknown) => describe(error) },
  // A record that is only an error would take the error's text as its message.
  hooks: {
    logMethod(values, method) {
      const [first, ...rest] = values as unknown[];
      if (first instanceof Error)
        method.apply(this, [{ err: first }, ...(rest.length > 0 ? rest : ['failed'])] as unknown as Parameters<typeof method>);
      else method.apply(this, values);
    },
  },
});

/** A log that writes to `stream`; by default to standard error, readable if that is a terminal. */
export const createLog = (level: string, stream?: DestinationStream): Logger => {
  if (stream !== undefined) return pino(options(level), stream);
  const destination = process.stderr.isTTY
    ? pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true });
  return pino(options(level), destination);
};
