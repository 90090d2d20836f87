import type {
  AuthorizationDestination,
  AuthorizedDocument,
  BankAccountFunding,
  BankAccountTotals,
  Beneficiary,
  BeneficiaryListParams,
  Corridor,
  Country,
  CreatedPayment,
  CryptoFunding,
  CryptoNetwork,
  CryptoPaymentMethod,
  CryptoQuote,
  CryptoTotals,
  Customer,
  CustomerActivity,
  CustomerListParams,
  EndpointName,
  FeeGroup,
  FeeLine,
  FundingFees,
  ListedPayment,
  PaymentAuthorization,
  PaymentBeneficiary,
  PaymentCreateParams,
  PaymentCreateRequest,
  PaymentCustomer,
  PaymentListParams,
  PaymentRail,
  Payout,
  PersonScreening,
  PriceBreakdown,
  QuoteBase,
  ScreeningDisposition,
  ScreeningEvidence,
  ScreeningFeature,
  ScreeningHistoryParams,
  ScreeningMatch,
  ScreeningProperty,
  ScreeningQuery,
  ScreeningRun,
  ScreeningSubject,
  SupportReplyParams,
} from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';
import type { BodyOf, EndpointOf, ParamsIn, QueryOf } from '../../src/mock/wire/request-log.ts';
import type { Description, EndpointDescription } from './description.ts';

// What docs/platform-specification.md says of each field, value and limit, written a second time. `Assumed: A-n` marks
// what it does not say. The examples serve tests, the OpenAPI document, the documentation site and the interop tests.

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;
type Fields<Name extends string = string> = Readonly<Record<Name, Description>>;

const text: Description = { type: 'string' };
const integer: Description = { type: 'integer' };
const boolean: Description = { type: 'boolean' };
const oneOf = (values: string): Description => ({ type: 'string', values: values.split(' ') });
const constant = (value: string): Description => ({ type: 'string', values: [value] });
const array = (element: Description, ...rules: string[]): Description => ({ type: 'array', element, rules });
const orNull = (described: Description): Description => ({ ...described, nullable: true });
const optional = (described: Description): Description => ({ ...described, optional: true });
const limited = (described: Description, ...rules: string[]): Description => ({ ...described, rules });

/** Describes an object; the compiler reports a field of the interface that is missing. */
const object = <Type extends object>(fields: Fields<keyof Type & string>): Description => ({
  type: 'object',
  fields: new Map(Object.entries(fields)),
});
const fieldsLike = <Names extends string>(names: Names, described: Description): Fields<Words<Names>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, described])) as Fields<Words<Names>>;
const strings = <Names extends string>(names: Names): Fields<Words<Names>> => fieldsLike(names, text);
const nullableStrings = <Names extends string>(names: Names): Fields<Words<Names>> => fieldsLike(names, orNull(text));
/** Fields that may be null or absent. */
const loose = <Name extends string>(fields: Fields<Name>): Fields<Name> =>
  Object.fromEntries(
    Object.entries<Description>(fields).map(([name, described]) => [name, optional(orNull(described))]),
  ) as Fields<Name>;
const variants = (discriminator: string, options: Readonly<Record<string, Description>>): Description => ({
  type: `variants by ${discriminator}`,
  variants: new Map(Object.entries(options)),
});

const customerStatus = oneOf('DRAFT PENDING_REVIEW CORRECTION_REQUESTED APPROVED REJECTED SUSPENDED');
const beneficiaryStatus = oneOf('PENDING_REVIEW CORRECTION_REQUESTED APPROVED REJECTED SUSPENDED');
const paymentStatus = oneOf(
  'PENDING_REVIEW CORRECTION_NEEDED APPROVED PROCESSING COMPLETED RETURNED REJECTED CANCELLED',
);
const currencyCode = oneOf('USD BRL MXN COP HKD CNY NGN KES MWK ZAR XOF XAF UGX TZS ZMW BWP SGD USDT USDC DAI BTC');
const id = limited(text, 'at least 1 characters'); // Assumed: A-23
const timestampFilter = limited(text, 'an ISO 8601 UTC date-time ending in Z');

const pagination = {
  limit: optional(limited(integer, '1 to 100')),
  cursor: optional(limited(text, 'at least 1 characters')), // Assumed: A-23
};
const envelope = (field: string, element: Description, further: Fields = {}): Description =>
  object<object>({ [field]: array(element), ...further });
