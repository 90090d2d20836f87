import { integerFrom, optionsObject, type OptionsShape } from '../../contract/option-schemas.js';
import { omitUndefined } from './freeze.js';
import { memoize, type Schema } from '../../contract/schema/schema.js';

/** The errors whose statuses the specification does not define, with their default statuses. Assumed: A-36. */
export const defaultErrorStatuses = {
  invalid_query: 400,
  invalid_cursor: 400,
  invalid_body: 400,
  invalid_json: 400,
  unexpected_body: 400,
  unsupported_media_type: 415,
  body_too_large: 413,
  not_found: 404,
  unknown_endpoint: 404,
  method_not_allowed: 405,
  quote_used: 409,
  idempotency_mismatch: 409,
  customer_not_found: 422,
  customer_not_approved: 422,
  beneficiary_not_found: 422,
  beneficiary_not_approved: 422,
  payment_held: 422,
  quote_not_found: 422,
  quote_expired: 422,
  quote_mismatch: 422,
  account_mismatch: 422,
  document_not_found: 422,
  invoice_required: 422,
};

/** The code of an error whose status the specification does not define. */
export type ConfigurableErrorCode = keyof typeof defaultErrorStatuses;

/** The statuses of all such errors. */
export type ResolvedErrorStatuses = Readonly<Record<ConfigurableErrorCode, number>>;

/** Statuses of error responses by error code. */
export type ErrorStatuses = { readonly [Code in ConfigurableErrorCode]?: number | undefined };

/** The schema of statuses by error code. */
export const errorStatuses: Schema<ErrorStatuses> = memoize(() => {
  const shape = Object.keys(defaultErrorStatuses).map((code) => [code, integerFrom(400, 499)]);
  return optionsObject<ErrorStatuses>(Object.fromEntries(shape) as OptionsShape<ErrorStatuses>, {
    rule: 'must be an object of statuses by error code, such as { invalid_body: 422 }',
  });
});

/** Returns the statuses with overrides applied. */
export const resolveErrorStatuses = (overrides: ErrorStatuses = {}): ResolvedErrorStatuses => ({
  ...defaultErrorStatuses,
  ...omitUndefined(overrides),
});

/** Returns the status of an error response: the configured one, or for other codes the status of the error. */
export function statusOf(
  { code, status }: { readonly code: string; readonly status: number },
  statuses: ResolvedErrorStatuses,
): number {
  return Object.hasOwn(statuses, code) ? statuses[code as ConfigurableErrorCode] : status;
}
