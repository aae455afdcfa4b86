// The table of all settings: one row each, from which reading, `reedbed config` and the documentation are made.
import { DEFAULT_LIMITS, type LimitName } from '../base/limits.ts';
import { choice, databaseUrl, host, integer, type Kind, origin, serverName, text, toggle, trustedProxies } from './kinds.ts';

export type Setting<T> = {
  readonly kind: Kind<T>;
  /** Undefined: there is none, and the meaning says what happens then. */
  readonly default: T | undefined;
  readonly meaning: string;
  /** Never printed or logged. */
  readonly secret: boolean;
  /** Not accepted in reedbed.toml, which is often readable by more people than a secret should be. */
  readonly environmentOnly: boolean;
};

type Required<T> = Setting<T> & { readonly default: T };

const required = <T>(kind: Kind<T>, value: T, meaning: string): Required<T> => ({
  kind,
  default: value,
  meaning,
  secret: false,
  environmentOnly: false,
});
const optional = <T>(kind: Kind<T>, meaning: string): Setting<T> => ({
  kind,
  default: undefined,
  meaning,
  secret: false,
  environmentOnly: false,
});
const secret = <T>(kind: Kind<T>, meaning: string, environmentOnly = false): Setting<T> => ({
  kind,
  default: undefined,
  meaning,
  secret: true,
  environmentOnly,
});

const MAX_PORT = 65_535;

export const SETTINGS = {
  port: required(integer(0, MAX_PORT), 8080, 'TCP port for API, socket and web app; 0 takes a free one.'),
  host: required(host, '127.0.0.1', 'Address to listen on; `0.0.0.0` or `::` for all.'),
  data: required(text('a folder'), './data', 'Folder for the embedded database and what the server keeps beside it.'),
  databaseUrl: secret(
    databaseUrl,
    'PostgreSQL 18 or newer to use. Without it an embedded one runs under the data folder. Also read from plain `DATABASE_URL`.',
  ),
  publicUrl: optional(
    origin,
    'Address by which members reach the server, when that is not where it listens (behind a proxy). It stands in every invite.',
  ),
  name: required(serverName, 'Reedbed', 'Name of the server as members see it.'),
  signup: required(
    choice('open', 'invite', 'closed'),
    'invite',
    'Who may sign up: anyone, whoever has an invite, nobody. The root invite makes the first member in each.',
  ),
  passphrase: secret(
    text(),
    "Unlocks the server's private keys. If it comes neither from here nor from a file or credential, the server makes one and keeps it in the data folder.",
    true,
  ),
  passphraseFile: optional(text('a file'), 'File with the passphrase on its first line.'),
  allowPrivatePeers: required(toggle, false, 'Whether peers may have addresses in private networks.'),
  searchForPeers: required(toggle, true, 'Whether peers may search the members of this server by name.'),
  pingIntervalMs: required(integer(100), DEFAULT_LIMITS.pingIntervalMs, 'Silence after which a connection is asked whether it lives.'),
  logLevel: required(choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info', 'Least severity that is logged.'),
  trustProxy: required(trustedProxies, false, 'Whose `X-Forwarded-For` is believed for client addresses.'),
  metricsToken: secret(text(), 'Bearer token that `/metrics` asks for.'),
  config: optional(text('a file'), 'Configuration file; without it `reedbed.toml` in the working folder, if there is one.'),
} as const;

export type SettingKey = keyof typeof SETTINGS;

/** `publicUrl` → `public_url`; `pongWaitPer16KibMs` → `pong_wait_per_16_kib_ms`. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z])([A-Z0-9])/g, '$1_$2')
    .replace(/(\d)([A-Z])/g, '$1_$2')
    .toLowerCase();

/** The environment variable of a setting. */
export const variableOf = (key: string): string => `REEDBED_${snakeCase(key).toUpperCase()}`;

/** Every limit is a whole number from 1; its name ends in its unit. */
export const limitKind: Kind<number> = integer(1);

export const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as readonly LimitName[];
