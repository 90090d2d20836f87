import type { MockPlatformOptions } from './options.js';
import { MockPlatform } from './platform.js';

/**
 * Creates a mock platform. Does not patch globals or start a server, and generates keys on first use only. Throws
 * `MockPlatformError` if an option is invalid.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform({ seed: 1 });
 * const corridor = new Corridor(platform.clientOptions());
 * platform.payments.addMany(3);
 * const page = await corridor.payments.list();
 * ```
 */
export function createMockPlatform(options: MockPlatformOptions = {}): MockPlatform {
  return new MockPlatform(options);
}
