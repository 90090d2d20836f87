const places = 18;
const one = 10n ** BigInt(places);

/** Whether a value is a text that is a plain decimal number. */
export function isDecimal(value: unknown): boolean {
  return typeof value === 'string' && /^\d+(\.\d{1,18})?$/.test(value);
}

/** A decimal text as a whole number of 10^-18. Digits beyond 18 places are cut. */
export function exact(text: string): bigint {
  const point = text.indexOf('.');
  if (point === -1) return BigInt(text) * one;
  return BigInt(text.slice(0, point) + text.slice(point + 1, point + 1 + places).padEnd(places, '0'));
}

/** A decimal text as whole hundredths. Digits beyond 2 places are cut. */
export function cents(text: string): bigint {
  return exact(text) / (one / 100n);
}

/** The product of two decimal texts in whole hundredths, rounded half up. */
export function productInCents(left: string, right: string): bigint {
  const unit = (one * one) / 100n;
  return (exact(left) * exact(right) + unit / 2n) / unit;
}

/** Hundredths by a decimal text, in whole millionths, rounded up. */
export function quotientInMillionths(hundredths: bigint, divisor: string): bigint {
  const by = exact(divisor);
  return (hundredths * 10_000n * one + by - 1n) / by;
}

/** A whole number of a decimal fraction as a decimal text: `decimalText(1205n, 2)` is `12.05`. */
export function decimalText(units: bigint, precision: number): string {
  const text = units.toString().padStart(precision + 1, '0');
  return `${text.slice(0, -precision)}.${text.slice(-precision)}`;
}
