import { describe, expect, test } from 'vitest';
import {
  ApiError,
  ConflictError,
  type PaymentCreateParams,
  type PaymentCreateRequest,
  type PaymentCurrency,
  type PaymentStatus,
} from 'corridor-sdk';
import { adapters, type Stage } from './adapters.ts';

const currencies: readonly PaymentCurrency[] = [
  'USD',
  'BRL',
  'MXN',
  'COP',
  'HKD',
  'CNY',
  'NGN',
  'KES',
  'MWK',
  'ZAR',
  'XOF',
  'XAF',
  'UGX',
  'TZS',
  'ZMW',
  'BWP',
  'SGD',
  'USDT',
  'USDC',
  'DAI',
  'BTC',
];
const statuses: readonly PaymentStatus[] = [
  'PENDING_REVIEW',
  'CORRECTION_NEEDED',
  'APPROVED',
  'PROCESSING',
  'COMPLETED',
  'RETURNED',
  'REJECTED',
  'CANCELLED',
];

/** A payment that can be created: its customer, beneficiary, quote and invoice are there. */
function payable({ platform }: Stage, more: Partial<PaymentCreateRequest> = {}): PaymentCreateParams {
  const params = platform.payments.createParams({ amount: '1250.00', currencyCode: more.currencyCode ?? 'USD' });
  return { ...params, ...more };
}

describe.each(adapters)('payments.create over $name', ({ open }) => {
  test('creates a payment, submits it for review and returns it with its quote', async () => {
    await using stage = await open();
    const request = payable(stage, { internalReference: 'order-4711', invoiceNumber: 'INV-7', memo: 'Danke 🙏' });
    const payment = await stage.corridor.payments.create(request);
    const { documentIds: _documentIds, ...shown } = request;
    expect(payment).toMatchObject({ ...shown, status: 'PENDING_REVIEW' });
    expect(payment.paymentQuote.id).toBe(request.paymentQuoteId);
    expect(payment.paymentQuote.usedAt).not.toBeNull();
    expect(stage.platform.payments.get(payment.id)?.documentIds).toEqual(request.documentIds);
  });

  test('sends the request unchanged, with nothing added', async () => {
    await using stage = await open();
    const request = { ...payable(stage, { memo: null }), internalReference: undefined };
    await stage.corridor.payments.create(request);
    const { internalReference: _internalReference, ...sent } = request;
    expect(stage.platform.requests.to('payments.create').map(({ body }) => body)).toEqual([sent]);
  });

  test('returns status 201', async () => {
    await using stage = await open();
    const { status, requestId, data } = await stage.corridor.payments.create(payable(stage)).withResponse();
    expect({ status, requestId }).toEqual({ status: 201, requestId: stage.platform.requests[0]?.requestId });
    expect(stage.platform.payments.all().map(({ id }) => id)).toEqual([data.id]);
  });

  test.each(currencies)('can be made in %s', async (currencyCode) => {
    await using stage = await open();
    expect((await stage.corridor.payments.create(payable(stage, { currencyCode }))).currencyCode).toBe(currencyCode);
  });

  test('is rejected without an invoice, and the error says so', async () => {
    await using stage = await open();
    const request = payable(stage);
    const documentIds = [stage.platform.documents.add({ customerId: request.customerId, kind: 'other' }).id];
    const error = stage.corridor.payments.create({ ...request, documentIds });
    await expect(error).rejects.toBeInstanceOf(ApiError);
    await expect(error).rejects.toMatchObject({
      status: 422,
      platformCode: 'invoice_required',
      outcome: 'rejected',
      endpoint: 'payments.create',
      body: { code: 'invoice_required' },
      message: expect.stringContaining('one of the documents must be an invoice') as string,
    });
    expect(stage.platform.payments.all()).toEqual([]);
  });

  test('is rejected for a quote that was used', async () => {
    await using stage = await open();
    const request = payable(stage);
    await stage.corridor.payments.create(request);
    await expect(stage.corridor.payments.create(request)).rejects.toBeInstanceOf(ConflictError);
    expect(stage.platform.payments.all()).toHaveLength(1);
  });
});

