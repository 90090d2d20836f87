import { expect } from 'vitest';
import { corridorMatchers, type CorridorMatchers } from './matchers.js';

export type { CorridorMatchers } from './matchers.js';

declare global {
  namespace Chai {
    // What vitest's own `Assertion` is built from, by the same name in all of its versions.
    interface Assertion extends CorridorMatchers {}
  }
}

/** Imported for what it does: it adds the matchers to vitest's `expect`. */
expect.extend(corridorMatchers);
