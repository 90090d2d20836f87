import { endpointNames, isEndpointName, type EndpointName } from '../contract/endpoints.js';
import { custom } from '../contract/options.js';
import { memoize, type Schema } from '../contract/schema/schema.js';
import { formatIssues } from '../contract/issue.js';
import { validateRequest, describeValue } from '../contract/validate.js';
import { MockPlatformError } from './error.js';

/**
 * Throws `MockPlatformError` if the input of a call violates its schema. The message lists the invalid fields, the values
 * they received and what they expect; `name` is that of the whole input.
 */
export function requireValid<T>(call: string, schema: Schema<T>, input: unknown, name: string): asserts input is T {
  const issues = validateRequest(schema(), input, describeValue);
  if (issues.length > 0) throw new MockPlatformError(`${call}: ${formatIssues(issues, name)}`);
}

/** The name of an endpoint. */
export const endpointName: Schema<EndpointName> = memoize(() =>
  custom(isEndpointName, { rule: `must be one of ${endpointNames.join(', ')}` }),
);

/** Throws `MockPlatformError` if an endpoint is unknown: a search for its requests would never find any. */
export function requireEndpoint(call: string, endpoint: EndpointName): void {
  requireValid(call, endpointName, endpoint, 'endpoint');
}
