import type * as z from 'zod/mini';
import type { ResolvedDialect } from './dialect.js';
import { type Schema, isOneOf } from './schema/schema.js';
import { beneficiary, beneficiaryListParams } from './schema/beneficiaries.js';
import { cryptoNetworks, cryptoPaymentMethods } from './schema/crypto.js';
import { activityEnvelope, customer, customerListParams } from './schema/customers.js';
import { historyOf, pageOf } from './schema/page.js';
import { createdPayment, listedPayment, paymentCreateParams, paymentListParams } from './schema/payments.js';
import { personScreening, screeningHistoryParams, screeningRun } from './schema/screening.js';
import { supportReplyParams } from './schema/support.js';

/** The kinds of records that lists show. */
export type RecordKind =
  | 'payments'
  | 'quotes'
  | 'customers'
  | 'beneficiaries'
  | 'activity'
  | 'screenings'
  | 'tickets'
  | 'networks'
  | 'paymentMethods';

/** One endpoint of the platform. */
export interface EndpointDefinition<Result> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Its path, with `{name}` for each id. */
  readonly path: string;
  readonly query?: Schema<object>;
  readonly body?: (dialect: ResolvedDialect) => z.ZodMiniType<object>;
  /** The schema of the response body; any body is accepted without one. */
  readonly result?: Schema<Result>;
  /** The kind of the records in its response; absent if no columns and no transitions are defined for them. */
  readonly records?: RecordKind;
  /** The success status of the mock; with 204, the body is not read. Assumed: A-3, clients accept any 2xx. */
  readonly success: 200 | 201 | 204;
}

/** The type of an endpoint's response body. */
export type ResultOf<E> = E extends EndpointDefinition<infer Result> ? Result : never;

/** Returns the names of the ids in a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** The endpoints of the platform, one row each, in the order of the specification. */
export const endpoints = {
  'payments.create': {
    method: 'POST',
    path: '/api/v1/payment',
    body: paymentCreateParams,
    result: createdPayment,
    records: 'payments',
    success: 201,
  },
  'payments.list': {
    method: 'GET',
    path: '/api/v1/payment',
    query: paymentListParams,
    result: pageOf(listedPayment),
    records: 'payments',
    success: 200,
  },
  'customers.list': {
    method: 'GET',
    path: '/api/v1/customers',
    query: customerListParams,
    result: pageOf(customer),
    records: 'customers',
    success: 200,
  },
  'customers.get': {
    method: 'GET',
    path: '/api/v1/customers/{id}',
    result: customer,
    records: 'customers',
    success: 200,
  },
  'customers.activity': {
    method: 'GET',
    path: '/api/v1/customers/{id}/activity',
    result: activityEnvelope,
    records: 'activity',
    success: 200,
  },
  'customers.beneficiaries': {
    method: 'GET',
    path: '/api/v1/customers/{customerId}/beneficiaries',
    query: beneficiaryListParams,
    result: pageOf(beneficiary),
    records: 'beneficiaries',
    success: 200,
  },
  'screening.get': {
    method: 'GET',
    path: '/api/v1/customers/{customerId}/persons/{personId}/screening',
    result: personScreening,
    success: 200,
  },
  'screening.history': {
    method: 'GET',
    path: '/api/v1/customers/{customerId}/persons/{personId}/screening/history',
    query: screeningHistoryParams,
    result: historyOf(screeningRun),
    records: 'screenings',
    success: 200,
  },
  'crypto.paymentMethods': {
    method: 'GET',
    path: '/api/v1/crypto/payment-methods',
    result: cryptoPaymentMethods,
    records: 'paymentMethods',
    success: 200,
  },
  'crypto.networks': {
    method: 'GET',
    path: '/api/v1/crypto/networks',
    result: cryptoNetworks,
    records: 'networks',
    success: 200,
  },
  'support.reply': {
    method: 'POST',
    path: '/api/v1/support/partner-tickets/{ticketId}/replies',
    body: supportReplyParams,
    success: 201, // Assumed: A-5
  },
  'support.attachmentUrl': {
    method: 'GET',
    path: '/api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url',
    success: 200, // Assumed: A-4
  },
  'documents.downloadUrl': {
    method: 'GET',
    path: '/api/v1/documents/{id}',
    success: 200, // Assumed: A-4
  },
  'documents.delete': {
    method: 'DELETE',
    path: '/api/v1/documents/{id}',
    success: 204, // Assumed: A-5
  },
} as const satisfies Readonly<Record<string, EndpointDefinition<unknown>>>;

/** The name of an endpoint, which is also the name of the client's method. */
export type EndpointName = keyof typeof endpoints;

/** All endpoint names, in the order of the specification. */
export const endpointNames: readonly EndpointName[] = Object.keys(endpoints) as EndpointName[];

/** Checks whether a value is the name of an endpoint. */
export const isEndpointName = (value: unknown): value is EndpointName => isOneOf(endpointNames, value);
