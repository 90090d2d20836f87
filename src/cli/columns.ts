import type {
  Beneficiary, CryptoNetwork, CryptoPaymentMethod, Customer, CustomerActivity, EndpointName, ListedPayment, ScreeningRun,
} from '../index.js';

type Path<T> = { [K in keyof T & string]: K | (T[K] extends object ? `${K}.${keyof T[K] & string}` : never) }[keyof T & string];

// The compiler holds each against its record. The most telling come first: what does not fit a terminal is left out from the end.
const columnsOf = <T>(...columns: readonly Path<T>[]): readonly string[] => columns;

const columns: Partial<Readonly<Record<EndpointName, readonly string[]>>> = {
  'payments.list': columnsOf<ListedPayment>('id', 'status', 'amount', 'currencyCode', 'createdAt', 'beneficiary.companyName', 'internalReference'),
  'customers.list': columnsOf<Customer>('id', 'status', 'companyName', 'addressCountry.alpha2', 'city', 'createdAt'),
  'customers.activity': columnsOf<CustomerActivity>('createdAt', 'eventType', 'fromStatus', 'toStatus', 'createdByRole', 'note'),
  'customers.beneficiaries': columnsOf<Beneficiary>('id', 'status', 'companyName', 'currencyCode', 'bankName', 'bankCountryCode', 'createdAt'),
  'screening.history': columnsOf<ScreeningRun>('screeningId', 'createdAt', 'matchCount', 'dataVersion', 'errorMessage'),
  'crypto.paymentMethods': columnsOf<CryptoPaymentMethod>('token', 'network', 'networkLabel', 'networkFeeUsd', 'decimals', 'contractAddress'),
  'crypto.networks': columnsOf<CryptoNetwork>('id', 'displayName', 'nativeAssetSymbol'),
};

/** Whether a call gives a list, which is shown as a table. */
export function givesList(name: EndpointName): boolean {
  return Object.hasOwn(columns, name);
}

/** The columns of a list where none are asked for: those chosen for it, or else every field that is no record of its own. */
export function usualColumns(name: EndpointName, items: readonly unknown[]): readonly string[] {
  const fields = Object.entries((items[0] ?? {}) as Readonly<Record<string, unknown>>);
  return columns[name] ?? fields.filter(([, value]) => typeof value !== 'object' || value === null).map(([field]) => field);
}

/** The value of a record at a path such as `beneficiary.companyName`. */
export function valueAt(record: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? (inner as Readonly<Record<string, unknown>>)[key] : undefined), record);
}
