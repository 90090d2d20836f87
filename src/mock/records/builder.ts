import * as z from 'zod/mini';
import * as core from 'zod/v4/core';
import { formatTime, parsedTime } from '../state/clock.js';
import { intervalOf, type TransitionTrigger, type TransitionableKind } from '../state/schedule.js';
import { validateResponse } from '../../contract/violations.js';
import { describeValue, unwrap } from '../../contract/describe.js';
import { matchesSchema } from '../../contract/predicate.js';
import { formatIssues } from '../../contract/issue.js';
import { functionOf, integerFrom, optionsObject, type OptionsShape } from '../../contract/option-schemas.js';
import { memoize, withMetadata, type Schema, enumOf, string, type UnknownValue } from '../../contract/schema/schema.js';
import { MockPlatformError, requireValid } from '../base/mock-error.js';
import type { Collection, Row } from '../state/collection.js';
import { currencyDecimals, isPaymentCurrency, withoutZeros } from '../../contract/schema/payments.js';
import { addUnknownValues, issuesOf, unknownText, withUnknownTexts } from '../base/unknown-values.js';
import { deepFreeze, omitUndefined } from '../base/freeze.js';
import type { OrganizationState } from '../state/platform-state.js';
import type { RecordKindName, StoredPayment, StoredRecords } from '../state/record-kinds.js';

/** Some fields of a record. The mock generates those that are missing or undefined. */
export type PartialInput<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The schemas of fields by name. */
type FieldSchemas = Readonly<Record<string, z.ZodMiniType>>;

/** Returns the fields of a record of the contract by name. */
export function fieldsOf(schema: z.ZodMiniType): FieldSchemas {
  return (schema as z.ZodMiniObject<Record<string, z.ZodMiniType>>)._zod.def.shape;
}

/** The schema of a time, without which the records of a kind would have no order. */
export const time = memoize(() =>
  withMetadata(z.string().check(z.refine((text) => !Number.isNaN(parsedTime(text)))), {
    rule: 'must be an ISO 8601 date-time with a time zone, such as "2026-02-28T09:30:00.000Z"',
  }),
);

/**
 * Returns the schema of the input for a record: the names and types of its fields in the contract, and more fields. All
 * of them can be absent. The mock compares `createdAt` and `expiresAt`, so they are times.
 */
export function inputOf(record: z.ZodMiniType, more: FieldSchemas = {}): z.ZodMiniObject {
  const fields = Object.entries(fieldsOf(record)).map(([name, field]) => {
    if (['createdAt', 'expiresAt'].includes(name)) return [name, time()];
    return [name, field instanceof core.$ZodOptional ? field._zod.def.innerType : field];
  });
  return withMetadata(z.partial(z.strictObject({ ...Object.fromEntries(fields), ...more })), {
    rule: 'must be an object with fields of the record',
    fix: 'Omit it to generate all',
  });
}

const addManyInput = memoize(() =>
  z.strictObject({
    count: integerFrom(0, maxAddMany),
    partial: z.optional(
      withMetadata(functionOf(), {
        rule: 'must be a function of the index, such as (index) => ({ id: `mine_${index}` })',
      }),
    ),
  }),
);

/**
 * Throws `MockPlatformError` if a value violates a schema. The message lists all invalid fields. With `records: 'any'`,
 * unknown values of sets become added ones.
 */
export function requireConforming<T>(
  { options, addedValues }: Pick<OrganizationState, 'options' | 'addedValues'>,
  call: string,
  schema: Schema<T>,
  value: unknown,
): asserts value is T {
  if (matchesSchema(schema(), value)) return;
  if (options.records === 'any')
    for (const violation of validateResponse(schema(), value)) {
      const text = unknownText(value, violation);
      if (text !== undefined) addedValues.add(text);
    }
  const issues = issuesOf(addedValues, schema(), value, describeValue);
  if (issues.length > 0) throw new MockPlatformError(`${call}: ${formatIssues(issues, 'the record')}`);
}

/** The fields of the currencies of records, with those of their amounts. */
const amountFields = { currencyCode: 'amount', paymentCurrencyCode: 'paymentAmount' } as const;

/** The fields that `requireRules` checks. */
type CheckedFields = {
  readonly [Field in 'amount' | 'paymentAmount' | 'createdAt' | 'updatedAt' | keyof typeof amountFields]?: string;
};

/**
 * Throws `MockPlatformError` if a request could not create a record with the fields that a test sets, unless the options
 * allow it.
 */
