import type { PaymentAuthorization } from '../contract/authorization.js';
import type { Beneficiary } from '../contract/beneficiaries.js';
import type { Customer, CustomerActivity } from '../contract/customers.js';
import type { Payment } from '../contract/payments.js';
import type { PaymentQuote } from '../contract/quotes.js';
import type { PersonScreening, ScreeningRun } from '../contract/screening.js';
import type { SupportReply } from '../contract/support.js';

/** What the state holds of a customer. The activity is oldest first. */
export interface StoredCustomer {
  readonly record: Customer;
  readonly activity: readonly CustomerActivity[];
}

/** What the state holds of a beneficiary. */
export interface StoredBeneficiary {
  readonly record: Beneficiary;
}

/** What the state holds of a person. */
export interface StoredPerson {
  readonly id: string;
  readonly customerId: string;
  /** Without the count of runs, which is counted. */
  readonly screening: Omit<PersonScreening, 'historyCount'>;
}

/** What the state holds of a screening run. */
export interface StoredRun {
  readonly personId: string;
  readonly record: ScreeningRun;
}

/** What the state holds of a quote. */
export interface StoredQuote {
  readonly record: PaymentQuote;
  readonly customerId: string;
}

/** What a payment holds of its own: its customer, beneficiary and receipt are looked up when it is shown. */
export type PaymentCore = Omit<Payment, 'customer' | 'beneficiary' | 'receiptUrl'>;

/** What the state holds of a payment. */
export interface StoredPayment {
  readonly record: PaymentCore;
  readonly authorization: PaymentAuthorization;
  readonly documentIds: readonly string[];
  /** Whether a request created it, and not the test. */
  readonly requested: boolean;
  /** In how many requests for the list it is still missing. */
  readonly unlistedReads?: number;
  /** What was set in place of the receipt that follows from the status. */
  readonly receiptUrl?: string | null;
}

/** A file: its bytes as base64, or null where they are written when they are asked for. */
export interface StoredFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: string | null;
}

/** What a document may be. Assumed: A-21. */
export type DocumentKind = 'invoice' | 'other';

/** What the state holds of a document. */
export interface StoredDocument extends StoredFile {
  readonly id: string;
  readonly customerId: string;
  readonly kind: DocumentKind;
  readonly createdAt: string;
}

/** What the state holds of a ticket's attachment. */
export interface StoredAttachment extends StoredFile {
  readonly id: string;
}

/** A reply to a ticket. */
export interface StoredReply extends SupportReply {
  readonly id: string;
  readonly createdAt: string;
  /** Whether a request sent it, and not the test. */
  readonly requested: boolean;
}

/** What the state holds of a ticket. */
export interface StoredTicket {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly createdAt: string;
  readonly attachments: readonly StoredAttachment[];
  readonly replies: readonly StoredReply[];
}
