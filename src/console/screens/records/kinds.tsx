import type { JSX } from 'preact';
import { recordColumns } from '../../../contract/columns.js';
import type { IconName } from '../../components/icons.js';
import type { MockPayment, MockPerson, MockQuote, MockTicket } from '../../control/records.js';
import { CustomerDetails } from './details/customer.js';
import { DocumentDetails, type DocumentFile } from './details/document.js';
import { PaymentDetails } from './details/payment.js';
import { PersonDetails } from './details/person.js';
import { QuotePrice } from './details/quote.js';
import { TicketDetails } from './details/ticket.js';
import { labelOf, type Fields } from './fields.js';

/** What the record screen has to know about a kind of records. */
export interface RecordKind {
  /** The name in control calls and in URLs. */
  readonly name: IconName;
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  /** The paths of the fields in the list; the first one names a record. */
  readonly columns: readonly string[];
  /** The part of the crypto catalog that has the records: it has calls of its own. */
  readonly catalog?: 'networks' | 'paymentMethods';
  /** Whether there is a table of transitions. */
  readonly hasTransitions?: true;
  /** What the details show besides the fields. */
  readonly details?: (record: Fields) => JSX.Element;
  /** The fields that `details` shows instead of JSON. */
  readonly shown?: readonly string[];
}

/** Returns a kind whose title and nouns are its name, such as `payments`. */
const kind = (
  name: IconName,
  others: Omit<RecordKind, 'name' | 'title' | 'noun'> & Partial<RecordKind>,
): RecordKind => ({
  name,
  title: labelOf(name),
  noun: [name.replace(/ies$/, 'y').replace(/s$/, ''), name],
  ...others,
});

/** The kinds of records, in the order of the navigation. */
export const recordKinds: readonly RecordKind[] = [
  kind('payments', {
    columns: recordColumns.payments,
    hasTransitions: true,
    details: (record) => <PaymentDetails payment={record as unknown as MockPayment} />,
    shown: ['paymentQuote'],
  }),
  kind('quotes', {
    columns: recordColumns.quotes,
    details: (record) => <QuotePrice quote={record as unknown as MockQuote} />,
    shown: ['priceBreakdown'],
  }),
  kind('customers', {
    columns: recordColumns.customers,
    hasTransitions: true,
    details: ({ id }) => <CustomerDetails id={String(id)} />,
  }),
  kind('beneficiaries', { columns: recordColumns.beneficiaries, hasTransitions: true }),
  kind('persons', {
    title: 'Screening',
    columns: ['displayName', 'paymentHold', 'openMatchCount', 'customerName', 'lastScreenedAt'].map(
      (field) => `screening.subject.${field}`,
    ),
    details: (record) => <PersonDetails person={record as unknown as MockPerson} />,
  }),
  kind('documents', {
    columns: ['fileName', 'kind', 'customerId', 'createdAt'],
    details: (record) => <DocumentDetails file={record as unknown as DocumentFile} />,
    shown: ['content'],
  }),
  kind('tickets', {
    columns: recordColumns.tickets,
    details: (record) => <TicketDetails ticket={record as unknown as MockTicket} />,
    shown: ['replies'],
  }),
  kind('networks', { title: 'Crypto networks', columns: recordColumns.networks, catalog: 'networks' }),
  kind('methods', {
    title: 'Crypto methods',
    noun: ['payment method', 'payment methods'],
    columns: recordColumns.paymentMethods,
    catalog: 'paymentMethods',
  }),
];