const pageOf = (element: Description): Description =>
  envelope('items', element, { nextCursor: orNull(text), hasMore: boolean });

const payment = {
  ...strings('id customerId beneficiaryId amount currencyCode purposeOfPayment createdAt updatedAt'),
  ...nullableStrings('internalReference invoiceNumber memo paymentToken paymentNetwork paymentQuoteId receiptUrl'),
  status: paymentStatus,
  customer: object<PaymentCustomer>({
    companyName: text,
    status: customerStatus, // Assumed: A-25
    orgId: optional(text),
  }),
  beneficiary: object<PaymentBeneficiary>({
    ...strings('companyName bankBic'),
    status: beneficiaryStatus, // Assumed: A-25
  }),
  sourceFunding: orNull(
    variants('type', {
      BANK_ACCOUNT: object<BankAccountFunding>({
        type: constant('BANK_ACCOUNT'),
        ...strings('bankAccountId bankName countryCode currencyCode'),
        ...nullableStrings('accountNumber iban'),
      }),
      CRYPTO: object<CryptoFunding>({
        type: constant('CRYPTO'),
        symbol: text,
        ...nullableStrings('network fundingStatus'),
      }),
    }),
  ),
  rail: orNull(object<PaymentRail>(strings('method countryCode'))),
};

const feeLines = array(
  object<FeeLine>({
    ...strings('name feeValue baseAmountUsd rawAmountUsd finalAmountUsd'),
    ...nullableStrings('feeRuleId minAmountUsd maxAmountUsd paymentSystemId'),
    feeType: oneOf('PERCENT FIXED'),
  }),
);
const feeGroup = object<FeeGroup>({
  ...nullableStrings('feeProfileId feeProfileName'),
  subtotalUsd: text,
  lines: feeLines,
});
const quote: Fields<keyof QuoteBase> = {
  ...strings('id paymentAmount paymentCurrencyCode totalTarget targetCurrencyCode createdAt expiresAt'),
  usedAt: orNull(text),
  priceBreakdown: orNull(
    object<PriceBreakdown>({
      payout: object<Payout>({ label: constant('Payment amount'), amountUsd: text }),
      platformFees: feeGroup,
      partnerFees: feeGroup,
      funding: object<FundingFees>({ subtotalUsd: text, lines: feeLines }),
      totals: variants('fundingType', {
        CRYPTO: object<CryptoTotals>({
          fundingType: constant('CRYPTO'),
          ...strings('feesUsd totalTarget targetCurrencyCode effectivePriceUsdPerToken quotedTokenAmount'),
        }),
        BANK_ACCOUNT: object<BankAccountTotals>({
          fundingType: constant('BANK_ACCOUNT'),
          ...strings('feesUsd totalTarget targetCurrencyCode'),
        }),
      }),
    }),
  ),
};
const paymentQuote = variants('fundingType', {
  CRYPTO: object<CryptoQuote>({
    ...quote,
    fundingType: constant('CRYPTO'),
    paymentToken: oneOf('USDC USDT'),
    paymentNetwork: oneOf('ETHEREUM ETHEREUM_SEPOLIA POLYGON POLYGON_AMOY SOLANA SOLANA_DEVNET TRON TRON_NILE'),
    ...strings('networkFeeUsd effectivePriceUsdPerToken quotedTokenAmount'),
    paymentSystemId: orNull(text),
  }),
  // Its further fields are not shown. Assumed: A-9
  BANK_ACCOUNT: {
    ...object<object>({ ...quote, fundingType: constant('BANK_ACCOUNT') }),
    type: 'object with fields that are not shown',
  },
});

// Which fields may be null is not shown. Assumed: A-8
const authorization = object<PaymentAuthorization>(
  loose({
    ...fieldsLike('version beneficiaryVersion', integer),
    ...strings('organizationId customerId quoteId sourceBankAccountId sourceCurrency principal approvedCharge'),
    ...strings('pricingVersion beneficiaryId method paymentSystemId bankCountryCode purposeOfPayment'),
    ...strings('internalReference memo invoiceNumber contractId'),
    destination: object<AuthorizationDestination>(
      loose({
        ...strings('bankCountryCode bankName bankBic iban accountNumber wireRoutingNumber achRoutingNumber sortCode'),
        ...strings('institutionNumber transitNumber intermediaryBank companyName countryCode address addressStreet'),
        ...strings('addressCity addressProvince zipCode currencyCode'),
      }),
    ),
    documents: array(object<AuthorizedDocument>(loose(strings('id identityHash contentHash')))),
  }),
);

