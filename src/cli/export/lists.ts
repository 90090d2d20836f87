import type { Beneficiary, Customer, ListedPayment } from '../../index.js';
import { beneficiaryStatuses } from '../../contract/schema/beneficiaries.js';
import { customerStatuses } from '../../contract/schema/customers.js';
import { paymentStatuses } from '../../contract/schema/payments.js';
import { valueAt } from '../print/table.js';

type Path<T> = { [K in keyof T & string]: K | (T[K] extends object ? `${K}.${keyof T[K] & string}` : never) }[keyof T &
  string];

// The compiler checks each path against its record.
const columnsOf = <T>(...columns: readonly Path<T>[]): readonly string[] => columns;

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
    columns: columnsOf<ListedPayment>(
      'id',
      'status',
      'amount',
      'currencyCode',
      'createdAt',
      'updatedAt',
      'customerId',
      'customer.companyName',
      'beneficiaryId',
      'beneficiary.companyName',
      'internalReference',
      'invoiceNumber',
      'purposeOfPayment',
      'memo',
      'paymentQuoteId',
      'paymentToken',
      'paymentNetwork',
      'receiptUrl',
    ),
  },
  customers: {
    one: 'customer',
    statuses: customerStatuses,
    columns: columnsOf<Customer>(
      'id',
      'status',
      'companyName',
      'registrationNumber',
      'countryOfIncorporation.alpha2',
      'addressLine1',
      'addressLine2',
      'city',
      'stateProvinceRegion',
      'postalCode',
      'addressCountry.alpha2',
      'createdAt',
      'updatedAt',
    ),
  },
  beneficiaries: {
    one: 'beneficiary',
    statuses: beneficiaryStatuses,
    columns: columnsOf<Beneficiary>(
      'id',
      'status',
      'customerId',
      'companyName',
      'country',
      'address',
      'addressStreet',
      'addressCity',
      'addressProvince',
      'zipCode',
      'currencyCode',
      'bankName',
      'bankBic',
      'bankCountryCode',
      'bankAddress',
      'accountNumber',
      'iban',
      'wireRoutingNumber',
      'achRoutingNumber',
      'sortCode',
      'institutionNumber',
      'transitNumber',
      'intermediaryBank',
      'createdAt',
      'updatedAt',
    ),
  },
} satisfies Record<string, ExportedList>;

/** Returns a record as a line of CSV. The guard makes spreadsheets read a value that begins like a formula as text. */
export function csvRecord(columns: readonly string[], record: unknown, hasGuard: boolean): string {
  return csvLine(
    columns.map((path) => {
      const value = valueAt(record, path);
      const text =
        typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
      return hasGuard && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
    }),
  );
}

/** Formats values by RFC 4180. */
export function csvLine(values: readonly string[]): string {
  const quoted = values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return `${quoted.join(',')}\r\n`;
}
