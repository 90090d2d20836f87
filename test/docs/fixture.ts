import type { PaymentCreateParams } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';

/** A payment that these records allow. */
export const order: PaymentCreateParams = {
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  paymentQuoteId: 'quo_1',
  documentIds: ['doc_1'],
  amount: '1250.00',
  currencyCode: 'USD',
  purposeOfPayment: 'Goods',
};

/** The records that snippets speak of, by the ids they use. Every snippet starts with exactly these. */
export function addSnippetRecords(platform: MockPlatform): void {
  const customerId = 'cus_1';
  platform.customers.add({ id: customerId, companyName: 'Acme Traders Ltd', status: 'PENDING_REVIEW' });
  platform.customers.transition(customerId, 'APPROVED');
  platform.beneficiaries.add({ id: 'ben_1', customerId, companyName: 'Orchard Coffee', currencyCode: 'USD' });
  platform.quotes.add({ id: 'quo_1', customerId, paymentAmount: '1250.00', paymentCurrencyCode: 'USD' });
  platform.documents.add({ id: 'doc_1', customerId, kind: 'invoice', fileName: 'invoice-4711.pdf' });
  platform.persons.add({ id: 'per_1', customerId });
  platform.tickets.add({ id: 'tic_1', attachments: [{ id: 'att_1' }] });
  platform.payments.addMany(30, (index) => ({
    id: `pay_${index + 1}`,
    status: index % 3 === 0 ? 'PENDING_REVIEW' : 'COMPLETED',
    // Payments of the same millisecond have no order.
    createdAt: new Date(platform.clock.now() - (30 - index) * 1000).toISOString(),
  }));
}
