import { corridorMatchers, createMockPlatform } from 'corridor-sdk/mock';
import 'corridor-sdk/mock/vitest';
import { describe, expect, test } from 'vitest';
import { failure } from './expectation.ts';

describe('an expectation that can never pass, or never fail,', () => {
  const platform = createMockPlatform();
  const wrong: readonly (readonly [title: string, expectation: () => void, message: string])[] = [
    [
      'of a value that is not a platform',
      () => expect(42).not.toHaveReceived('payments.list'),
      'toHaveReceived: the value must be a mock platform or one of its organizations',
    ],
    [
      'of undefined',
      () => expect(undefined).toHaveRejected(),
      'toHaveRejected: the value must be a mock platform or one of its organizations',
    ],
    [
      'of the records of a platform',
      () => expect(platform.payments).toHaveCreatedExactly(0, 'payments'),
      'toHaveCreatedExactly: the value must be a mock platform or one of its organizations',
    ],
    [
      'of an unknown endpoint',
      // @ts-expect-error The endpoint is unknown.
      () => expect(platform).not.toHaveReceived('payment.create'),
      'toHaveReceived: endpoint must be one of payments.create, payments.list, ',
    ],
    [
      'of a rejection by an unknown endpoint',
      // @ts-expect-error The endpoint is unknown.
      () => expect(platform).not.toHaveRejected('payment.create'),
      'toHaveRejected: endpoint must be one of payments.create, ',
    ],
    [
      'of an unknown field',
      // @ts-expect-error The field is unknown.
      () => expect(platform).not.toHaveReceived('customers.list', { state: 'APPROVED' }),
      'toHaveReceived: state is not a known field (known: status, limit, cursor, headers, body)',
    ],
    [
      'of a field of an endpoint without fields',
      // @ts-expect-error The field is unknown.
      () => expect(platform).not.toHaveReceived('crypto.networks', { limit: 1 }),
      'toHaveReceived: limit is not a known field (known: headers, body)',
    ],
    [
      'of null instead of fields',
      // @ts-expect-error The fields must be an object.
      () => expect(platform).not.toHaveReceived('crypto.networks', null),
      'toHaveReceived: the expected fields must be an object',
    ],
    [
      'of a kind that requests do not create',
      // @ts-expect-error The kind is unknown.
      () => expect(platform).toHaveCreatedExactly(0, 'customers'),
      'toHaveCreatedExactly: kind must be one of payments, replies (received "customers")',
    ],
    [
      'of a fraction',
      () => expect(platform).toHaveCreatedExactly(0.5, 'payments'),
      'toHaveCreatedExactly: the first argument must be an integer of at least 0 (received 0.5)',
    ],
    [
      'of a negative number',
      () => expect(platform).not.toHaveReceivedTimes(-1, 'payments.list'),
      'toHaveReceivedTimes: the first argument must be an integer of at least 0 (received -1)',
    ],
    [
      'of no requests in order',
      () => expect(platform).toHaveReceivedInOrder([]),
      "toHaveReceivedInOrder: the first argument must be an array of endpoints such as ['payments.create', ",
    ],
    [
      'of an unknown field of a step',
      // @ts-expect-error The field is unknown.
      () => expect(platform).not.toHaveReceivedInOrder([['payments.create', { state: 1 }]]),
      'toHaveReceivedInOrder: state is not a known field (known: ',
    ],
    [
      'of the faults of something else',
      () => expect({}).toHaveTriggeredAllFaults(),
      'toHaveTriggeredAllFaults: the value must be a mock platform or one of its organizations',
    ],
  ];

  test.each(wrong)('%s, throws', (_, expectation, message) => {
    const [line = ''] = failure(expectation);
    expect(line.slice(0, message.length)).toBe(message);
  });
});

test('the matchers are plain functions that work with the expect.extend of any test runner', () => {
  const platform = createMockPlatform({ seed: 'jest' });
  const utils = { printExpected: String, printReceived: String };
  const context = { equals: Object.is, utils, isNot: false };
  const { pass, message } = corridorMatchers.toHaveReceived.call(context, platform, 'payments.list');
  expect(pass).toBe(false);
  expect(message()).toContain('Seed: jest');
});
