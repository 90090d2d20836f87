import { defaultErrorStatuses, type ConfigurableErrorCode } from '../base/error-statuses.js';
import type { Issue } from '../../contract/issue.js';

/** Thrown anywhere in the pipeline to reject a request; `handleRequest` converts it to an error response. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly Issue[];
  /** The headers that its response has besides those of all errors. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    issues: readonly Issue[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.headers = headers;
  }
}

/** Throws an error with its default status. */
export function reject(code: ConfigurableErrorCode, message: string, issues?: readonly Issue[]): never {
  throw new HttpError(defaultErrorStatuses[code], code, message, issues);
}

/**
 * Throws the error of a missing record. A record of another organization gets the same response as one that does not
 * exist.
 */
export function notFound(kind: string, id: string): never {
  reject('not_found', `there is no such ${kind}: ${id}`);
}