export function requireRules(
  { options }: OrganizationState,
  call: string,
  record: CheckedFields,
  given: CheckedFields = record,
): void {
  const problem = options.records === 'any' ? undefined : brokenRule(record, given);
  if (problem === undefined) return;
  const [field, rule] = problem;
  throw new MockPlatformError(
    `${call}: ${field} must ${rule} (received ${JSON.stringify(record[field])}). Pass another one, ` +
      "or create the platform with `records: 'any'`.",
  );
}

function brokenRule(record: CheckedFields, given: CheckedFields): [keyof CheckedFields, string] | undefined {
  for (const field of ['currencyCode', 'paymentCurrencyCode'] as const) {
    const { [field]: code, [amountFields[field]]: amount = '' } = record;
    if (code === undefined || (given[amountFields[field]] ?? given[field]) === undefined) continue;
    if (!isPaymentCurrency(code)) return [field, 'be a currency of the platform'];
    const decimals = currencyDecimals(code);
    if (withoutZeros(amount.split('.')[1] ?? '').length > decimals)
      return [amountFields[field], `have at most ${decimals} decimals in ${code}`];
  }
  const { createdAt = '', updatedAt = '' } = record;
  return given.updatedAt !== undefined && Date.parse(updatedAt) < Date.parse(createdAt)
    ? ['updatedAt', 'not be before createdAt']
    : undefined;
}

/** Returns the time of the mock's clock as a timestamp. */
export function timestampNow(organization: OrganizationState): string {
  return formatTime(organization.clock.now());
}

/** Returns a timestamp that is a number of seconds after another. */
export function secondsAfter(timestamp: string, seconds: number): string {
  return formatTime(Date.parse(timestamp) + seconds * 1000);
}

/** Throws `MockPlatformError` for a reference to a record that does not exist in the organization. */
export function unknownRecord(call: string, field: string, id: string): never {
  throw new MockPlatformError(
    `${call}: ${field} ${JSON.stringify(id)} does not exist in this organization. Add ` +
      `the record first${field === 'id' ? '' : ` or omit ${field}`}.`,
  );
}

/**
 * Throws `MockPlatformError` if a transition between two consecutive statuses is not allowed. Those from and to an added
 * status are.
 */
export function assertTransitions(
  { addedValues }: OrganizationState,
  call: string,
  table: { readonly [from: string]: readonly string[] | undefined },
  statuses: readonly string[],
): void {
  for (const [index, to] of statuses.slice(1).entries()) {
    const from = statuses[index] ?? '';
    const allowed = Object.hasOwn(table, from) ? (table[from] ?? []) : [];
    if (allowed.includes(to) || addedValues.has(from) || addedValues.has(to)) continue;
    const expected = allowed.length === 0 ? `${from} is final` : `allowed: ${allowed.join(', ')}`;
    throw new MockPlatformError(
      `${call}: the transition from ${from} to ${to} is not allowed ` +
        `(${expected}). Use the option \`transitions\` to change the table.`,
    );
  }
}

/** The records of one kind, with methods to add, read, change and remove them. All returned records are frozen. */
export interface MockRecords<View, Input> {
  /**
   * Adds a record. Generates the fields that you omit from the seed. Throws `MockPlatformError` if a field is unknown
   * or invalid; then nothing is added.
   */
  add(partial?: Input): View;
  /**
   * Adds several records. The function returns the input for each index, starting at 0. Throws as `add` does; records
   * added before the error remain.
   */
  addMany(count: number, partial?: (index: number) => Input): View[];
  /** Returns the current state of a record; undefined if the id does not exist. */
  get(id: string): View | undefined;
  /** Returns all records, oldest first, or those that a query selects. Throws `MockPlatformError` if it is invalid. */
  all(query?: MockListQuery): View[];
  /**
   * Replaces fields of a record, also with a status that no transition leads to, and returns the record. The other
   * fields and other records stay: a quote keeps its price, and a payment its rail and authorization. Sets `updatedAt`
   * if the record has one. Throws `MockPlatformError` if the id does not exist, or if a field is unknown, invalid, or
   * one that cannot change: `id`, `createdAt`, or the id of another record; then nothing is changed.
   */
  update(id: string, partial: Input): View;
  /**
   * Removes a record. Throws `MockPlatformError` if the id does not exist, or if a payment needs the record; then
   * nothing is removed. A customer is removed with all that belongs to it, its payments included, unless a payment of
   * another customer needs a part of that. The quote of a removed payment can be used again.
   */
  remove(id: string): void;
}

