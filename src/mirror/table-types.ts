import type { Beneficiary } from '../contract/schema/beneficiaries.js';
import type { Customer } from '../contract/schema/customers.js';
import type { ListedPayment } from '../contract/schema/payments.js';
import type { RecordName } from './tables.js';

/** The columns of every table of records. `Time` is the type of a time. */
export interface MirrorRecordRow<Row extends { readonly status: unknown }, Time> {
  /** The record's id. */
  readonly id: string;
  /** The record's status. */
  readonly status: Row['status'] | null;
  /** When it was created. */
  readonly created_at: Time | null;
  /** When it last changed. */
  readonly updated_at: Time | null;
  /** The record as the platform sent it. Fields can be missing; without `sensitive: true`, those with personal data are. */
  readonly data: Readonly<Partial<Row>>;
  /** When this state was first read. */
  readonly observed_at: Time;
  /** Since when the platform has not listed the record; null if it does. */
  readonly missing_since: Time | null;
}

/** A row of `corridor_payments`. */
export interface MirrorPaymentRow<Time> extends MirrorRecordRow<ListedPayment, Time> {
  /** The amount. */
  readonly amount: string | null;
  /** The currency of the amount. */
  readonly currency_code: string | null;
  /** The customer making the payment. */
  readonly customer_id: string | null;
  /** The beneficiary receiving the payment. */
  readonly beneficiary_id: string | null;
  /** The quote the payment was made against. */
  readonly payment_quote_id: string | null;
  /** Your own reference. */
  readonly internal_reference: string | null;
}

/** A row of `corridor_customers`. */
export interface MirrorCustomerRow<Time> extends MirrorRecordRow<Customer, Time> {
  /** The company's name. */
  readonly company_name: string | null;
}

/** A row of `corridor_beneficiaries`. */
export interface MirrorBeneficiaryRow<Time> extends MirrorRecordRow<Beneficiary, Time> {
  /** The customer that pays the beneficiary. */
  readonly customer_id: string | null;
  /** The company's name. */
  readonly company_name: string | null;
  /** The account's currency. */
  readonly currency_code: string | null;
}

/** A row of `corridor_changes`. */
export interface MirrorChangeRow<Time, Integer> {
  /** The number of the change. */
  readonly sequence: Integer;
  /** The kind of record. */
  readonly record: RecordName;
  /** The record's id. */
  readonly id: string;
  /** The status before. */
  readonly previous_status: string | null;
  /** The status to which it changed. */
  readonly status: string | null;
  /** The names of the fields that differ. */
  readonly fields: readonly string[];
  /** When it was observed. */
  readonly observed_at: Time;
  /** The platform's `updatedAt` of the reading; null if it cannot be read, or no reading shows the record anymore. */
  readonly updated_at: Time | null;
}

/** The tables of a mirror by name, with the columns that are not internal. */
export interface MirrorTablesOf<Time, Integer> {
  /** The payments. */
  readonly corridor_payments: MirrorPaymentRow<Time>;
  /** The customers. */
  readonly corridor_customers: MirrorCustomerRow<Time>;
  /** The beneficiaries. */
  readonly corridor_beneficiaries: MirrorBeneficiaryRow<Time>;
  /** The changes of all records. */
  readonly corridor_changes: MirrorChangeRow<Time, Integer>;
}
