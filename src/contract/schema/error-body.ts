import type { Issue } from '../issue.js';
import { string, memoize, array, optional, strictObject, type Schema } from './schema.js';

/** The body of an error response. Any field may be absent, and there may be others. */
export interface ErrorBody {
  /** The error code. */
  readonly code?: string;
  /** The error message. */
  readonly message?: string;
  /** The invalid fields. */
  readonly issues?: readonly Issue[];
}

/** The body of an error response. Assumed: A-6. */
export const errorBody: Schema<ErrorBody> = memoize(() =>
  strictObject<ErrorBody>({
    code: optional(string()),
    message: optional(string()),
    issues: optional(array(strictObject<Issue>({ path: string(), message: string() }))),
  }),
);