const country = object<Country>(strings('alpha2 name'));
const customer = object<Customer>({
  ...strings('id companyName registrationNumber addressLine1 addressLine2 city stateProvinceRegion postalCode'),
  ...strings('createdAt updatedAt'),
  countryOfIncorporation: country,
  addressCountry: country,
  status: customerStatus,
});
// Which fields may be null is not shown. Assumed: A-8
const activity = object<CustomerActivity>(
  loose({
    ...strings('id entityType entityId fromStatus toStatus note targetUserId targetUserFirstName targetUserLastName'),
    ...strings('createdById createdByFirstName createdByLastName createdByRole createdAt'),
    eventType: constant('STATUS_CHANGE'),
  }),
);
const beneficiary = object<Beneficiary>({
  ...strings('id customerId country companyName address addressStreet addressCity addressProvince zipCode'),
  ...strings('currencyCode bankName bankBic bankCountryCode bankAddress accountNumber iban wireRoutingNumber'),
  ...strings('achRoutingNumber sortCode institutionNumber transitNumber intermediaryBank createdAt updatedAt'),
  version: integer,
  status: beneficiaryStatus,
});

const disposition = object<ScreeningDisposition>({
  ...strings('id osEntityId reason reviewedByUserId reviewedByDisplayName reviewedAt'),
  topicsAtDecision: array(text),
});
const screening = object<PersonScreening>({
  subject: object<ScreeningSubject>({
    ...strings('subjectId entityId displayName customerId customerName beneficiaryId lastScreenedAt nextDueAt'),
    ...fieldsLike('paymentHold onboardingBlocked', boolean),
    openMatchCount: integer,
  }),
  query: object<ScreeningQuery>({
    ...strings('algorithm threshold datasetScope dataVersion'),
    properties: array(object<ScreeningProperty>({ ...strings('label key'), values: array(text) })),
    topicsScope: array(text),
  }),
  openMatches: array(
    object<ScreeningMatch>({
      ...strings('matchId osEntityId caption schema score createdAt'),
      ...fieldsLike('topics datasets aliases', array(text)),
      isMatch: boolean,
      features: array(object<ScreeningFeature>(strings('key label score matchedValue candidateValue note'))),
      evidence: array(object<ScreeningEvidence>({ label: text, values: array(text), fullWidth: boolean })),
      disposition: optional(orNull(disposition)), // Assumed: A-24
    }),
  ),
  previouslyCleared: array(disposition),
  historyCount: integer,
  readOnlyReason: orNull(text),
});
const screeningRun = object<ScreeningRun>({
  ...strings('screeningId dataVersion createdAt errorMessage'),
  matchCount: integer,
});

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
const notShown: Description = { type: 'not shown' };

