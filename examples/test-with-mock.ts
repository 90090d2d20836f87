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
  const corridor = new Corridor(platform.clientOptions());
  // Each one has a customer, a beneficiary, a quote and an invoice.
  const payment = platform.payments.createParams({ amount: '1250.00', currencyCode: 'USD' });
  const late = platform.payments.createParams({ amount: '990.00', currencyCode: 'MXN' });

  await createPayment(corridor, 'order-4711', payment);
  platform.clock.advance({ minutes: 16 });
  await assert.rejects(createPayment(corridor, 'order-4712', late), {
    status: 422,
    platformCode: 'quote_expired',
    outcome: 'rejected',
  });

  assert.equal(platform.payments.all().length, 1);
});
