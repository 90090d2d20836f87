import { isDecimal, parseFixed18, toCents, toDecimalString, fractionDigits } from './decimal.js';
import { isKnownCurrency, usdPerUnit } from './countries.js';
import type { Random } from './random.js';

/** Generated payments are worth this many US dollars: far more than their fees. */
const [smallestUsd, largestUsd] = [400, 48_000];

/** Returns the number of decimals of amounts in a currency. */
function decimalsOf(currencyCode: string): number {
  return currencyCode === 'BTC' ? 8 : 2;
}

/** Returns the price of one unit of a currency in US dollars; 1 if the currency is unknown. */
export function usdRateOf(currencyCode: string): string {
  return isKnownCurrency(currencyCode) ? usdPerUnit[currencyCode] : '1';
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
  const rate = parseFixed18(usdRateOf(currencyCode));
  const units = toCents(feesUsd) * 10n ** BigInt(decimals + 16);
  const fees = (units + rate - 1n) / rate;
  const precision = Math.max(decimals, fractionDigits(amount));
  const sum = parseFixed18(amount) + fees * 10n ** BigInt(18 - decimals);
  return toDecimalString(sum / 10n ** BigInt(18 - precision), precision);
}
