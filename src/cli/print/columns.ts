import type {
  Beneficiary,
  CryptoNetwork,
  CryptoPaymentMethod,
  Customer,
  CustomerActivity,
  EndpointName,
  ListedPayment,
  ScreeningRun,
} from '../../index.js';
import { type EndpointDefinition, endpoints, isEndpointName } from '../../contract/endpoints.js';
import { listedFields } from '../../contract/request-fields.js';
import { UsageError } from '../command.js';
import { suggestSimilar } from '../../contract/suggest.js';

type Path<T> = { [K in keyof T & string]: K | (T[K] extends object ? `${K}.${keyof T[K] & string}` : never) }[keyof T &
  string];

// The compiler checks each path against its record. The most useful columns come first: if a terminal is too narrow,
// the last are hidden.
export const columnsOf = <T>(...columns: readonly Path<T>[]): readonly string[] => columns;

const columns: Partial<Readonly<Record<EndpointName, readonly string[]>>> = {
  'payments.list': columnsOf<ListedPayment>(
    'internalReference',
    'beneficiary.companyName',
    'status',
    'amount',
    'currencyCode',
    'createdAt',
    'id',
  ),
  'customers.list': columnsOf<Customer>('id', 'status', 'companyName', 'addressCountry.alpha2', 'city', 'createdAt'),
  'customers.activity': columnsOf<CustomerActivity>(
    'createdAt',
    'eventType',
    'fromStatus',
    'toStatus',
    'createdByRole',
    'note',
  ),
  'customers.beneficiaries': columnsOf<Beneficiary>(
    'id',
    'status',
    'companyName',
    'currencyCode',
    'bankName',
    'bankCountryCode',
    'createdAt',
  ),
  'screening.history': columnsOf<ScreeningRun>('screeningId', 'createdAt', 'matchCount', 'dataVersion', 'errorMessage'),
  'crypto.paymentMethods': columnsOf<CryptoPaymentMethod>(
    'token',
    'network',
    'networkLabel',
    'networkFeeUsd',
    'decimals',
    'contractAddress',
  ),
  'crypto.networks': columnsOf<CryptoNetwork>('id', 'displayName', 'nativeAssetSymbol'),
};

/** Headers that are shorter than the paths, for terminals. */
const labels: Readonly<Record<string, string>> = {
  'beneficiary.companyName': 'beneficiary',
  'addressCountry.alpha2': 'country',
  internalReference: 'reference',
  paymentQuoteId: 'quote',
  companyName: 'company',
  currencyCode: 'ccy',
  bankCountryCode: 'country',
  createdAt: 'created',
  updatedAt: 'updated',
  eventType: 'event',
  fromStatus: 'from',
  toStatus: 'to',
  createdByRole: 'role',
  screeningId: 'id',
  matchCount: 'matches',
  dataVersion: 'data',
  errorMessage: 'error',
  networkLabel: 'label',
  networkFeeUsd: 'fee USD',
  contractAddress: 'contract',
  displayName: 'name',
  nativeAssetSymbol: 'asset',
};

/** Returns the header of a column on a terminal. */
export function labelOf(path: string): string {
  return Object.hasOwn(labels, path) ? (labels[path] ?? path) : path;
}

/** Checks whether a call returns a list, which is printed as a table. */
export function returnsList(name: string): boolean {
  return Object.hasOwn(columns, name);
}

/** Returns the default columns of a list: those defined for it, or all fields that are not objects. */
export function defaultColumns(name: string, items: readonly unknown[]): readonly string[] {
  const defined = isEndpointName(name) ? columns[name] : undefined;
  if (defined !== undefined) return defined;
  const fields = Object.entries((items[0] ?? {}) as Readonly<Record<string, unknown>>);
  return fields.filter(([, value]) => typeof value !== 'object' || value === null).map(([field]) => field);
}

/** Parses the value of `--columns`. Throws `UsageError` if the records of the list have no such field. */
export function parseColumns(name: string, text: string): readonly string[] {
  const result = isEndpointName(name) ? (endpoints[name] as EndpointDefinition<unknown>).result : undefined;
  const known = new Set(result === undefined ? [] : listedFields(result()));
  // The headers of a terminal can be typed, too.
  const pathOf = (word: string): string =>
    known.has(word) ? word : ([...known].find((path) => labelOf(path) === word) ?? word);
  const typed = text.split(',').map((word) => pathOf(word.trim()));
  const unknown = typed.find((path) => !known.has(path));
  if (unknown === undefined) return typed;
  const fields = [...known].filter((path) => !path.includes('.'));
  throw new UsageError(
    `unknown field "${unknown}" in --columns${suggestSimilar(unknown, [...known])} (fields: ${fields.join(', ')})`,
  );
}

/** Returns the value of a record at a path such as `beneficiary.companyName`. */
export function valueAt(record: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Readonly<Record<string, unknown>>)[key]
          : undefined,
      record,
    );
}
