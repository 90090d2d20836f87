import { styleText } from 'node:util';
import { Secrets } from './secrets.js';

type Environment = Readonly<Record<string, string | undefined>>;
type Format = Parameters<typeof styleText>[0];

/** The standard output or error of a process; with columns if it is a terminal. */
type OutputStream = Pick<NodeJS.WriteStream, 'write'> & {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
};

/** The environment and streams of a command. */
export interface Terminal {
  /** The standard input. */
  readonly input: NodeJS.ReadableStream;
  /** Results. */
  readonly output: Output;
  /** Everything else: errors, notes, progress. */
  readonly notes: Output;
  /** The environment variables. */
  readonly environment: Environment;
  /** Where the settings of the client come from, such as `the environment`. */
  readonly settings: string;
  /** The secrets that are masked in all output. */
  readonly secrets: Secrets;
}

/** An output stream of a command. */
export class Output {
  readonly #stream: OutputStream;
  readonly #secrets: Secrets;
  readonly #colors: boolean;
  /** Whether the stream is a terminal. */
  readonly isTerminal: boolean;

  constructor(stream: OutputStream, environment: Environment, secrets: Secrets) {
    this.#stream = stream;
    this.#secrets = secrets;
    this.isTerminal = stream.isTTY === true;
    this.#colors = useColors(this.isTerminal, environment);
  }

  /** The width of the terminal in columns; infinite if the stream is not a terminal. */
  get width(): number {
    return this.isTerminal ? (this.#stream.columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** Writes a text with secrets masked. Resolves when it is written, or cannot be: nobody reads the stream anymore. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.#stream.write(this.#secrets.redact(text), () => resolve()));
  }

  /** Writes a line. */
  line(text = ''): Promise<void> {
    return this.write(`${text}\n`);
  }

  /** Returns the text with a style if colors are enabled. */
  style(format: Format, text: string): string {
    return this.#colors && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  }
}

/** A line of a terminal that is replaced again and again, for progress. Writes nothing if the output is no terminal. */
export class StatusLine {
  readonly #output: Output;
  #isVisible = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Replaces the line. */
  async show(text: string): Promise<void> {
    if (!this.#output.isTerminal) return;
    this.#isVisible = true;
    // A line that is wider than the terminal would wrap, and could not be replaced.
    await this.#output.write(`\r${text.slice(0, this.#output.width - 1)}\x1b[K`);
  }

  /** Removes the line. */
  async clear(): Promise<void> {
    if (this.#isVisible) await this.#output.write('\r\x1b[K');
    this.#isVisible = false;
  }
}

/** Returns the terminal of a process. */
export function terminalOf({
  stdin,
  stdout,
  stderr,
  env,
}: {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
}): Terminal {
  const secrets = new Secrets();
  secrets.addCredentials(env);
  return {
    input: stdin,
    output: new Output(stdout, env, secrets),
    notes: new Output(stderr, env, secrets),
    environment: env,
    settings: 'the environment',
    secrets,
  };
}

/** Follows Node: FORCE_COLOR overrides NO_COLOR; by default only a terminal has colors. */
function useColors(isTerminal: boolean, { FORCE_COLOR: force, NO_COLOR: disable, TERM: kind }: Environment): boolean {
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (disable !== undefined && disable !== '') return false;
  return isTerminal && kind !== 'dumb';
}
