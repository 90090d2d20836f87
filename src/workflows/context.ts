import * as z from 'zod/mini';
import type { ListedPayment, PaymentListParams } from '../contract/schema/payments.js';
import type { Journal } from '../journal/journal.js';
import type { PagePromise } from '../core/pagination.js';
import type { CredentialOptions } from '../transport/auth/credentials.js';
import type { Authenticator } from '../transport/auth/token.js';
import type { Sender } from '../transport/call.js';
import type { Drift } from '../transport/response.js';
import type { ServerClock, Timing } from '../transport/clock.js';
import { type RequestOptions, maxTimerDelay, requestOptionsShape } from '../transport/request-options.js';
import type { WorkflowTracer } from '../transport/events.js';
import { custom, numberFrom, optionsObject, type OptionsShape } from '../contract/option-schemas.js';
import { array, memoize, requestEnum, withMetadata, type Schema } from '../contract/schema/schema.js';
import { formatIssues, type Issue } from '../contract/issue.js';
import { validateRequest } from '../contract/violations.js';
import { describeNumber, describeText, describeType } from '../contract/describe.js';
import { isRecord } from '../contract/predicate.js';
import { ConfigurationError, InvalidResponseError } from '../errors/api.js';
import { copyAndValidate } from '../transport/request.js';
import type { SharedReads } from './shared-reads.js';

/** The dependencies of workflows besides the endpoint functions. */
export interface WorkflowContext {
  readonly sender: Sender;
  /** The client's options. */
  readonly options: WorkflowOptions;
  readonly timing: Timing;
  readonly clock: ServerClock;
  readonly journal: Journal;
  /** Logs what a person must know. */
  readonly log: (level: 'warn' | 'error', message: string) => void;
  /** Reports workflows to observers. */
  readonly tracer: WorkflowTracer;
  /** The reads that the searches for payments share. */
  readonly reads: Pick<SharedReads, 'read'>;
  /** Has the API key that is sent now. */
  readonly authenticator: Pick<Authenticator, 'apiKey' | 'fingerprint'>;
}

/** The options of the client that workflows use. */
interface WorkflowOptions {
  /** The base URL of the platform. */
  readonly baseUrl: string;
  readonly apiKey: CredentialOptions['apiKey'];
  /** In milliseconds. */
  readonly totalTimeout: number;
  /** In milliseconds. */
  readonly maxRetryAfter: number;
  /** In milliseconds; undefined if each workflow has its own default. */
  readonly consistencyWindow: number | undefined;
  readonly onDrift: ((drift: Drift) => void) | undefined;
}

/**
 * How long the list may show an earlier state of a payment, or not yet a new one, for workflows that read many
 * payments, in milliseconds.
 */
export const listConsistencyWindow = 300_000;

/** Creates the error of a row of the payment list that cannot be used. */
export function unusableRow(problem: string, issues: readonly Issue[]): InvalidResponseError {
  const details = { endpoint: 'payments.list', outcome: 'applied', issues } as const;
  return new InvalidResponseError(`${details.endpoint}: ${problem}`, details);
}

/** Lists payments. */
export type ListPayments = (query: PaymentListParams, options: RequestOptions) => PagePromise<ListedPayment>;

/**
 * Defines the options of a workflow: those of `buildShape`, and those of a request. `rule` is that of the whole object.
 */
export function defineOptions<T extends RequestOptions>(
  rule: string,
  buildShape: () => OptionsShape<Omit<T, keyof RequestOptions>>,
  isValid?: (options: T) => boolean,
): Schema<T> {
  return memoize(() =>
    optionsObject({ ...requestOptionsShape(), ...buildShape() } as OptionsShape<T>, { rule }, isValid),
  );
}

/**
 * Throws a ConfigurationError if a field is present and undefined, such as a misspelled property of an order: without
 * it, the call would mean more than what was meant.
 */
export function assertDefined<T extends object>(
  endpoint: string,
  input: T,
  names: readonly (keyof T & string)[],
): void {
  const name = names.find((each) => Object.hasOwn(Object(input) as object, each) && input[each] === undefined);
  if (name === undefined) return;
  const message = `${endpoint}: ${name} must not be undefined. Pass its value, or omit ${name} on purpose`;
  throw new ConfigurationError(message, { endpoint });
}

/** Creates the schema of an option that the workflow validates itself. */
export function unchecked<T>(): ReturnType<Schema<T>> {
  return custom(() => true, {});
}

/** The schema of a delay in milliseconds. */
export const delayOption: Schema<number> = memoize(() => numberFrom(1, maxTimerDelay, ' of milliseconds'));

/** The schema of a window in milliseconds, which can be longer than a timer can wait. */
export const timeWindow: Schema<number> = memoize(() => numberFrom(0, undefined, ' of milliseconds'));

/** What a stored value is, for messages. */
interface StoredValue {
  /** Such as `checkpoint`. */
  readonly kind: string;
  /** Where the caller gets one. */
  readonly source: string;
  readonly name?: string;
  readonly endpoint?: string;
}

/** Validates a stored value. Throws a ConfigurationError if it is damaged or has an unknown version. */
export function validateStored<T>(
  schema: Schema<T>,
  stored: unknown,
  { kind, source, name = `the ${kind}`, endpoint }: StoredValue,
): T {
  const fail = (problem: string): never => {
    throw new ConfigurationError(`${name} ${problem}`, { endpoint });
  };
  if (!isRecord(stored)) fail(`must be an object (received ${describeType(stored)}). Pass ${source}`);
  const { version } = Object(stored) as { readonly version?: unknown };
  if (version !== undefined && version !== 1)
    fail(
      `has an unsupported version (received ${describeNumber(version)}, ` +
        `expected 1). Update the package, or pass ${source}`,
    );
  const [issue] = validateRequest(schema(), stored);
  if (issue !== undefined)
    fail(`is damaged: ${formatIssues([issue], 'it')}. Store the complete ${kind} as JSON, and pass it unchanged`);
  return stored as T;
}

/**
 * Returns the statuses of an option as strings. Throws an InvalidRequestError for a status that is not known, because a
 * misspelled one is never reached.
 */
export function resolveStatuses(
  endpoint: string,
  path: string,
  value: unknown,
  known: readonly [string, ...string[]],
): readonly string[] {
  const statuses = withMetadata(array(requestEnum(known)), {
    rule: `must be an array of statuses, such as ['${known[0]}']`,
  });
  const copy = copyAndValidate(endpoint, z.object({ [path]: statuses }), { [path]: value }, 'reject', describeText);
  return Array.from(copy[path] ?? [], String);
}
