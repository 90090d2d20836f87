import type { CorridorError } from 'corridor-sdk';
import { expect } from 'vitest';

/** Returns the error that a call rejects with; fails the test if it does not reject, or with another class. */
export async function failureOf<E = CorridorError>(
  call: PromiseLike<unknown>,
  errorClass?: abstract new (...given: never) => E,
): Promise<E> {
  try {
    await call;
  } catch (error) {
    if (errorClass !== undefined) expect(error).toBeInstanceOf(errorClass);
    return error as E;
  }
  return expect.unreachable('the call should fail');
}