describe.each(adapters)('payments.list over $name', ({ open }) => {
  test('yields each payment of the organization once, newest first, with its authorization', async () => {
    await using stage = await open();
    const added = stage.platform.payments.addMany(7);
    stage.platform.organization().payments.addMany(2);
    const listed = await stage.corridor.payments.list({ limit: 3 }).toArray();
    expect(listed.map(({ id }) => id)).toEqual(added.map(({ id }) => id).toReversed());
    for (const payment of listed)
      expect(payment.authorization).toMatchObject({
        customerId: payment.customerId,
        beneficiaryId: payment.beneficiaryId,
      });
  });

  test.each(statuses)('filters by the status %s', async (status) => {
    await using stage = await open();
    stage.platform.payments.addMany(16, (index) => ({ status: statuses[index % statuses.length] }));
    const found = await stage.corridor.payments.list({ status, limit: 1 }).toArray();
    expect(found.map((payment) => payment.status)).toEqual([status, status]);
  });

  test('filters by when a payment was created, both ends included', async () => {
    await using stage = await open();
    const days = ['2026-03-01T00:00:00.000Z', '2026-03-02T10:30:00.000Z', '2026-03-03T23:59:59.999Z'] as const;
    stage.platform.payments.addMany(3, (index) => ({ createdAt: days[index] }));
    const found = async (createdFrom?: string | Date, createdTo?: string | Date): Promise<string[]> =>
      (await stage.corridor.payments.list({ createdFrom, createdTo }).toArray())
        .map(({ createdAt }) => createdAt)
        .toReversed();
    expect(await found(days[1])).toEqual([days[1], days[2]]);
    expect(await found(undefined, days[1])).toEqual([days[0], days[1]]);
    expect(await found('2026-03-02T10:30Z', '2026-03-02T10:30Z')).toEqual([days[1]]);
    expect(await found(new Date('2026-03-02T00:00:00Z'), new Date('2026-03-04T00:00:00Z'))).toEqual([days[1], days[2]]);
    expect(await found('2026-03-05T00:00:00Z')).toEqual([]);
  });

  test('returns the source of funds in every variant', async () => {
    await using stage = await open();
    const bank = {
      type: 'BANK_ACCOUNT',
      bankAccountId: 'acc_1',
      bankName: 'Bank',
      countryCode: 'SG',
      currencyCode: 'SGD',
      accountNumber: null,
      iban: null,
    } as const;
    const crypto = { type: 'CRYPTO', symbol: 'USDC', network: 'SOLANA', fundingStatus: null } as const;
    stage.platform.payments.addMany(3, (index) => ({ sourceFunding: [bank, crypto, null][index] }));
    const listed = await stage.corridor.payments.list().toArray();
    expect(listed.map(({ sourceFunding }) => sourceFunding)).toEqual([null, crypto, bank]);
  });

  test('finds what was created', async () => {
    await using stage = await open();
    const payment = await stage.corridor.payments.create(payable(stage));
    const [listed] = await stage.corridor.payments
      .list({ createdFrom: payment.createdAt, createdTo: payment.createdAt })
      .toArray();
    expect(listed).toMatchObject({
      id: payment.id,
      paymentQuoteId: payment.paymentQuote.id,
      authorization: { quoteId: payment.paymentQuote.id },
    });
  });

  test('uses the filter names of a dialect', async () => {
    const dialect = { filterNames: { status: 'state', limit: 'pageSize', cursor: 'after' } };
    await using stage = await open({ dialect });
    stage.platform.payments.addMany(4, (index) => ({ status: index % 2 === 0 ? 'APPROVED' : 'REJECTED' }));
    const found = await stage.client({ dialect }).payments.list({ status: 'APPROVED', limit: 1 }).toArray();
    expect(found.map(({ status }) => status)).toEqual(['APPROVED', 'APPROVED']);
    expect(Object.keys(stage.platform.requests[1]?.query ?? {}).toSorted()).toEqual(['after', 'pageSize', 'state']);
  });
});
