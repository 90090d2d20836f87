import type { StoredFile } from '../data/files.js';
import type { PaymentAuthorization } from '../../contract/schema/authorization.js';
import type { Beneficiary } from '../../contract/schema/beneficiaries.js';
import type { Customer, CustomerActivity } from '../../contract/schema/customers.js';
import type { Payment } from '../../contract/schema/payments.js';
import type { PaymentQuote } from '../../contract/schema/quotes.js';
import type { PersonScreening, ScreeningRun } from '../../contract/schema/screening.js';
import type { SupportReplyParams } from '../../contract/schema/support.js';

/**
 * The kinds of records that a test adds, in the order in which a scenario adds them: a record may name those of the
 * kinds before it.
 */
export const recordKinds = [
  'customers',
  'beneficiaries',
  'persons',
  'quotes',
  'documents',
  'payments',
  'tickets',
] as const;

/** A kind of record that a mock has a builder for. */
export type RecordKindName = (typeof recordKinds)[number];

/** A stored customer. The activity is oldest first. */
export interface StoredCustomer {
  readonly record: Customer;
  readonly activity: readonly CustomerActivity[];
}

/** A stored beneficiary. */
export interface StoredBeneficiary {
  readonly record: Beneficiary;
}

/** A stored person. */
export interface StoredPerson {
  readonly id: string;
  readonly customerId: string;
  /** The screening without the count of its runs, which is computed. */
  readonly screening: Omit<PersonScreening, 'historyCount'>;
  /** The screening runs, newest first. */
  readonly runs: readonly ScreeningRun[];
}

/** A stored quote. */
export interface StoredQuote {
  readonly record: PaymentQuote;
  readonly customerId: string;
  /** Whether `priceBreakdown` is computed when the quote is read, because it is the largest part of a payment. */
  readonly isPriceComputed?: boolean;
}

/** The stored fields of a payment: its customer, beneficiary and receipt are looked up when it is read. */
export type PaymentCore = Omit<Payment, 'customer' | 'beneficiary' | 'receiptUrl'>;

/** The time at which a payment got a status. */
export interface StatusChange {
  /** The status. */
  readonly status: Payment['status'];
  /** The time in ISO 8601 format. */
  readonly at: string;
}

/** A stored payment. */
export interface StoredPayment {
  readonly record: PaymentCore;
  readonly authorization: PaymentAuthorization;
  readonly documentIds: readonly string[];
  /** Whether a request, rather than the test, created the payment. */
  readonly requested: boolean;
  /** The statuses that it had, oldest first; absent until it changes. */
  readonly history?: readonly StatusChange[];
  /** The receipt URL that the test set, which replaces the one that depends on the status. */
  readonly receiptUrl?: string | null;
}

/** The kinds of documents. Assumed: A-21. */
export type DocumentKind = 'invoice' | 'other';

/** A stored document. */
export interface StoredDocument extends StoredFile {
  readonly id: string;
  readonly customerId: string;
  readonly kind: DocumentKind;
  readonly createdAt: string;
}

/** A stored attachment of a ticket. */
export interface StoredAttachment extends StoredFile {
  readonly id: string;
}

/** A reply to a ticket. */
export interface MockTicketReply extends SupportReplyParams {
  /** The reply's id. */
  readonly id: string;
  /** The time of the reply in ISO 8601 format. */
  readonly createdAt: string;
  /** Whether a request created the reply, rather than the test. */
  readonly requested: boolean;
}

/** A stored ticket. */
export interface StoredTicket {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly createdAt: string;
  readonly attachments: readonly StoredAttachment[];
  readonly replies: readonly MockTicketReply[];
}

/** The records that an organization stores, by kind. */
export interface StoredRecords {
  readonly customers: StoredCustomer;
  readonly beneficiaries: StoredBeneficiary;
  readonly persons: StoredPerson;
  readonly documents: StoredDocument;
  readonly quotes: StoredQuote;
  readonly payments: StoredPayment;
  readonly tickets: StoredTicket;
}
