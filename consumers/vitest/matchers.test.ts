import 'corridor-sdk/mock/vitest';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';

test('a lost answer does not make a second payment', async () => {
  const platform = createMockPlatform({ seed: 1 });
  const customer = platform.customers.add();
  platform.faults.next('payments.create', { kind: 'reset-after-commit' });

  await new Corridor(platform.clientOptions()).payments.createOnce({
    customerId: customer.id,
    beneficiaryId: platform.beneficiaries.add({ customerId: customer.id }).id,
    paymentQuoteId: platform.quotes.add({ customerId: customer.id }).id,
    documentIds: [platform.documents.add({ customerId: customer.id }).id],
    amount: '1250.00',
    currencyCode: 'MXN',
    purposeOfPayment: 'Goods',
  });

  expect(platform).toHaveCreatedExactly(1, 'payments');
  expect(platform).toHaveReceivedTimes(1, 'payments.create', { amount: '1250.00' });
});
