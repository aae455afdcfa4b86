// The command line of a script that takes no values: its usage for --help, and for whatever it does not know.

/** Whether nothing is to be done: the usage was printed. The exit code is set. */
export function refused(command: string, does: string, known: Readonly<Record<string, string>> = {}): boolean {
  const given = process.argv.slice(2);
  const unknown = given.find((option) => !Object.hasOwn(known, option) && option !== '--help' && option !== '-h');
  if (given.length === 0 || (unknown === undefined && given.every((option) => Object.hasOwn(known, option)))) return false;
  const options = Object.entries({ ...known, '--help': 'this text' }).map(([option, text]) => `  ${option.padEnd(10)} ${text}\n`);
  const usage = `Usage: ${command} [-- options]\n${does}\n\n${options.join('')}`;
  if (unknown === undefined) process.stdout.write(usage);
  else process.stderr.write(`There is no option ${unknown}.\n${usage}`);
  process.exitCode = unknown === undefined ? 0 : 2;
  return true;
}
