import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';

/** The ids of one record of each kind, and what a payment is made of. */
export interface World {
  readonly customerId: string;
  readonly personId: string;
  readonly ticketId: string;
  readonly attachmentId: string;
  readonly documentId: string;
  /** A payment that the platform takes, as often as it is asked for. */
  readonly order: (fundingType: 'CRYPTO' | 'BANK_ACCOUNT') => Order;
}

/** A new payment, as it goes over the wire. */
export interface Order {
  readonly customerId: string;
  readonly beneficiaryId: string;
  readonly amount: string;
  readonly currencyCode: 'MXN';
  readonly internalReference: string | null;
  readonly invoiceNumber: string;
  readonly purposeOfPayment: string;
  readonly memo: string | null;
  readonly documentIds: string[];
  readonly paymentQuoteId: string;
}

/** A mock platform over HTTP, full of records of every kind. */
export async function servedWorld(): Promise<{ readonly served: ServedMockPlatform; readonly world: World }> {
  const served = await serveMockPlatform({ seed: 'interop' });
  const { platform } = served;
  platform.populate();
  const customerId = platform.customers.add({ status: 'PENDING_REVIEW' }).id;
  platform.customers.transition(customerId, 'APPROVED');
  const beneficiaryId = platform.beneficiaries.add({ customerId, currencyCode: 'MXN' }).id;
  const ticket = platform.tickets.add();
  const order = (fundingType: 'CRYPTO' | 'BANK_ACCOUNT'): Order => ({
    customerId, beneficiaryId, amount: '1250.00', currencyCode: 'MXN', internalReference: null, invoiceNumber: 'INV-1', purposeOfPayment: 'Café & co, 50 %', memo: '💶',
    documentIds: [platform.documents.add({ customerId }).id], paymentQuoteId: platform.quotes.add({ customerId, fundingType, paymentAmount: '1250.00', paymentCurrencyCode: 'MXN' }).id,
  });
  return {
    served,
    world: {
      customerId, order, personId: platform.persons.add({ customerId }).id, ticketId: ticket.id, attachmentId: ticket.attachments[0]?.id ?? '',
      documentId: platform.documents.add({ customerId }).id,
    },
  };
}
