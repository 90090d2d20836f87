const decimals = 18;
const one = 10n ** BigInt(decimals);

/** Returns whether a value is a plain decimal string with at most 18 decimals. */
export function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && /^\d+(\.\d{1,18})?$/.test(value);
}

/** Parses a decimal string as an integer number of 10^-18 units. Truncates further decimals. */
export function parseFixed18(value: string): bigint {
  const point = value.indexOf('.');
  if (point === -1) return BigInt(value) * one;
  return BigInt(value.slice(0, point) + value.slice(point + 1, point + 1 + decimals).padEnd(decimals, '0'));
}

/** Parses a decimal string as an integer number of hundredths. Truncates further decimals. */
export function toCents(value: string): bigint {
  return parseFixed18(value) / (one / 100n);
}

/** Multiplies two decimal strings. Returns hundredths, rounded half up. */
export function productInCents(left: string, right: string): bigint {
  const unit = (one * one) / 100n;
  return (parseFixed18(left) * parseFixed18(right) + unit / 2n) / unit;
}

/** Divides hundredths by a decimal string. Returns millionths, rounded up. */
export function divideToMicros(hundredths: bigint, divisor: string): bigint {
  const fixed = parseFixed18(divisor);
  return (hundredths * 10_000n * one + fixed - 1n) / fixed;
}

/** Formats an integer number of decimal fractions: `toDecimalString(1205n, 2)` returns `12.05`. */
export function toDecimalString(units: bigint, precision: number): string {
  const digits = units.toString().padStart(precision + 1, '0');
  return `${digits.slice(0, -precision)}.${digits.slice(-precision)}`;
}

/** Returns the number of decimals that a decimal string has. */
export function fractionDigits(value: string): number {
  return value.includes('.') ? value.length - value.indexOf('.') - 1 : 0;
}

/** Returns whether two amounts are equal: `1250.0` equals `1250.00`. Compares other strings as they are. */
export function isSameAmount(left: string, right: string): boolean {
  return isDecimal(left) && isDecimal(right) ? parseFixed18(left) === parseFixed18(right) : left === right;
}
