import { ConfigurationError, InvalidRequestError } from '../errors.js';

/** What can be said of a single call; always the last argument. */
export interface RequestOptions {
  /** Aborts the call, in any phase. Aborting a write does not undo it. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take, in milliseconds. @default the client's */
  readonly timeout?: number | undefined;
  /** How long the whole call may take, in milliseconds. @default the client's */
  readonly deadline?: number | undefined;
  /** How many further attempts may follow the first. @default the client's */
  readonly retries?: number | undefined;
  /** Further headers. Those of our credentials, `host` and `content-length` are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const known: readonly string[] = ['signal', 'timeout', 'deadline', 'retries', 'headers'] satisfies readonly (keyof RequestOptions)[];

/** Checks the options of a call, but for what its headers hold. */
export function checkRequestOptions(options: RequestOptions): void {
  if (!isPlain(options)) throw new ConfigurationError('the options of a call must be an object, such as { timeout: 5_000 }');
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new ConfigurationError(`${unknown} is not an option of a call (options: ${known.join(', ')})`);
  const { signal, headers } = options;
  if (signal !== undefined && !isSignal(signal)) throw new ConfigurationError('signal must be an AbortSignal (the signal of an AbortController, not the controller)');
  if (headers !== undefined && !isPlain(headers)) throw new ConfigurationError("headers must be an object of names and values, such as { 'x-trace': 'abc' }");
  checkLimits(options);
}

function isPlain(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}

// By its looks: a signal may be of another realm, or of a library.
function isSignal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
}

const reserved: ReadonlySet<string> = new Set([
  'authorization', 'x-api-key', 'host', 'content-length', 'content-type',
  'connection', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]);

/** Checks the headers of a call. */
export function checkedHeaders(endpoint: string, headers: RequestOptions['headers']): Readonly<Record<string, string>> {
  const result = Object.create(null) as Record<string, string>;
  for (const name of Object.keys(headers ?? {})) {
    const value = headers?.[name];
    const lower = name.toLowerCase();
    if (reserved.has(lower)) throw new InvalidRequestError(endpoint, [{ path: `headers.${lower}`, message: 'must not be set: it is ours' }]);
    if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name)) throw new InvalidRequestError(endpoint, [{ path: 'headers', message: 'must have names that HTTP allows' }]);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new InvalidRequestError(endpoint, [{ path: `headers.${lower}`, message: 'must be a string of printable ASCII characters' }]);
    }
    result[lower] = value;
  }
  return result;
}

/** Milliseconds that a timer can count. */
const longestTimer = 2_147_483_647;

/** Checks the numbers that bound a call. */
export function checkLimits(options: Pick<RequestOptions, 'timeout' | 'deadline' | 'retries'>): void {
  for (const name of ['timeout', 'deadline'] as const) {
    const value = options[name];
    if (value !== undefined && !(typeof value === 'number' && value >= 1 && value <= longestTimer)) {
      throw new ConfigurationError(`${name} must be a number of milliseconds from 1 to ${longestTimer}`);
    }
  }
  const { retries } = options;
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0 && retries <= 100)) {
    throw new ConfigurationError('retries must be a whole number from 0 to 100');
  }
}
