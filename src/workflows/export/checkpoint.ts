import * as z from 'zod/mini';
import { integerFrom } from '../../contract/option-schemas.js';
import { enumOf, memoize, withMetadata } from '../../contract/schema/schema.js';
import { timestampFilter } from '../../contract/schema/time.js';
import { ConfigurationError } from '../../errors/api.js';
import { toFilterTime } from '../platform-time.js';
import { accountShape, type CheckpointAccount } from '../account.js';
import { validateStored } from '../context.js';
import type { ExportQuery, PaymentExportFilters } from './query.js';
import type { TimeRange } from './spans.js';

/**
 * A position in an export, as plain JSON: store it, and pass it as `checkpoint` to continue. Its fields besides
 * `version` can change at any time.
 */
export type ExportCheckpoint = {
  /** The format version. */
  readonly version: 1;
};

/** The order in which an export delivers payments. */
export type ExportOrder = 'any' | 'created';

/** The position in an export. Times are in milliseconds since the epoch. */
export interface ExportPosition extends CheckpointAccount {
  readonly order: ExportOrder;
  readonly filters: PaymentExportFilters;
  /** Whether the caller set no start. */
  readonly isOpenStart: boolean;
  readonly range: TimeRange;
  /** The number of payments delivered. */
  readonly items: number;
  /** The ranges that are complete, sorted. */
  readonly done: readonly TimeRange[];
}

const checkpointData = memoize(() => {
  const time = timestampFilter();
  const range = withMetadata(z.array(time).check(z.minLength(2), z.maxLength(2)), {
    rule: 'must be an array of two times',
  });
  return z.looseObject({
    version: z.literal(1),
    order: enumOf(['any', 'created']),
    filters: z.looseObject({}),
    createdFrom: z.nullable(time),
    range,
    items: integerFrom(0),
    done: z.array(range),
    ...accountShape(),
  });
});

type CheckpointData = z.infer<ReturnType<typeof checkpointData>>;

/** Converts a position to JSON. */
export function toCheckpoint(position: ExportPosition): ExportCheckpoint {
  const { order, filters, isOpenStart, range, items, done, account, seen } = position;
  const pair = ({ from, to }: TimeRange): string[] => [toFilterTime(from), toFilterTime(to)];
  const data: CheckpointData = {
    version: 1,
    order,
    filters: { ...filters },
    createdFrom: isOpenStart ? null : toFilterTime(range.from),
    range: pair(range),
    items,
    done: done.map(pair),
    account,
    seen,
  };
  return data;
}

/**
 * Returns the position of a stored checkpoint. Throws a ConfigurationError if it is damaged, or belongs to a different
 * export.
 */
export function readPosition(stored: unknown, query: ExportQuery, order: ExportOrder): ExportPosition {
  const data = validateStored(checkpointData, stored, {
    kind: 'checkpoint',
    source: 'a checkpoint of payments.export',
    endpoint: 'payments.export',
  });
  const range = ([from = '', to = '']: readonly string[]): TimeRange => ({
    from: Date.parse(from),
    to: Date.parse(to),
  });
  const whole = range(data.range);
  const filters: Readonly<Record<string, string>> = { ...query.filters };
  const different = [
    ...Object.keys({ ...filters, ...data.filters }).map((name) => [name, filters[name], data.filters[name]] as const),
    ['createdFrom', query.createdFrom ?? null, data.createdFrom === null ? null : whole.from],
    ['createdTo', query.createdTo ?? whole.to - 1, whole.to - 1],
    ['order', order, data.order],
  ].find(([, now, then]) => now !== then);
  if (different !== undefined)
    throw new ConfigurationError(
      `the checkpoint belongs to an export with another ${different[0]}. Pass ` +
        'the same query and order, or start without a checkpoint',
      { endpoint: 'payments.export' },
    );
  return {
    order,
    filters: query.filters,
    isOpenStart: data.createdFrom === null,
    range: whole,
    items: data.items,
    done: data.done.map(range),
    account: data.account,
    seen: data.seen,
  };
}
