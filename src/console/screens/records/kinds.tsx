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
import type { Fields } from './fields.js';

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

/** The kinds of records, in the order of the navigation. */
export const recordKinds: readonly RecordKind[] = [
  {
    name: 'payments',
    title: 'Payments',
    noun: ['payment', 'payments'],
    columns: recordColumns.payments,
    hasTransitions: true,
    details: (record) => <PaymentDetails payment={record as unknown as MockPayment} />,
    shown: ['paymentQuote'],
  },
  {
    name: 'quotes',
    title: 'Quotes',
    noun: ['quote', 'quotes'],
    columns: recordColumns.quotes,
    details: (record) => <QuotePrice quote={record as unknown as MockQuote} />,
    shown: ['priceBreakdown'],
  },
  {
    name: 'customers',
    title: 'Customers',
    noun: ['customer', 'customers'],
    columns: recordColumns.customers,
    hasTransitions: true,
    details: ({ id }) => <CustomerDetails id={String(id)} />,
  },
  {
    name: 'beneficiaries',
    title: 'Beneficiaries',
    noun: ['beneficiary', 'beneficiaries'],
    columns: recordColumns.beneficiaries,
    hasTransitions: true,
  },
  {
    name: 'persons',
    title: 'Screening',
    noun: ['person', 'persons'],
    columns: ['displayName', 'paymentHold', 'openMatchCount', 'customerName', 'lastScreenedAt'].map(
      (field) => `screening.subject.${field}`,
    ),
    details: (record) => <PersonDetails person={record as unknown as MockPerson} />,
  },
  {
    name: 'documents',
    title: 'Documents',
    noun: ['document', 'documents'],
    columns: ['fileName', 'kind', 'customerId', 'createdAt'],
    details: (record) => <DocumentDetails file={record as unknown as DocumentFile} />,
    shown: ['content'],
  },
  {
    name: 'tickets',
    title: 'Tickets',
    noun: ['ticket', 'tickets'],
    columns: recordColumns.tickets,
    details: (record) => <TicketDetails ticket={record as unknown as MockTicket} />,
    shown: ['replies'],
  },
  {
    name: 'networks',
    title: 'Crypto networks',
    noun: ['network', 'networks'],
    columns: recordColumns.networks,
    catalog: 'networks',
  },
  {
    name: 'methods',
    title: 'Crypto methods',
    noun: ['payment method', 'payment methods'],
    columns: recordColumns.paymentMethods,
    catalog: 'paymentMethods',
  },
];
