// The configuration for people: effective values without secrets, as JSON and as a file to be fed back, and the tables of the documentation.
import { stringify } from 'smol-toml';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import type { Config } from './config.ts';
import { LIMIT_NAMES, SETTINGS, type Setting, type SettingKey, snakeCase, variableOf } from './settings.ts';

const KEYS = Object.keys(SETTINGS) as readonly SettingKey[];
const HIDDEN = '(set)';

/** Effective values by name; a secret shows only that it is set. Limits stand under `limits`. */
export const describeConfig = (config: Config): Record<string, unknown> => ({
  ...Object.fromEntries(KEYS.map((key) => [snakeCase(key), shown(SETTINGS[key] as Setting<unknown>, config[key])])),
  limits: Object.fromEntries(LIMIT_NAMES.map((name) => [snakeCase(name), config.limits[name]])),
});

const shown = (setting: Setting<unknown>, value: unknown): unknown => (value === undefined ? null : setting.secret ? HIDDEN : value);

const tomlLine = (name: string, value: unknown): string => stringify({ [name]: value }).trimEnd();

const settingLine = (key: SettingKey, value: unknown): string => {
  const setting = SETTINGS[key] as Setting<unknown>;
  const name = snakeCase(key);
  if (key === 'config') return value === undefined ? '' : `# read from ${String(value)}`;
  if (value === undefined) return `# ${name} is not set`;
  if (setting.secret) return `# ${name} is set`;
  return tomlLine(name, key === 'trustProxy' && value === false ? 'none' : value);
};

/** Effective values as a reedbed.toml that gives the same configuration again; what is unset or secret is a comment. */
export const configToml = (config: Config): string =>
  [
    ...KEYS.map((key) => settingLine(key, config[key])).filter((line) => line !== ''),
    '',
    '[limits]',
    ...LIMIT_NAMES.map((name) => tomlLine(snakeCase(name), config.limits[name])),
  ].join('\n');

const shownDefault = (setting: Setting<unknown>): string => {
  if (setting.default === undefined) return 'none';
  return typeof setting.default === 'boolean' ? (setting.default ? 'on' : 'off') : String(setting.default);
};

const row = (...cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** Two Markdown tables: the settings, and the limits with their defaults. */
export const configTable = (): string =>
  [
    row('environment', '`reedbed.toml`', 'value', 'default', 'secret', 'meaning'),
    row('---', '---', '---', '---', '---', '---'),
    ...KEYS.map((key) => {
      const setting: Setting<unknown> = SETTINGS[key] as Setting<unknown>;
      const written = setting.environmentOnly || key === 'config' ? '' : `\`${snakeCase(key)}\``;
      const standard = key === 'trustProxy' ? 'none' : shownDefault(setting);
      return row(`\`${variableOf(key)}\``, written, setting.kind.expects, standard, setting.secret ? 'yes' : '', setting.meaning);
    }),
    '',
    row('`[limits]`', 'default'),
    row('---', '---'),
    ...LIMIT_NAMES.map((name) => row(`\`${snakeCase(name)}\``, String(DEFAULT_LIMITS[name]))),
  ].join('\n');

/** The settings as plain lines, for a help text. */
export const configHelp = (): string =>
  KEYS.map(
    (key) =>
      `  ${variableOf(key).padEnd(28)} ${SETTINGS[key].meaning.replaceAll('`', '')} (${key === 'trustProxy' ? 'none' : shownDefault(SETTINGS[key] as Setting<unknown>)})`,
  ).join('\n');
