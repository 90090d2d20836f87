import type { ListedPayment } from '../contract/payments.js';
import { InvalidRequestError, TimeoutError } from '../errors.js';
import { checkRequestOptions } from '../transport/request-options.js';
import type { RequestOptions } from '../transport/request.js';
import { together } from './time-left.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** What payment is looked for: by one or more of its marks, which all must hold. */
export interface FindQuery {
  /** The payment's id. */
  readonly id?: string | undefined;
  /** The quote it was made against. */
  readonly paymentQuoteId?: string | undefined;
  /** Your own reference. */
  readonly internalReference?: string | undefined;
  /** Created at or after this time: an ISO 8601 UTC text ending in Z, or a `Date`. Narrows the walk: give it where you can. */
  readonly createdFrom?: string | Date | undefined;
  /** Created at or before this time. */
  readonly createdTo?: string | Date | undefined;
}

const marks = ['id', 'paymentQuoteId', 'internalReference'] as const;

const endpoint = 'payments.find';

/** Walks the list until a payment bears all the marks that are given. The deadline is that of the whole walk. */
export async function find(workflow: WorkflowOptions, list: ListPayments, query: FindQuery, options: RequestOptions): Promise<ListedPayment | undefined> {
  if (Object.prototype.toString.call(query) !== '[object Object]') {
    throw new InvalidRequestError(endpoint, [{ path: 'query', message: `must be an object that holds at least one of ${marks.join(', ')}` }]);
  }
  const { createdFrom, createdTo, ...asked } = query;
  checkMarks(asked);
  checkRequestOptions(options);
  const { timing } = workflow;
  const { deadline = workflow.deadline } = options;
  const started = timing.elapsed();
  const wanted = marks.filter((mark) => asked[mark] !== undefined);
  try {
    for await (const payment of list({ createdFrom, createdTo, limit: 100 }, together(timing, deadline, options))) {
      if (wanted.every((mark) => marksOf(payment)[mark] === asked[mark])) return payment;
    }
  } catch (error) {
    // A timer may go off a little early.
    if (!(error instanceof TimeoutError) || timing.elapsed() - started < deadline - 1) throw error;
    const { outcome, attempts } = error;
    const hint = createdFrom === undefined ? 'give createdFrom, or a longer deadline' : 'give a later createdFrom, or a longer deadline';
    throw new TimeoutError(`${endpoint} had not walked the list within its deadline of ${deadline} ms: ${hint}`, { endpoint, outcome, attempts, cause: error });
  }
  return undefined;
}

function marksOf(payment: ListedPayment): Readonly<Record<(typeof marks)[number], unknown>> {
  const { id, authorization } = payment;
  return {
    id,
    paymentQuoteId: payment.paymentQuoteId ?? authorization?.quoteId,
    internalReference: payment.internalReference ?? authorization?.internalReference,
  };
}

function checkMarks(asked: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(asked).filter((key) => !(marks as readonly string[]).includes(key));
  const issues = [
    ...unknown.map((path) => ({ path, message: `is not known (known: ${marks.join(', ')}, createdFrom, createdTo)` })),
    ...marks.filter((mark) => asked[mark] !== undefined && (typeof asked[mark] !== 'string' || asked[mark] === '')).map((path) => ({ path, message: 'must be a non-empty string' })),
  ];
  if (issues.length === 0 && marks.every((mark) => asked[mark] === undefined)) issues.push({ path: '', message: `must hold at least one of ${marks.join(', ')}` });
  if (issues.length > 0) throw new InvalidRequestError(endpoint, issues);
}
