#!/usr/bin/env node
import { version } from '../version.js';
import { exitCodes, UsageError, type Command } from './command.js';
import { printFailure, wantsJson } from './failure.js';
import { nearest } from './nearest.js';
import { terminalOf, type Terminal } from './terminal.js';
import { aligned } from './text.js';

/** The commands. Each is loaded when it is asked for, so that `--help` is there at once. */
const commands: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<{ readonly command: Command }> }>> = {
  mock: { about: 'serves a mock of the platform on this machine', load: () => import('./mock.js') },
  keygen: { about: 'makes a key pair: the private key for you, the public one for the platform', load: () => import('./keygen.js') },
  doctor: { about: 'looks whether credentials, network and clock are in order, and says what to do', load: () => import('./doctor.js') },
  call: { about: 'calls an endpoint of the platform, such as payments.list', load: () => import('./call.js') },
};

const overview = `corridor ${version}, the command line of corridor-sdk

Usage: corridor <command> [options]

${aligned(Object.entries(commands).map(([name, { about }]) => [name, about]))}

  corridor <command> --help   tells more of a command
  corridor --version          prints the version

Credentials come from the environment: CORRIDOR_BASE_URL, CORRIDOR_API_KEY, CORRIDOR_PRIVATE_KEY.
Results go to standard output, everything else to standard error.
Exit codes: ${exitCodes.done} done; ${exitCodes.failed} failed; ${exitCodes.usage} wrong command line, nothing was done; ${exitCodes.signal} + n ended by signal n (mock: ${exitCodes.done}).
`;

async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  const [name = ''] = words;
  try {
    return await run(words, terminal);
  } catch (error) {
    await printFailure(terminal.notes, error, words);
    if (!(error instanceof UsageError)) return exitCodes.failed;
    if (!wantsJson(words)) await terminal.notes.line(`       see corridor ${Object.hasOwn(commands, name) ? `${name} ` : ''}--help`);
    return exitCodes.usage;
  }
}

async function run([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined) return terminal.notes.write(overview).then(() => exitCodes.usage);
  if (name === '--version' || name === '-v') return terminal.output.line(version).then(() => exitCodes.done);
  if (name === 'help' || isHelp(name)) return help(rest, terminal);
  const end = rest.indexOf('--');
  if (rest.slice(0, end === -1 ? rest.length : end).some(isHelp)) return help([name, ...rest], terminal);
  return (await commandOf(name)).run(rest, terminal);
}

async function help([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  await terminal.output.write(name === undefined ? overview : (await commandOf(name)).help(rest));
  return exitCodes.done;
}

async function commandOf(name: string): Promise<Command> {
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (found === undefined) throw new UsageError(`there is no command "${name}"${nearest(name, Object.keys(commands), 'corridor ')}`);
  return (await found.load()).command;
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

// Whoever reads our output may stop at any time, as `head` does: that is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    if (stream !== process.stderr) process.stderr.write(`error  the output cannot be written (${error.code})\n`);
    process.exit(exitCodes.failed);
  });
}
process.exitCode = await main(process.argv.slice(2), terminalOf(process));
