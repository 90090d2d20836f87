/**
 * A misuse of the mock platform in a test: a record that breaks the contract, a status change that its table does not allow,
 * a snapshot of something else. The mock's answers to requests are never thrown; this is for whoever writes the test.
 */
export class MockPlatformError extends Error {
  /** Always `MockPlatformError`. */
  override readonly name = 'MockPlatformError';
}
