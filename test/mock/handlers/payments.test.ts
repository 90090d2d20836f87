import { Corridor } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { payablePayment, platformAtStart, start } from '../fixture.ts';
import { clientOf } from './strict-client.ts';

describe('payments.create', () => {
  test('returns the payment with its quote, pending review', async () => {
    const platform = platformAtStart();
    const request = payablePayment(platform, {
      internalReference: 'order-4711',
      invoiceNumber: 'INV-7',
      memo: 'Thank you',
    });

    const { data: created, status } = await clientOf(platform).payments.create(request).withResponse();

    const { documentIds: _, ...shown } = request;
    expect(created).toMatchObject({
      ...shown,
      status: 'PENDING_REVIEW',
      createdAt: start,
      updatedAt: start,
      receiptUrl: null,
    });
    expect(created.paymentQuote).toMatchObject({ id: request.paymentQuoteId, usedAt: start });
    expect(created).not.toHaveProperty('authorization');
    expect(status).toBe(201);
  });

  test('sets absent fields to null', async () => {
    const platform = platformAtStart();
    const created = await clientOf(platform).payments.create(payablePayment(platform));
    expect(created).toMatchObject({ internalReference: null, invoiceNumber: null, memo: null });
  });

  test('adds the payment to the start of the list, with its authorization', async () => {
    const platform = platformAtStart();
    platform.payments.add();
    const corridor = clientOf(platform);
    const request = payablePayment(platform, { memo: 'Thank you' });

    const created = await corridor.payments.create(request);
    const {
      items: [listed],
    } = await corridor.payments.list();

    const beneficiary = platform.beneficiaries.get(request.beneficiaryId);
    expect(listed?.id).toBe(created.id);
    expect(listed?.authorization).toMatchObject({
      organizationId: platform.id,
      customerId: request.customerId,
      quoteId: request.paymentQuoteId,
      beneficiaryId: request.beneficiaryId,
      beneficiaryVersion: 1,
      principal: '1250.00',
      memo: 'Thank you',
      documents: [{ id: request.documentIds[0] }],
      destination: {
        companyName: beneficiary?.companyName,
        accountNumber: beneficiary?.accountNumber,
        currencyCode: 'MXN',
      },
    });
    expect(listed).not.toHaveProperty('paymentQuote');
  });

  test('takes the funding from the quote: tokens for a crypto quote', async () => {
    const platform = platformAtStart();
    const request = platform.payments.createParams({ paymentQuote: { paymentToken: 'USDT', paymentNetwork: 'TRON' } });
    const created = await clientOf(platform).payments.create(request);
    expect(created).toMatchObject({
      paymentToken: 'USDT',
      paymentNetwork: 'TRON',
      sourceFunding: { type: 'CRYPTO', symbol: 'USDT', network: 'TRON', fundingStatus: 'PENDING' },
    });
  });

  test('takes the funding from the quote: an account of the customer for a bank-funded one', async () => {
    const platform = platformAtStart();
    const request = platform.payments.createParams({ paymentQuote: { fundingType: 'BANK_ACCOUNT' } });
    const created = await clientOf(platform).payments.create(request);
    expect(created).toMatchObject({
      paymentToken: null,
      paymentNetwork: null,
      sourceFunding: { type: 'BANK_ACCOUNT', currencyCode: 'USD' },
    });
    expect(created.paymentQuote.fundingType).toBe('BANK_ACCOUNT');
  });

  test('stores the payment: the builder returns it with its documents', async () => {
    const platform = platformAtStart();
    const request = payablePayment(platform);
    const created = await clientOf(platform).payments.create(request);
    expect(platform.payments.get(created.id)).toMatchObject({ ...created, documentIds: request.documentIds });
  });
});

