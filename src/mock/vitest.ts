import { expect } from 'vitest';
import { corridorMatchers, type CorridorMatchers } from './matchers.js';

export type { CorridorMatchers } from './matchers.js';

declare global {
  namespace Chai {
    // Vitest's `Assertion` extends this interface in all supported versions.
    interface Assertion extends CorridorMatchers {}
  }
}

// Importing this module adds the matchers to vitest's `expect`.
expect.extend(corridorMatchers);
