import type { ApiError } from 'corridor-sdk';
import type { MockPlatform, MockPlatformOptions } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment, platformAtStart, start } from './fixture.ts';
import { call } from './sign.ts';

/** Returns the code of the error of a call, or the status of the payment. */
const resultOf = (payment: PromiseLike<{ readonly status: string }>): PromiseLike<string> =>
  payment.then(
    ({ status }) => status,
    (error: ApiError) => `${error.status} ${error.platformCode}`,
  );

describe('parties', () => {
  test.each<[MockPlatformOptions, string[]]>([
    [{}, ['422 customer_not_approved', '422 beneficiary_not_approved']],
    [{ parties: 'any' }, ['PENDING_REVIEW', 'PENDING_REVIEW']],
  ])('%j', async (options, expected) => {
    const platform = platformAtStart(options);
    const [first, second] = [payablePayment(platform), payablePayment(platform)];
    platform.customers.update(first.customerId, { status: 'SUSPENDED' });
    platform.beneficiaries.update(second.beneficiaryId, { status: 'PENDING_REVIEW' });
    const { payments } = clientOf(platform);
    expect([await resultOf(payments.create(first)), await resultOf(payments.create(second))]).toEqual(expected);
  });
});

describe('ownership', () => {
  const foreign = ['beneficiaryId', 'paymentQuoteId', 'documentIds'] as const;

  test.each<[MockPlatformOptions, string[]]>([
    [{}, ['422 beneficiary_not_found', '422 quote_not_found', '422 document_not_found']],
    [{ ownership: 'organization' }, ['PENDING_REVIEW', 'PENDING_REVIEW', 'PENDING_REVIEW']],
  ])('%j', async (options, expected) => {
    const platform = platformAtStart(options);
    const results: string[] = [];
    for (const field of foreign) {
      const [own, other] = [payablePayment(platform), payablePayment(platform)];
      results.push(await resultOf(clientOf(platform).payments.create({ ...own, [field]: other[field] })));
    }
    expect(results).toEqual(expected);
  });

  test('never includes records of another organization', async () => {
    const platform = platformAtStart({ ownership: 'organization' });
    const { paymentQuoteId } = payablePayment(platform.organization());
    const payment = clientOf(platform).payments.create({ ...payablePayment(platform), paymentQuoteId });
    expect(await resultOf(payment)).toBe('422 quote_not_found');
  });
});

describe('paymentHold', () => {
  function heldPayment(platform: MockPlatform): { params: ReturnType<typeof payablePayment>; lift: () => void } {
    const params = payablePayment(platform);
    const { id, screening } = platform.persons.add({ customerId: params.customerId });
    return { params, lift: () => platform.persons.clearMatch(id, screening.openMatches[0]?.matchId ?? '') };
  }

  test('none lets a payment of a customer with a hold proceed', async () => {
    const platform = platformAtStart();
    const { id } = await clientOf(platform).payments.create(heldPayment(platform).params);
    expect(platform.payments.transition(id, 'APPROVED').status).toBe('APPROVED');
  });

  test('reject rejects the payment until the hold is lifted', async () => {
    const platform = platformAtStart({ paymentHold: 'reject' });
    const { params, lift } = heldPayment(platform);
    const { payments } = clientOf(platform);
    expect(await resultOf(payments.create(params))).toBe('422 payment_held');
    lift();
    expect(await resultOf(payments.create(params))).toBe('PENDING_REVIEW');
  });

  test('review keeps the payment in PENDING_REVIEW until the hold is lifted', async () => {
    const platform = platformAtStart({ paymentHold: 'review' });
    const { params, lift } = heldPayment(platform);
    const { id } = await clientOf(platform).payments.create(params);
    expect(() => platform.payments.transition(id, 'APPROVED')).toThrow(
      'payments.transition: a person of the customer has a payment hold, so the payment cannot become APPROVED.',
    );
    lift();
    expect(platform.payments.transition(id, 'APPROVED').status).toBe('APPROVED');
  });

  test('review postpones scheduled transitions by the clock, however long it was held', async () => {
    const platform = platformAtStart({ paymentHold: 'review' });
    platform.payments.scheduleTransitionsOnCreate(['APPROVED', 'PROCESSING'], { every: { seconds: 1 } });
    const { params, lift } = heldPayment(platform);
    const { id } = await clientOf(platform).payments.create(params);
    platform.clock.advance({ days: 3650 });
    expect(platform.payments.get(id)?.status).toBe('PENDING_REVIEW');
    lift();
    platform.clock.advance({ seconds: 1 });
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
    platform.clock.advance({ seconds: 1 });
    expect(platform.payments.get(id)?.status).toBe('PROCESSING');
  });
});

