import type { Terminal } from './terminal.js';

/** An option of a command. */
export interface Option {
  /** The placeholder of its value in the help, such as `<file>`; absent for an option without a value. */
  readonly value?: string;
  /** Its description in the help, one line. */
  readonly about: string;
}

/** The options of a command, by name. */
export type Options = Readonly<Record<string, Option>>;

/** A parsed command line. */
export interface Arguments<O extends Options> {
  /** The whole command line, without the name of the command. */
  readonly argv: readonly string[];
  /** The arguments that belong to no option. */
  readonly positionals: readonly string[];
  /** Checks whether an option was passed. */
  has(name: keyof O): boolean;
  /** Returns the value of an option; undefined if the option was not passed. */
  value(name: keyof O): string | undefined;
  /** Returns the values of an option that can be repeated, in order. */
  values(name: keyof O): readonly string[];
}

/** A command of `corridor`. */
export interface Command<O extends Options = Options> {
  /** Its options. With `settingsOptions`, the settings of the client are loaded before it runs. */
  readonly options: O;
  /** Whether it takes arguments besides options. */
  readonly takesArguments?: true;
  /** Returns the help text; `topic` is the first argument. */
  help(topic?: string): string;
  /** Runs the command and resolves to the exit code. */
  run(args: Arguments<O>, terminal: Terminal): Promise<number>;
}

/** The commands, by name. */
export type CommandTable = Readonly<
  Record<string, { readonly about: string; readonly load: () => Promise<{ readonly command: Command }> }>
>;

/** The exit codes. A process that ends by a signal exits with `signal` plus the signal's number. */
export const exitCodes = { done: 0, failed: 1, usage: 2, signal: 128 } as const;

/** Thrown if the command line is invalid; nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
  /** More lines about the error. */
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

/**
 * Checks whether the command line caused an error: it is invalid, or the client rejected its request before sending it.
 */
export function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError) return true;
  const { code, outcome } = Object(error) as { readonly code?: unknown; readonly outcome?: unknown };
  return code === 'invalid-request' && outcome === 'not-sent';
}

/** Thrown for an expected failure; its message describes the problem and the fix. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code = 'failed';
}
