import type { Corridor, EndpointName } from 'corridor-sdk';

/** What a call is given: ids, filters and body fields side by side, right or wrong. */
export type Given = Readonly<Record<string, unknown>>;

type Call = (corridor: Corridor, given: Given) => PromiseLike<unknown>;

/** The call that reaches each endpoint. A row that is missing here does not compile. */
export const calls: Readonly<Record<EndpointName, Call>> = {
  'payments.create': ({ payments }, payment) => payments.create(payment as never),
  'payments.list': ({ payments }, query) => payments.list(query),
  'customers.list': ({ customers }, query) => customers.list(query),
  'customers.get': ({ customers }, { id }) => customers.get(id as string),
  'customers.activity': ({ customers }, { id }) => customers.activity(id as string),
  'customers.beneficiaries': ({ customers }, { customerId, ...query }) => customers.beneficiaries(customerId as string, query),
  'screening.get': ({ screening }, { customerId, personId }) => screening.get(customerId as string, personId as string),
  'screening.history': ({ screening }, { customerId, personId, ...query }) => screening.history(customerId as string, personId as string, query),
  'crypto.paymentMethods': ({ crypto }) => crypto.paymentMethods(),
  'crypto.networks': ({ crypto }) => crypto.networks(),
  'support.reply': ({ support }, { ticketId, ...reply }) => support.reply(ticketId as string, reply),
  'support.attachmentUrl': ({ support }, { ticketId, attachmentId }) => support.attachmentUrl(ticketId as string, attachmentId as string),
  'documents.downloadUrl': ({ documents }, { id }) => documents.downloadUrl(id as string),
  'documents.delete': ({ documents }, { id }) => documents.delete(id as string),
};

/** Something right to give to each call, with every field set. */
export const goodInput: Readonly<Record<EndpointName, Given>> = {
  'payments.create': {
    customerId: 'cus_1', beneficiaryId: 'ben_1', amount: '1250.00', currencyCode: 'USD', internalReference: 'order-4711', invoiceNumber: 'INV-1',
    purposeOfPayment: 'Goods', memo: 'Thank you', documentIds: ['doc_1', 'doc_2'], paymentQuoteId: 'quo_1',
  },
  'payments.list': { status: 'COMPLETED', createdFrom: '2026-01-01T00:00Z', createdTo: new Date(Date.UTC(2026, 5, 30)), limit: 50, cursor: 'abc' },
  'customers.list': { status: 'APPROVED', limit: 1, cursor: 'abc' },
  'customers.get': { id: 'cus_1' },
  'customers.activity': { id: 'cus_1' },
  'customers.beneficiaries': { customerId: 'cus_1', status: 'SUSPENDED', limit: 100, cursor: 'abc' },
  'screening.get': { customerId: 'cus_1', personId: 'per_1' },
  'screening.history': { customerId: 'cus_1', personId: 'per_1', limit: 25, cursor: 'abc' },
  'crypto.paymentMethods': {},
  'crypto.networks': {},
  'support.reply': { ticketId: 'tic_1', draftId: 'dra_1', actorEmail: 'ops@partner.example', bodyHtml: '<p>Attached.</p>', bodyText: 'Attached.' },
  'support.attachmentUrl': { ticketId: 'tic_1', attachmentId: 'att_1' },
  'documents.downloadUrl': { id: 'doc_1' },
  'documents.delete': { id: 'doc_1' },
};
