import * as z from 'zod/mini';
import { paymentStatuses, type PaymentStatus } from '../../contract/schema/payment-enums.js';
import { enumOf } from '../../contract/schema/primitives.js';
import { memoize, optional, withMetadata } from '../../contract/schema/schema.js';
import { timestampFilter } from '../../contract/schema/timestamp.js';
import { InvalidRequestError } from '../../errors/api.js';
import { copyAndValidate } from '../../transport/request/build-request.js';

/** The filters of `payments.export` and `payments.planExport`. */
export interface PaymentExportParams {
  /** Exports only payments with this status at the time they are read. */
  readonly status?: PaymentStatus | undefined;
  /**
   * The earliest creation time, to the millisecond: an ISO 8601 UTC string ending in Z, or a `Date`. @default the first
   * payment
   */
  readonly createdFrom?: string | Date | undefined;
  /**
   * The latest creation time, included. @default the platform's time when the export starts, minus `consistencyWindow`
   */
  readonly createdTo?: string | Date | undefined;
}

/** A validated query. Times are in milliseconds since the epoch, both included. */
export interface ExportQuery {
  readonly status: PaymentStatus | undefined;
  readonly createdFrom: number | undefined;
  readonly createdTo: number | undefined;
}

const exportParams = memoize(() =>
  withMetadata(
    z.strictObject({
      status: optional(enumOf(paymentStatuses)),
      createdFrom: optional(timestampFilter()),
      createdTo: optional(timestampFilter()),
    }),
    { rule: 'must be an object, such as { createdFrom: "2026-01-01T00:00Z" }' },
  ),
);

/** Validates a query. */
export function parseExportQuery(endpoint: string, params: PaymentExportParams): ExportQuery {
  const { status, ...times } = copyAndValidate(endpoint, exportParams(), params, 'as-string');
  const timeOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time));
  const [createdFrom, createdTo] = [timeOf(times.createdFrom), timeOf(times.createdTo)];
  if (createdFrom !== undefined && createdTo !== undefined && createdFrom > createdTo)
    throw new InvalidRequestError(endpoint, [{ path: 'createdFrom', message: 'must not be later than createdTo' }]);
  return { status, createdFrom, createdTo };
}
