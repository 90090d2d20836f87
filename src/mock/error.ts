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
