import { currencyDecimals, isPaymentCurrency, paymentCurrencies, type PaymentCurrency } from './schema/payments.js';
import type { OpenEnum } from './schema/schema.js';
import { describeValue } from './describe.js';

// Exported by the main entry as `amounts`.

/** An amount as an integer of its smallest decimals: 12.05 is 1205 with the scale 2. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/**
 * Compares two amounts: returns a negative number if the first is less, 0 if they are equal, otherwise a positive
 * number. Use it to sort.
 *
 * @throws TypeError if an amount is not a decimal string such as `"1250.00"`.
 * @example
 * ```ts
 * import { amounts } from 'corridor-sdk';
 * const sorted = ['12.5', '9.99', '100'].toSorted(amounts.compare); // ['9.99', '12.5', '100']
 * ```
 */
export function compare(left: string, right: string): number {
  const [one, other] = align(left, right);
  return Number(one > other) - Number(one < other);
}

/**
 * Returns whether two amounts have the same value: `"1250.0"` equals `"1250.00"`.
 *
 * @throws TypeError if an amount is not a decimal string.
 * @example
 * ```ts
 * import { amounts } from 'corridor-sdk';
 * const isPaid = amounts.equals('1250.0', '1250.00'); // true
 * ```
 */
export function equals(left: string, right: string): boolean {
  return compare(left, right) === 0;
}

/**
 * Adds two amounts exactly. The sum has as many decimals as the more precise amount.
 *
 * @throws TypeError if an amount is not a decimal string.
 * @example
 * ```ts
 * import { amounts } from 'corridor-sdk';
 * const total = amounts.add('0.10', '0.20'); // '0.30'
 * ```
 */
export function add(left: string, right: string): string {
  const [one, other, scale] = align(left, right);
  return format(one + other, scale);
}

/**
 * Subtracts the second amount from the first exactly. The difference has as many decimals as the more precise amount,
 * and starts with `-` if it is negative.
 *
 * @throws TypeError if an amount is not a decimal string.
 * @example
 * ```ts
 * import { amounts } from 'corridor-sdk';
 * const rest = amounts.subtract('1', '0.01'); // '0.99'
 * ```
 */
export function subtract(left: string, right: string): string {
  const [one, other, scale] = align(left, right);
  return format(one - other, scale);
}

/**
 * Adds up the amounts of records, such as payments, by currency. Returns an object with a sum for each currency; an
 * empty one without records.
 *
 * @throws TypeError if an amount is not a decimal string.
 * @example
 * ```ts
 * import { amounts, Corridor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * const page = await corridor.payments.list({ status: 'COMPLETED' });
 * const totals = amounts.sum(page.items); // such as { USD: '1700.00', MXN: '250.50' }
 * ```
 */
export function sum(
  records: Iterable<{ readonly amount: string; readonly currencyCode: string }>,
): Record<string, string> {
  const totals = new Map<string, string>();
  for (const { amount, currencyCode } of records)
    totals.set(currencyCode, add(totals.get(currencyCode) ?? '0', amount));
  return Object.fromEntries(totals);
}

/**
 * Returns an amount in minor units, such as cents: an integer. Pass the currency, or a number of decimals. `USDT` and
 * `USDC` have 6 decimals, as on most networks; for others, pass `decimals` of the entry in `crypto.paymentMethods()`.
 *
 * @throws TypeError if the amount is not a decimal string. RangeError if the currency is not known, or if the amount
 * has more decimals than the currency.
 * @example
 * ```ts
 * import { amounts } from 'corridor-sdk';
 * const cents = amounts.toMinorUnits('1250.00', 'USD'); // 125000n
 * ```
 */
export function toMinorUnits(amount: string, currency: OpenEnum<PaymentCurrency> | number): bigint {
  const decimals = decimalsOf(currency);
  const { units, scale } = parse(amount);
  if (scale <= decimals) return units * 10n ** BigInt(decimals - scale);
  const divisor = 10n ** BigInt(scale - decimals);
  if (units % divisor !== 0n)
    throw new RangeError(
      `the amount ${describeValue(amount)} has more than ${decimals} decimals` +
        `${typeof currency === 'string' ? `, which ${currency} does not have` : ''}. Round it first`,
    );
  return units / divisor;
}

/**
 * Returns the amount of an integer of minor units, such as cents, with all decimals of the currency. Pass the currency,
 * or a number of decimals.
 *
 * @throws TypeError if `units` is not a bigint. RangeError if the currency is not known.
 * @example
 * ```ts
 * import { amounts } from 'corridor-sdk';
 * const amount = amounts.fromMinorUnits(1n, 'BTC'); // '0.00000001'
 * ```
 */
export function fromMinorUnits(units: bigint, currency: OpenEnum<PaymentCurrency> | number): string {
  if (typeof units !== 'bigint')
    throw new TypeError(`units must be a bigint (received ${describeValue(units)}). Pass BigInt(units)`);
  return format(units, decimalsOf(currency));
}

// Capturing groups match once each, so that a long string takes linear time.
const decimalString = /^(-?\d+)(?:\.(\d+))?$/;

function parse(amount: string): Decimal {
  const [, whole, fraction = ''] = (typeof amount === 'string' ? decimalString.exec(amount) : null) ?? [];
  if (whole === undefined)
    throw new TypeError(
      'an amount must be a decimal string such as "1250.00" ' +
        `(received ${describeValue(amount)}). Pass the string of the record, not a number`,
    );
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

/** Returns both amounts as integers of the same scale, and the scale. */
function align(left: string, right: string): readonly [bigint, bigint, number] {
  const [one, other] = [parse(left), parse(right)];
  const scale = Math.max(one.scale, other.scale);
  const unitsOf = (each: Decimal): bigint => each.units * 10n ** BigInt(scale - each.scale);
  return [unitsOf(one), unitsOf(other), scale];
}

function format(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = units
    .toString()
    .slice(sign.length)
    .padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${sign}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`;
}

function decimalsOf(currency: string | number): number {
  if (typeof currency === 'number' && Number.isInteger(currency) && currency >= 0 && currency <= 100) return currency;
  if (isPaymentCurrency(currency)) return currencyDecimals(currency);
  throw new RangeError(
    `the decimals of the currency ${describeValue(currency)} are not known. Pass one ` +
      `of ${paymentCurrencies.join(', ')}, or the number of its decimals`,
  );
}
