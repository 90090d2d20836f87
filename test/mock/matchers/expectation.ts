import 'corridor-sdk/mock/vitest';
import { stripVTControlCharacters } from 'node:util';

/** Returns the message of a failing expectation, without colors. */
export function failure(expectation: () => void): string[] {
  try {
    expectation();
  } catch (error) {
    return stripVTControlCharacters(error instanceof Error ? error.message : String(error)).split('\n');
  }
  throw new Error('the expectation held');
}

/** Sends a request and ignores the error. */
export const ignoreError = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(undefined, (error: unknown) => error);
