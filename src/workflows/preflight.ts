import type { BeneficiaryListParams } from '../contract/schema/beneficiaries.js';
import type { PaymentCreateParams } from '../contract/schema/payments.js';
import { pageSize } from '../contract/schema/page.js';
import type { Issue } from '../contract/issue.js';
import { InvalidRequestError, NotFoundError } from '../errors/api.js';
import { listPages } from '../core/pagination.js';
import { senderWithin } from '../transport/call.js';
import { Deadline } from '../transport/deadline.js';
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

/** Checks a payment before it is sent: validates its fields, and reads its customer and beneficiary. */
export async function preflight(
  context: WorkflowContext,
  payment: PaymentCreateParams,
  options: RequestOptions,
): Promise<PaymentIssue[]> {
  assertRequestOptions(options);
  const { totalTimeout = context.options.totalTimeout } = options;
  const deadline = new Deadline(context.timing, { endpoint: 'payments.preflight', totalTimeout });
  const sender = senderWithin(context.sender, deadline);
  const issues: PaymentIssue[] = [];
  const add = (code: PaymentIssueCode, path: string, message: string): void =>
    void issues.push({ path, message, code });
  try {
    sender.prepare('payments.create', { body: payment });
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    for (const { path, message } of error.issues) add('invalid-field', path, message);
  }
  const { customerId, beneficiaryId } = (payment ?? {}) as Partial<PaymentCreateParams>;
  const isValid = (field: string): boolean => issues.every(({ path }) => path !== field && path !== '');
  if (customerId === undefined || !isValid('customerId')) return issues;
  try {
    const { data } = await sender.send('customers.get', { ids: { id: customerId } }, options);
    const { status } = data;
    const message = `is a customer with status ${status}; only an APPROVED customer can pay`;
    if (status !== 'APPROVED') add('customer-not-approved', 'customerId', message);
  } catch (error) {
    const issue = error instanceof InvalidRequestError ? error.issues.find(({ path }) => path === 'id') : undefined;
    if (issue !== undefined) add('invalid-field', 'customerId', issue.message);
    else if (error instanceof NotFoundError)
      add('customer-not-found', 'customerId', 'is not a customer of this organization');
    else throw error;
    return issues;
  }
  if (beneficiaryId === undefined || !isValid('beneficiaryId')) return issues;
  const query: BeneficiaryListParams = { limit: pageSize.largest };
  const input = { ids: { customerId }, query };
  for await (const { id, status } of listPages(sender, 'customers.beneficiaries', input, options, 'id')) {
    if (id !== beneficiaryId) continue;
    const message = `is a beneficiary with status ${status}; only an APPROVED beneficiary can be paid`;
    if (status !== 'APPROVED') add('beneficiary-not-approved', 'beneficiaryId', message);
    return issues;
  }
  add('beneficiary-not-found', 'beneficiaryId', 'is not a beneficiary of this customer');
  return issues;
}
