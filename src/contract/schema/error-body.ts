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

/** Returns the code and the message of an error body in one of the common shapes. Assumed: A-6. */
export function errorIn(body: unknown): { readonly code: string | undefined; readonly message: string | undefined } {
  const outer = Object(body) as Readonly<Record<string, unknown>>;
  const inner = Object(outer['error']) as typeof outer;
  const code = firstString(
    inner['code'],
    outer['code'],
    outer['errorCode'],
    outer['type'],
    typeof outer['message'] === 'string' ? undefined : outer['error'],
    inner['type'],
  );
  const message = firstString(
    inner['message'],
    outer['message'],
    outer['detail'],
    outer['title'],
    outer['error_description'],
    outer['error'],
  );
  return { code, message };
}

function firstString(...values: readonly unknown[]): string | undefined {
  // Frameworks that validate whole forms return an array of messages.
  const candidates = values.map((value) =>
    Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string').join('; ') : value,
  );
  const found = candidates.find(
    (value) => (typeof value === 'string' && value !== '' && value !== 'about:blank') || typeof value === 'number',
  );
  return found === undefined ? undefined : String(found);
}
