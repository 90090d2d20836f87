import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The shell from which the command was run, for commands that users copy. */
export interface Shell {
  /** Quotes an argument if necessary. */
  quote(text: string): string;
  /** Returns a command line of `corridor` that runs in this folder, such as `npx corridor-sdk doctor`. */
  corridor(rest: string): string;
  /** Returns a command line of `corridor call` with JSON. */
  callWithJson(name: string, json: object, rest: string): string;
  /** Returns the statement that sets an environment variable; `value` is plain text. */
  set(variable: string, value: string): string;
  /** Returns the statement that sets an environment variable to the content of a file. */
  setToFile(variable: string, path: string): string;
}

/** Returns the shell of the process. */
export function currentShell(): Shell {
  const { env, platform } = process;
  const corridor = (rest: string): string => `${programName(env)} ${rest}`;
  return isPowerShell(env, platform) ? powerShell(corridor) : posixShell(corridor);
}

function posixShell(corridor: Shell['corridor']): Shell {
  const quote = (text: string): string =>
    /^[\w./:@,=…-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return {
    quote,
    corridor,
    callWithJson: (name, json, rest) => corridor(`call ${name} ${quote(JSON.stringify(json))} ${rest}`),
    set: (variable, value) => `export ${variable}=${quote(value)}`,
    setToFile: (variable, path) => `export ${variable}="$(cat ${quote(asPath(path))})"`,
  };
}

function powerShell(corridor: Shell['corridor']): Shell {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  return {
    // A comma separates the elements of an array, and @ begins a splatted variable.
    quote: (text) => (/^[\w./:=…\\-]+$/.test(text) ? text : quoted(text)),
    corridor,
    // Before version 7.3, PowerShell removes the quotes from JSON in arguments.
    callWithJson: (name, json, rest) => `${quoted(JSON.stringify(json))} | ${corridor(`call ${name} - ${rest}`)}`,
    set: (variable, value) => `$env:${variable} = ${quoted(value)}`,
    setToFile: (variable, path) => `$env:${variable} = Get-Content -Raw -LiteralPath ${quoted(path)}`,
  };
}

/** Prevents that a path is parsed as an option. */
const asPath = (path: string): string => (path.startsWith('-') ? `./${path}` : path);

/** PowerShell sets PSModulePath. On Windows every process has it, but only POSIX shells set SHELL or MSYSTEM. */
function isPowerShell({ PSModulePath, SHELL, MSYSTEM }: Environment, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? SHELL === undefined && MSYSTEM === undefined : PSModulePath !== undefined;
}

/** Returns how to call `corridor`: npx adds folders to PATH that the shell of the user does not have. */
function programName({ PATH, Path }: Environment): string {
  const folders = (PATH ?? Path ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.some((folder) => !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder) && hasProgram(folder)))
    return 'corridor';
  // The name of the package, whose only program it is: npx would install another package by the name of the program.
  return 'npx corridor-sdk';
}

function hasProgram(folder: string): boolean {
  return ['corridor', 'corridor.cmd'].some((name) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