/** The methods of records with a status. */
export interface MockTransitions<View, Status extends string> {
  /**
   * Changes the status of a record, also to or from one that `unknownValue` marks. A customer gets an entry in its
   * activity, and a beneficiary its next version. Throws `MockPlatformError` if the transition is not allowed.
   */
  transition(id: string, status: Status | UnknownValue): View;
  /**
   * Schedules status transitions of a record, one after another, by the mock's clock. Replaces the previous schedule;
   * an empty array removes it. A change after which the next status is not allowed cancels it, which `scheduled` shows.
   * Throws `MockPlatformError` if a transition is not allowed.
   */
  scheduleTransitions(id: string, statuses: readonly (Status | UnknownValue)[], trigger: TransitionTrigger): void;
}

/** The largest number of records that one call may add. */
const maxAddMany = 1_000_000;

/** Defines how the records of one kind are created, changed, stored and returned. */
export interface RecordKind<Name extends RecordKindName, View, Input, Stored = StoredRecords[Name]> {
  readonly name: Name;
  /** The schema of the input of `add` and `update`. The functions of the kind get valid input only. */
  readonly input: Schema<object>;
  create(organization: OrganizationState, input?: Input): Stored;
  toView(organization: OrganizationState, stored: Stored): View;
  /** Returns the record with other fields. Changes nothing if it throws. */
  change(organization: OrganizationState, stored: Stored, partial: Input): Stored;
  /** Throws if the record may not change to a status that its transition table allows. */
  requireMovable?(organization: OrganizationState, stored: Stored, status: string): void;
  /** Removes what belongs to the record. Throws if something needs it. */
  release?(organization: OrganizationState, id: string): void;
}

/** Returns the stored records of a kind. */
export const collectionOf = <Name extends RecordKindName>(organization: OrganizationState, name: Name) =>
  organization[name] as unknown as Collection<StoredRecords[Name]>;

/** Changes the status of a record. Throws `MockPlatformError` if the transition is not allowed. */
export function moveRecord<Name extends TransitionableKind, View, Input>(
  organization: OrganizationState,
  kind: RecordKind<Name, View, Input>,
  id: string,
  status: string,
): StoredRecords[Name] {
  const { name } = kind;
  const collection = collectionOf(organization, name);
  const stored = collection.get(id) ?? unknownRecord(`${name}.transition`, 'id', id);
  const { [name]: table } = organization.options.transitions;
  assertTransitions(organization, `${name}.transition`, table, [stored.record.status, status]);
  kind.requireMovable?.(organization, stored, status);
  const moved = kind.change(organization, stored, { status } as Input);
  collection.update(id, () => moved);
  return moved;
}

/** Runs a function that adds records. If it throws, removes all records that it has added. */
export function addOrRollBack<T>(organization: OrganizationState, add: () => T): T {
  const rollBack = organization.insertSavepoint();
  try {
    return add();
  } catch (error) {
    rollBack();
    throw error;
  }
}

/** Creates the public interface of the records of one kind. */
export function recordsOf<Name extends RecordKindName, View, Input>(
  organization: OrganizationState,
  kind: RecordKind<Name, View, Input>,
): MockRecords<View, Input> {
  type Stored = StoredRecords[Name];
  const { name, input: schema, create, toView, release } = kind;
  const collection = collectionOf(organization, name);
  const querySchema = memoize(() => listQuery(schema()));
  const viewOf = (stored: Stored): View => deepFreeze(toView(organization, stored));
  const validInput = (call: string, partial: Input): Input => {
    const input = addUnknownValues(organization.addedValues, partial);
    requireConforming(organization, call, schema, input);
    return input;
  };
  const add = (partial?: Input): View => {
    const input = partial === undefined ? undefined : validInput(`${name}.add`, partial);
    return addOrRollBack(organization, () => viewOf(create(organization, input)));
  };
  const existing = (call: string, id: string): Stored => collection.get(id) ?? unknownRecord(call, 'id', id);
  return {
    add,
    addMany: (count, partial) => {
      requireValid('addMany', addManyInput, { count, partial }, 'the input');
      return Array.from({ length: count }, (_, index) => add(partial?.(index)));
    },
    get: (id) => {
      const stored = collection.get(id);
      return stored === undefined ? undefined : viewOf(stored);
    },
    all: (query = {}) => {
      const { addedValues } = organization;
      const issues = issuesOf(addedValues, querySchema(), withUnknownTexts(query), describeValue);
      if (issues.length > 0) throw new MockPlatformError(`${name}.all: ${formatIssues(issues, 'the query')}`);
      const { limit: _limit, after: _after, order: _order, ...filters } = addUnknownValues(addedValues, query);
      const expected = Object.entries(omitUndefined(filters));
      const matches = (stored: Fields & { readonly record?: Fields }): boolean =>
        expected.every(([field, value]) => (stored[field] ?? stored.record?.[field]) === value);
      return selectPage(`${name}.all`, collection.rows(), query, (stored) => matches(stored as never)).map(viewOf);
    },
    update: (id, partial) => {
      const call = `${name}.update`;
      const stored = existing(call, id);
      const given = omitUndefined(validInput(call, partial) as object);
      const fixed = [...fixedFields, ...Object.keys(otherRecords)].find((field) => Object.hasOwn(given, field));
      if (fixed !== undefined)
        throw new MockPlatformError(
          `${call}: ${fixed} cannot be changed. ${otherRecords[fixed] ?? 'Remove the record and add another one'}.`,
        );
      requireRules(organization, call, { ...toView(organization, stored), ...given } as CheckedFields, given);
      const changed = kind.change(organization, stored, given as Input);
      collection.update(id, () => changed);
      return viewOf(changed);
    },
    remove: (id) => {
      existing(`${name}.remove`, id);
      release?.(organization, id);
      collection.delete(id);
    },
  };
}

