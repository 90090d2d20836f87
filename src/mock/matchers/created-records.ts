import type { EndpointName } from '../../contract/endpoints.js';
import { MockPlatformError } from '../error.js';
import type { MockPayment } from '../records/payments.js';
import type { MockTicket } from '../records/tickets.js';

/** The kinds of records that requests create. */
export type CreatedKind = 'payments' | 'replies';

/** The records of an organization, including those that requests created. */
export interface CreatableRecords {
  readonly payments: { all(): readonly MockPayment[] };
  readonly tickets: { all(): readonly MockTicket[] };
}

/** A kind of record that requests create. */
interface CreatedKindDefinition {
  /** The endpoint that creates them. */
  readonly endpoint: EndpointName;
  readonly singular: string;
  readonly plural: string;
  /** Returns one line for each record that a request created. */
  readonly describeCreated: (records: CreatableRecords) => string[];
}

const kinds: { readonly [Kind in CreatedKind]: CreatedKindDefinition } = {
  payments: {
    endpoint: 'payments.create',
    singular: 'payment',
    plural: 'payments',
    describeCreated: ({ payments }) =>
      payments
        .all()
        .filter(({ requested }) => requested)
        .map(
          ({ id, amount, currencyCode, paymentQuoteId, status, createdAt }) =>
            `  ${id} ${amount} ${currencyCode} by quote ${paymentQuoteId}, ${status}, created ${createdAt}`,
        ),
  },
  replies: {
    endpoint: 'support.reply',
    singular: 'reply',
    plural: 'replies',
    describeCreated: ({ tickets }) =>
      tickets
        .all()
        .flatMap((ticket) =>
          ticket.replies
            .filter(({ requested }) => requested)
            .map(({ id, createdAt }) => `  ${id} to ${ticket.id}, created ${createdAt}`),
        ),
  },
};

/** Returns the definition of a kind. Throws `MockPlatformError` if requests do not create such records. */
export function createdRecords(call: string, kind: CreatedKind): CreatedKindDefinition {
  if (Object.hasOwn(kinds, kind)) return kinds[kind];
  throw new MockPlatformError(
    `${call}: unknown kind ${JSON.stringify(kind)} (expected: ${Object.keys(kinds).join(', ')})`,
  );
}
