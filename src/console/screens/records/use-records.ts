import { useControl, useLast, type Reading } from '../../control/use-control.js';
import type { FoundRecords } from '../../control/records.js';
import type { Query } from '../../control/router.js';
import type { Fields } from './fields.js';
import type { RecordKind } from './kinds.js';

/** The id of a record. A payment method has none. */
export const idOf = (record: Fields): string =>
  String(record['id'] ?? `${String(record['network'])} ${String(record['token'])}`);

/** Reads the first records that the filters select, in the order of the query, and their number. */
export function useRecords(
  kind: RecordKind,
  { status, customerId, text, sort }: Query,
  limit: number,
): Pick<Reading<FoundRecords<Fields>>, 'data' | 'error'> {
  const { catalog, name } = kind;
  const found = useControl<FoundRecords<Fields>>(catalog === undefined ? `${name}.search` : undefined, [
    { status, customerId, text, sort, limit },
  ]);
  const last = useLast(found);
  const all = useControl<readonly Fields[]>(catalog === undefined ? undefined : `crypto.${catalog}`);
  if (catalog === undefined) return { data: last, error: found.error };
  // The catalog is short: its calls have no query.
  const records = all.data?.filter((record) =>
    JSON.stringify(Object.values(record))
      .toLowerCase()
      .includes((text ?? '').toLowerCase()),
  );
  return { data: records && { count: records.length, statuses: {}, records }, error: all.error };
}

/** Reads a record, which is null if it does not exist. */
export function useSelected({ catalog, name }: RecordKind, id: string | undefined): Fields | null | undefined {
  const call = catalog === undefined && id !== undefined ? `${name}.get` : undefined;
  const { data } = useControl<Fields | null>(call, [id]);
  const { data: all } = useControl<readonly Fields[]>(catalog === undefined ? undefined : `crypto.${catalog}`);
  if (catalog === undefined || id === undefined) return data;
  return all === undefined ? undefined : (all.find((record) => idOf(record) === id) ?? null);
}

/** A control call with its arguments. */
export type Change = readonly [call: string, args: readonly unknown[]];

/** Returns the call that adds a record, or changes `previous`. `all` are the records of the catalog. */
export function saveCall(
  { catalog, name }: RecordKind,
  record: Fields,
  previous: Fields | undefined,
  all: readonly Fields[],
): Change {
  if (catalog !== undefined) {
    const records =
      previous === undefined ? [...all, record] : all.map((each) => (idOf(each) === idOf(previous) ? record : each));
    return ['crypto.update', [{ [catalog]: records }]];
  }
  if (previous === undefined) return [`${name}.add`, [record]];
  const changes = Object.entries(record).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(previous[field]),
  );
  return [`${name}.update`, [previous['id'], Object.fromEntries(changes)]];
}

/** Returns the call that removes a record. */
export function removeCall({ catalog, name }: RecordKind, record: Fields): Change {
  if (catalog === undefined) return [`${name}.remove`, [record['id']]];
  return ['crypto.remove', catalog === 'networks' ? [record['id']] : [record['network'], record['token']]];
}