/** Creates the public interface of the records of a kind with transitions. */
export function statusRecordsOf<Name extends TransitionableKind, View, Input, Status extends string>(
  organization: OrganizationState,
  kind: RecordKind<Name, View, Input>,
): MockRecords<View, Input> & MockTransitions<View, Status> {
  const { name } = kind;
  const call = `${name}.scheduleTransitions`;
  return {
    ...recordsOf(organization, kind),
    transition: (id, given) => {
      const status = addUnknownValues<string | UnknownValue>(organization.addedValues, given) as string;
      return deepFreeze(kind.toView(organization, moveRecord(organization, kind, id, status)));
    },
    scheduleTransitions: (id, given, trigger) => {
      const statuses = addUnknownValues<readonly unknown[]>(organization.addedValues, given) as readonly string[];
      const { record } = organization[name].get(id) ?? unknownRecord(call, 'id', id);
      const { clock, options } = organization;
      const interval = intervalOf(call, statuses, trigger);
      assertTransitions(organization, call, options.transitions[name], [record.status, ...statuses]);
      organization.schedule.plan(name, id, statuses, interval, clock.now());
    },
  };
}

/** The fields that no update changes: those that name a record or its place in lists, and those that are records. */
const fixedFields = ['id', 'createdAt', 'customerId', 'beneficiaryId', 'paymentQuoteId', 'documentIds'];
const otherRecords: Readonly<Record<string, string>> = {
  customer: 'Call customers.update',
  beneficiary: 'Call beneficiaries.update',
  paymentQuote: 'Call quotes.update',
  replies: 'Call tickets.reply to add one',
};

/** Throws `MockPlatformError` if a payment needs a record. */
export function requireUnused(
  organization: OrganizationState,
  call: string,
  id: string,
  uses: (payment: StoredPayment) => boolean,
): void {
  const user = organization.payments.values().find(uses);
  if (user !== undefined)
    throw new MockPlatformError(`${call}: the payment ${user.record.id} needs ${id}. Remove the payment first.`);
}

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
  readonly status?: string | UnknownValue | undefined;
  /** The customer that the records belong to, if they have one. */
  readonly customerId?: string | undefined;
}

/** Returns the schemas of a page query. */
export const pageShape = (): OptionsShape<MockPageQuery> => ({
  limit: integerFrom(1),
  after: string(),
  order: enumOf(['oldest-first', 'newest-first']),
});

/**
 * Returns the part of a list, passed oldest first, that a valid query selects. Throws `MockPlatformError` if `after` is
 * unknown.
 */
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

/** Returns the schema of a query of records: a filter by a field that they do not have would never match. */
function listQuery(input: z.ZodMiniType): z.ZodMiniType<MockListQuery> {
  const { status, customerId } = fieldsOf(input);
  const filters = { ...(status && { status: unwrap(status) }), ...(customerId && { customerId: unwrap(customerId) }) };
  const shape = { ...pageShape(), ...filters } as OptionsShape<MockListQuery>;
  return optionsObject(shape, { rule: 'must be an object such as { limit: 100 }' });
}

type Fields = Readonly<Record<string, unknown>>;