describe('behavior of payments.create', () => {
  test('a reusable quote is valid for several payments', async () => {
    const platform = platformAtStart({ quotes: 'reusable' });
    const corridor = clientOf(platform);
    const payment = payablePayment(platform);
    const first = await corridor.payments.create(payment);
    const second = await corridor.payments.create(payment);
    expect(second.id).not.toBe(first.id);
  });

  test('amounts that are numerically equal match the quote', async () => {
    const platform = platformAtStart();
    await expect(
      clientOf(platform).payments.create(payablePayment(platform, { amount: '1250.0' })),
    ).resolves.toMatchObject({ amount: '1250.0' });
  });

  test("amounts and currencies are not compared with amounts: 'free'", async () => {
    const platform = platformAtStart({ amounts: 'free' });
    await expect(
      clientOf(platform).payments.create(payablePayment(platform, { amount: '7', currencyCode: 'USD' })),
    ).resolves.toMatchObject({ amount: '7' });
  });

  test('a dialect changes the format of amounts', async () => {
    const dialect = { amountFormat: { decimals: 2, separator: ',' } } as const;
    const platform = platformAtStart({ dialect });
    const corridor = new Corridor({ ...platform.clientOptions(), dialect });
    const { id: customerId } = platform.customers.add();
    const payment = {
      customerId,
      beneficiaryId: platform.beneficiaries.add({ customerId, currencyCode: 'MXN' }).id,
      paymentQuoteId: platform.quotes.add({ customerId }).id,
      documentIds: [platform.documents.add({ customerId }).id],
      amount: '1250,00',
      currencyCode: 'MXN',
      purposeOfPayment: 'Machine parts',
    } as const;
    await expect(corridor.payments.create(payment)).rejects.toMatchObject({ body: { code: 'quote_mismatch' } });
  });

  test('quoteLifetime sets the lifetime of quotes', () => {
    const platform = platformAtStart({ quoteLifetime: 60 });
    expect(platform.quotes.add().expiresAt).toBe('2026-03-01T09:01:00.000Z');
  });
});

describe('payments.list', () => {
  test('returns customer and beneficiary as they are now, and the authorization as it was', async () => {
    const platform = platformAtStart();
    const { customerId, beneficiaryId } = platform.payments.add();
    platform.customers.transition(customerId, 'SUSPENDED');
    platform.beneficiaries.transition(beneficiaryId, 'SUSPENDED');
    const {
      items: [payment],
    } = await clientOf(platform).payments.list();
    expect(payment).toMatchObject({
      customer: {
        companyName: platform.customers.get(customerId)?.companyName,
        status: 'SUSPENDED',
        orgId: platform.id,
      },
      beneficiary: { bankBic: platform.beneficiaries.get(beneficiaryId)?.bankBic, status: 'SUSPENDED' },
      authorization: { beneficiaryVersion: 1 },
    });
  });

  test('adds a receipt to a completed payment, which can be downloaded without credentials and stays the same', async () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add({ status: 'PROCESSING', amount: '99.00', currencyCode: 'USD' });
    platform.payments.transition(id, 'COMPLETED');
    platform.clock.advance({ days: 400 });
    const {
      items: [payment],
    } = await clientOf(platform).payments.list();
    expect(payment?.receiptUrl).toBe(platform.payments.get(id)?.receiptUrl);
    const receipt = await platform.fetch(payment?.receiptUrl ?? '');
    expect(receipt.headers.get('content-type')).toBe('application/pdf');
    expect(await receipt.text()).toContain('Receipt for 99.00 USD');
  });

  test.each([
    [{}, ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']],
    [{ createdFrom: '2026-02-01T00:00:00Z' }, ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']],
    [{ createdTo: '2026-02-01T00:00Z' }, ['2026-02-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']],
    [{ createdFrom: '2026-02-01T00:00:00.0001Z' }, ['2026-03-01T00:00:00.000Z']],
    [{ createdTo: '2026-01-31T23:59:59.9999999Z' }, ['2026-01-01T00:00:00.000Z']],
    [
      { createdFrom: new Date('2026-01-01T00:00:00Z'), createdTo: '2026-01-01T00:00:00.000Z' },
      ['2026-01-01T00:00:00.000Z'],
    ],
    [{ status: 'APPROVED' }, ['2026-02-01T00:00:00.000Z']],
  ] as const)('filters by %o, both ends included', async (query, expected) => {
    const platform = platformAtStart();
    platform.payments.add({ createdAt: '2026-01-01T00:00:00.000Z' });
    platform.payments.add({ createdAt: '2026-03-01T00:00:00.000Z' });
    platform.payments.add({ createdAt: '2026-02-01T00:00:00.000Z', status: 'APPROVED' });
    const { items } = await clientOf(platform).payments.list(query);
    expect(items.map(({ createdAt }) => createdAt)).toEqual(expected);
  });
});
