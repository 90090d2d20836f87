import { CorridorError, type ErrorCode } from './api.js';

const statuses: Readonly<Record<ErrorCode, number>> = {
  'invalid-request': 400,
  'bad-request': 400,
  'not-found': 404,
  conflict: 409,
  'payment-mismatch': 409,
  'duplicate-payment': 409,
  'unprocessable-entity': 422,
  configuration: 500,
  signing: 500,
  authentication: 500,
  permission: 500,
  api: 502,
  server: 502,
  connection: 502,
  'invalid-response': 502,
  pagination: 502,
  'rate-limit': 503,
  journal: 503,
  'lease-lost': 503,
  timeout: 504,
  aborted: 504,
  'wait-timeout': 504,
  'payment-outcome-unknown': 202,
};

const networkCodes: ReadonlySet<ErrorCode> = new Set(['connection', 'timeout', 'aborted']);

/**
 * Returns the HTTP status with which your own API can respond to its caller if a call of this SDK fails: 202 if the
 * payment may exist, so that nobody pays again; 503 if a retry is safe and may succeed; 500 if your credentials or your
 * configuration are the cause, which is never 401 or 403, because those would blame your caller. Any other value than
 * an error of this SDK is 500.
 *
 * @example
 * ```ts
 * import { Corridor, httpStatusFor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * const error = await corridor.customers.get('cus_0').catch((reason: unknown) => reason);
 * console.log(httpStatusFor(error)); // 404
 * ```
 */
export function httpStatusFor(error: unknown): number {
  if (!(error instanceof CorridorError)) return 500;
  const { code, outcome, intent } = error;
  const status = statuses[code] ?? 500;
  // A conflict needs a decision, so it stays 409 although the payment exists.
  if (intent !== undefined && (outcome === 'unknown' || outcome === 'applied') && status !== 409) return 202;
  return outcome === 'not-sent' && networkCodes.has(code) ? 503 : status;
}
