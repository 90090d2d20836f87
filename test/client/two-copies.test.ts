import { expect, test, vi } from 'vitest';
import * as sdk from 'corridor-sdk';
import { Corridor, CorridorError } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../support/failure-of.ts';

test('instanceof holds across two copies of the package', async () => {
  vi.resetModules();
  const other = await import('corridor-sdk');
  expect(other.CorridorError).not.toBe(CorridorError);
  const platform = createMockPlatform();
  const theirs = await failureOf(new other.Corridor(platform.clientOptions()).customers.get('cus_none'));
  const ours = await failureOf(new Corridor(platform.clientOptions()).customers.get('cus_none'));
  for (const error of [theirs, ours]) {
    for (const copy of [sdk, other]) {
      expect(
        [copy.NotFoundError, copy.ApiError, copy.CorridorError].every((errorClass) => error instanceof errorClass),
      ).toBe(true);
      expect(
        [copy.ConflictError, copy.ServerError, copy.ConfigurationError, copy.TimeoutError].some(
          (errorClass) => error instanceof errorClass,
        ),
      ).toBe(false);
    }
  }
  expect(theirs).toBeInstanceOf(Error);
});
