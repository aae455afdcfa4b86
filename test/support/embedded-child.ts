// A process that owns an embedded Postgres, for tests that kill it: prints one line when it is ready, or why it is not, and stops on SIGTERM.
import pino from 'pino';
import { SetupError } from '../../src/base/setup-error.ts';
import { startEmbedded } from '../../src/db/embedded.ts';

const [folder = '', ending = 'wait'] = process.argv.slice(2);
const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  const server = await startEmbedded({ dataFolder: folder, log: pino({ level: 'silent' }), settings: { fsync: 'off' } });
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
  say({ url: server.url, pid: server.pid });
  if (ending === 'exit') process.exit(3);
} catch (error) {
  say(error instanceof SetupError ? { error: error.message, mend: error.mend } : { error: String(error) });
  process.exit(1);
}
