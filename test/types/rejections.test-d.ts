import { describe, expectTypeOf, it } from 'vitest';
import type { Corridor, CorridorError } from 'corridor-sdk';

describe('a call', () => {
  it('takes a handler of our errors, as any promise does', () => {
    const handled = (corridor: Corridor) => corridor.crypto.networks().catch((error: CorridorError) => error.outcome);
    expectTypeOf<ReturnType<typeof handled>>().toExtend<Promise<unknown>>();
  });
});
