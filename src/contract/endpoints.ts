import { beneficiary, beneficiaryListQuery, type Beneficiary } from './beneficiaries.js';
import {
  cryptoNetworks, cryptoPaymentMethods, type CryptoNetworkEnvelope, type CryptoPaymentMethodEnvelope,
} from './crypto.js';
import { activityEnvelope, customer, customerListQuery, type ActivityEnvelope, type Customer } from './customers.js';
import type { Endpoint } from './endpoint.js';
import { historyOf, pageOf, type HistoryEnvelope, type PageEnvelope } from './page.js';
import {
  createdPayment, listedPayment, paymentCreate, paymentListQuery, type CreatedPayment, type ListedPayment,
} from './payments.js';
import { personScreening, screeningHistoryQuery, screeningRun, type PersonScreening, type ScreeningRun } from './screening.js';
import { supportReply } from './support.js';

/** The endpoints of the platform, one row each. */
export const endpoints = {
  'payments.create': {
    number: 1, method: 'POST', path: '/api/v1/payment', body: paymentCreate, answer: 'json', result: createdPayment, success: 201,
  } as const satisfies Endpoint<CreatedPayment>,
  'payments.list': {
    number: 2, method: 'GET', path: '/api/v1/payment', query: paymentListQuery, answer: 'json', result: pageOf(listedPayment), success: 200,
  } as const satisfies Endpoint<PageEnvelope<ListedPayment>>,
  'customers.list': {
    number: 3, method: 'GET', path: '/api/v1/customers', query: customerListQuery, answer: 'json', result: pageOf(customer), success: 200,
  } as const satisfies Endpoint<PageEnvelope<Customer>>,
  'customers.get': {
    number: 4, method: 'GET', path: '/api/v1/customers/{id}', answer: 'json', result: customer, success: 200,
  } as const satisfies Endpoint<Customer>,
  'customers.activity': {
    number: 5, method: 'GET', path: '/api/v1/customers/{id}/activity', answer: 'json', result: activityEnvelope, success: 200,
  } as const satisfies Endpoint<ActivityEnvelope>,
  'customers.beneficiaries': {
    number: 6, method: 'GET', path: '/api/v1/customers/{customerId}/beneficiaries', query: beneficiaryListQuery, answer: 'json', result: pageOf(beneficiary), success: 200,
  } as const satisfies Endpoint<PageEnvelope<Beneficiary>>,
  'screening.get': {
    number: 7, method: 'GET', path: '/api/v1/customers/{customerId}/persons/{personId}/screening', answer: 'json', result: personScreening, success: 200,
  } as const satisfies Endpoint<PersonScreening>,
  'screening.history': {
    number: 8, method: 'GET', path: '/api/v1/customers/{customerId}/persons/{personId}/screening/history', query: screeningHistoryQuery, answer: 'json', result: historyOf(screeningRun), success: 200,
  } as const satisfies Endpoint<HistoryEnvelope<ScreeningRun>>,
  'crypto.paymentMethods': {
    number: 9, method: 'GET', path: '/api/v1/crypto/payment-methods', answer: 'json', result: cryptoPaymentMethods, success: 200,
  } as const satisfies Endpoint<CryptoPaymentMethodEnvelope>,
  'crypto.networks': {
    number: 10, method: 'GET', path: '/api/v1/crypto/networks', answer: 'json', result: cryptoNetworks, success: 200,
  } as const satisfies Endpoint<CryptoNetworkEnvelope>,
  'support.reply': {
    number: 11, method: 'POST', path: '/api/v1/support/partner-tickets/{ticketId}/replies', body: supportReply, answer: 'anything', success: 201, // Assumed: A-5
  } as const satisfies Endpoint<unknown>,
  'support.attachmentUrl': {
    number: 12, method: 'GET', path: '/api/v1/support/partner-tickets/{ticketId}/attachments/{attachmentId}/download-url', answer: 'anything', success: 200, // Assumed: A-4
  } as const satisfies Endpoint<unknown>,
  'documents.downloadUrl': {
    number: 13, method: 'GET', path: '/api/v1/documents/{id}', answer: 'anything', success: 200, // Assumed: A-4
  } as const satisfies Endpoint<unknown>,
  'documents.delete': {
    number: 14, method: 'DELETE', path: '/api/v1/documents/{id}', answer: 'nothing', success: 204, // Assumed: A-5
  } as const satisfies Endpoint<unknown>,
} as const;

/** The name of an endpoint: the call that reaches it. */
export type EndpointName = keyof typeof endpoints;

/** All endpoint names, in the order of the specification. */
export const endpointNames: readonly EndpointName[] = Object.keys(endpoints) as EndpointName[];
