import { amounts, paymentCurrencies } from 'corridor-sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

/** Any amount, negative ones included, with up to 20 decimals. */
const anyAmount = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 20 }))
  .map(([units, decimals]) => amounts.fromMinorUnits(units, decimals));

describe('add and subtract', () => {
  test.each([
    ['0.10', '0.20', '0.30'],
    ['0', '9007199254740993.01', '9007199254740993.01'],
    ['99.9', '0.10', '100.00'],
    ['0', '0.05', '0.05'],
    ['7', '8', '15'],
    ['-0.5', '0.25', '-0.25'],
  ])('%s + %s is %s', (left, right, sum) => {
    expect(amounts.add(left, right)).toBe(sum);
  });

  test.each([
    ['1', '0.01', '0.99'],
    ['0.01', '1', '-0.99'],
    ['1.50', '1.5', '0.00'],
    ['1', '-1', '2'],
  ])('%s - %s is %s', (left, right, difference) => {
    expect(amounts.subtract(left, right)).toBe(difference);
  });

  test('subtract reverses add', () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, (left, right) =>
        amounts.equals(amounts.subtract(amounts.add(left, right), right), left),
      ),
    );
  });
});

describe('compare and equals', () => {
  test('compare sorts by value', () => {
    expect(['12.5', '-3', '9.99', '100', '9.990'].toSorted(amounts.compare)).toEqual([
      '-3',
      '9.99',
      '9.990',
      '12.5',
      '100',
    ]);
  });

  test.each([
    ['1250.0', '1250.00', true],
    ['007', '7', true],
    ['0.1', '0.10000000000000000001', false],
  ])('%s equals %s: %s', (left, right, isEqual) => {
    expect(amounts.equals(left, right)).toBe(isEqual);
  });
});

test('sum adds up records by currency', () => {
  expect(
    amounts.sum([
      { amount: '1250.00', currencyCode: 'USD' },
      { amount: '450', currencyCode: 'USD' },
      { amount: '0.00000001', currencyCode: 'BTC' },
    ]),
  ).toEqual({ USD: '1700.00', BTC: '0.00000001' });
  expect(amounts.sum([])).toEqual({});
});

describe('minor units', () => {
  test.each([
    ['1250.00', 'USD', 125_000n],
    ['1250', 'USD', 125_000n],
    ['1250.000', 'USD', 125_000n],
    ['0.00000001', 'BTC', 1n],
    ['500', 'UGX', 500n],
    ['1.5', 'USDC', 1_500_000n],
    ['1', 'DAI', 10n ** 18n],
    ['1.5', 18, 15n * 10n ** 17n],
  ])('%s %s is %d', (amount, currency, units) => {
    expect(amounts.toMinorUnits(amount, currency)).toBe(units);
  });

  test.each([
    [1n, 'BTC', '0.00000001'],
    [125_000n, 'USD', '1250.00'],
    [-5n, 'USD', '-0.05'],
    [500n, 'XAF', '500'],
  ])('%d in %s is %s', (units, currency, amount) => {
    expect(amounts.fromMinorUnits(units, currency)).toBe(amount);
  });

  test('an amount in minor units and back is the same amount in every currency', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.constantFrom(...paymentCurrencies), (units, currency) => {
        expect(amounts.toMinorUnits(amounts.fromMinorUnits(units, currency), currency)).toBe(units);
      }),
    );
  });

  test('more decimals than the currency has are an error', () => {
    expect(() => amounts.toMinorUnits('5.123', 'USD')).toThrow(
      new RangeError('the amount "5.123" has more than 2 decimals, which USD does not have. Round it first'),
    );
  });

  test.each(['EUR', -1, 1.5, 1e9])('the decimals of %s are not known', (currency) => {
    expect(() => amounts.toMinorUnits('5', currency)).toThrow(RangeError);
    expect(() => amounts.fromMinorUnits(5n, currency)).toThrow('are not known. Pass one of USD');
  });

  test('units must be a bigint', () => {
    expect(() => amounts.fromMinorUnits(5 as never, 'USD')).toThrow(
      new TypeError('units must be a bigint (received 5). Pass BigInt(units)'),
    );
  });
});

test.each(['', '.5', '5.', '1e3', ' 1', '1,000.00', 'ten', 12.5, null, undefined])('%j is no amount', (value) => {
  const call = (): unknown => amounts.add('1', value as string);
  expect(call).toThrow(TypeError);
  expect(call).toThrow('an amount must be a decimal string such as "1250.00"');
});
