import { SigningError } from '../errors/api.js';

// What may pass, so that another attempt or a later poll can succeed.

const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
// Those of a method, a protocol or a network that will not work later either.
const permanentServerErrors: ReadonlySet<number> = new Set([501, 505, 506, 508, 510, 511]);

/** Returns whether a status may pass, so that reads and deletions are retried: also 520 to 530 of content networks. */
export function isTransientStatus(status: number): boolean {
  return transientStatuses.has(status) || (status >= 500 && !permanentServerErrors.has(status));
}

/** A signing error that another attempt may not have, such as a KMS that limits the rate of its requests. */
export class TransientSigningError extends SigningError {}

// Names, codes and statuses of HTTP clients and those of AWS, Google Cloud and Azure. AWS KMS limits its rate with
// status 400; the numbers up to 14 are gRPC's DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL and UNAVAILABLE.
const transientServiceErrors =
  /^(TimeoutError|ThrottlingException|TooManyRequestsException|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT|408|429|50[0234]|4|8|10|13|14)$/;

/** Returns whether an error of the client of a service, such as a KMS, may pass. */
export function isTransientServiceError(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 3) return false;
  const { name, code, status, statusCode, $retryable, $metadata, cause } = error as Readonly<Record<string, unknown>>;
  const { httpStatusCode } = Object($metadata) as { readonly httpStatusCode?: unknown };
  return (
    $retryable !== undefined ||
    [name, code, status, statusCode, httpStatusCode].some(
      (each) => (typeof each === 'string' || typeof each === 'number') && transientServiceErrors.test(String(each)),
    ) ||
    isTransientServiceError(cause, depth + 1)
  );
}
