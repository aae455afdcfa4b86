// What every command of the command line is made with: its configuration, where it prints, the options that all of them have.
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { type Config, readConfig } from '../config/config.ts';
import type { SettingKey } from '../config/settings.ts';
import { createLog } from '../telemetry/log.ts';
import { createTerminal, type ListTerminal } from './terminal.ts';

type SettingOptions = Partial<Record<SettingKey, string>>;
export type Common = SettingOptions & { readonly json?: boolean };
export type Invocation = { readonly config: Config; readonly terminal: ListTerminal; readonly json: boolean; readonly log: Logger };
export type Invoke = (options: Common) => Invocation;
export type WithSettings = (command: Command) => Command;

export const invoke: Invoke = (options) => {
  const { json = false, ...given } = options;
  const overrides = Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'string')) as SettingOptions;
  const config = readConfig({ environment: process.env, workingFolder: process.cwd(), overrides });
  return { config, terminal: createTerminal(json), json, log: createLog(config.logLevel) };
};

export const withSettings: WithSettings = (command) =>
  command
    .option('--config <file>', 'configuration file (default: reedbed.toml, if it is there)')
    .option('--data <folder>', 'data folder (default: ./data)')
    .option('--json', 'print JSON');
