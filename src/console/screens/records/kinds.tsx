import type { JSX } from 'preact';
import { recordColumns } from '../../../presentation/columns.js';
import type { IconName } from '../../components/icons.js';
import type { MockPayment, MockPerson, MockQuote, MockTicket } from '../../control/record-types.js';
import { CustomerDetails, DocumentDetails, PersonDetails, TicketDetails, type DocumentFile } from './details.js';
import type { Fields } from './fields.js';
import { PaymentDetails, QuotePrice } from './payment.js';

/** What the record screen has to know about a kind of records. */
export interface RecordKind {
  /** The name in control calls and in URLs. */
  readonly name: IconName;
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  /** The paths of the fields in the list; the first one names a record. */
  readonly columns: readonly string[];
  /** What the details show besides the fields. */
  readonly details?: (record: Fields) => JSX.Element;
  /** The fields that `details` shows instead of JSON. */
  readonly hidden?: readonly string[];
}

/** Returns a kind whose title and nouns are its name, such as `payments`. */
const kind = (name: IconName, columns: readonly string[], others: Partial<RecordKind> = {}): RecordKind => ({
  name,
  columns,
  title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  noun: [name.replace(/ies$/, 'y').replace(/s$/, ''), name],
  ...others,
});

const subject = ['displayName', 'paymentHold', 'openMatchCount', 'customerName', 'lastScreenedAt'];

const paymentColumns = [
  'id',
  'amount',
  'currencyCode',
  'status',
  'internalReference',
  'customer.companyName',
  'beneficiary.companyName',
  'createdAt',
];

/** The kinds of records, in the order of the navigation. */
export const recordKinds: readonly RecordKind[] = [
  kind('payments', paymentColumns, {
    details: (record) => <PaymentDetails payment={record as unknown as MockPayment} />,
    hidden: ['paymentQuote'],
  }),
  kind('quotes', recordColumns.quotes, {
    details: (record) => <QuotePrice quote={record as unknown as MockQuote} />,
    hidden: ['priceBreakdown'],
  }),
  kind('customers', recordColumns.customers, { details: ({ id }) => <CustomerDetails id={String(id)} /> }),
  kind('beneficiaries', recordColumns.beneficiaries),
  kind(
    'persons',
    subject.map((field) => `screening.subject.${field}`),
    {
      title: 'Screening',
      details: (record) => <PersonDetails person={record as unknown as MockPerson} />,
    },
  ),
  kind('documents', ['fileName', 'kind', 'customerId', 'createdAt'], {
    details: (record) => <DocumentDetails file={record as unknown as DocumentFile} />,
    hidden: ['content'],
  }),
  kind('tickets', recordColumns.tickets, {
    details: (record) => <TicketDetails ticket={record as unknown as MockTicket} />,
    hidden: ['replies'],
  }),
];
