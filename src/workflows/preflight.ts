import type { Beneficiary, BeneficiaryListParams } from '../contract/schema/beneficiaries.js';
import type { Customer } from '../contract/schema/customers.js';
import type { PaymentCreateParams } from '../contract/schema/payments.js';
import { pageSize } from '../contract/schema/pagination.js';
import type { Issue } from '../contract/issue.js';
import { InvalidRequestError, NotFoundError } from '../errors/api.js';
import type { PagePromise } from '../core/pagination.js';
import { buildRequest } from '../transport/build-request.js';
import { assertRequestOptions, type RequestOptions } from '../transport/request-options.js';
import type { WorkflowContext } from './context.js';

/** The kind of a `PaymentIssue`. */
export type PaymentIssueCode =
  | 'invalid-field'
  | 'customer-not-found'
  | 'customer-not-approved'
  | 'beneficiary-not-found'
  | 'beneficiary-not-approved';

/** A problem for which the platform would reject a payment. */
export interface PaymentIssue extends Issue {
  /** The kind of the problem. */
  readonly code: PaymentIssueCode;
}

/** Reads the parties of a payment. */
export interface PartyReads {
  get(customerId: string, options: RequestOptions): PromiseLike<Customer>;
  beneficiaries(id: string, query: BeneficiaryListParams, options: RequestOptions): PagePromise<Beneficiary>;
}

/** Checks a payment before it is sent: validates its fields, and reads its customer and beneficiary. */
export async function preflight(
  context: WorkflowContext,
  reads: PartyReads,
  payment: PaymentCreateParams,
  options: RequestOptions,
): Promise<PaymentIssue[]> {
  assertRequestOptions(options);
  const issues = fieldIssues(context, payment);
  const { customerId, beneficiaryId } = (payment ?? {}) as Partial<PaymentCreateParams>;
  const isValid = (field: string): boolean => issues.every(({ path }) => path !== field && path !== '');
  if (customerId === undefined || !isValid('customerId')) return issues;
  const customer = await customerIssue(reads, customerId, options);
  if (customer !== undefined) issues.push(customer);
  if (
    beneficiaryId === undefined ||
    !isValid('beneficiaryId') ||
    (customer !== undefined && customer.code !== 'customer-not-approved')
  )
    return issues;
  const beneficiary = await beneficiaryIssue(reads, customerId, beneficiaryId, options);
  if (beneficiary !== undefined) issues.push(beneficiary);
  return issues;
}

function fieldIssues({ dialect }: WorkflowContext, payment: PaymentCreateParams): PaymentIssue[] {
  try {
    buildRequest('payments.create', { body: payment }, dialect);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return error.issues.map(({ path, message }) => ({ path, message, code: 'invalid-field' }));
  }
}

async function customerIssue(
  reads: PartyReads,
  customerId: string,
  options: RequestOptions,
): Promise<PaymentIssue | undefined> {
  try {
    const { status } = await reads.get(customerId, options);
    if (status === 'APPROVED') return undefined;
    return {
      path: 'customerId',
      message: `is a customer with status ${status}; only an APPROVED customer can pay`,
      code: 'customer-not-approved',
    };
  } catch (error) {
    const [issue] = error instanceof InvalidRequestError ? error.issues.filter(({ path }) => path === 'id') : [];
    if (issue !== undefined) return { path: 'customerId', message: issue.message, code: 'invalid-field' };
    if (!(error instanceof NotFoundError)) throw error;
    return { path: 'customerId', message: 'is not a customer of this organization', code: 'customer-not-found' };
  }
}

async function beneficiaryIssue(
  reads: PartyReads,
  customerId: string,
  beneficiaryId: string,
  options: RequestOptions,
): Promise<PaymentIssue | undefined> {
  for await (const { id, status } of reads.beneficiaries(customerId, { limit: pageSize.largest }, options)) {
    if (id !== beneficiaryId) continue;
    if (status === 'APPROVED') return undefined;
    return {
      path: 'beneficiaryId',
      message: `is a beneficiary with status ${status}; only an APPROVED beneficiary can be paid`,
      code: 'beneficiary-not-approved',
    };
  }
  return { path: 'beneficiaryId', message: 'is not a beneficiary of this customer', code: 'beneficiary-not-found' };
}
