import { describe, expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';

/** Returns the sum of decimal strings in hundredths. */
const cents = (...amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0);

describe('quotes', () => {
  test('are unused and valid for 15 minutes', () => {
    expect(platformAtStart().quotes.add()).toMatchObject({
      fundingType: 'CRYPTO',
      createdAt: start,
      expiresAt: '2026-03-01T09:15:00.000Z',
      usedAt: null,
    });
  });

  test.each(['CRYPTO', 'BANK_ACCOUNT'] as const)('funded by %s have a price that adds up exactly', (fundingType) => {
    const quotes = platformAtStart().quotes.addMany(100, () => ({ fundingType }));
    for (const {
      priceBreakdown,
      totalTarget,
      targetCurrencyCode,
      paymentAmount,
      paymentCurrencyCode,
      ...rest
    } of quotes) {
      if (priceBreakdown === null) throw new Error('a quote has a price');
      const { payout, platformFees, partnerFees, funding, totals } = priceBreakdown;
      const groups = [platformFees, partnerFees, funding];
      for (const { subtotalUsd, lines } of groups)
        expect(cents(...lines.map(({ finalAmountUsd }) => finalAmountUsd))).toBe(cents(subtotalUsd));
      expect(totals).toMatchObject({ fundingType, totalTarget, targetCurrencyCode });
      expect({ totalTarget, targetCurrencyCode }).toEqual({
        totalTarget: paymentAmount,
        targetCurrencyCode: paymentCurrencyCode,
      });
      if (totals.fundingType !== 'CRYPTO' && totals.fundingType !== 'BANK_ACCOUNT')
        throw new Error('a kind that is known');
      expect(cents(...groups.map(({ subtotalUsd }) => subtotalUsd))).toBe(cents(totals.feesUsd));
      if (totals.fundingType !== 'CRYPTO') continue;
      expect(rest).toMatchObject({
        quotedTokenAmount: totals.quotedTokenAmount,
        networkFeeUsd: funding.lines[0]?.finalAmountUsd,
      });
      expect(Number(totals.quotedTokenAmount) * Number(totals.effectivePriceUsdPerToken)).toBeCloseTo(
        Number(payout.amountUsd) + Number(totals.feesUsd),
        6,
      );
    }
  });

  test.each([
    ['100.00', 'USD', '100.00', ['5.00', '12.00', '0.25', '2.40'], '119.650000'],
    ['1000000', 'USD', '1000000.00', ['250.00', '12.00', '2500.00', '2.40'], '1002764.400000'],
    ['1250.005', 'MXN', '68.13', ['5.00', '12.00', '0.17', '2.40'], '87.700000'],
    ['0.5', 'BTC', '45750.00', ['228.75', '12.00', '114.38', '2.40'], '46107.530000'],
    ['10', 'EUR', '10.00', ['2.00', '2.00', '0.03', '2.00'], '16.030000'],
  ])('of %s %s pay out %s USD, with fees %o', (paymentAmount, paymentCurrencyCode, payoutUsd, fees, tokens) => {
    const quote = platformAtStart({ records: 'any' }).quotes.add({
      paymentAmount,
      paymentCurrencyCode,
      paymentToken: 'USDC',
      paymentNetwork: 'ETHEREUM',
    });
    const { payout, platformFees, partnerFees, funding } = quote.priceBreakdown ?? {};
    const lines = [platformFees, partnerFees, funding].flatMap((group) => group?.lines ?? []);
    expect(payout?.amountUsd).toBe(payoutUsd);
    expect(lines.map(({ finalAmountUsd }) => finalAmountUsd)).toEqual(fees);
    expect(quote['quotedTokenAmount' as keyof typeof quote]).toBe(tokens);
  });

  test('are priced from the input', () => {
    const quote = platformAtStart().quotes.add({
      paymentAmount: '100',
      paymentCurrencyCode: 'USD',
      networkFeeUsd: '1.00',
      effectivePriceUsdPerToken: '0.999',
      paymentSystemId: 'swift',
    });
    // 100.00 + 5.00 + 12.00 + 0.25 + 1.00, by 0.999 and rounded up.
    expect(quote).toMatchObject({
      quotedTokenAmount: '118.368369',
      effectivePriceUsdPerToken: '0.999',
      paymentSystemId: 'swift',
    });
    expect(quote.priceBreakdown?.platformFees.lines).toMatchObject([
      { paymentSystemId: 'swift' },
      { paymentSystemId: 'swift' },
    ]);
    expect(quote.priceBreakdown?.platformFees.lines[0]).toMatchObject({
      feeType: 'PERCENT',
      feeValue: '0.50',
      baseAmountUsd: '100.00',
      rawAmountUsd: '0.50',
      minAmountUsd: '5.00',
      maxAmountUsd: '250.00',
      finalAmountUsd: '5.00',
    });
  });

  test('may have no price', () => {
    expect(platformAtStart().quotes.add({ priceBreakdown: null }).priceBreakdown).toBe(null);
  });

  test.each([
    [{ paymentAmount: 'a lot' }, 'paymentAmount must be a decimal string'],
    [{ paymentAmount: 100 }, 'paymentAmount must be a string'],
    [{ networkFeeUsd: '-1' }, 'networkFeeUsd must be a decimal string'],
    [{ effectivePriceUsdPerToken: '0' }, 'effectivePriceUsdPerToken must be a decimal string'],
    [{ expiresAt: 'soon' }, 'expiresAt must be an ISO 8601 date-time'],
    [{ fundingType: 'CASH' }, 'fundingType must be'],
    [{ paymentNetwork: 'BITCOIN' }, 'paymentNetwork must be one of ETHEREUM'],
  ])('reject %o', (input, message) => {
    expect(() => platformAtStart().quotes.add(input as never)).toThrow(message);
  });
});
