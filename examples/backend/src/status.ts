import type { CorridorError, ErrorCode } from 'corridor-sdk';

// Partial, because a later version of the package can have more codes.
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  'invalid-request': 400,
  'bad-request': 400,
  'not-found': 404,
  'unprocessable-entity': 422,
  // A person must decide.
  conflict: 409,
  'payment-mismatch': 409,
  'duplicate-payment': 409,
  // The setup of this backend is the cause: 401 and 403 would blame the caller.
  configuration: 500,
  signing: 500,
  authentication: 500,
  permission: 500,
  api: 502,
  server: 502,
  connection: 502,
  'invalid-response': 502,
  pagination: 502,
  // Nothing was processed: the caller can retry.
  'rate-limit': 503,
  journal: 503,
  mirror: 503,
  timeout: 504,
  aborted: 504,
  'wait-timeout': 504,
  // The payment may exist: the caller must ask for it, and not pay again.
  'payment-outcome-unknown': 202,
};

/** Returns the status with which this backend responds if a call of the SDK fails. */
export function statusOf({ code, outcome, intent }: CorridorError): number {
  const status = statuses[code] ?? 500;
  const mayExist = intent !== undefined && (outcome === 'unknown' || outcome === 'applied');
  if (mayExist && status !== 409) return 202;
  return outcome === 'not-sent' && status > 500 ? 503 : status;
}
