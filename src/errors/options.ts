import { describeNumber } from '../contract/describe.js';
import { formatIssues } from '../contract/issue.js';
import { matchesSchema } from '../contract/predicate.js';
import type { Schema } from '../contract/schema/schema.js';
import { validateRequest } from '../contract/violations.js';
import { ConfigurationError } from './api.js';

/**
 * Throws a ConfigurationError if options violate their schema, which must have all of them: others are not ignored.
 * `name` is that of the options in the message, such as `the options of a call`.
 */
export function requireOptions<T>(schema: Schema<T>, options: unknown, name: string): asserts options is T {
  if (matchesSchema(schema(), options)) return;
  throw new ConfigurationError(formatIssues(validateRequest(schema(), options, describeNumber), name));
}
