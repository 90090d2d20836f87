type Environment = Readonly<Record<string, string | undefined>>;

/** The shell from which the command was run, for commands that users copy. */
export interface Shell {
  /** Quotes an argument if necessary. */
  quote(text: string): string;
  /** Returns a command line of `corridor` that runs in any folder: `npx corridor-sdk doctor`. */
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
  return isPowerShell(env, platform) ? powerShell : posixShell;
}

// The name of the package, whose only program it is: npx would install another package by the name of the program.
const corridor = (rest: string): string => `npx corridor-sdk ${rest}`;

const quotePosix = (text: string): string =>
  /^[\w./:@,=…-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const posixShell: Shell = {
  quote: quotePosix,
  corridor,
  callWithJson: (name, json, rest) => corridor(`call ${name} ${quotePosix(JSON.stringify(json))} ${rest}`),
  set: (variable, value) => `export ${variable}=${quotePosix(value)}`,
  setToFile: (variable, path) => `export ${variable}="$(cat ${quotePosix(asPath(path))})"`,
};

const quotePowerShell = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const powerShell: Shell = {
  // A comma separates the elements of an array, and @ begins a splatted variable.
  quote: (text) => (/^[\w./:=…\\-]+$/.test(text) ? text : quotePowerShell(text)),
  corridor,
  // Before version 7.3, PowerShell removes the quotes from JSON in arguments.
  callWithJson: (name, json, rest) =>
    `${quotePowerShell(JSON.stringify(json))} | ${corridor(`call ${name} - ${rest}`)}`,
  set: (variable, value) => `$env:${variable} = ${quotePowerShell(value)}`,
  setToFile: (variable, path) => `$env:${variable} = Get-Content -Raw -LiteralPath ${quotePowerShell(path)}`,
};

/** Prevents that a path is parsed as an option. */
const asPath = (path: string): string => (path.startsWith('-') ? `./${path}` : path);

/** PowerShell sets PSModulePath. On Windows every process has it, but only POSIX shells set SHELL or MSYSTEM. */
function isPowerShell({ PSModulePath, SHELL, MSYSTEM }: Environment, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? SHELL === undefined && MSYSTEM === undefined : PSModulePath !== undefined;
}
