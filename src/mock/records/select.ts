import type * as z from 'zod/mini';
import { integerFrom, optionsObject, type OptionsShape } from '../../contract/options.js';
import { enumOf, string, memoize, type Schema } from '../../contract/schema/schema.js';
import { MockPlatformError } from '../error.js';
import { requireValid } from '../require-valid.js';
import type { Collection, Row } from '../store/collection.js';

/** Selects a part of a list. */
export interface MockPageQuery {
  /** The most elements to return. @default all */
  readonly limit?: number | undefined;
  /** The id of the element to continue after. @default the first element */
  readonly after?: string | undefined;
  /** The order. @default 'oldest-first' */
  readonly order?: 'oldest-first' | 'newest-first' | undefined;
}

/** Selects records of one kind. */
export interface MockListQuery extends MockPageQuery {
  /** The status of the records, if they have one. */
  readonly status?: string | undefined;
  /** The customer that the records belong to, if they have one. */
  readonly customerId?: string | undefined;
}

/** Returns the schemas of a page query. */
export const pageShape = (): OptionsShape<MockPageQuery> => ({
  limit: integerFrom(1),
  after: string(),
  order: enumOf(['oldest-first', 'newest-first']),
});

/** Returns the part of a list, passed oldest first, that a valid query selects. Throws `MockPlatformError` if `after` is unknown. */
export function selectPage<T>(
  call: string,
  rows: readonly Pick<Row<T>, 'id' | 'value'>[],
  { limit = Infinity, after, order = 'oldest-first' }: MockPageQuery,
  matches: (value: T) => boolean,
): T[] {
  const ordered = order === 'oldest-first' ? rows : rows.toReversed();
  const position = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== undefined && position === -1)
    throw new MockPlatformError(`${call}: after ${JSON.stringify(after)} does not exist. Omit it to start again.`);
  const selected: T[] = [];
  for (const { value } of ordered.slice(position + 1)) {
    if (selected.length >= limit) break;
    if (matches(value)) selected.push(value);
  }
  return selected;
}

/** The schema of a page query. */
export const pageQuery = memoize(() =>
  optionsObject<MockPageQuery>(pageShape(), { rule: 'must be an object such as { limit: 100 }' }),
);

/** Returns the elements of a list, passed oldest first, that a valid query selects. Throws as `selectPage` does. */
export function selectElements<T extends { readonly id: string }>(
  call: string,
  elements: readonly T[],
  query: MockPageQuery = {},
): T[] {
  const rows = elements.map((value) => ({ id: value.id, value }));
  return selectPage(call, rows, query, () => true);
}

/** The schemas of the filters that the records of a kind have. */
export type RecordFilters = Partial<OptionsShape<Omit<MockListQuery, keyof MockPageQuery>>>;

/** Returns the schema of a query of records: a filter that they do not have would never match. */
export const listQuery = (filters: RecordFilters): z.ZodMiniType<MockListQuery> =>
  optionsObject<MockListQuery>({ ...pageShape(), ...filters } as OptionsShape<MockListQuery>, {
    rule: 'must be an object such as { limit: 100 }',
  });

/** Returns the stored records that a query selects. Throws `MockPlatformError` if it is invalid. */
export function selectRecords<T>(
  call: string,
  collection: Collection<T>,
  schema: Schema<MockListQuery>,
  query: MockListQuery,
): T[] {
  requireValid(call, schema, query, 'the query');
  const { status, customerId } = query;
  const expected = Object.entries({ status, customerId }).filter(([, value]) => value !== undefined);
  return selectPage(call, collection.rows(), query, (stored) => {
    const { record, ...head } = stored as Fields & { readonly record?: Fields };
    const fields = { ...head, ...record };
    return expected.every(([field, value]) => fields[field] === value);
  });
}

type Fields = Readonly<Record<string, unknown>>;
