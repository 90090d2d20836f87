/** The filters of lists, whose names on the wire a dialect can change. */
export type FilterName = 'status' | 'createdFrom' | 'createdTo' | 'limit' | 'cursor';

/**
 * What your platform does otherwise than assumed, where its specification is silent. Give the same dialect to the client and to the mock.
 *
 * @example
 * ```ts
 * import { Corridor, type Dialect } from 'corridor-sdk';
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const dialect: Dialect = { filters: { createdFrom: 'created_after' } };
 * const platform = createMockPlatform({ dialect });
 * const corridor = new Corridor({ ...platform.clientOptions(), dialect });
 * await corridor.payments.list({ createdFrom: '2026-01-01T00:00Z' });
 * ```
 */
export interface Dialect {
  /** The names of list filters on the wire. @default each filter's own name */
  readonly filters?: Readonly<Partial<Record<FilterName, string>>>;
  /** The statuses by which the platform says that it did not take a write. @default [400, 401, 403, 404, 422, 429] */
  readonly rejects?: readonly number[];
  /** What an amount in a request looks like. @default /^\d+(\.\d+)?$/ */
  readonly amount?: RegExp;
  /** The headers that may carry the request's id, the first one that is there counts. @default ['x-request-id', 'request-id', 'x-correlation-id'] */
  readonly requestIdHeaders?: readonly string[];
}

/** A dialect with every choice made. */
export interface ResolvedDialect {
  readonly filters: { readonly [K in FilterName]: string };
  readonly rejects: ReadonlySet<number>;
  readonly amount: RegExp;
  readonly requestIdHeaders: readonly string[];
}

// One object, because schemas are kept by it.
const assumedAmount = /^\d+(\.\d+)?$/;

/** Fills a dialect up with what is assumed. Assumed: A-1 filter names, A-13 request ids, A-15 refusals, A-18 amounts. */
export function resolveDialect(dialect: Dialect = {}): ResolvedDialect {
  return {
    filters: { status: 'status', createdFrom: 'createdFrom', createdTo: 'createdTo', limit: 'limit', cursor: 'cursor', ...dialect.filters },
    rejects: new Set(dialect.rejects ?? [400, 401, 403, 404, 422, 429]),
    amount: dialect.amount ?? assumedAmount,
    requestIdHeaders: dialect.requestIdHeaders ?? ['x-request-id', 'request-id', 'x-correlation-id'],
  };
}

const choices: readonly string[] = ['filters', 'rejects', 'amount', 'requestIdHeaders'] satisfies readonly (keyof Dialect)[];

/** What is wrong with a dialect, the field first; undefined where nothing is. */
export function dialectProblem(dialect: Dialect): string | undefined {
  const unknown = Object.keys(dialect).find((name) => !choices.includes(name));
  if (unknown !== undefined) return `${unknown} is not known (known: ${choices.join(', ')})`;
  const { filters, rejects, amount, requestIdHeaders } = dialect as { readonly [K in keyof Dialect]: unknown };
  if (rejects !== undefined && !isListOf(rejects, isErrorStatus)) return 'rejects must be a list of statuses from 400 to 599';
  if (amount !== undefined && !(amount instanceof RegExp)) return 'amount must be a RegExp';
  if (requestIdHeaders !== undefined && !isListOf(requestIdHeaders, isHeaderName)) return 'requestIdHeaders must be a list of header names';
  return filters === undefined ? undefined : filterProblem(filters);
}

function filterProblem(filters: unknown): string | undefined {
  if (typeof filters !== 'object' || filters === null) return 'filters must be an object of names';
  const own = resolveDialect().filters;
  for (const [filter, name] of Object.entries(filters) as [string, unknown][]) {
    if (!Object.hasOwn(own, filter)) return `filters.${filter} is not a filter (filters: ${Object.keys(own).join(', ')})`;
    if (typeof name !== 'string' || name === '') return `filters.${filter} must be a non-empty string`;
  }
  const names = Object.values({ ...own, ...filters });
  return new Set(names).size < names.length ? 'filters must have different names' : undefined;
}

function isListOf(value: unknown, allows: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && (value as readonly unknown[]).every(allows);
}

function isErrorStatus(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599;
}

function isHeaderName(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]+$/.test(value);
}
