import { equals, fromMinorUnits } from '../../contract/amounts.js';
import { currencyDecimals, isPaymentCurrency } from '../../contract/schema/payments.js';
import { isKnownCurrency, usdPerUnit } from './countries.js';
import type { Random } from './random.js';

const scale = 18;
const one = 10n ** BigInt(scale);
const powers = Array.from({ length: 2 * scale }, (_, exponent) => 10n ** BigInt(exponent));

/** Returns a power of ten, which takes long to compute each time. */
const powerOfTen = (exponent: number): bigint => powers[exponent] ?? 10n ** BigInt(exponent);

/** A hundredth of a product. */
const unit = (one * one) / 100n;

/** Returns whether a value is a plain decimal string with at most 18 decimals. */
export function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && decimalPattern.test(value);
}

/** The format of a plain decimal string with at most 18 decimals. */
const decimalPattern = /^\d+(\.\d{1,18})?$/;

/** Parses a plain decimal string as an integer of its units with 18 decimals. */
function toFixed18(value: string): bigint {
  const decimals = decimalsIn(value);
  return BigInt(value.replace('.', '')) * powerOfTen(scale - decimals);
}

/** Returns the number of decimals that a decimal string has. */
const decimalsIn = (value: string): number => (value.includes('.') ? value.length - value.indexOf('.') - 1 : 0);

/** Parses a decimal string as an integer number of hundredths. Truncates further decimals. */
export function toCents(value: string): bigint {
  return toFixed18(value) / (one / 100n);
}

/** Returns the value of an amount in hundredths of a US dollar, rounded half up. */
export function valueInCents(amount: string, currencyCode: string): bigint {
  return (toFixed18(amount) * fixedRateOf(currencyCode) + unit / 2n) / unit;
}

/** Divides hundredths by a decimal string. Returns millionths, rounded up. */
export function divideToMicros(hundredths: bigint, divisor: string): bigint {
  const fixed = toFixed18(divisor);
  return (hundredths * 10_000n * one + fixed - 1n) / fixed;
}

/** Returns whether two amounts are equal: `1250.0` equals `1250.00`. Compares other strings as they are. */
export function isSameAmount(left: string, right: string): boolean {
  return left === right || (isDecimal(left) && isDecimal(right) && equals(left, right));
}

/** Generated payments are worth this many US dollars: far more than their fees. */
const [smallestUsd, largestUsd] = [400, 48_000];

/** Returns the number of decimals of generated amounts: those of the currency, but two in stablecoins. */
function decimalsOf(currencyCode: string): number {
  const decimals = isPaymentCurrency(currencyCode) ? currencyDecimals(currencyCode) : 2;
  return currencyCode === 'BTC' ? decimals : Math.min(decimals, 2);
}

/** Returns the price of one unit of a currency in US dollars; 1 if the currency is unknown. */
function usdRateOf(currencyCode: string): string {
  return isKnownCurrency(currencyCode) ? usdPerUnit[currencyCode] : '1';
}

const fixedRates = new Map<string, bigint>();

/** Returns the same price with 18 decimals. */
function fixedRateOf(currencyCode: string): bigint {
  const rate = fixedRates.get(currencyCode) ?? toFixed18(usdRateOf(currencyCode));
  if (isKnownCurrency(currencyCode)) fixedRates.set(currencyCode, rate);
  return rate;
}

/** Returns an amount that a payment in a currency could have. */
export function plausibleAmount(random: Random, currencyCode: string): string {
  const usd = random.int(smallestUsd * 100, largestUsd * 100) / 100;
  return (usd / Number(usdRateOf(currencyCode))).toFixed(decimalsOf(currencyCode));
}

/** Adds fees in US dollars to an amount in a currency. Rounds the fees up to the decimals of the currency. */
export function addFees(amount: string, currencyCode: string, feesUsd: string): string {
  if (!isDecimal(amount) || !isDecimal(feesUsd)) return amount;
  const decimals = decimalsOf(currencyCode);
  const rate = fixedRateOf(currencyCode);
  const units = toCents(feesUsd) * powerOfTen(decimals + 16);
  const fees = (units + rate - 1n) / rate;
  const precision = Math.max(decimals, decimalsIn(amount));
  const sum = toFixed18(amount) + fees * powerOfTen(18 - decimals);
  return fromMinorUnits(sum / powerOfTen(18 - precision), precision);
}
