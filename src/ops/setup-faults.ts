// Turns what goes wrong while a server starts into words for whoever started it: what it is and what mends it.
import { AppError } from '../base/errors.ts';
import { SetupError } from '../base/setup-error.ts';
import type { Config } from '../config/config.ts';
import { DatabaseFailure, SQLSTATE } from '../db/errors.ts';

const hostOf = (databaseUrl: string): string => {
  const url = new URL(databaseUrl);
  return url.host === '' ? 'its socket' : url.host;
};

const databaseFault = (failure: DatabaseFailure, url: string, cause: unknown): SetupError | null => {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  if (failure.sqlState === SQLSTATE.invalidPassword || failure.sqlState === SQLSTATE.invalidAuthorization) {
    return new SetupError(
      'The database refuses the user or password of DATABASE_URL.',
      'Correct DATABASE_URL, or the role in the database.',
      { cause },
    );
  }
  if (failure.sqlState === SQLSTATE.undefinedDatabase) {
    return new SetupError(`There is no database named ${name} at ${hostOf(url)}.`, `Make it: createdb --encoding UTF8 ${name}`, { cause });
  }
  if (failure.sqlState === SQLSTATE.insufficientPrivilege) {
    return new SetupError(
      'The user of DATABASE_URL may not make tables.',
      `Make it the owner of the database: alter database ${name} owner to …`,
      { cause },
    );
  }
  if (cause instanceof AppError && cause.code === 'UNAVAILABLE') {
    const why = failure.sqlState ?? failure.node ?? 'no connection';
    return new SetupError(
      `The database at ${hostOf(url)} can't be reached (${why}).`,
      'Start it, or correct DATABASE_URL; without DATABASE_URL an embedded one is used.',
      { cause },
    );
  }
  return null;
};

const listenFault = (error: NodeJS.ErrnoException, config: Config): SetupError | null => {
  const place = `${config.port} on ${config.host}`;
  const another = 'choose another with --port or REEDBED_PORT.';
  switch (error.code) {
    case 'EADDRINUSE':
      return new SetupError(`Port ${place} is in use.`, `End the program that has it, or ${another}`, { cause: error });
    case 'EACCES':
      return new SetupError(`Port ${place} may not be opened by this user.`, `Ports under 1024 need a right of their own: ${another}`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new SetupError(
        `${config.host} is no address of this machine.`,
        'Correct --host or REEDBED_HOST; 0.0.0.0 listens on all addresses.',
        {
          cause: error,
        },
      );
    default:
      return null;
  }
};

const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The error to show for one that ended a start; what is not known is returned as it is. */
export const explainStart = (error: unknown, config: Config): unknown => {
  if (error instanceof SetupError || !(error instanceof Error)) return error;
  const failure = error instanceof AppError ? error.cause : error;
  if (NO_ROOM.has((error as NodeJS.ErrnoException).code))
    return new SetupError(
      `There is no room to write in ${config.data}.`,
      'Make room on its disk, or name another folder with --data or REEDBED_DATA.',
      {
        cause: error,
      },
    );
  if (failure instanceof DatabaseFailure && failure.sqlState === SQLSTATE.diskFull)
    return new SetupError('The disk of the database is full.', 'Make room on it.', { cause: error });
  if (failure instanceof DatabaseFailure && config.databaseUrl !== undefined)
    return databaseFault(failure, config.databaseUrl, error) ?? error;
  const listening = (error as NodeJS.ErrnoException).syscall;
  if (listening === 'listen' || listening === 'getaddrinfo') return listenFault(error, config) ?? error;
  return error;
};
