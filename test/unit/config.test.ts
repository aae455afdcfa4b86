// Settings from environment and file: defaults, order, refusals by name, and what is shown of them.
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { SetupError, WrongUse } from '../../src/base/setup-error.ts';
import { type Config, configWith, readConfig } from '../../src/config/config.ts';
import { configHelp, configTable, configToml, describeConfig } from '../../src/config/describe.ts';
import { makeFolder } from '../../src/config/folder.ts';
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

  it.each([
    [{ REEDBED_PROT: '1' }, 'REEDBED_PROT is no setting; did you mean REEDBED_PORT?'],
    [{ REEDBED_LOGLEVEL: 'info' }, 'REEDBED_LOGLEVEL is no setting; did you mean REEDBED_LOG_LEVEL?'],
    [{ REEDBED_COLOUR: 'green' }, 'REEDBED_COLOUR is no setting.'],
    [{ REEDBED_LIMITS_DRAIN_MS: '1' }, 'REEDBED_LIMITS_DRAIN_MS is no setting: limits are set in reedbed.toml under [limits].'],
  ])('says of an unknown variable what was probably meant: %j', (environment, words) => {
    expect(problemsOf(environment)).toBe(words);
  });

  it.each([
    ['prot = 1', 'prot (reedbed.toml) is no setting; did you mean port?'],
    ['colour = 1', 'colour (reedbed.toml) is no setting.'],
    ['drain_ms = 1', 'drain_ms (reedbed.toml) is a limit: it belongs under [limits].'],
    ['[limits]\nopen_request = 1', 'limits.open_request (reedbed.toml) is no limit; did you mean open_requests?'],
  ])('says of an unknown name in the file what was probably meant: %s', async (toml, words) => {
    await writeToml(toml);
    expect(problemsOf()).toBe(words);
  });

  it('calls a setting what whoever gave it calls it', async () => {
    const labelOf = (sources: Partial<Parameters<typeof readConfig>[0]>): string => {
      try {
        readConfig({ environment: {}, workingFolder: folder, ...sources });
      } catch (error) {
        return (error as SetupError).message.split(' must be')[0] ?? '';
      }
      return '';
    };
    await writeFile(join(folder, 'other.toml'), 'port = "80"');
    expect(labelOf({ overrides: { port: 'abc' }, environment: { REEDBED_PORT: '1' } })).toBe('--port');
    expect(labelOf({ environment: { REEDBED_PORT: 'abc' } })).toBe('REEDBED_PORT');
    expect(labelOf({ environment: { DATABASE_URL: 'mysql://x' } })).toBe('DATABASE_URL');
    expect(labelOf({ environment: { REEDBED_DATABASE_URL: 'mysql://x', DATABASE_URL: 'postgres://x' } })).toBe('REEDBED_DATABASE_URL');
    expect(labelOf({ overrides: { config: 'other.toml' } })).toBe('port (other.toml)');
  });

  it('takes an empty variable for none, and an empty option for a wrong one', () => {
    expect(read({ REEDBED_DATA: '' }).data).toBe('./data');
    const empty = () => readConfig({ environment: { REEDBED_DATA: '/srv' }, workingFolder: folder, overrides: { data: '' } });
    expect(empty).toThrow(WrongUse);
    expect(empty).toThrow('--data must be a folder.');
  });

  it('tells what is wrong on the command line from what is wrong elsewhere, and names all of it', () => {
    const both = () => readConfig({ environment: { REEDBED_SIGNUP: 'maybe' }, workingFolder: folder, overrides: { port: 'abc' } });
    expect(both).toThrow(WrongUse);
    expect(both).toThrow(/--port must be .*\n.*REEDBED_SIGNUP must be /);
    expect(() => read({ REEDBED_SIGNUP: 'maybe' })).not.toThrow(WrongUse);
    expect(() => read({ REEDBED_SIGNUP: 'maybe' })).toThrow(SetupError);
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

  it.each([
    ['defaults', {}, ''],
    ['a number of hops', { REEDBED_TRUST_PROXY: '2', REEDBED_PUBLIC_URL: 'https://reeds.example', REEDBED_PING_INTERVAL_MS: '900' }, ''],
    [
      'networks, texts and limits',
      { REEDBED_NAME: 'The "Rushes" \\ ünd', REEDBED_ALLOW_PRIVATE_PEERS: 'on' },
      'trust_proxy = ["10.0.0.0/8"]\n[limits]\nholder_window = 8',
    ],
  ])('is a file that gives the same again: %s', async (_, environment, toml) => {
    await writeToml(toml);
    const config = read({ ...environment, REEDBED_METRICS_TOKEN: 'hunter5' });
    const text = configToml(config);
    expect(text).not.toContain('hunter5');
    expect(text).toContain('# metrics_token is set');
    expect(text).toContain('# passphrase is not set');
    await writeToml(text);
    expect(read()).toEqual({ ...config, metricsToken: undefined });
  });

  it('documents every setting and limit', () => {
    for (const key of Object.keys(SETTINGS)) expect(configHelp()).toContain(variableOf(key));
    const table = configTable();
    for (const key of Object.keys(SETTINGS)) expect(table).toContain(variableOf(key));
    for (const name of LIMIT_NAMES) expect(table).toContain(`\`${snakeCase(name)}\``);
    expect(new Set(LIMIT_NAMES.map(snakeCase)).size).toBe(LIMIT_NAMES.length);
  });
});

