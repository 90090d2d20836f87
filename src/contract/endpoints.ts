import type * as z from 'zod/mini';
import type { recordColumns } from './columns.js';
import type { ResolvedDialect } from './dialect.js';
import { type Schema, isOneOf } from './schema/schema.js';
import { beneficiary, beneficiaryListParams, type Beneficiary } from './schema/beneficiaries.js';
import {
  cryptoNetworks,
  cryptoPaymentMethods,
  type CryptoNetworkEnvelope,
  type CryptoPaymentMethodEnvelope,
} from './schema/crypto.js';
import {
  activityEnvelope,
  customer,
  customerListParams,
  type ActivityEnvelope,
  type Customer,
} from './schema/customers.js';
import { historyOf, pageOf, type HistoryEnvelope, type PageEnvelope } from './schema/pagination.js';
import {
  createdPayment,
  listedPayment,
  paymentCreateParams,
  paymentListParams,
  type CreatedPayment,
  type ListedPayment,
} from './schema/payments.js';
import {
  personScreening,
  screeningHistoryParams,
  screeningRun,
  type PersonScreening,
  type ScreeningRun,
} from './schema/screening.js';
import { supportReplyParams } from './schema/support.js';

/** One endpoint of the platform. */
export interface EndpointDefinition<Result> {
  /** Its number in the specification. */
  readonly number: number;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Its path, with `{name}` for each id. */
  readonly path: string;
  readonly query?: Schema<object>;
  readonly body?: (dialect: ResolvedDialect) => z.ZodMiniType<object>;
  /** The schema of the response body; any body is accepted without one. */
  readonly result?: Schema<Result>;
  /** The kind of the records in its response; absent if no columns and no transitions are defined for them. */
  readonly records?: keyof typeof recordColumns;
  /** The success status of the mock; with 204, the body is not read. Assumed: A-3, clients accept any 2xx. */
  readonly success: 200 | 201 | 204;
}

/** The type of an endpoint's response body. */
export type ResultOf<E> = E extends EndpointDefinition<infer Result> ? Result : never;

/** Returns the names of the ids in a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** The endpoints of the platform, one row each. */
export const endpoints = {
  'payments.create': {
    number: 1,
    method: 'POST',
    path: '/api/v1/payment',
    body: paymentCreateParams,
    result: createdPayment,
    records: 'payments',
    success: 201,
  } as const satisfies EndpointDefinition<CreatedPayment>,
  'payments.list': {
    number: 2,
    method: 'GET',
    path: '/api/v1/payment',
    query: paymentListParams,
    result: pageOf(listedPayment),
    records: 'payments',
    success: 200,
  } as const satisfies EndpointDefinition<PageEnvelope<ListedPayment>>,
  'customers.list': {
    number: 3,
    method: 'GET',
    path: '/api/v1/customers',
    query: customerListParams,
    result: pageOf(customer),
    records: 'customers',
    success: 200,
  } as const satisfies EndpointDefinition<PageEnvelope<Customer>>,
  'customers.get': {
    number: 4,
    method: 'GET',
    path: '/api/v1/customers/{id}',
    result: customer,
    records: 'customers',
    success: 200,
  } as const satisfies EndpointDefinition<Customer>,
  'customers.activity': {
    number: 5,
    method: 'GET',
    path: '/api/v1/customers/{id}/activity',
    result: activityEnvelope,
    records: 'activity',
    success: 200,
  } as const satisfies EndpointDefinition<ActivityEnvelope>,
  'customers.beneficiaries': {
    number: 6,
    method: 'GET',
    path: '/api/v1/customers/{customerId}/beneficiaries',
    query: beneficiaryListParams,
    result: pageOf(beneficiary),
    records: 'beneficiaries',
    success: 200,
  } as const satisfies EndpointDefinition<PageEnvelope<Beneficiary>>,
  'screening.get': {
    number: 7,
    method: 'GET',
    path: '/api/v1/customers/{customerId}/persons/{personId}/screening',
    result: personScreening,
    success: 200,
  } as const satisfies EndpointDefinition<PersonScreening>,
  'screening.history': {
    number: 8,
    method: 'GET',
    path: '/api/v1/customers/{customerId}/persons/{personId}/screening/history',
    query: screeningHistoryParams,
    result: historyOf(screeningRun),
    records: 'screenings',
    success: 200,
  } as const satisfies EndpointDefinition<HistoryEnvelope<ScreeningRun>>,
  'crypto.paymentMethods': {
    number: 9,
    method: 'GET',
    path: '/api/v1/crypto/payment-methods',
    result: cryptoPaymentMethods,
    records: 'paymentMethods',
    success: 200,
  } as const satisfies EndpointDefinition<CryptoPaymentMethodEnvelope>,
  'crypto.networks': {
    number: 10,
    method: 'GET',
    path: '/api/v1/crypto/networks',
    result: cryptoNetworks,
    records: 'networks',
    success: 200,
  } as const satisfies EndpointDefinition<CryptoNetworkEnvelope>,
  'support.reply': {
    number: 11,
    method: 'POST',
    path: '/api/v1/support/partner-tickets/{ticketId}/replies',
    body: supportReplyParams,
    success: 201, // Assumed: A-5
  } as const satisfies EndpointDefinition<unknown>,
  'support.attachmentUrl': {
    number: 12,
    method: 'GET',
    path: '/api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url',
    success: 200, // Assumed: A-4
  } as const satisfies EndpointDefinition<unknown>,
  'documents.downloadUrl': {
    number: 13,
    method: 'GET',
    path: '/api/v1/documents/{id}',
    success: 200, // Assumed: A-4
  } as const satisfies EndpointDefinition<unknown>,
  'documents.delete': {
    number: 14,
    method: 'DELETE',
    path: '/api/v1/documents/{id}',
    success: 204, // Assumed: A-5
  } as const satisfies EndpointDefinition<unknown>,
} as const;

/** The name of an endpoint, which is also the name of the client's method. */
export type EndpointName = keyof typeof endpoints;

/** All endpoint names, in the order of the specification. */
export const endpointNames: readonly EndpointName[] = Object.keys(endpoints) as EndpointName[];

/** Checks whether a value is the name of an endpoint. */
export const isEndpointName = (value: unknown): value is EndpointName => isOneOf(endpointNames, value);
