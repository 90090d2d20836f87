import type { Beneficiary } from '../contract/beneficiaries.js';
import type { Customer } from '../contract/customers.js';
import type { PaymentCreate } from '../contract/payments.js';
import { InvalidRequestError, NotFoundError, type Issue } from '../errors.js';
import type { PageRequest } from '../pages.js';
import { checkedPayment, type RequestOptions } from '../transport/request.js';
import type { WorkflowOptions } from './workflow.js';

/** What kind of problem a payment has. */
export type PaymentProblemCode =
  | 'invalid-field' | 'customer-not-found' | 'customer-not-approved' | 'beneficiary-not-found' | 'beneficiary-not-approved';

/** One thing for which the platform would refuse a payment. */
export interface PaymentProblem extends Issue {
  /** What kind of problem it is. */
  readonly code: PaymentProblemCode;
}

/** What is read to check a payment. */
export interface PartyReads {
  readonly customer: (customerId: string, options: RequestOptions) => PromiseLike<Customer>;
  readonly beneficiaries: (customerId: string, options: RequestOptions) => PageRequest<Beneficiary>;
}

/** Looks for problems of a payment before it is sent: its fields by the contract, its parties by reading them. */
export async function check(workflow: WorkflowOptions, reads: PartyReads, payment: PaymentCreate, options: RequestOptions): Promise<PaymentProblem[]> {
  const problems = fieldProblems(workflow, payment);
  const { customerId, beneficiaryId } = (payment ?? {}) as Partial<PaymentCreate>;
  const isSound = (field: string): boolean => problems.every(({ path }) => path !== field && path !== '');
  if (customerId === undefined || !isSound('customerId')) return problems;
  const customer = await customerProblem(reads, customerId, options);
  if (customer !== undefined) problems.push(customer);
  if (beneficiaryId === undefined || !isSound('beneficiaryId') || (customer !== undefined && customer.code !== 'customer-not-approved')) return problems;
  const beneficiary = await beneficiaryProblem(reads, customerId, beneficiaryId, options);
  if (beneficiary !== undefined) problems.push(beneficiary);
  return problems;
}

function fieldProblems({ dialect }: WorkflowOptions, payment: PaymentCreate): PaymentProblem[] {
  try {
    checkedPayment(payment, dialect);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return error.issues.map(({ path, message }) => ({ path, message, code: 'invalid-field' }));
  }
}

async function customerProblem(reads: PartyReads, customerId: string, options: RequestOptions): Promise<PaymentProblem | undefined> {
  try {
    const { status } = await reads.customer(customerId, options);
    if (status === 'APPROVED') return undefined;
    return { path: 'customerId', message: `is a customer that is ${status}: only an APPROVED one can pay`, code: 'customer-not-approved' };
  } catch (error) {
    const [issue] = error instanceof InvalidRequestError ? error.issues.filter(({ path }) => path === 'id') : [];
    if (issue !== undefined) return { path: 'customerId', message: issue.message, code: 'invalid-field' };
    if (!(error instanceof NotFoundError)) throw error;
    return { path: 'customerId', message: 'is no customer of this organization', code: 'customer-not-found' };
  }
}

async function beneficiaryProblem(reads: PartyReads, customerId: string, beneficiaryId: string, options: RequestOptions): Promise<PaymentProblem | undefined> {
  for await (const { id, status } of reads.beneficiaries(customerId, options)) {
    if (id !== beneficiaryId) continue;
    if (status === 'APPROVED') return undefined;
    return { path: 'beneficiaryId', message: `is a beneficiary that is ${status}: only an APPROVED one can be paid`, code: 'beneficiary-not-approved' };
  }
  return { path: 'beneficiaryId', message: 'is no beneficiary of this customer', code: 'beneficiary-not-found' };
}
