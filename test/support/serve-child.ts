// The whole command line with an application that does nothing, for tests of starting and stopping that must not wait for a real drain.
// FAKE_TERMINAL says that standard output is one. FAKE_APP says how the application behaves: well, stuck (never drains), broken (fails to start), late (throws a while after the start),
// joined (has its first member).

import { runCommandLine } from '../../src/ops/cli.ts';
import type { CreateApp, RunningApp } from '../../src/ops/serve.ts';

const app: RunningApp = {
  url: process.env['REEDBED_PUBLIC_URL'] ?? 'http://127.0.0.1:1',
  serverId: 'server',
  fingerprint: 'f00dba5e',
  rootInvite: process.env['FAKE_APP'] === 'joined' ? null : 'http://127.0.0.1:1/#/join/secret-invite',
  statements: () => ({ ledger: 0, application: 0 }),
  close: () => {
    process.stderr.write('closing\n');
    return process.env['FAKE_APP'] === 'stuck' ? new Promise(() => undefined) : Promise.resolve();
  },
};

const createApp: CreateApp = async () => {
  if (process.env['FAKE_APP'] === 'broken') throw new Error('whispered words');
  if (process.env['FAKE_APP'] === 'late') {
    process.once('SIGUSR2', () => {
      throw new Error('whispered words');
    });
  }
  // What a real one does by listening: it keeps the process.
  setInterval(() => undefined, 60_000);
  return app;
};

if (process.env['FAKE_TERMINAL'] !== undefined) process.stdout.isTTY = true;

process.exit(await runCommandLine(process.argv.slice(2), async () => createApp));
