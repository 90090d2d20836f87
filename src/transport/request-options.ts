import { custom, integerFrom, numberFrom, optionsObject, type OptionsShape } from '../contract/option-schemas.js';
import { isPlainObject } from '../contract/objects.js';
import { memoize, type Schema } from '../contract/schema/schema.js';
import { formatIssues, type Issue } from '../contract/issue.js';
import { ConfigurationError } from '../errors/api.js';
import { requireOptions } from '../errors/options.js';

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
   * once, and the error has the delay in `retryAfterMs`. @default the client's
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

/** Creates the schemas of the options of a call. */
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

/** Creates the schema of headers, whose names and values `headerIssues` checks. */
export function headersOption(): OptionsShape<RequestOptions>['headers'] {
  return custom(isPlainObject, { rule: "must be an object of names and values, such as { 'x-trace': 'abc' }" });
}

const requestOptions: Schema<RequestOptions> = memoize(() =>
  optionsObject(requestOptionsShape(), {
    rule: 'must be an object, such as { timeout: 5_000 }',
    hints: {
      idempotencyKey: 'is an option of payments.createOnce, which pays an order once. Call it instead',
    },
  }),
);

/** Throws a ConfigurationError if an option of a call that only has `RequestOptions` is invalid. */
export function assertRequestOptions(options: RequestOptions, isKnown = true): void {
  assertOptions(requestOptions, options, isKnown);
}

/**
 * Throws a ConfigurationError if an option of a call is invalid. `schema` covers all of its options. `isKnown` is false
 * for an endpoint that the contract does not contain.
 */
export function assertOptions<T extends RequestOptions>(schema: Schema<T>, options: T, isKnown = true): void {
  requireOptions(schema, options, 'the options of a call');
  const issues = headerIssues('headers', options.headers, isKnown);
  if (issues.length > 0) throw new ConfigurationError(formatIssues(issues, 'headers'));
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

/** Returns the issues of the headers of an option, by its name. */
export function headerIssues(option: string, headers: RequestOptions['headers'] = {}, isKnown = true): Issue[] {
  return Object.entries<unknown>(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (reserved.has(lower))
      return { path: `${option}.${lower}`, message: 'is set by the SDK and cannot be overridden. Omit it' };
    // No endpoint of the contract uses it, so it would prevent no second payment.
    if (isKnown && /^(?:x-)?idempotency-key$/.test(lower))
      return {
        path: `${option}.${lower}`,
        message: 'does not prevent a second payment. Call payments.createOnce with the option idempotencyKey',
      };
    if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name)) return { path: option, message: 'must have valid HTTP header names' };
    return typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value)
      ? []
      : { path: `${option}.${lower}`, message: 'must be a string of printable ASCII characters' };
  });
}

/** Returns headers with lowercase names. */
export function lowercaseHeaders(headers: RequestOptions['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
