import type { Issue } from '../error.js';
import { text } from './field.js';
import { lazily, list, optional, record, type Schema } from './schema.js';

/** What the body of a refusal tells. Any field may be absent, and others may stand beside them or in their place. */
export interface ErrorBody {
  /** What is wrong, for programs. */
  readonly code?: string;
  /** What is wrong, for people. */
  readonly message?: string;
  /** Which fields are wrong. */
  readonly issues?: readonly Issue[];
}

/** The body of a refusal. Assumed: A-6. */
export const errorBody: Schema<ErrorBody> = lazily(() =>
  record<ErrorBody>({ code: optional(text()), message: optional(text()), issues: optional(list(record<Issue>({ path: text(), message: text() }))) }),
);
