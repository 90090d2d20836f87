import type { Beneficiary, Customer, ListedPayment } from '../../index.js';
import { beneficiaryStatuses } from '../../contract/schema/beneficiaries.js';
import { customerStatuses } from '../../contract/schema/customers.js';
import { paymentStatuses } from '../../contract/schema/payments.js';
import { valueAt } from '../print/table.js';

/** For each field of a record, whether it is a column, or which of its fields are. */
type Columns<T> = {
  readonly [Field in keyof T & string]-?:
    | boolean
    | (T[Field] extends object ? readonly (keyof T[Field] & string)[] : never);
};

/** Returns the columns, in order. The compiler reports a field that is missing: one is left out only on purpose. */
const columnsOf = <T>(fields: Columns<T>): readonly string[] =>
  Object.entries<boolean | readonly string[]>(fields).flatMap(([field, shown]) => {
    if (typeof shown === 'boolean') return shown ? [field] : [];
    return shown.map((inner) => `${field}.${inner}`);
  });

/** A list that can be exported. */
export interface ExportedList {
  /** The name of one record. */
  readonly one: string;
  /** The statuses by which the list is filtered. */
  readonly statuses: readonly string[];
  /** The columns of CSV files. Programs rely on their order: add new ones at the end. */
  readonly columns: readonly string[];
}

/** The lists that can be exported. */
export const exportedLists = {
  payments: {
    one: 'payment',
    statuses: paymentStatuses,
    columns: columnsOf<ListedPayment>({
      id: true,
      status: true,
      amount: true,
      currencyCode: true,
      createdAt: true,
      updatedAt: true,
      customerId: true,
      customer: ['companyName'],
      beneficiaryId: true,
      beneficiary: ['companyName'],
      internalReference: true,
      invoiceNumber: true,
      purposeOfPayment: true,
      memo: true,
      paymentQuoteId: true,
      paymentToken: true,
      paymentNetwork: true,
      receiptUrl: true,
      // Objects with fields of their own.
      sourceFunding: false,
      rail: false,
      authorization: false,
    }),
  },
  customers: {
    one: 'customer',
    statuses: customerStatuses,
    columns: columnsOf<Customer>({
      id: true,
      status: true,
      companyName: true,
      registrationNumber: true,
      countryOfIncorporation: ['alpha2'],
      addressLine1: true,
      addressLine2: true,
      city: true,
      stateProvinceRegion: true,
      postalCode: true,
      addressCountry: ['alpha2'],
      createdAt: true,
      updatedAt: true,
    }),
  },
  beneficiaries: {
    one: 'beneficiary',
    statuses: beneficiaryStatuses,
    columns: columnsOf<Beneficiary>({
      id: true,
      status: true,
      customerId: true,
      companyName: true,
      country: true,
      address: true,
      addressStreet: true,
      addressCity: true,
      addressProvince: true,
      zipCode: true,
      currencyCode: true,
      bankName: true,
      bankBic: true,
      bankCountryCode: true,
      bankAddress: true,
      accountNumber: true,
      iban: true,
      wireRoutingNumber: true,
      achRoutingNumber: true,
      sortCode: true,
      institutionNumber: true,
      transitNumber: true,
      intermediaryBank: true,
      createdAt: true,
      updatedAt: true,
      version: false,
    }),
  },
} satisfies Record<string, ExportedList>;

/**
 * Returns a record as a line of CSV. As `text`, what a spreadsheet would read as a formula begins with an apostrophe; a
 * negative number is none.
 */
export function csvRecord(columns: readonly string[], record: unknown, formulas: 'keep' | 'text'): string {
  return csvLine(
    columns.map((path) => {
      const value = valueAt(record, path);
      const text =
        typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
      return formulas === 'text' && /^[=+\-@\t\r\n]/.test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
    }),
  );
}

/** Formats values by RFC 4180. */
export function csvLine(values: readonly string[]): string {
  const quoted = values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return `${quoted.join(',')}\r\n`;
}
