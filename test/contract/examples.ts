import type { Corridor, EndpointName } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';
import type { BodyOf, EndpointOf, ParamsIn, QueryOf } from '../../src/mock/wire/request-log.js';

// An example of each endpoint, for tests, the OpenAPI document, the documentation site and the interop tests. The
// compiler reports endpoints, ids and fields that are missing.

type IdsOf<Name extends EndpointName> = { readonly [Id in ParamsIn<EndpointOf<Name>['path']>]: string };
/** The filters or the body of a request. */
export type ParamsOf<Name extends EndpointName> = QueryOf<EndpointOf<Name>> &
  (BodyOf<EndpointOf<Name>> extends object ? BodyOf<EndpointOf<Name>> : unknown);

/** A request with every field except the cursor. The ids are those of the records of `addExampleRecords`. */
type Example<Name extends EndpointName> = {
  /** A title for its response. */
  readonly title: string;
  /** The ids in its path, in order. */
  readonly ids: IdsOf<Name>;
} & (keyof ParamsOf<Name> extends never ? unknown : { readonly params: Required<Omit<ParamsOf<Name>, 'cursor'>> });

const customerId = 'cus_1';

const examples: { readonly [Name in EndpointName]: Example<Name> } = {
  'payments.create': {
    title: 'funded in crypto',
    ids: {},
    params: {
      customerId,
      beneficiaryId: 'ben_1',
      amount: '1250.00',
      currencyCode: 'USD',
      internalReference: 'order-4711',
      invoiceNumber: 'INV-2026-0042',
      purposeOfPayment: 'Goods',
      memo: 'Thank you',
      documentIds: ['doc_1'],
      paymentQuoteId: 'quo_1',
    },
  },
  'payments.list': {
    title: 'a page',
    ids: {},
    params: { status: 'COMPLETED', createdFrom: '2026-01-01T00:00Z', createdTo: '2026-02-01T00:00Z', limit: 1 },
  },
  'customers.list': { title: 'the last page', ids: {}, params: { status: 'APPROVED', limit: 10 } },
  'customers.get': { title: 'a customer', ids: { id: customerId } },
  'customers.activity': { title: 'two changes', ids: { id: customerId } },
  'customers.beneficiaries': {
    title: 'the last page',
    ids: { customerId },
    params: { status: 'APPROVED', limit: 100 },
  },
  'screening.get': { title: 'an open match', ids: { customerId, personId: 'per_1' } },
  'screening.history': { title: 'a page', ids: { customerId, personId: 'per_1' }, params: { limit: 2 } },
  'crypto.paymentMethods': { title: 'all', ids: {} },
  'crypto.networks': { title: 'all', ids: {} },
  'support.reply': {
    title: 'a reply',
    ids: { ticketId: 'tic_1' },
    params: {
      draftId: 'dra_1',
      actorEmail: 'ops@partner.example',
      bodyHtml: '<p>The invoice is attached.</p>',
      bodyText: 'The invoice is attached.',
    },
  },
  'support.attachmentUrl': { title: 'a signed URL', ids: { ticketId: 'tic_1', attachmentId: 'att_1' } },
  'documents.downloadUrl': { title: 'a signed URL', ids: { id: 'doc_1' } },
  'documents.delete': { title: 'deleted', ids: { id: 'doc_1' } },
};

/** An example of an endpoint. */
export interface EndpointExample {
  readonly title: string;
  /** Its ids and its filters or body in one object. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The arguments of its method. */
  readonly args: readonly unknown[];
}

/** The examples, by endpoint. */
export const endpointExamples = Object.fromEntries(
  Object.entries(examples).map(([name, example]): [string, EndpointExample] => {
    const { title, ids, params } = example as typeof example & { readonly params?: object };
    return [name, { title, input: { ...ids, ...params }, args: [...Object.values(ids), ...(params ? [params] : [])] }];
  }),
) as Readonly<Record<EndpointName, EndpointExample>>;

/** Calls the method of an endpoint with the arguments of its example. */
export async function callExample(corridor: Corridor, name: EndpointName): Promise<unknown> {
  const [namespace, method = ''] = name.split('.') as [keyof Corridor, string];
  const resource = corridor[namespace] as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  return resource[method]?.(...endpointExamples[name].args);
}

const { internalReference: _, invoiceNumber: __, memo: ___, ...required } = examples['payments.create'].params;

/** A payment that the records allow, with the required fields. */
export const order: typeof required = required;

/** Adds the records of the examples. */
export function addExampleRecords(platform: MockPlatform): void {
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
