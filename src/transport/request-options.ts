import {
  isPlainObject,
  custom,
  integerFrom,
  numberFrom,
  optionsObject,
  type OptionsShape,
} from '../contract/options.js';
import { memoize, type Schema } from '../contract/schema/schema.js';
import { formatIssues, type Issue } from '../contract/issue.js';
import { validateRequest, describeNumber } from '../contract/validate.js';
import { ConfigurationError, InvalidRequestError } from '../errors/api.js';

/** The options of a single call; always the last argument. */
export interface RequestOptions {
  /** Aborts the call in any phase. Aborting a write does not undo it. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum duration of one attempt, in milliseconds. @default the client's */
  readonly timeout?: number | undefined;
  /** The maximum duration of the whole call, in milliseconds. @default the client's */
  readonly totalTimeout?: number | undefined;
  /** The maximum number of retries after the first attempt. @default the client's */
  readonly maxRetries?: number | undefined;
  /**
   * The longest `Retry-After` to wait for, in milliseconds. If the platform requests a longer delay, the call throws at
   * once, and the error has the delay in `retryAfter`. @default the client's
   */
  readonly maxRetryAfter?: number | undefined;
  /** Additional headers. The SDK sets credentials, `host` and `content-length`; they cannot be overridden. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The largest delay that a timer supports, in milliseconds. */
export const maxTimerDelay = 2_147_483_647;

/** Creates the schemas of the limits that options of a client and of a call share. */
export function limits(): OptionsShape<
  Pick<RequestOptions, 'timeout' | 'totalTimeout' | 'maxRetries' | 'maxRetryAfter'>
> {
  const timeout = numberFrom(1, maxTimerDelay, ' of milliseconds');
  return {
    timeout,
    totalTimeout: timeout,
    maxRetries: integerFrom(0, 100),
    maxRetryAfter: numberFrom(0, maxTimerDelay, ' of milliseconds'),
  };
}

/** Creates the schemas of the options of a call. The headers' names and values are validated separately. */
export function requestOptionsShape(): OptionsShape<RequestOptions> {
  return {
    ...limits(),
    signal: custom<AbortSignal>(isSignal, {
      rule: 'must be an AbortSignal',
      fix: 'Pass the signal of an AbortController, not the controller',
    }),
    headers: headersOption(),
  };
}

/** Creates the schema of headers. Their names and values are validated separately. */
export function headersOption(): OptionsShape<RequestOptions>['headers'] {
  return custom(isPlainObject, { rule: "must be an object of names and values, such as { 'x-trace': 'abc' }" });
}

const requestOptions: Schema<RequestOptions> = memoize(() =>
  optionsObject(requestOptionsShape(), { rule: 'must be an object, such as { timeout: 5_000 }' }),
);

/** Throws if an option of a call is invalid. The headers' names and values are validated separately. */
export function assertRequestOptions(options: RequestOptions): void {
  // Most calls have no options.
  if (!isEmpty(options)) assertOptions(requestOptions, options);
}

/** Throws a ConfigurationError if an option of a call is invalid. `schema` covers all of its options. */
export function assertOptions<T extends RequestOptions>(schema: Schema<T>, options: T): void {
  const issues = validateRequest(schema(), options, describeNumber);
  if (issues.length > 0) throw new ConfigurationError(formatIssues(issues, 'the options of a call'));
}

function isEmpty(options: unknown): boolean {
  return Object.prototype.toString.call(options) === '[object Object]' && Object.keys(options as object).length === 0;
}

// Checked by shape: a signal may come from another realm or from a library.
function isSignal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
}

const reserved: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'host',
  'content-length',
  'content-type',
  'connection',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Validates the headers of a call and returns them with lowercase names. */
export function validateHeaders(
  endpoint: string,
  headers: RequestOptions['headers'],
): Readonly<Record<string, string>> {
  const { issue, lowercase } = readHeaders('headers', headers);
  if (issue !== undefined) throw new InvalidRequestError(endpoint, [issue]);
  return lowercase;
}

/** Returns headers with lowercase names, and the first issue, if there is one. `option` is the name of the option. */
export function readHeaders(
  option: string,
  headers: RequestOptions['headers'] = {},
): { readonly issue: Issue | undefined; readonly lowercase: Readonly<Record<string, string>> } {
  const lowercase = Object.create(null) as Record<string, string>;
  let issue: Issue | undefined;
  for (const [name, value] of Object.entries<unknown>(headers)) {
    const lower = name.toLowerCase();
    if (reserved.has(lower))
      issue ??= { path: `${option}.${lower}`, message: 'is set by the SDK and cannot be overridden' };
    else if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name))
      issue ??= { path: option, message: 'must have valid HTTP header names' };
    else if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value))
      issue ??= { path: `${option}.${lower}`, message: 'must be a string of printable ASCII characters' };
    else lowercase[lower] = value;
  }
  return { issue, lowercase };
}
