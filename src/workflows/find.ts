import * as z from 'zod/mini';
import type { ListedPayment } from '../contract/schema/payments.js';
import { memoize, nonEmptyString, optional, withMetadata } from '../contract/schema/schema.js';
import { timestampFilter } from '../contract/schema/time.js';
import { pageSize } from '../contract/schema/page.js';
import { senderWithin } from '../transport/call.js';
import { copyAndValidate } from '../transport/request.js';
import { Deadline } from '../transport/deadline.js';
import { assertRequestOptions, type RequestOptions } from '../transport/request-options.js';
import { RunAccount } from './account.js';
import { isNonEmptyString, quoteOf } from './create-once/compare.js';
import { assertDefined, unusableRow, type WorkflowContext } from './context.js';
import { lookupListOf } from './lookup.js';

/**
 * The criteria of `payments.find`: at least one of `id`, `paymentQuoteId` and `internalReference`. A payment must match
 * all of them, and a criterion that is present and undefined is a ConfigurationError.
 */
export interface PaymentFindParams {
  /** The payment's id. */
  readonly id?: string;
  /** The payment's quote. */
  readonly paymentQuoteId?: string;
  /** Your own reference; a payment whose reference is null cannot be found by it. */
  readonly internalReference?: string;
  /**
   * The earliest creation time: an ISO 8601 UTC string ending in Z, or a `Date`. Limits the search: pass it if you can.
   */
  readonly createdFrom?: string | Date | undefined;
  /** The latest creation time. */
  readonly createdTo?: string | Date | undefined;
}

const criteria = ['id', 'paymentQuoteId', 'internalReference'] as const;

const findParams = memoize(() =>
  withMetadata(
    z
      .strictObject({
        id: optional(nonEmptyString()),
        paymentQuoteId: optional(nonEmptyString()),
        internalReference: optional(nonEmptyString()),
        createdFrom: optional(timestampFilter()),
        createdTo: optional(timestampFilter()),
      })
      .check(z.refine((params) => criteria.some((name) => params[name] !== undefined))),
    { rule: `must be an object with at least one of ${criteria.join(', ')}` },
  ),
);

const endpoint = 'payments.find';

/** Reads the list until a payment matches all criteria. The total timeout covers the whole search. */
export async function find(
  context: WorkflowContext,
  query: PaymentFindParams,
  options: RequestOptions,
): Promise<ListedPayment | undefined> {
  assertDefined(endpoint, query, criteria);
  const { createdFrom, createdTo, ...params } = copyAndValidate(endpoint, findParams(), query, 'as-string');
  assertRequestOptions(options);
  const { totalTimeout = context.options.totalTimeout } = options;
  const deadline = new Deadline(context.timing, { endpoint, totalTimeout });
  const expected = criteria.filter((name) => params[name] !== undefined);
  const { sender } = new RunAccount(context, { endpoint });
  let isUnreadable = false;
  try {
    // A row can be any value; missing fields were reported as drift.
    const list = lookupListOf(senderWithin(sender, deadline));
    for await (const payment of list({ createdFrom, createdTo, limit: pageSize.largest }, options)) {
      const values = Object(payment) === payment ? criteriaOf(payment) : {};
      if (expected.every((name) => values[name] === params[name])) return payment;
      isUnreadable ||= expected.every((name) => values[name] === params[name] || !isReadable(values[name]));
    }
  } catch (error) {
    const fix = createdFrom === undefined ? 'createdFrom' : 'a later createdFrom';
    throw deadline.errorOfCall(error, 'could not read the payment list', `. Pass ${fix} or a longer totalTimeout`);
  }
  if (!isUnreadable) return undefined;
  const issues = expected.map((path) => ({ path, message: 'is missing or has the wrong type' }));
  const message =
    'a payment that may match the criteria of payments.find cannot be identified (missing or ' +
    `of the wrong type: ${expected.join(' or ')}). Search by another field`;
  throw unusableRow(message, issues);
}

// Null means that the payment has no value.
function isReadable(value: unknown): boolean {
  return typeof value === 'string' || value === null;
}

function criteriaOf(payment: ListedPayment): Readonly<Partial<Record<(typeof criteria)[number], unknown>>> {
  const { id, internalReference, authorization } = payment;
  return {
    id,
    paymentQuoteId: quoteOf(payment),
    internalReference:
      [internalReference, authorization?.internalReference].find(isNonEmptyString) ?? internalReference,
  };
}