describe('loadPassphrase', () => {
  const from = (credentials?: string, keys = false) => ({ credentials, hasKeys: async () => keys });

  it('makes one that only we can read, and finds it again', async () => {
    const data = join(folder, 'data');
    const made = await loadPassphrase(configWith({ data }), from());
    expect(made).toMatchObject({ source: 'data', file: join(data, 'passphrase') });
    expect(made.value).toMatch(/^[\w-]{32}$/);
    expect((await stat(join(data, 'passphrase'))).mode & 0o777).toBe(0o600);
    expect(await loadPassphrase(configWith({ data }), from('', true))).toEqual(made);
  });

  it('makes none, and writes nothing, where there are keys that it could not open', async () => {
    const data = join(folder, 'data');
    const refused = loadPassphrase(configWith({ data }), from(undefined, true));
    await expect(refused).rejects.toThrow(`has the keys of a server, but no passphrase is set and ${join(data, 'passphrase')} is missing`);
    await expect(refused).rejects.toMatchObject({ mend: expect.stringContaining('REEDBED_PASSPHRASE_FILE') as string });
    await expect(stat(data)).rejects.toThrow('ENOENT');
  });

  it('prefers the environment, then the file, then the system credential', async () => {
    await writeFile(join(folder, 'secret'), 'from file\nsecond line\n');
    await writeFile(join(folder, 'passphrase'), 'from credential\r\n');
    const data = join(folder, 'data');
    expect((await loadPassphrase(configWith({ data, passphrase: 'given' }), from(folder))).value).toBe('given');
    expect((await loadPassphrase(configWith({ data, passphraseFile: join(folder, 'secret') }), from(folder))).value).toBe('from file');
    expect(await loadPassphrase(configWith({ data }), from(folder))).toMatchObject({ value: 'from credential', source: 'credential' });
  });

  it('refuses a named file that is missing or empty instead of making another', async () => {
    await writeFile(join(folder, 'empty'), '');
    await chmod(join(folder, 'empty'), 0o600);
    for (const name of ['empty', 'missing']) {
      await expect(loadPassphrase(configWith({ passphraseFile: join(folder, name) }), from())).rejects.toThrow(name);
    }
  });
});

describe('makeFolder', () => {
  it('makes those above too, passable but not readable for others, and leaves one that is there alone', async () => {
    await makeFolder(join(folder, 'a/b'), 0o700);
    expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o711);
    expect((await stat(join(folder, 'a/b'))).mode & 0o777).toBe(0o700);
    await makeFolder(join(folder, 'a/b'), 0o755);
    expect((await stat(join(folder, 'a/b'))).mode & 0o777).toBe(0o700);
  });

  it('ends where the system has no room for folders, and tells a file that is in the way', async () => {
    await expect(makeFolder('/proc/reedbed/data', 0o700)).rejects.toMatchObject({ code: 'ENOENT' });
    await writeFile(join(folder, 'file'), '');
    for (const path of ['file', 'file/data'])
      await expect(makeFolder(join(folder, path), 0o700)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
