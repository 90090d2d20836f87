import type { ComponentChildren, JSX } from 'preact';
import { StatusBadge } from '../../components/badge.js';
import type { Fields } from '../../components/json-dialog.js';
import { JsonView, WithLinks } from '../../components/json-view.js';
import { Facts, Section, Table } from '../../components/layout.js';
import { formatAmount, formatTime, pluralize } from '../../format/text.js';

/** Returns the value at a path such as `beneficiary.companyName`. */
export const valueAt = (record: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (Object(value) as Fields)[name], record);

/** Returns the name of a field in the API, with the name of the object whose name it is: `beneficiary.companyName`. */
export function labelOf(path: string): string {
  const names = path.split('.');
  return names.slice(['companyName', 'name'].includes(names.at(-1) ?? '') ? -2 : -1).join('.');
}

/** Returns whether a value is an object, or an array of objects. The bytes of a file are none. */
const isNested = (value: unknown): value is Fields | readonly Fields[] =>
  Array.isArray(value) ? value.some(isNested) : typeof value === 'object' && value !== null && !('base64' in value);

/** Returns the content for a field: links, times, amounts and statuses by the name of the field. */
export function fieldContent(path: string, value: unknown, { fileName }: Fields = {}): ComponentChildren {
  const name = path.split('.').at(-1) ?? '';
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object' && 'base64' in value)
    return (
      <>
        {pluralize(atob(String(value.base64)).length, 'byte')}{' '}
        <a href={`data:application/octet-stream;base64,${String(value.base64)}`} download={fileName}>
          Download
        </a>
      </>
    );
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  if (name === 'status') return <StatusBadge status={text} />;
  if (/ids?$/i.test(name)) return <span class="mono">{name === 'id' ? text : <WithLinks text={text} />}</span>;
  if (name.endsWith('At')) return <span class="mono">{formatTime(text)}</span>;
  // At the address of the page, which the server may not know.
  if (name.endsWith('Url')) return <a href={text.replace(/^https?:..[^/]+(?=\/downloads\/)/, '')}>Download</a>;
  return /amount|total(?!.*currency)/i.test(name) ? formatAmount(text) : <WithLinks text={text} />;
}

/** The fields of a record, other than objects. */
export function FieldFacts({ record }: { readonly record: Fields }): JSX.Element {
  const fields = Object.entries(record).filter(([, value]) => !isNested(value) && value !== '');
  return <Facts facts={fields.map(([name, value]) => [name, fieldContent(name, value, record)])} />;
}

interface FieldSectionsProps {
  readonly title: string;
  readonly record: Fields;
  /** The fields that are shown in another way. */
  readonly hidden?: readonly string[];
  /** What is shown after the fields that are no objects. */
  readonly children?: ComponentChildren;
}

/** The fields of a record, and those of the objects in it. */
export function FieldSections({ title, record, hidden = [], children }: FieldSectionsProps): JSX.Element {
  const nested = Object.entries(record).filter(([name, value]) => isNested(value) && !hidden.includes(name));
  return (
    <>
      <Section title={title}>
        <FieldFacts record={record} />
      </Section>
      {children}
      {nested.map(([name, value]) => {
        if (!Array.isArray(value))
          return <FieldSections key={name} title={name} record={value as Fields} hidden={hidden} />;
        const rows = value as readonly Fields[];
        const isFlat = !rows.flatMap((row) => Object.values(row)).some(isNested);
        return (
          <Section key={name} title={name} count={rows.length}>
            {isFlat ? (
              <FieldTable columns={Object.keys(rows[0] ?? {})} rows={rows} />
            ) : (
              <JsonView label={`${name} as JSON`} value={rows} />
            )}
          </Section>
        );
      })}
    </>
  );
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
    columns.map((path) => fieldContent(path, valueAt(row as Fields, path), row as Fields));
  return <Table columns={columns.map(labelOf)} rows={rows?.map(cellsOf)} error={error} empty={empty} />;
}
