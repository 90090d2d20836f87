import { CorridorError, SigningError } from '../../errors/api.js';

/** A signing error that another attempt may not have, such as a KMS that limits the rate of its requests. */
export class TransientSigningError extends SigningError {}

/**
 * Creates the error of a user-supplied function. It contains only the name of what the function threw: the message of a
 * KMS client may contain its credentials.
 */
export function signingError(option: string, error: unknown): CorridorError {
  if (error instanceof CorridorError) return error;
  const name = error instanceof Error ? error.name : typeof error;
  const problem = `the token could not be signed: ${option} threw ${/^\w{1,60}$/.test(name) ? name : 'an error'}`;
  return option !== 'claims' && isTransient(error)
    ? new TransientSigningError(`${problem}, which may pass. Check the service behind ${option}`)
    : new SigningError(`${problem}. Fix the function that is passed as ${option}`);
}

// AWS KMS limits its rate with status 400.
const transientNames: ReadonlySet<unknown> = new Set([
  'TimeoutError',
  'ThrottlingException',
  'TooManyRequestsException',
]);
const transientStatuses: ReadonlySet<unknown> = new Set([408, 429, 500, 502, 503, 504]);
const transientCodes: ReadonlySet<unknown> = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  // Of gRPC, which Google Cloud uses: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE.
  4,
  8,
  10,
  13,
  14,
]);

/** The properties with which HTTP clients and those of AWS, Google Cloud and Azure describe an error. */
interface DescribedError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly $retryable?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown } | undefined;
  readonly cause?: unknown;
}

function isTransient(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 3) return false;
  const { name, code, status, statusCode, $retryable, $metadata, cause } = error as DescribedError;
  return (
    transientNames.has(name) ||
    $retryable !== undefined ||
    transientCodes.has(code) ||
    [status, statusCode, $metadata?.httpStatusCode].some((each) => transientStatuses.has(each)) ||
    isTransient(cause, depth + 1)
  );
}
