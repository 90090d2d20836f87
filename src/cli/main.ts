import { version } from '../version.js';
import { parseArguments } from './arguments.js';
import { commandTable } from './command-table.js';
import { maskPasswords } from './secrets.js';
import { exitCodes, isUsageError, UsageError, type Command } from './command.js';
import { printError, wantsJson } from './print/error-report.js';
import { currentShell } from './shell.js';
import { suggestSimilar } from './suggest.js';
import type { Output, Terminal } from './terminal.js';
import { alignColumns, maxTextWidth, wrapHelp } from './print/text.js';

const overview = `corridor ${version}, the command line of corridor-sdk

Usage: corridor <command> [options]

${alignColumns(Object.entries(commandTable).map(([name, { about }]) => [name, about]))}

  corridor <command> --help   describes a command
  corridor --version          prints the version

Settings are CORRIDOR_BASE_URL, CORRIDOR_API_KEY and CORRIDOR_PRIVATE_KEY in the environment, in .env or in --env-file.
Results go to standard output, everything else to standard error.
Exit codes: ${exitCodes.done} done; ${exitCodes.failed} failed; ${exitCodes.usage} wrong command line, nothing was done; ${exitCodes.signal} + n terminated by signal n (mock, follow, sync that follows: ${exitCodes.done}).
`;

/** Runs a command of `corridor`, prints its error if it fails, and resolves to the exit code. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name = ''] = argv;
  maskPasswords([...argv, terminal.environment['DATABASE_URL'] ?? ''], terminal.secrets);
  try {
    return await run(argv, terminal);
  } catch (error) {
    await printError(terminal.notes, error, argv);
    if (!isUsageError(error)) return exitCodes.failed;
    if (!wantsJson(argv) && error instanceof UsageError)
      await terminal.notes.line(
        `       see ${currentShell().corridor(Object.hasOwn(commandTable, name) ? `${name} --help` : '--help')}`,
      );
    return exitCodes.usage;
  }
}

async function run([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined) return terminal.notes.write(helpText(overview, terminal.notes)).then(() => exitCodes.usage);
  if (name === '--version' || name === '-v') return terminal.output.line(version).then(() => exitCodes.done);
  if (name === 'help' || isHelp(name)) return help(rest, terminal);
  const end = rest.indexOf('--');
  if (rest.slice(0, end === -1 ? rest.length : end).some(isHelp)) return help([name, ...rest], terminal);
  const command = await commandOf(name);
  const args = parseArguments(rest, command.options);
  const [argument] = args.positionals;
  if (argument !== undefined && command.takesArguments !== true)
    throw new UsageError(`unexpected argument "${argument}"`);
  if (command.options['env-file'] === undefined) return command.run(args, terminal);
  const { loadSettings } = await import('./settings-source.js');
  return command.run(args, { ...terminal, settings: await loadSettings(args.value('env-file'), terminal) });
}

async function help([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  const topic = rest.find((word) => /^[a-z]/i.test(word));
  await terminal.output.write(
    helpText(name === undefined ? overview : (await commandOf(name)).help(topic), terminal.output),
  );
  return exitCodes.done;
}

/** Wraps a help text, and makes its commands run in any folder. */
function helpText(text: string, { width, isTerminal }: Output): string {
  const program = currentShell().corridor('');
  const runnable = text.replaceAll(/^(Usage: | {2})corridor (?=\S)/gm, (_, start: string) => start + program);
  return wrapHelp(runnable, isTerminal ? Math.min(width, maxTextWidth) : width);
}

async function commandOf(name: string): Promise<Command> {
  const found = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (found === undefined)
    throw new UsageError(
      `unknown command "${name}"${suggestSimilar(name, Object.keys(commandTable), currentShell().corridor(''))}`,
    );
  return (await found.load()).command;
}

const isHelp = (argument: string): boolean => argument === '--help' || argument === '-h';
