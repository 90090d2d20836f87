import type { EndpointName } from '../contract/endpoints.js';
import { MockPlatformError } from './error.js';
import type { MockPayment } from './records/payments.js';
import type { MockTicket } from './records/tickets.js';

/** What requests create. */
export type MockCreated = 'payments' | 'replies';

/** The records among which those that requests created are. */
export interface CreationLog {
  readonly payments: { all(): readonly MockPayment[] };
  readonly tickets: { all(): readonly MockTicket[] };
}

/** A kind of record that requests create. */
interface CreatedKind {
  /** The endpoint that creates them. */
  readonly endpoint: EndpointName;
  readonly one: string;
  readonly many: string;
  /** A line for each that a request created. */
  readonly all: (log: CreationLog) => string[];
}

const kinds: { readonly [Kind in MockCreated]: CreatedKind } = {
  payments: {
    endpoint: 'payments.create',
    one: 'payment',
    many: 'payments',
    all: ({ payments }) => payments.all().filter(({ requested }) => requested)
      .map(({ id, amount, currencyCode, paymentQuoteId, status, createdAt }) => `  ${id} ${amount} ${currencyCode} by quote ${paymentQuoteId}, ${status}, created ${createdAt}`),
  },
  replies: {
    endpoint: 'support.reply',
    one: 'reply',
    many: 'replies',
    all: ({ tickets }) => tickets.all().flatMap((ticket) => ticket.replies.filter(({ requested }) => requested).map(({ id, createdAt }) => `  ${id} to ${ticket.id}, created ${createdAt}`)),
  },
};

/** A kind of record that requests create. Throws `MockPlatformError` where they do not. */
export function created(call: string, kind: MockCreated): CreatedKind {
  if (Object.hasOwn(kinds, kind)) return kinds[kind];
  throw new MockPlatformError(`${call}: requests create ${Object.keys(kinds).join(' and ')}, not ${JSON.stringify(kind)}`);
}
