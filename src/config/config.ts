// Reads the configuration from the environment and reedbed.toml into one typed value. The environment wins. All problems are
// found before any is reported, names that nobody knows are problems, and secrets are never part of a message.
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { DEFAULT_LIMITS, type LimitName, type Limits } from '../base/limits.ts';
import { SetupError, WrongUse } from '../base/setup-error.ts';
import { LIMIT_NAMES, limitKind, SETTINGS, type Setting, type SettingKey, snakeCase, variableOf } from './settings.ts';
import { nearest } from './suggest.ts';

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
/** What the configuration file says, and its name as it stands in messages. */
type TomlFile = { readonly name: string; readonly table: Table };

const KEYS = Object.keys(SETTINGS) as readonly SettingKey[];
const PREFIX = 'REEDBED_';
const OPTION = '--';
const LIMITS_BY_NAME = new Map<string, LimitName>(LIMIT_NAMES.map((name) => [snakeCase(name), name]));

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

const readToml = (sources: ConfigSources, problems: Problem[]): TomlFile => {
  const named = nonEmpty(sources.overrides?.config ?? sources.environment[variableOf('config')]);
  const file = resolve(sources.workingFolder, named ?? 'reedbed.toml');
  const name = basename(file);
  try {
    return { name, table: parse(readFileSync(file, 'utf8')) };
  } catch (error) {
    if (error instanceof TomlError) problems.push(`${file} is not TOML (line ${error.line}, column ${error.column}).`);
    else if (named !== undefined || (error as NodeJS.ErrnoException).code !== 'ENOENT') problems.push(`${file} can't be read.`);
    return { name, table: {} };
  }
};

/** The end of a sentence about an unknown name. */
const suggestion = (name: string, known: readonly string[], prefix = ''): string => {
  const best = nearest(name, known);
  return best === null ? '.' : `; did you mean ${prefix}${best}?`;
};

const findUnknownVariables = (environment: ConfigSources['environment'], toml: TomlFile): Problem[] => {
  const variables = KEYS.map(variableOf);
  const bare = variables.map((name) => name.slice(PREFIX.length));
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !variables.includes(name));
  return unknown.map((name) =>
    name.startsWith(`${PREFIX}LIMIT`)
      ? `${name} is no setting: limits are set in ${toml.name} under [limits].`
      : `${name} is no setting${suggestion(name.slice(PREFIX.length), bare, PREFIX)}`,
  );
};

const findUnknownNames = ({ name: file, table }: TomlFile): Problem[] => {
  const names = [...KEYS.filter((key) => !SETTINGS[key].environmentOnly && key !== 'config').map(snakeCase), 'limits'];
  const alone = new Set(KEYS.filter((key) => SETTINGS[key].environmentOnly).map(snakeCase));
  return Object.keys(table)
    .filter((name) => !names.includes(name))
    .map((name) =>
      alone.has(name)
        ? `${name} (${file}) may only come from the environment.`
        : LIMITS_BY_NAME.has(name)
          ? `${name} (${file}) is a limit: it belongs under [limits].`
          : `${name} (${file}) is no setting${suggestion(name, names)}`,
    );
};

/** A setting's text from outside the file, and what whoever gave it calls it. */
const givenFor = (key: SettingKey, { environment, overrides }: ConfigSources): { text: string; label: string } | null => {
  const option = overrides?.[key];
  // An empty variable is one that was not set; an empty option was meant to say something.
  if (option !== undefined) return { text: option, label: `${OPTION}${snakeCase(key).replaceAll('_', '-')}` };
  const places = [
    { text: environment[variableOf(key)], label: variableOf(key) },
    ...(key === 'databaseUrl' ? [{ text: environment['DATABASE_URL'], label: 'DATABASE_URL' }] : []),
  ];
  for (const { text, label } of places) if (text !== undefined && text !== '') return { text, label };
  return null;
};

const readSetting = (key: SettingKey, sources: ConfigSources, toml: TomlFile, problems: Problem[]): unknown => {
  const setting = SETTINGS[key] as Setting<unknown>;
  const given = givenFor(key, sources);
  const written = setting.environmentOnly ? undefined : toml.table[snakeCase(key)];
  if (given === null && written === undefined) return setting.default;
  const value = given === null ? setting.kind.fromToml(written) : given.text === '' ? null : setting.kind.fromText(given.text);
  if (value !== null) return value;
  problems.push(`${given?.label ?? `${snakeCase(key)} (${toml.name})`} must be ${setting.kind.expects}.`);
  return setting.default;
};

const readLimits = ({ name: file, table: whole }: TomlFile, problems: Problem[]): Limits => {
  const table = whole['limits'] ?? {};
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    problems.push(`limits (${file}) must be a table.`);
    return DEFAULT_LIMITS;
  }
  const limits: Record<LimitName, number> = { ...DEFAULT_LIMITS };
  for (const [written, raw] of Object.entries(table)) {
    const name = LIMITS_BY_NAME.get(written);
    if (name === undefined) {
      problems.push(`limits.${written} (${file}) is no limit${suggestion(written, [...LIMITS_BY_NAME.keys()])}`);
      continue;
    }
    const value = limitKind.fromToml(raw);
    if (value === null) problems.push(`limits.${written} (${file}) must be ${limitKind.expects}.`);
    else limits[name] = value;
  }
  return limits;
};

const faultOf = (problems: readonly Problem[]): SetupError => {
  const [first = '', ...others] = problems;
  const shown = others.length === 0 ? first : ['The configuration has problems:', ...problems.map((problem) => `  ${problem}`)].join('\n');
  const Fault = problems.some((problem) => problem.startsWith(OPTION)) ? WrongUse : SetupError;
  return new Fault(shown, 'See `reedbed config --help` for all settings.');
};

/** @throws SetupError that names every problem, one a line; WrongUse if one of them stands on the command line */
export const readConfig = (sources: ConfigSources): Config => {
  const problems: Problem[] = [];
  const toml = readToml(sources, problems);
  problems.push(...findUnknownVariables(sources.environment, toml), ...findUnknownNames(toml));
  const settings = Object.fromEntries(KEYS.map((key) => [key, readSetting(key, sources, toml, problems)])) as Settings;
  const limits = readLimits(toml, problems);
  if (settings.passphrase !== undefined && settings.passphraseFile !== undefined) {
    problems.push(`${variableOf('passphrase')} and ${variableOf('passphraseFile')} exclude each other.`);
  }
  if (problems.length > 0) throw faultOf(problems);
  const isLimit = settings.pingIntervalMs === SETTINGS.pingIntervalMs.default;
  const pingIntervalMs = isLimit ? limits.pingIntervalMs : settings.pingIntervalMs;
  return { ...settings, pingIntervalMs, limits: { ...limits, pingIntervalMs } };
};
