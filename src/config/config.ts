// Reads the configuration from the environment and reedbed.toml into one typed value. The environment wins. All problems are
// found before any is reported, names that nobody knows are problems, and secrets are never part of a message.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { DEFAULT_LIMITS, type LimitName, type Limits } from '../base/limits.ts';
import { SetupError } from '../base/setup-error.ts';
import { LIMIT_NAMES, limitKind, SETTINGS, type Setting, type SettingKey, snakeCase, variableOf } from './settings.ts';

type ValueOf<S> = S extends { readonly default: infer D; readonly kind: { readonly fromText: (text: string) => infer T } }
  ? Exclude<T, null> | (undefined extends D ? undefined : never)
  : never;

type Settings = { readonly [K in SettingKey]: ValueOf<(typeof SETTINGS)[K]> };

/** Everything an operator can decide. Relative paths are relative to the working folder. */
export type Config = Settings & { readonly limits: Limits };

export type ConfigSources = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** From the command line; wins over everything. */
  readonly overrides?: Partial<Record<SettingKey, string>>;
};

type Problem = string;
type Table = Readonly<Record<string, unknown>>;

const KEYS = Object.keys(SETTINGS) as readonly SettingKey[];
const PREFIX = 'REEDBED_';

/** The defaults with some values changed, for tests and tools. */
export const configWith = (changes: Partial<Omit<Config, 'limits'>> & { readonly limits?: Partial<Limits> } = {}): Config => {
  const defaults = Object.fromEntries(KEYS.map((key) => [key, SETTINGS[key].default])) as Settings;
  const limits = { ...DEFAULT_LIMITS, ...changes.limits };
  return {
    ...defaults,
    pingIntervalMs: limits.pingIntervalMs,
    ...changes,
    limits: { ...limits, pingIntervalMs: changes.pingIntervalMs ?? limits.pingIntervalMs },
  };
};

const nonEmpty = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

const readToml = (sources: ConfigSources, problems: Problem[]): Table => {
  const named = nonEmpty(sources.overrides?.config ?? sources.environment[variableOf('config')]);
  const file = resolve(sources.workingFolder, named ?? 'reedbed.toml');
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof TomlError) problems.push(`${file} is not TOML (line ${error.line}, column ${error.column}).`);
    else if (named !== undefined || (error as NodeJS.ErrnoException).code !== 'ENOENT') problems.push(`${file} can't be read.`);
    return {};
  }
};

const findUnknown = (environment: ConfigSources['environment'], toml: Table): Problem[] => {
  const variables = new Set(KEYS.map(variableOf));
  const names = new Set([...KEYS.filter((key) => !SETTINGS[key].environmentOnly && key !== 'config').map(snakeCase), 'limits']);
  const alone = new Set(KEYS.filter((key) => SETTINGS[key].environmentOnly).map(snakeCase));
  return [
    ...Object.keys(environment)
      .filter((name) => name.startsWith(PREFIX) && !variables.has(name))
      .map((name) => `${name} is no setting${suggestion(name, [...variables])}.`),
    ...Object.keys(toml)
      .filter((name) => !names.has(name))
      .map((name) =>
        alone.has(name)
          ? `${name} (reedbed.toml) may only come from the environment.`
          : `${name} (reedbed.toml) is no setting${suggestion(name, [...names])}.`,
      ),
  ];
};

/** The known name that shares the longest start with a mistyped one, if that is most of it. */
const suggestion = (name: string, known: readonly string[]): string => {
  const shared = (other: string): number => {
    let length = 0;
    while (length < other.length && other[length] === name[length]) length += 1;
    return length - (other.startsWith(PREFIX) ? PREFIX.length : 0);
  };
  const best = known.toSorted((a, b) => shared(b) - shared(a))[0];
  return best !== undefined && shared(best) >= 3 ? `; did you mean ${best}?` : '';
};

const readSetting = (key: SettingKey, sources: ConfigSources, toml: Table, problems: Problem[]): unknown => {
  const setting = SETTINGS[key] as Setting<unknown>;
  const plain = key === 'databaseUrl' ? nonEmpty(sources.environment['DATABASE_URL']) : undefined;
  const given = nonEmpty(sources.overrides?.[key]) ?? nonEmpty(sources.environment[variableOf(key)]) ?? plain;
  const written = setting.environmentOnly ? undefined : toml[snakeCase(key)];
  if (given === undefined && written === undefined) return setting.default;
  const value = given === undefined ? setting.kind.fromToml(written) : setting.kind.fromText(given);
  if (value !== null) return value;
  problems.push(`${given === undefined ? `${snakeCase(key)} (reedbed.toml)` : variableOf(key)} must be ${setting.kind.expects}.`);
  return setting.default;
};

const readLimits = (toml: Table, problems: Problem[]): Limits => {
  const table = toml['limits'] ?? {};
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    problems.push('limits (reedbed.toml) must be a table.');
    return DEFAULT_LIMITS;
  }
  const names = new Map<string, LimitName>(LIMIT_NAMES.map((name) => [snakeCase(name), name]));
  const limits: Record<LimitName, number> = { ...DEFAULT_LIMITS };
  for (const [written, raw] of Object.entries(table)) {
    const name = names.get(written);
    if (name === undefined) {
      problems.push(`limits.${written} (reedbed.toml) is no limit${suggestion(written, [...names.keys()])}.`);
      continue;
    }
    const value = limitKind.fromToml(raw);
    if (value === null) problems.push(`limits.${written} (reedbed.toml) must be ${limitKind.expects}.`);
    else limits[name] = value;
  }
  return limits;
};

/** @throws SetupError that names every problem, one a line. */
export const readConfig = (sources: ConfigSources): Config => {
  const problems: Problem[] = [];
  const toml = readToml(sources, problems);
  problems.push(...findUnknown(sources.environment, toml));
  const settings = Object.fromEntries(KEYS.map((key) => [key, readSetting(key, sources, toml, problems)])) as Settings;
  const limits = readLimits(toml, problems);
  if (settings.passphrase !== undefined && settings.passphraseFile !== undefined) {
    problems.push(`${variableOf('passphrase')} and ${variableOf('passphraseFile')} exclude each other.`);
  }
  if (problems.length > 0) {
    throw new SetupError(
      ['The configuration has problems:', ...problems.map((problem) => `  ${problem}`)].join('\n'),
      'See `reedbed config --help` for all settings.',
    );
  }
  const isLimit = settings.pingIntervalMs === SETTINGS.pingIntervalMs.default;
  const pingIntervalMs = isLimit ? limits.pingIntervalMs : settings.pingIntervalMs;
  return { ...settings, pingIntervalMs, limits: { ...limits, pingIntervalMs } };
};
