const places = 18;
const one = 10n ** BigInt(places);

/** An exact decimal number: how many 10^-18 it is. */
export type Exact = bigint;

/** Whether a text is a plain decimal number. */
export function isDecimal(text: string): boolean {
  return /^\d+(\.\d{1,18})?$/.test(text);
}

/** Reads a decimal text. Throws where it is none. */
export function exact(text: string): Exact {
  if (!isDecimal(text)) throw new RangeError(`${JSON.stringify(text)} is not a decimal number`);
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * one + BigInt(fraction.padEnd(places, '0'));
}

/** The product, rounded to 18 places. */
export function times(left: Exact, right: Exact): Exact {
  return (left * right + one / 2n) / one;
}

/** The quotient, rounded up to a number of places. */
export function dividedBy(left: Exact, right: Exact, precision: number): Exact {
  const step = 10n ** BigInt(places - precision);
  const steps = right * step;
  return ((left * one + steps - 1n) / steps) * step;
}

/** Rounds half up to a number of places. */
export function rounded(value: Exact, precision: number): Exact {
  const step = 10n ** BigInt(places - precision);
  return ((value + step / 2n) / step) * step;
}

/** Writes a decimal with a number of places. */
export function decimalText(value: Exact, precision: number): string {
  const steps = rounded(value, precision) / 10n ** BigInt(places - precision);
  const text = steps.toString().padStart(precision + 1, '0');
  return precision === 0 ? text : `${text.slice(0, -precision)}.${text.slice(-precision)}`;
}

/** The sum of decimals. */
export function sum(values: readonly Exact[]): Exact {
  return values.reduce((total, value) => total + value, 0n);
}
