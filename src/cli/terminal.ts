import { styleText } from 'node:util';
import { Secrets } from './secrets.js';

type Environment = Readonly<Record<string, string | undefined>>;
type Format = Parameters<typeof styleText>[0];

/** Where a command reads its surroundings and prints. */
export interface Terminal {
  /** Results. */
  readonly output: Output;
  /** Everything else: errors, notes, progress. */
  readonly notes: Output;
  /** The environment variables. */
  readonly environment: Environment;
  /** What is masked in everything that is printed. */
  readonly secrets: Secrets;
}

/** One of the two streams that a command prints to. */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  readonly #secrets: Secrets;
  readonly #colours: boolean;
  /** Whether a person is looking. */
  readonly isTerminal: boolean;

  constructor(stream: NodeJS.WriteStream, environment: Environment, secrets: Secrets) {
    this.#stream = stream;
    this.#secrets = secrets;
    this.isTerminal = stream.isTTY === true;
    this.#colours = wantsColours(this.isTerminal, environment);
  }

  /** How many characters fit on a line; any number where nobody is looking. */
  get width(): number {
    return this.isTerminal ? (this.#stream.columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** Prints a text, as it is but for secrets; resolves when the stream takes more. */
  write(text: string): Promise<void> {
    if (this.#stream.write(this.#secrets.mask(text))) return Promise.resolve();
    return new Promise((resolve) => this.#stream.once('drain', resolve));
  }

  /** Prints a line. */
  line(text = ''): Promise<void> {
    return this.write(`${text}\n`);
  }

  /** The text in colour, where colours are wanted. */
  style(format: Format, text: string): string {
    return this.#colours && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  }
}

/** The terminal of this process. */
export function terminalOf({ stdout, stderr, env }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>): Terminal {
  const secrets = new Secrets();
  secrets.hideCredentials(env);
  return { output: new Output(stdout, env, secrets), notes: new Output(stderr, env, secrets), environment: env, secrets };
}

/** As Node decides it: FORCE_COLOR before NO_COLOR, and otherwise only where a person is looking. */
function wantsColours(isTerminal: boolean, { FORCE_COLOR: force, NO_COLOR: refuse, TERM: kind }: Environment): boolean {
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (refuse !== undefined && refuse !== '') return false;
  return isTerminal && kind !== 'dumb';
}
