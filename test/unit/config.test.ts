// Settings from environment and file: defaults, order, refusals by name, and what is shown of them.
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { SetupError } from '../../src/base/setup-error.ts';
import { type Config, configWith, readConfig } from '../../src/config/config.ts';
import { configTable, describeConfig } from '../../src/config/describe.ts';
import { loadPassphrase } from '../../src/config/passphrase.ts';
import { LIMIT_NAMES, SETTINGS, snakeCase, variableOf } from '../../src/config/settings.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reedbed-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const read = (environment: Record<string, string> = {}): Config => readConfig({ environment, workingFolder: folder });
const problemsOf = (environment: Record<string, string> = {}): string => {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof SetupError) return error.message;
  }
  return '';
};
const writeToml = (text: string): Promise<void> => writeFile(join(folder, 'reedbed.toml'), text);

describe('readConfig', () => {
  it('has a default for everything that needs none from the operator', () => {
    expect(read()).toEqual(configWith());
    expect(read()).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      data: './data',
      signup: 'invite',
      databaseUrl: undefined,
      limits: DEFAULT_LIMITS,
    });
  });

  it('reads the environment over the file, and an empty variable as none', async () => {
    await writeToml('port = 9000\nname = "From file"\nallow_private_peers = true\ntrust_proxy = ["10.0.0.0/8", "::1"]');
    const config = read({ REEDBED_PORT: '9100', REEDBED_NAME: '', REEDBED_PUBLIC_URL: 'https://reeds.example/' });
    expect(config).toMatchObject({
      port: 9100,
      name: 'From file',
      allowPrivatePeers: true,
      trustProxy: ['10.0.0.0/8', '::1'],
      publicUrl: 'https://reeds.example',
    });
  });

  it('takes the database from DATABASE_URL too', () => {
    expect(read({ DATABASE_URL: 'postgres://a:b@db/reedbed' }).databaseUrl).toBe('postgres://a:b@db/reedbed');
  });

  it('changes limits by name, and the ping interval as setting or limit', async () => {
    await writeToml('[limits]\nholder_window = 8\npong_wait_per_16_kib_ms = 500\nping_interval_ms = 700');
    expect(read().limits).toEqual({ ...DEFAULT_LIMITS, holderWindow: 8, pongWaitPer16KibMs: 500, pingIntervalMs: 700 });
    expect(read().pingIntervalMs).toBe(700);
    expect(read({ REEDBED_PING_INTERVAL_MS: '900' })).toMatchObject({ pingIntervalMs: 900, limits: { pingIntervalMs: 900 } });
  });

  it('reports all problems at once, by name and without the value', async () => {
    await writeToml('port = "80"\nnmae = "x"\npassphrase = "hunter2"\n[limits]\nholder_windw = 3\nbatch_items = 0');
    const message = problemsOf({
      REEDBED_SIGNUP: 'sometimes',
      REEDBED_TRUST_PROXY: 'everyone',
      REEDBED_PUBLIC_URL: 'reeds.example',
      REEDBED_PORTT: '1',
      REEDBED_DATABASE_URL: 'mysql://s3cret@x',
    });
    for (const name of [
      'port (reedbed.toml)',
      'nmae',
      'passphrase (reedbed.toml) may only come from the environment',
      'limits.holder_windw',
      'limits.batch_items',
      'REEDBED_SIGNUP must be one of open, invite, closed',
      'REEDBED_TRUST_PROXY',
      'REEDBED_PUBLIC_URL',
      'REEDBED_PORTT is no setting; did you mean REEDBED_PORT?',
      'REEDBED_DATABASE_URL',
    ]) {
      expect(message).toContain(name);
    }
    for (const value of ['hunter2', 's3cret', 'sometimes', 'everyone']) expect(message).not.toContain(value);
  });

  it.each(['-1', '1.5', '1e3', ' 80', '0x50', '65536', 'NaN'])('takes %j for no port', (port) => {
    expect(problemsOf({ REEDBED_PORT: port })).toContain('REEDBED_PORT must be');
  });

  it('refuses a file that is no TOML, and a named file that is not there', async () => {
    await writeToml('port = = 1');
    expect(problemsOf()).toContain('is not TOML (line 1');
    expect(problemsOf({ REEDBED_CONFIG: 'other.toml' })).toContain("other.toml can't be read");
  });

  it('refuses two passphrases', () => {
    expect(problemsOf({ REEDBED_PASSPHRASE: 'a', REEDBED_PASSPHRASE_FILE: 'b' })).toContain('exclude each other');
  });
});

describe('what is shown', () => {
  it('hides each secret', () => {
    const config = read({ REEDBED_PASSPHRASE: 'hunter2', REEDBED_METRICS_TOKEN: 'hunter3', DATABASE_URL: 'postgres://u:hunter4@db/x' });
    const shown = JSON.stringify(describeConfig(config));
    expect(shown).not.toContain('hunter');
    expect(describeConfig(config)).toMatchObject({
      passphrase: '(set)',
      metrics_token: '(set)',
      database_url: '(set)',
      public_url: null,
      port: 8080,
    });
  });

  it('documents every setting and limit', () => {
    const table = configTable();
    for (const key of Object.keys(SETTINGS)) expect(table).toContain(variableOf(key));
    for (const name of LIMIT_NAMES) expect(table).toContain(`\`${snakeCase(name)}\``);
    expect(new Set(LIMIT_NAMES.map(snakeCase)).size).toBe(LIMIT_NAMES.length);
  });
});

describe('loadPassphrase', () => {
  it('makes one that only we can read, and finds it again', async () => {
    const data = join(folder, 'data');
    const made = await loadPassphrase(configWith({ data }), undefined);
    expect(made).toMatchObject({ source: 'data', file: join(data, 'passphrase') });
    expect(made.value).toMatch(/^[\w-]{32}$/);
    expect((await stat(join(data, 'passphrase'))).mode & 0o777).toBe(0o600);
    expect(await loadPassphrase(configWith({ data }), '')).toEqual(made);
  });

  it('prefers the environment, then the file, then the system credential', async () => {
    await writeFile(join(folder, 'secret'), 'from file\nsecond line\n');
    await writeFile(join(folder, 'passphrase'), 'from credential\r\n');
    const data = join(folder, 'data');
    expect((await loadPassphrase(configWith({ data, passphrase: 'given' }), folder)).value).toBe('given');
    expect((await loadPassphrase(configWith({ data, passphraseFile: join(folder, 'secret') }), folder)).value).toBe('from file');
    expect(await loadPassphrase(configWith({ data }), folder)).toMatchObject({ value: 'from credential', source: 'credential' });
  });

  it('refuses a named file that is missing or empty instead of making another', async () => {
    await writeFile(join(folder, 'empty'), '');
    await chmod(join(folder, 'empty'), 0o600);
    for (const name of ['empty', 'missing']) {
      await expect(loadPassphrase(configWith({ passphraseFile: join(folder, name) }), undefined)).rejects.toThrow(name);
    }
  });
});
