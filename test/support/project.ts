// What the configurations of the tests share: a project is a folder of test/ with what its tests need.

const HEADROOM = 20_000;
/** Of a second's work, on a machine that has much else to do. */
const GENEROUS_MS = 60_000;

type ProjectOptions = {
  readonly database?: boolean;
  readonly bundle?: boolean;
  readonly timeoutMs?: number;
  /** Files of other projects that run in this one as well. */
  readonly more?: readonly string[];
};

/** A project of the tests in test/<name>; `database` ones get the run's Postgres, one database cloned for each file; `bundle` ones a bundled server. */
export const project = (name: string, options: ProjectOptions = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`, ...(options.more ?? [])],
    testTimeout: options.timeoutMs ?? GENEROUS_MS,
    hookTimeout: (options.timeoutMs ?? GENEROUS_MS) + HEADROOM,
    // What is waited for comes late on such a machine; a second, as is usual, is too short there.
    expect: { poll: { timeout: GENEROUS_MS / 2 } },
    ...(options.database === true ? { setupFiles: ['test/support/light-passphrases.ts'] } : {}),
    globalSetup: [
      ...(options.database === true ? ['test/support/global-setup.ts'] : []),
      ...(options.bundle === true ? ['test/support/bundled-server.ts'] : []),
    ],
  },
});

/**
 * How tests are run. Nothing replaces modules, so files of a project share what a worker has loaded: loading it anew for each was a fifth of the whole.
 * Workers live for minutes and may fill a gigabyte before what they dropped is collected: collecting sooner was a tenth.
 */
export const RUNNING = { pool: 'forks' as const, isolate: false, execArgv: ['--initial-old-space-size=1024', '--no-memory-reducer'] };
