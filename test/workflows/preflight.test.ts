import { describe, expect, test } from 'vitest';
import {
  Corridor,
  ServerError,
  TimeoutError,
  type BeneficiaryStatus,
  type CustomerStatus,
  type PaymentCreateParams,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

const platform = createMockPlatform();
const corridor = new Corridor(platform.clientOptions());
const payment = platform.payments.createParams({ amount: '1250.00', currencyCode: 'USD' });

describe('payments.preflight', () => {
  test('returns no issues for a payment that the platform accepts', async () => {
    expect(await corridor.payments.preflight(payment)).toEqual([]);
    expect((await corridor.payments.create(payment)).status).toBe('PENDING_REVIEW');
  });

  test('only reads', async () => {
    platform.reset();
    await corridor.payments.preflight(payment);
    expect(platform.requests.every(({ method }) => method === 'GET')).toBe(true);
  });
});

test('the totalTimeout of preflight limits its requests together', async () => {
  const slow = createMockPlatform();
  slow.clock.freeze();
  slow.faults.next('customers.get', { kind: 'slow', delay: 20_000 });
  slow.faults.next('customers.beneficiaries', { kind: 'hang' });
  const { payments } = new Corridor(slow.clientOptions());
  const order = slow.payments.createParams();
  const started = slow.clock.now();
  await expect(payments.preflight(order, { timeout: 30_000, totalTimeout: 40_000 })).rejects.toBeInstanceOf(
    TimeoutError,
  );
  expect(slow.clock.now() - started).toBe(40_000);
});

describe('payments.preflight finds', () => {
  const fresh = createMockPlatform();
  const client = new Corridor(fresh.clientOptions());
  const problems = async (changes: Partial<Record<keyof PaymentCreateParams, unknown>>): Promise<string[]> => {
    const found = await client.payments.preflight({ ...payment, ...changes } as PaymentCreateParams);
    return found.map(({ path, message, code }) => `${code}: ${path} ${message}`);
  };
  const party = (
    customer: CustomerStatus,
    beneficiary: BeneficiaryStatus,
  ): { customerId: string; beneficiaryId: string } => {
    const { id } = fresh.customers.add({ status: customer });
    return { customerId: id, beneficiaryId: fresh.beneficiaries.add({ customerId: id, status: beneficiary }).id };
  };

  test('every field that breaks a rule, by path and rule', async () => {
    const found = await problems({
      ...party('APPROVED', 'APPROVED'),
      amount: 1250,
      currencyCode: 'EUR',
      documentIds: [],
      memo: 'm'.repeat(65),
      note: 'x',
    } as never);
    expect(found.map((line) => line.replace(/ must.*| is not.*/, '')).toSorted()).toEqual(
      ['amount', 'currencyCode', 'documentIds', 'memo', 'note'].map((path) => `invalid-field: ${path}`),
    );
  });

  test('a customer of another organization, without reading its beneficiaries', async () => {
    expect(await problems({ customerId: 'cus_0' })).toEqual([
      'customer-not-found: customerId is not a customer of this organization',
    ]);
  });

  test.each(['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'REJECTED', 'SUSPENDED'] as const)(
    'a customer that is %s',
    async (status) => {
      expect(await problems(party(status, 'APPROVED'))).toEqual([
        `customer-not-approved: customerId is a customer with status ${status}; only an APPROVED customer can pay`,
      ]);
    },
  );

  test.each(['PENDING_REVIEW', 'CORRECTION_REQUESTED', 'REJECTED', 'SUSPENDED'] as const)(
    'a beneficiary that is %s',
    async (status) => {
      expect(await problems(party('APPROVED', status))).toEqual([
        `beneficiary-not-approved: beneficiaryId is a beneficiary with status ${status}; only an APPROVED beneficiary can be paid`,
      ]);
    },
  );

  test('a beneficiary of another customer', async () => {
    const { customerId: payer } = party('APPROVED', 'APPROVED');
    const { beneficiaryId: foreign } = party('APPROVED', 'APPROVED');
    expect(await problems({ customerId: payer, beneficiaryId: foreign })).toEqual([
      'beneficiary-not-found: beneficiaryId is not a beneficiary of this customer',
    ]);
  });

  test('no issue for a beneficiary on a later page', async () => {
    const parties = party('APPROVED', 'APPROVED');
    fresh.beneficiaries.addMany(150, () => ({ customerId: parties.customerId }));
    expect(await problems(parties)).toEqual([]);
  });

  test('issues of all kinds together', async () => {
    const found = await problems({ ...party('SUSPENDED', 'REJECTED'), purposeOfPayment: '' });
    expect(found.map((line) => line.split(':')[0])).toEqual([
      'invalid-field',
      'customer-not-approved',
      'beneficiary-not-approved',
    ]);
  });

  test('invalid ids, without sending a request', async () => {
    const before = fresh.requests.length;
    expect(await problems({ customerId: '', beneficiaryId: undefined })).toHaveLength(2);
    expect(await problems({ customerId: 7 })).toHaveLength(1);
    expect((await client.payments.preflight(null as never)).map(({ path }) => path)).toEqual(['']);
    expect(fresh.requests.length).toBe(before);
  });

  test('a customerId that is not allowed in a path', async () => {
    expect(await problems({ customerId: '..' })).toEqual([expect.stringMatching(/^invalid-field: customerId /)]);
  });

  test('and throws if the platform cannot be reached', async () => {
    const broken = new Corridor({
      ...fresh.clientOptions(),
      fetch: () => Promise.resolve(new Response(null, { status: 500 })),
      maxRetries: 0,
    });
    await expect(broken.payments.preflight(payment)).rejects.toThrow(ServerError);
  });
});
