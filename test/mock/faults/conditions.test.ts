import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment, platformAtStart, start } from '../fixture.ts';
import { busy } from './busy.ts';

const statusOf = (call: PromiseLike<unknown>): PromiseLike<number> =>
  call.then(
    () => 200,
    (error: { status?: number }) => error.status ?? 0,
  );

describe('a fault with a condition applies only to requests', () => {
  test('with these fields of the body', async () => {
    const platform = platformAtStart();
    const [small, large] = ['5.00', '9000.00'].map((amount) => platform.payments.createParams({ amount }));
    platform.faults.always('payments.create', busy, { when: { amount: '9000.00' } });
    expect(await statusOf(clientOf(platform).payments.create(small!))).toBe(200);
    expect(await statusOf(clientOf(platform).payments.create(large!))).toBe(503);
    expect(platform.faults.list()).toMatchObject([{ when: { amount: '9000.00' }, hits: 1 }]);
  });

  test('with an array that has the same elements', async () => {
    const platform = platformAtStart();
    const [one, two] = [payablePayment(platform), payablePayment(platform)];
    platform.faults.next('payments.create', busy, { when: { documentIds: [...two.documentIds] } });
    expect(await statusOf(clientOf(platform).payments.create(one))).toBe(200);
    expect(await statusOf(clientOf(platform).payments.create(two))).toBe(503);
  });

  test('with these ids in the path and filters, in any dialect', async () => {
    const dialect = { filterNames: { limit: 'page_size' } };
    const platform = createMockPlatform({ dialect });
    const [{ id }, other] = [platform.customers.add(), platform.customers.add()];
    platform.faults.always('customers.get', busy, { when: { id } });
    platform.faults.always('payments.list', busy, { when: { limit: 7, createdFrom: start } });
    const { customers, payments } = new Corridor({ ...platform.clientOptions(), dialect, maxRetries: 0 });
    expect(await statusOf(customers.get(other.id))).toBe(200);
    expect(await statusOf(customers.get(id))).toBe(503);
    expect(await statusOf(payments.list({ limit: 7 }))).toBe(200);
    expect(await statusOf(payments.list({ limit: 7, createdFrom: start }))).toBe(503);
  });

  test('of any endpoint with this field, for the star', async () => {
    const platform = platformAtStart();
    const { customerId, ...payment } = payablePayment(platform);
    platform.faults.always('*', busy, { when: { customerId } });
    expect(await statusOf(clientOf(platform).crypto.networks())).toBe(200);
    expect(await statusOf(clientOf(platform).payments.create({ customerId, ...payment }))).toBe(503);
    expect(await statusOf(clientOf(platform).customers.beneficiaries(customerId))).toBe(503);
  });

  test('for which a function returns true, once for each request', async () => {
    const platform = createMockPlatform();
    let count = 0;
    platform.faults.always('crypto.networks', busy, {
      when: ({ claims }) => (count += 1) === 3 && claims !== undefined,
    });
    const { crypto } = clientOf(platform);
    const seen = [
      await statusOf(crypto.networks()),
      await statusOf(crypto.networks()),
      await statusOf(crypto.networks()),
    ];
    expect(seen).toEqual([200, 200, 503]);
    expect(platform.faults.list()[0]?.when).toBeTypeOf('function');
  });

  test('in the order of a sequence, which others do not advance', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('payments.list', ['ok', busy], { when: { limit: 1 } });
    platform.faults.next('payments.list', { kind: 'status', status: 500 });
    const { payments } = clientOf(platform);
    const seen: number[] = [];
    for (const limit of [1, 2, 1, 2]) seen.push(await statusOf(payments.list({ limit })));
    expect(seen).toEqual([200, 500, 503, 200]);
  });

  test('for a number of times', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.list', busy, { when: { limit: 1 }, times: 2 });
    const { payments } = clientOf(platform);
    const seen: number[] = [];
    for (const limit of [1, 2, 1, 1]) seen.push(await statusOf(payments.list({ limit })));
    expect(seen).toEqual([503, 200, 503, 200]);
  });

  test('even if it is a clock skew, which applies before validation', async () => {
    const platform = createMockPlatform();
    platform.faults.always('customers.get', { kind: 'clock-skew', seconds: 900 }, { when: { id: 'cus_1' } });
    expect(await statusOf(clientOf(platform).customers.get('cus_2'))).toBe(404);
    await statusOf(clientOf(platform).customers.get('cus_1'));
    expect(platform.requests.map(({ error }) => error?.code)).toEqual(['not_found', 'token_expired', 'not_found']);
  });
});