/** What the specification says of each endpoint, with an example. The compiler reports endpoints and fields that are missing. */
export const specification: {
  readonly [Name in EndpointName]: EndpointDescription & { readonly example: Example<Name> };
} = {
  'payments.create': {
    number: 1,
    method: 'POST',
    path: '/api/v1/payment',
    request: object<PaymentCreateParams>({
      ...fieldsLike('customerId beneficiaryId paymentQuoteId', id),
      amount: limited(text, 'a pattern (regex)'), // Assumed: A-18
      currencyCode,
      internalReference: optional(orNull(text)),
      invoiceNumber: optional(text),
      purposeOfPayment: limited(text, 'at least 1 characters'),
      memo: optional(orNull(limited(text, 'at most 64 characters'))),
      documentIds: array(id, 'at least 1 items'),
    }),
    response: object<CreatedPayment>({ ...payment, paymentQuote }),
    example: {
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
  },
  // The names of filters are not shown. Assumed: A-1
  'payments.list': {
    number: 2,
    method: 'GET',
    path: '/api/v1/payment',
    query: object<PaymentListParams>({
      status: optional(paymentStatus),
      ...fieldsLike('createdFrom createdTo', optional(timestampFilter)),
      ...pagination,
    }),
    response: pageOf(object<ListedPayment>({ ...payment, authorization })),
    example: {
      title: 'a page',
      ids: {},
      params: { status: 'COMPLETED', createdFrom: '2026-01-01T00:00Z', createdTo: '2026-02-01T00:00Z', limit: 1 },
    },
  },
  'customers.list': {
    number: 3,
    method: 'GET',
    path: '/api/v1/customers',
    query: object<CustomerListParams>({ status: optional(customerStatus), ...pagination }),
    response: pageOf(customer),
    example: { title: 'the last page', ids: {}, params: { status: 'APPROVED', limit: 10 } },
  },
  'customers.get': {
    number: 4,
    method: 'GET',
    path: '/api/v1/customers/{id}',
    response: customer,
    example: { title: 'a customer', ids: { id: customerId } },
  },
  'customers.activity': {
    number: 5,
    method: 'GET',
    path: '/api/v1/customers/{id}/activity',
    response: envelope('items', activity),
    example: { title: 'two changes', ids: { id: customerId } },
  },
  'customers.beneficiaries': {
    number: 6,
    method: 'GET',
    path: '/api/v1/customers/{customerId}/beneficiaries',
    query: object<BeneficiaryListParams>({ status: optional(beneficiaryStatus), ...pagination }),
    response: pageOf(beneficiary),
    example: {
      title: 'the last page',
      ids: { customerId },
      params: { status: 'APPROVED', limit: 100 },
    },
  },
  'screening.get': {
    number: 7,
    method: 'GET',
    path: '/api/v1/customers/{customerId}/persons/{personId}/screening',
    response: screening,
    example: { title: 'an open match', ids: { customerId, personId: 'per_1' } },
  },
  'screening.history': {
    number: 8,
    method: 'GET',
    path: '/api/v1/customers/{customerId}/persons/{personId}/screening/history',
    query: object<ScreeningHistoryParams>(pagination),
    response: envelope('items', screeningRun, { nextCursor: orNull(text) }),
    example: { title: 'a page', ids: { customerId, personId: 'per_1' }, params: { limit: 2 } },
  },
  'crypto.paymentMethods': {
    number: 9,
    method: 'GET',
    path: '/api/v1/crypto/payment-methods',
    response: envelope(
      'methods',
      object<CryptoPaymentMethod>({
        ...strings('token network networkLabel networkFeeUsd contractAddress'),
        decimals: integer,
      }),
    ),
    example: { title: 'all', ids: {} },
  },
  'crypto.networks': {
    number: 10,
    method: 'GET',
    path: '/api/v1/crypto/networks',
    response: envelope('networks', object<CryptoNetwork>(strings('id displayName nativeAssetSymbol'))),
    example: { title: 'all', ids: {} },
  },
  'support.reply': {
    number: 11,
    method: 'POST',
    path: '/api/v1/support/partner-tickets/{ticketId}/replies',
    // Which fields are required is not shown. Assumed: A-19
    request: object<SupportReplyParams>({
      ...fieldsLike('draftId bodyHtml bodyText', optional(text)),
      actorEmail: optional(limited(text, 'an e-mail address')),
    }),
    response: limited(notShown, 'status 201'),
    example: {
      title: 'a reply',
      ids: { ticketId: 'tic_1' },
      params: {
        draftId: 'dra_1',
        actorEmail: 'ops@partner.example',
        bodyHtml: '<p>The invoice is attached.</p>',
        bodyText: 'The invoice is attached.',
      },
    },
  },
  'support.attachmentUrl': {
    number: 12,
    method: 'GET',
    path: '/api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url',
    response: notShown,
    example: { title: 'a signed URL', ids: { ticketId: 'tic_1', attachmentId: 'att_1' } },
  },
  'documents.downloadUrl': {
    number: 13,
    method: 'GET',
    path: '/api/v1/documents/{id}',
    response: notShown,
    example: { title: 'a signed URL', ids: { id: 'doc_1' } },
  },
  'documents.delete': {
    number: 14,
    method: 'DELETE',
    path: '/api/v1/documents/{id}',
    response: notShown,
    example: { title: 'deleted', ids: { id: 'doc_1' } },
  },
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
  Object.entries(specification).map(([name, { example }]): [string, EndpointExample] => {
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

const { request, example } = specification['payments.create'];
type RequiredIn<T> = { readonly [Field in keyof T as T extends Record<Field, T[Field]> ? Field : never]: T[Field] };

/** A payment that the records allow, with the required fields. */
export const order = Object.fromEntries(
  Object.entries(example.params).filter(([name]) => request?.fields?.get(name)?.optional !== true),
) as unknown as RequiredIn<PaymentCreateRequest>;

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
