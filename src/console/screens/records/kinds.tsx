import type { JSX } from 'preact';
import type {
  MockPayment,
  MockPerson,
  MockQuote,
  MockScenario,
  MockTicket,
  RecordKindName,
} from '../../../mock/index.js';
import { recordColumns } from '../../../presentation/columns.js';
import type { IconName } from '../../components/icons.js';
import type { Fields } from '../../components/json-dialog.js';
import { CustomerDetails, DocumentDetails, PersonDetails, TicketDetails, type DocumentFile } from './details.js';
import { PaymentDetails, QuotePrice } from './payment.js';

/** What the screen has to know about a kind of records. */
export interface RecordKind {
  /** The name in control calls and in URLs. */
  readonly name: IconName & keyof typeof examples;
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  /** The paths of the fields in the list; the first one names a record. */
  readonly columns: readonly string[];
  /** What the details show besides the fields. */
  readonly details: (record: Fields) => JSX.Element | null;
  /** The fields that `details` shows instead of JSON. */
  readonly hidden: readonly string[];
}

/** The fields to start from when a record of a kind is added. */
export const examples = {
  payments: [{ amount: '1250.00', currencyCode: 'MXN', status: 'PENDING_REVIEW', internalReference: 'ORDER-1' }],
  quotes: [{ paymentAmount: '1250.00', paymentCurrencyCode: 'MXN' }],
  customers: [{ companyName: 'Acme Ltd', status: 'APPROVED' }],
  beneficiaries: [{ companyName: 'Acme Supplies', currencyCode: 'MXN', status: 'APPROVED' }],
  persons: [{ screening: { subject: { displayName: 'Ada Example' } } }],
  documents: [{ fileName: 'invoice.txt', content: 'Invoice 1' }],
  tickets: [{ subject: 'Where is the payment?', replies: [{ bodyText: 'It arrives tomorrow.' }] }],
} as const satisfies Required<Pick<MockScenario, RecordKindName>>;

/** Returns a kind of records `T`, whose title and nouns are its name. */
const kind = <T,>(
  name: RecordKind['name'],
  columns: readonly string[],
  details: (record: T) => JSX.Element | null = () => null,
  hidden: readonly string[] = [],
): RecordKind => ({
  name,
  columns,
  hidden,
  details: (record) => details(record as T),
  title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  noun: [name.replace(/ies$/, 'y').replace(/s$/, ''), name],
});

const payment = ['amount', 'currencyCode', 'status', 'internalReference'];
const companies = ['customer.companyName', 'beneficiary.companyName'];
const subject = ['displayName', 'paymentHold', 'openMatchCount', 'customerName', 'lastScreenedAt'];
const screening = subject.map((field) => `screening.subject.${field}`);

/** The kinds of records, in the order of the navigation. */
export const recordKinds: readonly RecordKind[] = [
  kind<MockPayment>('payments', ['id', ...payment, ...companies, 'createdAt'], PaymentDetails, ['paymentQuote']),
  kind<MockQuote>('quotes', recordColumns.quotes, QuotePrice, ['priceBreakdown']),
  kind('customers', recordColumns.customers, CustomerDetails),
  kind('beneficiaries', recordColumns.beneficiaries),
  { ...kind<MockPerson>('persons', screening, PersonDetails), title: 'Screening' },
  kind<DocumentFile>('documents', ['fileName', 'kind', 'customerId', 'createdAt'], DocumentDetails, ['content']),
  kind<MockTicket>('tickets', recordColumns.tickets, TicketDetails, ['replies']),
];