test('a condition that replaces the faults leaves the new ones planned', async () => {
  const platform = createMockPlatform();
  const when = (): boolean => {
    platform.faults.clear();
    platform.faults.next('payments.list', busy);
    return true;
  };
  platform.faults.next('crypto.networks', busy, { when });
  expect(await statusOf(clientOf(platform).crypto.networks())).toBe(503);
  expect(platform.faults.list()).toMatchObject([{ endpoint: 'payments.list', remaining: 1, hits: 0 }]);
});

test('an option cannot replace the endpoint or the fault', () => {
  const { faults } = createMockPlatform();
  faults.always('crypto.networks', busy, { endpoint: '*', fault: { kind: 'hang' } } as never);
  expect(faults.list()).toMatchObject([{ endpoint: 'crypto.networks', fault: busy }]);
});

test('a condition survives a snapshot', async () => {
  const platform = createMockPlatform();
  platform.faults.next('payments.list', busy, { when: { limit: 1 } });
  const snapshot = JSON.parse(JSON.stringify(platform.snapshot())) as ReturnType<MockPlatform['snapshot']>;
  platform.reset();
  platform.restore(snapshot);
  expect(await statusOf(clientOf(platform).payments.list({ limit: 2 }))).toBe(200);
  expect(await statusOf(clientOf(platform).payments.list({ limit: 1 }))).toBe(503);
});

test('a snapshot cannot contain a function that is still needed', async () => {
  const platform = createMockPlatform();
  platform.faults.next('crypto.networks', busy, { when: () => true });
  expect(() => platform.snapshot()).toThrow(
    'snapshot: the condition of fault_1 is a function, which JSON cannot represent. Remove it with faults.remove, or use fields',
  );
  await statusOf(clientOf(platform).crypto.networks());
  expect(platform.snapshot()).toHaveProperty('organizations.0.faults.faults', [
    expect.not.objectContaining({ when: expect.anything() }),
  ]);
});

describe('a condition is rejected', () => {
  test.each<[object, string]>([
    [{ amuont: '5.00' }, 'faults.next: when.amuont is not a known field (known: '],
    [{ amount: 5 }, 'faults.next: when.amount must be a decimal string'],
    [{ amount: undefined }, 'faults.next: when.amount is required: it must be a decimal string'],
    [{ currencyCode: 'XYZ' }, 'faults.next: when.currencyCode must be one of'],
    [{ documentIds: 'doc_1' }, 'faults.next: when.documentIds must be an array'],
    [[], 'faults.next: when must be an object of fields of the request'],
  ])('%j', (when, message) => {
    const { faults } = createMockPlatform();
    expect(() => faults.next('payments.create', busy, { when: when as never })).toThrow(MockPlatformError);
    expect(() => faults.next('payments.create', busy, { when: when as never })).toThrow(message);
    expect(faults.list()).toEqual([]);
  });

  test('for the star, if no endpoint has the field or the value', () => {
    const { faults } = createMockPlatform();
    faults.always('*', busy, { when: { status: 'SUSPENDED' } });
    expect(() => faults.always('*', busy, { when: { status: 'HELD' } })).toThrow(
      'faults.always: when.status must be one of PENDING_REVIEW',
    );
    expect(() => faults.always('*', busy, { when: { state: 1 } })).toThrow('when.state is not a known field');
  });

  test('with an unknown option', () => {
    const { faults } = createMockPlatform();
    expect(() => faults.always('*', busy, { where: {} } as never)).toThrow(
      'faults.always: where is not a known field (known: endpoint, fault, duration, after, when)',
    );
  });

  test.each<[() => unknown, string]>([
    [() => 1, 'faults: the condition of fault_1 must return true or false (received number)'],
    [() => Promise.resolve(true), 'faults: the condition of fault_1 must return true or false (received Promise)'],
    [
      () => {
        throw new Error('no such field');
      },
      'faults: the condition of fault_1 threw an error: Error: no such field',
    ],
  ])('when a request reaches it: %s', async (when, message) => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy, { when: when as () => boolean });
    await expect(clientOf(platform).crypto.networks()).rejects.toThrow(message);
    expect(platform.requests[0]?.error).toMatchObject({ code: 'mock_failure' });
  });
});
