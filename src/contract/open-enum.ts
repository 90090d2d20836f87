/**
 * A value of a set that the platform may extend. Editors complete the known values, and new values still compile.
 *
 * @example
 * ```ts
 * import type { OpenEnum, PaymentStatus } from 'corridor-sdk';
 * const status: OpenEnum<PaymentStatus> = 'ON_HOLD'; // not known yet, but compiles
 * ```
 */
export type OpenEnum<T extends string> = T | (string & {});

/**
 * The discriminant type of unknown variants. It equals no literal, so `funding.type === 'CRYPTO'` still narrows to the
 * crypto variant.
 */
export declare enum Unrecognized {
  /** Exists only in types, never on the wire. */
  value = 'unrecognized',
}
