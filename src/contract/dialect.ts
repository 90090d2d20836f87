import * as z from 'zod/mini';
import { integerFrom, optionsObject } from './option-schemas.js';
import type { BeneficiaryListParams } from './schema/beneficiaries.js';
import type { CustomerListParams } from './schema/customers.js';
import type { AmountFormat, PaymentListParams } from './schema/payments.js';
import { nonEmptyString, array, memoize, requestEnum, withMetadata, type Schema } from './schema/schema.js';
import type { ScreeningHistoryParams } from './schema/screening.js';

/** The list filters that a dialect can rename on the wire: those of all lists. */
export type FilterName =
  | keyof PaymentListParams
  | keyof CustomerListParams
  | keyof BeneficiaryListParams
  | keyof ScreeningHistoryParams;

/**
 * The ways in which your platform differs from what the SDK assumes, where the specification is silent. Pass the same
 * dialect to the client and to the mock.
 *
 * @example
 * ```ts
 * import { Corridor, type Dialect } from 'corridor-sdk';
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const dialect: Dialect = { filterNames: { createdFrom: 'created_after' } };
 * const platform = createMockPlatform({ dialect });
 * const corridor = new Corridor({ ...platform.clientOptions(), dialect });
 * await corridor.payments.list({ createdFrom: '2026-01-01T00:00Z' });
 * ```
 */
export interface Dialect {
  /** The names of list filters on the wire. @default the filter's name in the SDK */
  readonly filterNames?: Readonly<Partial<Record<FilterName, string>>>;
  /**
   * The HTTP statuses with which the platform reports that it did not process a write. @default [400, 401, 403, 404,
   * 422, 429]
   */
  readonly rejectedStatuses?: readonly number[];
  /** The format of an amount in a request. */
  readonly amountFormat?: AmountFormat;
  /**
   * The headers that may contain the request id; the first one present is used. @default ['x-request-id', 'request-id',
   * 'x-correlation-id']
   */
  readonly requestIdHeaders?: readonly string[];
}

/** A dialect with all defaults applied. */
export interface ResolvedDialect {
  readonly filterNames: { readonly [K in FilterName]: string };
  /** The same, by any name of a query parameter: those that are no filters are absent. */
  readonly wireNames: ReadonlyMap<string, string>;
  readonly rejectedStatuses: ReadonlySet<number>;
  readonly amountFormat: AmountFormat;
  readonly requestIdHeaders: readonly string[];
}

/**
 * Applies the defaults to a dialect. Assumed: A-1 filter names, A-13 request ids, A-15 rejected statuses, A-18 amounts.
 */
export function resolveDialect(dialect: Dialect = {}): ResolvedDialect {
  const { status, createdFrom, createdTo, limit, cursor } = dialect.filterNames ?? {};
  const names = {
    status: status ?? 'status',
    createdFrom: createdFrom ?? 'createdFrom',
    createdTo: createdTo ?? 'createdTo',
    limit: limit ?? 'limit',
    cursor: cursor ?? 'cursor',
  };
  return {
    filterNames: names,
    wireNames: new Map(Object.entries(names)),
    rejectedStatuses: new Set(dialect.rejectedStatuses ?? [400, 401, 403, 404, 422, 429]),
    amountFormat: dialect.amountFormat ?? {},
    requestIdHeaders: dialect.requestIdHeaders ?? ['x-request-id', 'request-id', 'x-correlation-id'],
  };
}

export const dialectOptions: Schema<Dialect> = memoize(() =>
  optionsObject<Dialect>({
    filterNames: filterNames(),
    rejectedStatuses: array(integerFrom(400, 599)),
    amountFormat: optionsObject<AmountFormat>(
      { decimals: integerFrom(0, 18), separator: requestEnum(['.', ',']) },
      { rule: "must be an object, such as { decimals: 2, separator: '.' }" },
    ),
    requestIdHeaders: array(
      withMetadata(z.string().check(z.regex(/^[\w-]+$/)), { rule: 'must be the name of a header' }),
    ),
  }),
);

function filterNames(): z.ZodMiniType<NonNullable<Dialect['filterNames']>> {
  const name = nonEmptyString();
  return optionsObject<NonNullable<Dialect['filterNames']>>(
    { status: name, createdFrom: name, createdTo: name, limit: name, cursor: name },
    { rule: "must be an object of different names, such as { createdFrom: 'created_after' }" },
    (names) => {
      const all = Object.values(resolveDialect({ filterNames: names }).filterNames);
      return new Set(all).size === all.length;
    },
  );
}
