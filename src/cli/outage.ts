import { integerOption } from './arguments.js';
import { CommandError, type Arguments } from './command.js';
import type { Output } from './terminal.js';
import type { Hooks } from '../index.js';

/** The option of a command that repeats what fails. */
export const timeoutOption = {
  timeout: { value: '<seconds>', about: 'ends after this time, with what it waited for and exit code 1' },
} as const;

/** Failures that another request can repair; any other error ends the command, which prints it. */
const repeatedCodes: ReadonlySet<string> = new Set(['connection', 'timeout', 'rate-limit', 'server']);
const isRepeated = (status = 500): boolean => status >= 500 || status === 408 || status === 429;

/** A failure that is shorter is not worth a line. */
const shortest = 5_000;
/** The pauses between two lines. */
const [firstPause, longestPause] = [60_000, 3_600_000];

/**
 * Says which requests fail while a command repeats them: once, then at growing intervals, and when they succeed again.
 */
export class Outage {
  readonly #notes: Output;
  readonly #beforeLine: () => Promise<void>;
  readonly #now: () => number;
  /** The calls that wait for a response. */
  readonly #waiting = new Map<string, string>();
  #requestedAt = 0;
  #since: number | undefined;
  #cause = '';
  #pause = firstPause;
  #nextLine = 0;

  constructor(notes: Output, beforeLine: () => Promise<void> = async () => {}, now: () => number = Date.now) {
    [this.#notes, this.#beforeLine, this.#now] = [notes, beforeLine, now];
  }

  /** What the client reports to. */
  readonly hooks: Hooks = {
    onRequest: ({ callId, endpoint }) => {
      this.#waiting.set(callId, endpoint);
      if (this.#since === undefined) this.#requestedAt = this.#now();
    },
    onRetry: ({ callId, endpoint, status, errorType }) => {
      this.#waiting.delete(callId);
      if (isRepeated(status)) this.#fail(endpoint, status === undefined ? errorType : `status ${status}`, shortest);
    },
    onError: ({ callId, endpoint, code, status }) => {
      this.#waiting.delete(callId);
      if (repeatedCodes.has(code)) this.#fail(endpoint, status === undefined ? code : `status ${status}`, 0);
    },
    onResponse: ({ callId, endpoint, status }) => {
      this.#waiting.delete(callId);
      if (!isRepeated(status)) this.#succeed(endpoint);
    },
  };

  /** Reads the option `--timeout`: the time in milliseconds, and the error of a command that takes longer. */
  timeout(args: Arguments<typeof timeoutOption>): { readonly after: number; readonly error: () => Error } | undefined {
    const text = args.value('timeout');
    if (text === undefined) return undefined;
    const seconds = integerOption('timeout', text, 1, 2_000_000);
    const error = (): Error => {
      const [waiting] = this.#waiting.values();
      const cause = this.#since === undefined ? waiting && `${waiting} has no response yet` : this.#failure();
      return new CommandError(
        `not finished after ${seconds} s${cause === undefined ? '' : `: ${cause}`}. Run the command again to continue`,
      );
    };
    return { after: seconds * 1000, error };
  }

  #failure(): string {
    const minutes = Math.floor((this.#now() - (this.#since ?? 0)) / 60_000);
    return `${this.#cause}${minutes === 0 ? '' : `, for ${minutes} min`}`;
  }

  #fail(endpoint: string, cause = 'failed', after: number): void {
    const now = this.#now();
    this.#since ??= this.#requestedAt;
    this.#cause = `${endpoint} fails (${cause})`;
    if (now - this.#since < after || now < this.#nextLine) return;
    const minutes = this.#pause / 60_000;
    this.#line(`${this.#failure()}. It is repeated. The next line is in ${minutes} min, or when it succeeds.`);
    this.#nextLine = now + this.#pause;
    this.#pause = Math.min(longestPause, this.#pause * 2);
  }

  #succeed(endpoint: string): void {
    if (this.#since === undefined) return;
    const seconds = Math.round((this.#now() - this.#since) / 1000);
    const wasShown = this.#nextLine > 0;
    this.#since = undefined;
    if (!wasShown) return;
    // Failures that come and go are one outage, whose lines must not become more frequent.
    if (seconds * 1000 < firstPause) return;
    [this.#pause, this.#nextLine] = [firstPause, 0];
    this.#line(`${endpoint} succeeds again, after ${Math.round(seconds / 60)} min.`);
  }

  #line(text: string): void {
    void this.#beforeLine().then(() => this.#notes.line(text));
  }
}
