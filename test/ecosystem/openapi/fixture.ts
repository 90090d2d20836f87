import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import { addExampleRecords } from '../../../scripts/specification/specification.ts';
import type { Order, Fixture } from './partner/fixture.ts';

type Funding = 'CRYPTO' | 'BANK_ACCOUNT';

/** A mock platform over HTTP, full of records of every kind. */
export async function serveFixture(options: ServeOptions = {}): Promise<{
  readonly served: MockPlatformServer;
  readonly fixture: Fixture;
  readonly order: (funding: Funding) => Order;
}> {
  const served = await serveMockPlatform({ seed: 'interop', ...options });
  const { platform } = served;
  platform.populate();
  addExampleRecords(platform);
  const customerId = platform.customers.add({ status: 'PENDING_REVIEW' }).id;
  platform.customers.transition(customerId, 'APPROVED');
  const beneficiaryId = platform.beneficiaries.add({ customerId, currencyCode: 'MXN' }).id;
  const ticket = platform.tickets.add();
  const order = (fundingType: Funding): Order => ({
    customerId,
    beneficiaryId,
    amount: '1250.00',
    currencyCode: 'MXN',
    internalReference: null,
    invoiceNumber: 'INV-1',
    purposeOfPayment: 'Café & co, 50 %',
    memo: '💶',
    documentIds: [platform.documents.add({ customerId }).id],
    paymentQuoteId: platform.quotes.add({
      customerId,
      fundingType,
      paymentAmount: '1250.00',
      paymentCurrencyCode: 'MXN',
    }).id,
  });
  return {
    served,
    order,
    fixture: {
      customerId,
      orders: [order('CRYPTO'), order('BANK_ACCOUNT')],
      personId: platform.persons.add({ customerId }).id,
      ticketId: ticket.id,
      attachmentId: ticket.attachments[0]?.id ?? '',
      documentId: platform.documents.add({ customerId }).id,
    },
  };
}
