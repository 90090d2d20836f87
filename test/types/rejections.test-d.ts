import { describe, expectTypeOf, it } from 'vitest';
import type { Corridor, CorridorError } from 'corridor-sdk';

describe('a call', () => {
  it('accepts an error handler like any promise', () => {
    const handled = (corridor: Corridor) => corridor.crypto.networks().catch((error: CorridorError) => error.outcome);
    expectTypeOf<ReturnType<typeof handled>>().toExtend<Promise<unknown>>();
  });
});