describe('unknownFields', () => {
  async function responses(options: MockPlatformOptions): Promise<number[]> {
    const platform = platformAtStart(options);
    const json = { ...payablePayment(platform), colour: 'red' };
    const requests = [
      { method: 'POST', path: '/api/v1/payment', json },
      { path: '/api/v1/payment?colour=red' },
      { path: '/api/v1/crypto/networks?colour=red' },
    ];
    return Promise.all(requests.map(async (request) => (await call(platform.clientOptions(), request)).status));
  }

  test('are rejected by default', async () => {
    expect(await responses({})).toEqual([400, 400, 400]);
  });

  test('can be ignored', async () => {
    expect(await responses({ unknownFields: 'ignore' })).toEqual([201, 200, 200]);
  });
});

describe('errorStatuses', () => {
  test('are those of the error responses, and of the log', async () => {
    const platform = platformAtStart({
      errorStatuses: { customer_not_found: 404, not_found: 410 },
      errorBody: 'problem+json',
    });
    const { payments, customers } = clientOf(platform);
    const payment = { ...payablePayment(platform), customerId: 'cus_0' };
    expect(await resultOf(payments.create(payment))).toBe('404 customer_not_found');
    expect(await resultOf(customers.get('cus_0'))).toBe('410 not_found');
    expect(platform.requests.map(({ status, error }) => [status, error?.status])).toEqual([
      [404, 404],
      [410, 410],
    ]);
  });

  test('of invalid requests can be changed while the platform runs, and are reset', async () => {
    const platform = platformAtStart();
    const statusOf = async (): Promise<number> =>
      (await call(platform.clientOptions(), { method: 'POST', path: '/api/v1/payment', json: {} })).status;
    platform.configure({ errorStatuses: { invalid_body: 422 } });
    expect(await statusOf()).toBe(422);
    platform.reset();
    expect(await statusOf()).toBe(400);
  });

  test.each([
    [{ invalid_body: 200 }, 'errorStatuses.invalid_body must be an integer from 400 to 499 (received 200)'],
    [{ bad_signature: 400 }, 'errorStatuses.bad_signature is not a known field (known: invalid_query, '],
    [422, 'errorStatuses must be an object of statuses by error code, such as { invalid_body: 422 }'],
  ])('%j is rejected', (errorStatuses, message) => {
    expect(() => platformAtStart({ errorStatuses: errorStatuses as never })).toThrow(message);
  });
});

describe('receipts', () => {
  const receiptsOf = (platform: MockPlatform): boolean[] =>
    (['PROCESSING', 'COMPLETED', 'RETURNED'] as const).map(
      (status) => platform.payments.add({ status }).receiptUrl !== null,
    );

  test('exist in the configured statuses', () => {
    expect(receiptsOf(platformAtStart())).toEqual([false, true, true]);
    expect(receiptsOf(platformAtStart({ receiptStatuses: ['PROCESSING'] }))).toEqual([true, false, false]);
    expect(receiptsOf(platformAtStart({ receiptStatuses: [] }))).toEqual([false, false, false]);
  });

  test('expire after the configured lifetime, by default never', async () => {
    const statusAfter = async (options: MockPlatformOptions, days: number): Promise<number> => {
      const platform = platformAtStart(options);
      const { receiptUrl } = platform.payments.add({ status: 'COMPLETED' });
      platform.clock.advance({ days });
      return (await platform.fetch(receiptUrl ?? '')).status;
    };
    expect(await statusAfter({}, 3650)).toBe(200);
    expect(await statusAfter({ receiptLifetime: 86_400 }, 0.5)).toBe(200);
    expect(await statusAfter({ receiptLifetime: 86_400 }, 1)).toBe(403);
  });
});

test('createdStatus is the status of payments that requests create', async () => {
  const platform = platformAtStart({ createdStatus: 'APPROVED' });
  platform.payments.scheduleTransitionsOnCreate(['PROCESSING'], { every: { hours: 1 } });
  const { id } = await clientOf(platform).payments.create(payablePayment(platform));
  expect(platform.payments.get(id)).toMatchObject({ status: 'APPROVED', createdAt: start });
  expect(platform.payments.add().status).toBe('PENDING_REVIEW');
  platform.clock.advance({ hours: 1 });
  expect(platform.payments.get(id)?.status).toBe('PROCESSING');
});
