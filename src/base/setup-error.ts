// A fault of the surroundings that whoever runs this can mend: a folder, a port, a database, a setting.
// It is printed as one line without a stack, so message and mend are written for that person.

/** `message` says what is wrong, `mend` what to do about it; both are whole sentences. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
  readonly mend: string;

  constructor(message: string, mend: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.mend = mend;
  }
}

/** A value on the command line that is wrong by itself, wherever and whenever it is said; `mend` says what is allowed. */
export class WrongUse extends SetupError {}
