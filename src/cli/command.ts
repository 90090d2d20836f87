import type { Terminal } from './terminal.js';

/** A command of `corridor`. */
export interface Command {
  /** What `--help` prints; the words are those of the command line, options among them. */
  help(words: readonly string[]): string;
  /** Does it, and resolves to the exit code. */
  run(words: readonly string[], terminal: Terminal): Promise<number>;
}

/** What a process ends with. Whoever is ended by a signal adds its number to `signal`. */
export const exitCodes = { done: 0, failed: 1, usage: 2, signal: 128 } as const;

/** The command line is wrong: nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

/** The command failed in a way that was to be expected: its message is for people, and says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code = 'failed';
}

/** Wraps an error of the client of which the command knows better what to do. */
export class AdvisedError extends Error {
  override readonly name = 'AdvisedError';
  /** What to do. */
  readonly advice: readonly string[];

  constructor(cause: Error, advice: readonly string[]) {
    super(cause.message, { cause });
    this.advice = advice;
  }
}
