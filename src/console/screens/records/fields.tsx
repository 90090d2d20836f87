import type { ComponentChildren, JSX } from 'preact';
import { StatusBadge } from '../../components/badge.js';
import type { Fields } from '../../components/json-dialog.js';
import { Facts, Table } from '../../components/layout.js';
import { formatAmount, formatTime } from '../../format/text.js';
import { linkTo } from '../../control/router.js';

/** Returns the value at a path such as `beneficiary.companyName`. */
export const valueAt = (record: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (Object(value) as Fields)[name], record);

/** Returns the name of a field in the API, with the name of the object whose name it is: `beneficiary.companyName`. */
export function labelOf(path: string): string {
  const names = path.split('.');
  return names.slice(['companyName', 'name'].includes(names.at(-1) ?? '') ? -2 : -1).join('.');
}

/** The screens that show the records with the ids in these fields. */
const targets: Readonly<Record<string, string>> = {
  customerId: 'customers',
  beneficiaryId: 'beneficiaries',
  paymentQuoteId: 'quotes',
  documentIds: 'documents',
};

/** Returns whether a value is shown as JSON, because it has fields of its own. */
export const isNested = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(Array.isArray(value) && value.every((item: unknown) => typeof item === 'string'));

/** Returns the content for a field: links, times, amounts and statuses by the name of the field. */
export function fieldContent(path: string, value: unknown): ComponentChildren {
  const name = path.split('.').at(-1) ?? '';
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const screen = targets[name];
  if (screen !== undefined)
    return [value].flat().map((id) => (
      <a key={String(id)} class="mono" href={linkTo(screen, String(id))}>
        {String(id)}{' '}
      </a>
    ));
  if (name === 'status') return <StatusBadge status={String(value)} />;
  if (name.endsWith('At')) return <span class="mono">{formatTime(String(value))}</span>;
  if (/amount|total(?!.*currency)/i.test(name) && typeof value === 'string') return formatAmount(value);
  if (name === 'id') return <span class="mono">{String(value)}</span>;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The fields of a record that have no fields of their own. */
export function FieldFacts({ record }: { readonly record: Fields }): JSX.Element {
  const fields = Object.entries(record).filter(([, value]) => !isNested(value) && value !== '');
  return <Facts facts={fields.map(([name, value]) => [labelOf(name), fieldContent(name, value)])} />;
}

interface FieldTableProps {
  readonly columns: readonly string[];
  readonly rows: readonly object[] | undefined;
  readonly error?: Error | undefined;
  readonly empty?: string;
}

/** The same fields of several records. */
export function FieldTable({ columns, rows, error, empty }: FieldTableProps): JSX.Element {
  const cellsOf = (row: object): ComponentChildren[] =>
    columns.map((name) => fieldContent(name, (row as Fields)[name]));
  return <Table columns={columns.map(labelOf)} rows={rows?.map(cellsOf)} error={error} empty={empty} />;
}
