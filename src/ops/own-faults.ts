// What the rules of the server refuse to its operator, as faults with their mend.
import { AppError } from '../base/errors.ts';
import { SetupError } from '../base/setup-error.ts';

const MENDS: Readonly<Record<string, string>> = {
  NOT_FOUND: 'reedbed peers list shows the peerings there are.',
  CONFLICT: 'reedbed peers list shows how they stand.',
  FORBIDDEN: 'Let another admin do it.',
  INVALID: 'Look whether all of it was copied.',
  EXPIRED: 'Let the other admin make a new one.',
  UNAVAILABLE: 'Once the cause is mended, run it again: nothing was done that stands in the way.',
};

/** @throws SetupError in place of an AppError that the operator can do something about */
export const mended = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const mend = error instanceof AppError ? MENDS[error.code] : undefined;
    if (mend === undefined) throw error;
    const { detail } = error as AppError;
    throw new SetupError(`${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`, mend, { cause: error });
  }
};
