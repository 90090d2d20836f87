/**
 * A value of a set that the platform may extend: editors complete the known ones, and a new one still compiles.
 *
 * @example
 * ```ts
 * import type { Open, PaymentStatus } from 'corridor-sdk';
 * const status: Open<PaymentStatus> = 'ON_HOLD'; // not known today, no error tomorrow
 * ```
 */
export type Open<T extends string> = T | (string & {});

/**
 * The type of a discriminant that no literal equals. It stands in the variants we do not know, so that
 * `funding.type === 'CRYPTO'` still narrows to the crypto variant.
 */
export declare enum Unrecognized {
  /** Never a value on the wire: it exists in types only. */
  value = 'unrecognized',
}
