import type { CorridorError } from 'corridor-sdk';
import { expect } from 'vitest';

/** Returns the error that a call rejects with; fails the test if it does not reject. */
export async function failureOf(call: PromiseLike<unknown>): Promise<CorridorError> {
  try {
    await call;
  } catch (error) {
    return error as CorridorError;
  }
  return expect.unreachable('the call should fail');
}
