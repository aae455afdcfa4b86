// Calls the origin that it is given once, under a name that leads to this machine, and prints the status or why there is none.
import { OffsetClock } from '../../src/base/clock.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { Outbound } from '../../src/net/outbound.ts';

const rules = { allowPrivate: true };
const outbound = new Outbound({ clock: new OffsetClock(), limits: DEFAULT_LIMITS, rules, resolve: async () => ['127.0.0.1'] });
const answer = await outbound.call(process.argv[2] ?? '', { method: 'GET', path: '/', headers: {} });
process.stdout.write(answer.ok ? String(answer.value.status) : answer.reason);
await outbound[Symbol.asyncDispose]();
