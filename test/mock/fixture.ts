import type { PaymentCreate } from 'corridor-sdk';
import { createMockPlatform, type MockOrganization, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';

/** When the clocks of these tests stand, so that times are exact. */
export const start = '2026-03-01T09:00:00.000Z';

/** A platform whose clock stands at `start`. */
export function platformAtStart(options: MockPlatformOptions = {}): MockPlatform {
  return createMockPlatform({ now: () => Date.parse(start), ...options });
}

/** A payment that the platform takes, with everything it names; what is given replaces its fields. */
export function payablePayment(organization: MockOrganization, replaced: Partial<PaymentCreate> = {}): PaymentCreate {
  const customer = organization.customers.add();
  const beneficiary = organization.beneficiaries.add({ customerId: customer.id, currencyCode: 'MXN' });
  const quote = organization.quotes.add({ customerId: customer.id, paymentAmount: '1250.00', paymentCurrencyCode: 'MXN' });
  const invoice = organization.documents.add({ customerId: customer.id });
  return {
    customerId: customer.id, beneficiaryId: beneficiary.id, amount: '1250.00', currencyCode: 'MXN', purposeOfPayment: 'Machine parts',
    documentIds: [invoice.id], paymentQuoteId: quote.id, ...replaced,
  };
}
