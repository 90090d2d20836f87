import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { createPayment } from './create-payment.ts';
import { findApprovedCustomer } from './find-approved-customer.ts';

// node examples/test-with-mock.ts

test('only an approved customer is found', async () => {
  const platform = createMockPlatform();
  platform.customers.add({ companyName: 'Acme Ltd', status: 'PENDING_REVIEW' });
  const corridor = new Corridor(platform.clientOptions());

  assert.equal(await findApprovedCustomer(corridor, 'acme'), undefined);

  const [acme] = platform.customers.all();
  platform.customers.transition(acme?.id ?? '', 'APPROVED');
  assert.equal((await findApprovedCustomer(corridor, 'acme'))?.companyName, 'Acme Ltd');
});

test('a payment is made against its quote, and not against one that has expired', async () => {
  const platform = createMockPlatform();
  const customer = platform.customers.add();
  const beneficiary = platform.beneficiaries.add({ customerId: customer.id });
  const [quote, late] = platform.quotes.addMany(2, () => ({ customerId: customer.id }));
  const invoice = platform.documents.add({ customerId: customer.id, kind: 'invoice' });
  const corridor = new Corridor(platform.clientOptions());
  const payment = {
    customerId: customer.id, beneficiaryId: beneficiary.id, documentIds: [invoice.id], amount: '1250.00', currencyCode: 'USD', purposeOfPayment: 'Goods',
  } as const;

  await createPayment(corridor, { ...payment, paymentQuoteId: quote?.id ?? '' });
  platform.clock.advance({ minutes: 16 });
  await assert.rejects(createPayment(corridor, { ...payment, paymentQuoteId: late?.id ?? '' }), { status: 422, platformCode: 'quote_expired', outcome: 'rejected' });

  assert.equal(platform.payments.all().length, 1);
});
