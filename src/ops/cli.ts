// The command line `reedbed`: what each command is called, takes and says about itself. The work is in the files of the commands, which are
// loaded only when they are asked for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { WrongUse } from '../base/setup-error.ts';
import { configHelp, configToml, describeConfig } from '../config/describe.ts';
import { createLog } from '../telemetry/log.ts';
import { ROLES, type Role } from '../wire/roles.ts';
import { type Common, invoke, withSettings } from './cli-parts.ts';
import { addKeys, addPeers } from './cli-peers.ts';
import { addStreams } from './cli-streams.ts';
import { OF_THE_BORDER, OF_THE_COMMUNITY, OF_THE_RELAY } from './demo/meanings.ts';
import type { DemoOptions } from './demo.ts';
import type { HolderOptions } from './holder.ts';
import type { LoadApp } from './serve.ts';
import { confirm, createTerminal, faultOf } from './terminal.ts';

const FAULT = 1;
const WRONG_USE = 2;

const versionOf = (): string => {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
};

const addServe = (program: Command, loadApp: LoadApp): void => {
  withSettings(program.command('serve'))
    .description('run the server: database, API, socket and web app on one port')
    .option('--port <port>', 'port to listen on (default: 8080; 0 takes a free one)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .addHelpText(
      'after',
      '\nThe first start makes everything it needs under the data folder and prints a link for the first member.\nSettings: see `reedbed config --help`.',
    )
    .action(async (options: Common) => {
      const { config, terminal, json } = invoke(options);
      const { serve } = await import('./serve.ts');
      process.exitCode = await serve({ loadApp, config, terminal, json, log: createLog(config.logLevel) });
    });
};

const keyLines = (meanings: Readonly<Record<string, string>>): string =>
  Object.entries(meanings)
    .map(([key, meaning]) => `  ${key.padEnd(18)}${meaning}`)
    .join('\n');

const SUMMARY_KEYS = `\n\nThe JSON of --headless has, in the relay scenario:\n${keyLines(OF_THE_RELAY)}\nIn the community scenario:\n${keyLines(OF_THE_COMMUNITY)}\nIn the federation scenario:\n${keyLines(OF_THE_BORDER)}`;

const addDemo = (program: Command, loadApp: LoadApp): void => {
  program
    .command('demo')
    .description('watch a dozen simulated members pass reeds to each other')
    .option('--headless', 'run a fixed scenario to its end and print a summary')
    .addOption(
      new Option(
        '--scenario <name>',
        'relay: who asks and who answers; community: a block, a removal and a crash; federation: two servers that are peers, one of which is killed. The first two only with --headless',
      )
        .choices(['relay', 'community', 'federation'])
        .default('relay'),
    )
    .option('--json', 'print JSON: the summary, or a line for each thing that happens')
    .addHelpText(
      'after',
      '\nEverything runs in a temporary folder that is removed at the end.\nWith --headless the exit code is 1 if something did not arrive, or was found where it must not be.\nIn the relay scenario one member leaves for good half way; what it had asked for and not yet received is not counted.' +
        SUMMARY_KEYS,
    )
    .action(async (options: { headless?: boolean; json?: boolean; scenario: DemoOptions['scenario'] }, command: Command) => {
      const isNamed = command.getOptionValueSource('scenario') === 'cli';
      if (isNamed && options.headless !== true && options.scenario !== 'federation')
        command.error(
          `error: option '--scenario ${options.scenario}' is for '--headless'; without it the demo shows what happens as it happens`,
        );
      const { runDemo } = await import('./demo.ts');
      const { headless = false, json = false, scenario } = options;
      process.exitCode = await runDemo({ createApp: await loadApp(), headless, json, scenario });
    });
};

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const asUrl = (value: string): string => {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new InvalidArgumentError('It must be an address like https://reeds.example');
};

const addHolder = (program: Command): void => {
  program
    .command('holder')
    .description('be a member that keeps copies for others, without a browser')
    .option('--server <url>', 'address of the server', asUrl)
    .option('--invite <link>', 'invite link, for the first start')
    .option('--username <name>', 'name to sign up with')
    .option('--store <folder>', 'where keys and copies are kept', './data/holder')
    .option('--keep <reed>', 'id or link of a reed to fetch and keep; may be given more than once', collect)
    .option('--follow <member>', 'name or id of a member whose reeds are kept from now on; may be given more than once', collect)
    .option('--unfollow <member>', 'ends that', collect)
    .option('--archivist', 'keep what the server gives archivists, from now on and at later starts')
    .option('--no-archivist', 'ends that')
    .option('--json', 'print one line of JSON for each thing that happens')
    .addHelpText(
      'after',
      '\nThe first time:  reedbed holder --invite <link> --username <name>\nLater:           reedbed holder --keep <id or link of a reed>\n\nAn archivist needs the role too, which the operator of the server gives: reedbed users role <name> archivist',
    )
    .action(async (options: Omit<HolderOptions, 'keep' | 'json'> & { keep?: string[]; json?: boolean }) => {
      const { runHolder } = await import('./holder.ts');
      process.exitCode = await runHolder({ ...options, keep: options.keep ?? [], json: options.json === true });
    });
};

const addMigrate = (program: Command): void => {
  withSettings(program.command('migrate'))
    .description('bring the database to the schema of this version (serve does it too)')
    .option('--dry-run', 'only say what is pending')
    .action(async (options: Common & { dryRun?: boolean }) => {
      const { dryRun = false, ...common } = options;
      const { config, terminal } = invoke(common);
      const { runMigrate } = await import('./migrate.ts');
      await runMigrate({ config, terminal, dryRun, log: createLog(config.logLevel) });
    });
};

