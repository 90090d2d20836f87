import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment, platformAtStart } from '../fixture.ts';
import { failureOf } from '../../support/failure-of.ts';

describe('idempotency', () => {
  test.each(['by-quote', 'by-reference'] as const)(
    '%s returns the existing payment for a repeated create',
    async (idempotency) => {
      const platform = platformAtStart({ idempotency, quotes: 'reusable' });
      const corridor = clientOf(platform);
      const order = payablePayment(platform, { internalReference: 'ORDER-1' });
      const first = await corridor.payments.create(order);
      platform.clock.advance({ minutes: 20 });
      const again = await corridor.payments.create(order);
      expect(again).toEqual(first);
      expect(platform.payments.all()).toHaveLength(1);
    },
  );

  test('returns the existing payment also if it has no reference', async () => {
    const platform = platformAtStart({ idempotency: 'by-quote' });
    const { internalReference: _reference, ...order } = payablePayment(platform);
    const { id } = await clientOf(platform).payments.create(order);
    expect(await clientOf(platform).payments.create(order)).toMatchObject({ id, internalReference: null });
  });

  test('rejects a different payment with the same key', async () => {
    const platform = platformAtStart({ idempotency: 'by-reference' });
    const corridor = clientOf(platform);
    await corridor.payments.create(payablePayment(platform, { internalReference: 'ORDER-1' }));
    expect(
      await failureOf(corridor.payments.create(payablePayment(platform, { internalReference: 'ORDER-1' }))),
    ).toMatchObject({ status: 409, platformCode: 'idempotency_mismatch' });
    await corridor.payments.create(payablePayment(platform, { internalReference: 'ORDER-2' }));
    await corridor.payments.create(payablePayment(platform));
    await corridor.payments.create(payablePayment(platform));
    expect(platform.payments.all()).toHaveLength(4);
  });

  test.each([
    ['amount', { amount: '1250.01' }],
    ['currencyCode', { currencyCode: 'USD' }],
    ['internalReference', { internalReference: 'ORDER-2' }],
    ['customerId', { customerId: 'cus_0' }],
    ['documentIds', { documentIds: ['doc_0'] }],
    ['purposeOfPayment', { purposeOfPayment: 'Rent' }],
    ['invoiceNumber', { invoiceNumber: 'INV-2' }],
    ['memo', { memo: 'another' }],
  ] as const)('rejects a payment of the same quote with a different %s', async (field, change) => {
    const platform = platformAtStart({ idempotency: 'by-quote' });
    const corridor = clientOf(platform);
    const order = payablePayment(platform, { internalReference: 'ORDER-1' });
    await corridor.payments.create(order);
    expect(await failureOf(corridor.payments.create({ ...order, ...change }))).toMatchObject({
      status: 409,
      body: {
        code: 'idempotency_mismatch',
        message: `paymentQuoteId belongs to an earlier payment with a different ${field}; send the same payment, or another paymentQuoteId`,
      },
    });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('ignores payments that the test added', async () => {
    const platform = platformAtStart({ idempotency: 'by-reference' });
    platform.payments.add({ internalReference: 'ORDER-1' });
    await clientOf(platform).payments.create(payablePayment(platform, { internalReference: 'ORDER-1' }));
    expect(platform.payments.all()).toHaveLength(2);
  });

  test('is off by default', async () => {
    const platform = platformAtStart({ quotes: 'reusable' });
    const corridor = clientOf(platform);
    const order = payablePayment(platform, { internalReference: 'ORDER-1' });
    await corridor.payments.create(order);
    await corridor.payments.create(order);
    expect(platform.payments.all()).toHaveLength(2);
  });
});
