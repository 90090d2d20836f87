import { readFileSync } from 'node:fs';
import { Corridor, CorridorError, httpStatusFor, type ErrorCode, type PaymentCreateParams } from 'corridor-sdk';
import { createMockPlatform, type MockFault, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';

function payable(platform: MockPlatform): PaymentCreateParams {
  const { id: customerId } = platform.customers.add();
  return {
    customerId,
    beneficiaryId: platform.beneficiaries.add({ customerId, currencyCode: 'USD' }).id,
    paymentQuoteId: platform.quotes.add({ customerId, paymentAmount: '10.00', paymentCurrencyCode: 'USD' }).id,
    documentIds: [platform.documents.add({ customerId }).id],
    amount: '10.00',
    currencyCode: 'USD',
    purposeOfPayment: 'Goods',
  };
}

/** The status of a payment whose creation ends with a fault. */
async function statusOfPayment(fault: MockFault, call: 'create' | 'createOnce' = 'createOnce'): Promise<number> {
  const platform = createMockPlatform();
  platform.faults.always('payments.create', fault);
  const corridor = new Corridor({ ...platform.clientOptions(), maxRetries: 0 });
  const request = payable(platform);
  const options = call === 'createOnce' ? { consistencyWindow: 0 } : {};
  return httpStatusFor(await corridor.payments[call](request, options).catch((error: unknown) => error));
}

describe('the status of a failed payment', () => {
  test.each<[string, MockFault, number]>([
    ['is 202 if its outcome is unknown', { kind: 'reset' }, 202],
    ['is 202 if the platform failed', { kind: 'status', status: 500 }, 202],
    ['is 422 if the platform rejected its values', { kind: 'status', status: 422 }, 422],
    ['is 400 if the platform rejected it', { kind: 'status', status: 400 }, 400],
    ['is 500 if the credentials are wrong', { kind: 'status', status: 401 }, 500],
    ['is 503 if the platform limits the rate', { kind: 'rate-limit' }, 503],
  ])('%s', async (_, fault, status) => expect(await statusOfPayment(fault)).toBe(status));

  test('is 202 for a plain create whose response cannot be used, because the payment exists', async () => {
    expect(await statusOfPayment({ kind: 'malformed-json' }, 'create')).toBe(202);
  });

  test('is 409 for a plain create with a conflict', async () => {
    expect(await statusOfPayment({ kind: 'status', status: 409 }, 'create')).toBe(409);
  });

  test('is 400 if a field is invalid', async () => {
    const corridor = new Corridor(createMockPlatform().clientOptions());
    const error = await corridor.payments.createOnce({} as never).catch((reason: unknown) => reason);
    expect(httpStatusFor(error)).toBe(400);
  });
});

test('a read that the platform failed is 502, and never 202', async () => {
  const platform = createMockPlatform();
  platform.faults.always('customers.get', { kind: 'reset' });
  const corridor = new Corridor({ ...platform.clientOptions(), maxRetries: 0 });
  expect(httpStatusFor(await corridor.customers.get('cus_1').catch((error: unknown) => error))).toBe(502);
});

test('a call that was not sent is 503, because a retry is safe', async () => {
  const unreachable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
  const corridor = new Corridor({
    ...createMockPlatform().clientOptions(),
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: unreachable })),
    maxRetries: 0,
  });
  expect(httpStatusFor(await corridor.crypto.networks().catch((error: unknown) => error))).toBe(503);
});

test.each([new Error('other'), undefined, 'text', null])(
  'of a value that is not an error of the SDK, it is 500: %s',
  (value) => {
    expect(httpStatusFor(value)).toBe(500);
  },
);

test('the page on errors lists the status of every code', () => {
  const page = readFileSync('docs/errors.md', 'utf8');
  const rows = [...page.matchAll(/^\| (\d{3}) \| (.+?) \|/gm)].flatMap(([, status, errors = '']) =>
    [...errors.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => ({ status: Number(status), code: code as ErrorCode })),
  );
  const codes = [...page.matchAll(/^\| `\w+` \| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(20);
  for (const code of codes) {
    const statuses = (['not-sent', 'unknown'] as const).map((outcome) =>
      httpStatusFor(new CorridorError(code as ErrorCode, 'failed', { outcome })),
    );
    const listed = rows.filter((row) => row.code === code).map(({ status }) => status);
    expect([code, [...new Set(statuses)].toSorted()]).toEqual([code, listed.toSorted()]);
  }
});
