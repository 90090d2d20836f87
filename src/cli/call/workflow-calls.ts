import type { PaymentFindParams, StoredIntent } from '../../index.js';
import type { RequestField } from '../../contract/request-fields.js';

/** A call of the client that is not a single endpoint. All of them only read. */
export interface WorkflowCall {
  /** The method of the client. */
  readonly target: string;
  readonly about: string;
  /** The names of its ids, in order. */
  readonly ids?: readonly string[];
  /** The fields of its JSON, or the call whose JSON it takes. */
  readonly fields?: readonly RequestField[] | 'payments.create';
  /** Whether it writes a file. */
  readonly download?: boolean;
}

// The compiler requires each field of the client's parameters.
const fieldsOf = <T>(rules: Readonly<Record<keyof T & string, string>>, required: boolean): readonly RequestField[] =>
  Object.entries<string>(rules).map(([name, rule]) => ({ name, required, rule }));

const time = 'must be an ISO 8601 UTC string ending in Z';

/** The calls, by name. */
export const workflowCalls: Readonly<Record<string, WorkflowCall>> = {
  'payments.find': {
    target: 'payments.find',
    about: 'finds a payment by its id, its quote or your reference',
    fields: fieldsOf<PaymentFindParams>(
      {
        id: 'the id of the payment',
        paymentQuoteId: 'the quote of the payment',
        internalReference: 'your reference',
        createdFrom: `${time}; limits the search`,
        createdTo: time,
      },
      false,
    ),
  },
  'payments.preflight': {
    target: 'payments.preflight',
    about: 'checks a payment and creates nothing',
    fields: 'payments.create',
  },
  'payments.reconcile': {
    target: 'payments.reconcile',
    about: 'searches the list for the payment of a stored intent',
    fields: fieldsOf<StoredIntent>(
      {
        version: 'the fields of the intent, unchanged',
        id: 'as stored',
        request: 'as stored',
        createdAt: 'as stored',
        clockOffset: 'as stored',
        clockKnown: 'as stored',
      },
      true,
    ),
  },
  'documents.download': {
    target: 'documents.download',
    about: 'downloads a document to the file of --out',
    ids: ['id'],
    download: true,
  },
  'support.attachment': {
    target: 'support.downloadAttachment',
    about: 'downloads an attachment of a ticket to the file of --out',
    ids: ['ticketId', 'attachmentId'],
    download: true,
  },
};
