import { endpointNames, isEndpointName, type EndpointName } from '../../contract/endpoints.js';
import { custom } from '../../contract/option-schemas.js';
import { memoize, type Schema } from '../../contract/schema/schema.js';
import { formatIssues } from '../../contract/issue.js';
import { validateRequest } from '../../contract/violations.js';
import { describeValue } from '../../contract/describe.js';

const brand = Symbol.for('corridor-sdk.mock-error');

/**
 * Thrown when a test uses the mock platform incorrectly: for example, a record that violates the contract, a status
 * transition that is not allowed, or a snapshot of another platform. The mock's HTTP error responses are never thrown
 * as this error.
 */
export class MockPlatformError extends Error {
  /** Always `MockPlatformError`. */
  override readonly name = 'MockPlatformError';
  /** Identifies errors of a mock across copies of the package. @internal */
  readonly [brand] = true;

  /**
   * Returns whether a value is an error of a mock. Works across copies of the package: each CommonJS entry contains its
   * own copy.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== MockPlatformError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/**
 * Throws `MockPlatformError` if the input of a call violates its schema. The message lists the invalid fields, the
 * values they received and what they expect; `name` is that of the whole input.
 */
export function requireValid<T>(call: string, schema: Schema<T>, input: unknown, name: string): asserts input is T {
  const issues = validateRequest(schema(), input, describeValue);
  if (issues.length > 0) throw new MockPlatformError(`${call}: ${formatIssues(issues, name)}`);
}

/** The name of an endpoint. */
const endpointName: Schema<EndpointName> = memoize(() =>
  custom(isEndpointName, { rule: `must be one of ${endpointNames.join(', ')}` }),
);

/** Throws `MockPlatformError` if an endpoint is unknown: a search for its requests would never find any. */
export function requireEndpoint(call: string, endpoint: EndpointName): void {
  requireValid(call, endpointName, endpoint, 'endpoint');
}
