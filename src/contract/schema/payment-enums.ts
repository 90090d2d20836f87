import { isOneOf } from './primitives.js';

/**
 * The payment statuses that this version of the SDK knows. The platform may add others.
 *
 * @example
 * ```ts
 * import { paymentStatuses } from 'corridor-sdk';
 * const options = paymentStatuses.map((value) => ({ value, label: value.replaceAll('_', ' ').toLowerCase() }));
 * ```
 */
export const paymentStatuses = [
  'PENDING_REVIEW',
  'CORRECTION_NEEDED',
  'APPROVED',
  'PROCESSING',
  'COMPLETED',
  'RETURNED',
  'REJECTED',
  'CANCELLED',
] as const;

/** A payment status that this version of the SDK knows. A record may have a newer one. */
export type PaymentStatus = (typeof paymentStatuses)[number];

/**
 * Checks whether a value is a payment status that this version of the SDK knows.
 *
 * @example
 * ```ts
 * import { isPaymentStatus, type PaymentStatus } from 'corridor-sdk';
 * const column: unknown = 'COMPLETED'; // from your database
 * const status: PaymentStatus | undefined = isPaymentStatus(column) ? column : undefined;
 * ```
 */
export const isPaymentStatus = (value: unknown): value is PaymentStatus => isOneOf(paymentStatuses, value);

/**
 * The currencies that a payment can be made in.
 *
 * @example
 * ```ts
 * import { paymentCurrencies } from 'corridor-sdk';
 * const options = paymentCurrencies.map((value) => `<option>${value}</option>`).join('');
 * ```
 */
export const paymentCurrencies = [
  'USD',
  'BRL',
  'MXN',
  'COP',
  'HKD',
  'CNY',
  'NGN',
  'KES',
  'MWK',
  'ZAR',
  'XOF',
  'XAF',
  'UGX',
  'TZS',
  'ZMW',
  'BWP',
  'SGD',
  'USDT',
  'USDC',
  'DAI',
  'BTC',
] as const;

/** A currency that a payment can be made in. */
export type PaymentCurrency = (typeof paymentCurrencies)[number];

/**
 * Checks whether a value is a currency that a payment can be made in.
 *
 * @example
 * ```ts
 * import { isPaymentCurrency } from 'corridor-sdk';
 * const input: string = 'MXN';
 * if (!isPaymentCurrency(input)) throw new Error(`Payments cannot be made in ${input}.`);
 * ```
 */
export const isPaymentCurrency = (value: unknown): value is PaymentCurrency => isOneOf(paymentCurrencies, value);

/** The final statuses of a payment, which it reaches once, and the statuses that can follow them. Assumed: A-17 */
export const finalStatuses: { readonly [S in PaymentStatus]?: readonly PaymentStatus[] } = {
  COMPLETED: ['RETURNED'],
  RETURNED: [],
  REJECTED: [],
  CANCELLED: [],
};