const WHAT_TAKES_EFFECT = `
The server may run meanwhile, and sees the change at once: in the fan-out of the next reed, in the next request of sessions that are open, in every new
session. Who has the member on the screen sees it when the page is loaded again. Copies that are on their way to an archivist still arrive, and invites
made before keep the role that they give. An archivist's own device has to agree to keep what comes: reedbed holder --archivist.

Without an outside database and without a running server, the embedded database is started for the command and stopped again.`;

const addUsersList = (users: Command): void => {
  withSettings(users.command('list'))
    .description('print the members, by id: role, since when, state, counted strikes, id, name')
    .addOption(new Option('--role <role>', 'only those of this role').choices(ROLES))
    .addHelpText(
      'after',
      '\nState: active; frozen (key revoked, no other yet); leaving (removed by themselves, can be taken back still); removed.\nStrikes: false copies that count against them as holders now.\nWith --json a line for each member.',
    )
    .action(async (options: Common & { role?: Role }) => {
      const { role, ...common } = options;
      const { config, terminal } = invoke(common);
      const { runUsersList } = await import('./users.ts');
      await runUsersList({ config, terminal, log: createLog(config.logLevel), ...(role === undefined ? {} : { role }) });
    });
};

const addUsersRole = (users: Command): void => {
  withSettings(users.command('role'))
    .description('give a member another role')
    .argument('<member>', 'name or id')
    .addArgument(new Argument('<role>', 'the role to give').choices(ROLES))
    .option('--dry-run', 'only say what would become of it')
    .option('--yes', 'do it without asking')
    .addHelpText('after', WHAT_TAKES_EFFECT)
    .action(async (member: string, role: Role, options: Common & { dryRun?: boolean; yes?: boolean }) => {
      const { dryRun = false, yes = false, ...common } = options;
      const { config, terminal, json } = invoke(common);
      const canAsk = process.stdin.isTTY === true && !json;
      const { runUsersRole } = await import('./users.ts');
      const asked = { member, role, dryRun, isSure: yes, confirm: canAsk ? confirm : null };
      process.exitCode = await runUsersRole({ config, terminal, log: createLog(config.logLevel), ...asked });
    });
};

const addUsers = (program: Command): void => {
  const users = program.command('users').description('see the members, and give them roles');
  addUsersList(users);
  addUsersRole(users);
};

const addActs = (program: Command): void => {
  withSettings(program.command('acts'))
    .description('print what admins and the operator have done: when, who, what, to whom')
    .addHelpText(
      'after',
      '\nEvery member may read this log. Acts that wait for a second admin are in it, too: reedbed peers show says of which that is so.',
    )
    .action(async (options: Common) => (await import('./acts.ts')).runActs(invoke(options)));
};

const addConfig = (program: Command): void => {
  withSettings(program.command('config'))
    .description('print the settings in effect, without secrets, as a reedbed.toml')
    .addHelpText(
      'after',
      `\nSettings come from the environment, or from reedbed.toml under the same name in lower case without the prefix:\n\n${configHelp()}\n\nLimits (how many, how large, how long) are set in reedbed.toml under [limits]; \`reedbed config\` prints them all with their values.`,
    )
    .action((options: Common) => {
      const { config, terminal } = invoke(options);
      terminal.print(describeConfig(config), configToml(config));
    });
};

const addVersion = (program: Command): void => {
  program
    .command('version')
    .description('print the version')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => {
      const version = versionOf();
      createTerminal(options.json === true).print({ version, node: process.version }, `reedbed ${version} (Node ${process.version})`);
    });
};

/** Commander's own help looks at one word only, and would show that of `users` for `help users role`. */
const addHelp = (program: Command): void => {
  program
    .helpCommand(false)
    .command('help')
    .description('print the help of a command')
    .argument('[command...]', 'a command, and the one within it')
    .action((names: readonly string[]) => {
      const named = names.reduce<Command>((at, name) => {
        const next = at.commands.find((command) => command.name() === name);
        return next ?? at.error(`error: unknown command '${name}'`);
      }, program);
      named.help();
    });
};

const inherit = (command: Command, parent: Command, path = command.name()): void => {
  command.copyInheritedSettings(parent).exitOverride().showHelpAfterError(`Run \`reedbed help ${path}\` to see what it takes.`);
  for (const each of command.commands) inherit(each, command, `${path} ${each.name()}`);
};

export const createProgram = (loadApp: LoadApp): Command => {
  const program = new Command('reedbed')
    .description("A community's tracker and relay: it knows who holds which post, and holds none.")
    .version(versionOf(), '--version', 'print the version')
    .showHelpAfterError('Run `reedbed --help` to see the commands, `reedbed <command> --help` for one of them.')
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', '\nStart with:  reedbed serve');
  addServe(program, loadApp);
  addDemo(program, loadApp);
  addHolder(program);
  addMigrate(program);
  addUsers(program);
  addPeers(program, { invoke, withSettings });
  addStreams(program, { invoke, withSettings });
  addKeys(program, { invoke, withSettings });
  addActs(program);
  addConfig(program);
  addVersion(program);
  addHelp(program);
  for (const command of program.commands) inherit(command, program);
  return program;
};

/** Runs one command line. @returns the exit code: 0 done, 1 a fault or an answer that was no, 2 wrong use: nothing was looked at or done */
export const runCommandLine = async (args: readonly string[], loadApp: LoadApp): Promise<number> => {
  try {
    await createProgram(loadApp).parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
    const fault = faultOf(error);
    if (fault !== null) createTerminal(args.includes('--json')).fault(fault);
    else createLog('fatal').fatal({ err: error }, 'a fault that nobody caught; please report it');
    return error instanceof WrongUse ? WRONG_USE : FAULT;
  }
};
