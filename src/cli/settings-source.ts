import { existsSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { settingIssue, unwrapSetting } from '../contract/setting.js';
import { CommandError, UsageError, type Options } from './command.js';
import { readText } from './files.js';
import { maskPasswords } from './secrets.js';
import { currentShell } from './shell.js';
import type { Terminal } from './terminal.js';

/** The variables of the client. They are read from one source, so that an API key never goes to another platform. */
const clientVariables = ['CORRIDOR_BASE_URL', 'CORRIDOR_API_KEY', 'CORRIDOR_PRIVATE_KEY'] as const;
/** The others, each of the environment or else of the file. */
const otherVariables = ['CORRIDOR_WEBHOOK_SECRET', 'DATABASE_URL'] as const;
const defaultFile = '.env';

type Variables = Readonly<Record<string, string | undefined>>;

/** The option of commands that use a client. */
export const settingsOptions = {
  'env-file': { value: '<file>', about: 'reads the settings from this file, as Node does' },
} as const satisfies Options;

/**
 * Sets the variables of the client in the environment of the process, from the first of these that has one: the file of
 * `--env-file`, the environment, and `.env` in the working directory. Returns the name of the source.
 */
export async function loadSettings(envFile: string | undefined, terminal: Terminal): Promise<string> {
  const { environment } = terminal;
  const file = readEnvFile(envFile ?? defaultFile, envFile !== undefined);
  for (const name of otherVariables)
    if ((environment[name] ?? '') === '' && file[name] !== undefined) process.env[name] = file[name];
  const source = await selectSource(envFile, environment, file, terminal);
  terminal.secrets.addCredentials(environment);
  maskPasswords([environment['DATABASE_URL'] ?? ''], terminal.secrets);
  return source;
}

/** Returns a variable of the environment; empty if it is not set. Throws `UsageError` if it was not expanded. */
export function readVariable(environment: Variables, name: string): string {
  const value = environment[name] ?? '';
  const issue = settingIssue(value, true);
  if (issue !== undefined) throw new UsageError(`${name} ${issue}`);
  return unwrapSetting(value);
}

async function selectSource(
  envFile: string | undefined,
  environment: Variables,
  file: Variables,
  terminal: Terminal,
): Promise<string> {
  const path = envFile ?? defaultFile;
  if (envFile !== undefined && !hasAny(file))
    throw new CommandError(`${path} has none of ${clientVariables.join(', ')}. Add them, or pass another file`);
  if (envFile === undefined && hasAny(environment))
    return (
      'the environment' +
      `${hasAny(file) ? `; ${path} is not used, because settings of several sources are never mixed` : ''}`
    );
  if (!hasAny(file)) return 'the environment';
  await warnIfReadable(path, terminal);
  setVariables(file);
  return path;
}

const hasAny = (variables: Variables): boolean =>
  clientVariables.some((name) => unwrapSetting(variables[name] ?? '') !== '');

function setVariables(variables: Variables): void {
  for (const name of clientVariables) {
    const value = variables[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

function readEnvFile(path: string, isRequired: boolean): Variables {
  // A folder of this name is common: a virtual environment of Python.
  const isFile = existsSync(path) && !statSync(path).isDirectory();
  return isRequired || isFile ? parseEnv(readText(path)) : {};
}

/** Warns if other users of this machine can read a file with secrets. */
async function warnIfReadable(path: string, { notes }: Terminal): Promise<void> {
  // Windows has no such modes.
  if (process.platform === 'win32' || (statSync(path).mode & 0o044) === 0) return;
  await notes.line(
    `${notes.style('yellow', 'warning')}  other users of this machine can ` +
      `read ${path}. Run: chmod 600 ${currentShell().quote(path)}`,
  );
}
