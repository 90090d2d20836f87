import { createMockPlatform, MockPlatformError } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.js';

/** Returns the sum of decimal strings in hundredths. */
const cents = (...amounts: readonly string[]): number =>
  amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0);

describe('every builder', () => {
  const kinds = ['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const;

  test.each(kinds)('%s: add returns the record that get finds, and all returns the oldest first', (kind) => {
    const platform = platformAtStart();
    const added = [platform[kind].add(), ...platform[kind].addMany(2)];
    expect(added.map(({ id }) => platform[kind].get(id))).toEqual(added);
    expect(platform[kind].all()).toEqual(added);
    expect(new Set(added.map(({ id }) => id)).size).toBe(3);
  });

  test.each(kinds)('%s: get returns undefined for an unknown id', (kind) => {
    expect(platformAtStart()[kind].get('nobody')).toBeUndefined();
  });

  test.each(kinds)('%s: add accepts an id only once', (kind) => {
    const platform = platformAtStart();
    expect(platform[kind].add({ id: 'mine' }).id).toBe('mine');
    expect(() => platform[kind].add({ id: 'mine' })).toThrow('id "mine" already exists');
  });

  test.each(kinds)('%s: add rejects an unknown field by name', (kind) => {
    const platform = platformAtStart();
    expect(() => platform[kind].add({ colour: 'red' } as never)).toThrow(
      new RegExp(`^${kind}\\.add: colour is not a known field`),
    );
    expect(platform[kind].all()).toEqual([]);
  });

  test.each(kinds)('%s: add rejects a value of the wrong type and names the field', (kind) => {
    const platform = platformAtStart();
    const wrong = () => platform[kind].add({ id: 7 } as never);
    expect(wrong).toThrow(MockPlatformError);
    expect(wrong).toThrow(/^\w+\.add: id must be/);
    expect(platform.customers.all()).toEqual([]);
  });

  test.each(kinds)('%s: add treats undefined as missing', (kind) => {
    expect(platformAtStart()[kind].add({ id: undefined }).id).toMatch(/^[a-z]{3}_\w{16}$/);
  });

  test.each(['beneficiaries', 'persons', 'documents', 'quotes', 'payments'] as const)(
    '%s: add creates the customer if the input names no customer',
    (kind) => {
      const platform = platformAtStart();
      const { customerId } = platform[kind].add();
      expect(platform.customers.get(customerId)).toMatchObject({ status: 'APPROVED' });
    },
  );

  test.each(['beneficiaries', 'persons', 'documents', 'quotes', 'payments'] as const)(
    '%s: add rejects a customer that does not exist',
    (kind) => {
      expect(() => platformAtStart()[kind].add({ customerId: 'cus_nobody' })).toThrow(
        `${kind}.add: customerId "cus_nobody" does not exist in this organization. Add the record first or omit customerId.`,
      );
    },
  );

  test.each(['customers', 'beneficiaries', 'documents', 'quotes', 'payments', 'tickets'] as const)(
    '%s: add rejects an invalid createdAt, because lists are sorted by it',
    (kind) => {
      const platform = platformAtStart();
      expect(() => platform[kind].add({ createdAt: 'yesterday' })).toThrow(
        `${kind}.add: createdAt must be an ISO 8601 date-time`,
      );
      expect(platform.customers.all()).toEqual([]);
    },
  );

  test('addMany passes the index', () => {
    const names = platformAtStart()
      .customers.addMany(3, (index) => ({ companyName: `Company ${index}` }))
      .map(({ companyName }) => companyName);
    expect(names).toEqual(['Company 0', 'Company 1', 'Company 2']);
  });
});

describe('customers', () => {
  test('reject a status that the contract does not define', () => {
    expect(() => platformAtStart().customers.add({ status: 'ON_HOLD' as never })).toThrow(
      'customers.add: status must be one of DRAFT, PENDING_REVIEW, CORRECTION_REQUESTED, APPROVED, REJECTED, SUSPENDED',
    );
  });

  test('reports all invalid fields in one error', () => {
    expect(() => platformAtStart().customers.add({ city: 1, addressCountry: { alpha2: 'US' } } as never)).toThrow(
      'customers.add: city must be a string (received number); addressCountry.name is required: it must be a string',
    );
  });
});

describe('beneficiaries', () => {
  test('have an account in the country of their currency', () => {
    const platform = platformAtStart();
    expect(platform.beneficiaries.add({ currencyCode: 'USD' })).toMatchObject({
      bankCountryCode: 'US',
      wireRoutingNumber: expect.stringMatching(/^\d{9}$/),
      iban: '',
    });
    expect(platform.beneficiaries.add({ currencyCode: 'ZAR' })).toMatchObject({
      bankCountryCode: 'ZA',
      sortCode: expect.stringMatching(/^\d{6}$/),
      achRoutingNumber: '',
    });
    expect(platform.beneficiaries.add({ currencyCode: 'UGX' })).toMatchObject({
      bankCountryCode: 'UG',
      intermediaryBank: expect.stringContaining('Bank'),
    });
    expect(platform.beneficiaries.add({ currencyCode: 'EUR' })).toMatchObject({
      currencyCode: 'EUR',
      bankCountryCode: 'US',
    });
  });

  test('in Brazil have an IBAN with valid check digits', () => {
    const { iban } = platformAtStart().beneficiaries.add({ currencyCode: 'BRL' });
    const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) =>
      String(letter.charCodeAt(0) - 55),
    );
    expect(iban).toMatch(/^BR\d{25}C1$/);
    expect(BigInt(digits) % 97n).toBe(1n);
  });
});

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
    const quote = platformAtStart().quotes.add({
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
    [{ paymentAmount: 100 }, 'paymentAmount must be a decimal string'],
    [{ networkFeeUsd: '-1' }, 'networkFeeUsd must be a decimal string'],
    [{ effectivePriceUsdPerToken: '0' }, 'effectivePriceUsdPerToken must be a decimal string'],
    [{ expiresAt: 'soon' }, 'expiresAt must be an ISO 8601 date-time'],
    [{ fundingType: 'CASH' }, 'fundingType must be'],
    [{ paymentNetwork: 'BITCOIN' }, 'paymentNetwork must be one of ETHEREUM'],
  ])('reject %o', (input, message) => {
    expect(() => platformAtStart().quotes.add(input as never)).toThrow(message);
  });
});

describe('payments', () => {
  test('create their customer, beneficiary, quote and invoice', () => {
    const platform = platformAtStart();
    const payment = platform.payments.add({ amount: '500.00', currencyCode: 'ZAR' });
    const { customerId } = payment;
    expect(payment).toMatchObject({
      status: 'PENDING_REVIEW',
      createdAt: start,
      rail: { countryCode: 'ZA' },
      customer: { orgId: platform.id },
    });
    expect(platform.beneficiaries.get(payment.beneficiaryId)).toMatchObject({ customerId, currencyCode: 'ZAR' });
    expect(platform.quotes.get(payment.paymentQuoteId ?? '')).toMatchObject({
      customerId,
      paymentAmount: '500.00',
      paymentCurrencyCode: 'ZAR',
      usedAt: start,
    });
    expect(payment.documentIds.map((id) => platform.documents.get(id)?.kind)).toEqual(['invoice']);
    expect(payment.paymentQuote?.id).toBe(payment.paymentQuoteId);
  });

  test('pass fields to the records that are created for them', () => {
    const platform = platformAtStart();
    const payment = platform.payments.add({
      customer: { companyName: 'Acme', status: 'SUSPENDED' },
      beneficiary: { companyName: 'Bolt', bankBic: 'BOLTUS22XXX', status: 'REJECTED' },
      paymentQuote: { fundingType: 'BANK_ACCOUNT', expiresAt: '2026-12-31T00:00:00Z' },
      authorization: { contractId: 'con_1' },
    });
    expect(payment).toMatchObject({
      customer: { companyName: 'Acme', status: 'SUSPENDED' },
      beneficiary: { companyName: 'Bolt', bankBic: 'BOLTUS22XXX', status: 'REJECTED' },
      sourceFunding: { type: 'BANK_ACCOUNT' },
      paymentQuote: { expiresAt: '2026-12-31T00:00:00Z' },
      authorization: { contractId: 'con_1', organizationId: platform.id },
    });
    expect(platform.customers.get(payment.customerId)?.companyName).toBe('Acme');
  });

  test('use existing records', () => {
    const platform = platformAtStart();
    const beneficiary = platform.beneficiaries.add({ currencyCode: 'KES' });
    const { customerId } = beneficiary;
    const quote = platform.quotes.add({ customerId, paymentAmount: '77.00', paymentCurrencyCode: 'KES' });
    const document = platform.documents.add({ customerId });
    expect(platform.payments.add({ beneficiaryId: beneficiary.id })).toMatchObject({ customerId, currencyCode: 'KES' });
    expect(platform.payments.add({ paymentQuoteId: quote.id, documentIds: [document.id] })).toMatchObject({
      customerId,
      amount: '77.00',
      currencyCode: 'KES',
      documentIds: [document.id],
      paymentToken: expect.any(String),
    });
    expect(platform.customers.all()).toHaveLength(1);
  });

  test('keep the input instead of derived values', () => {
    const funding = { type: 'CRYPTO', symbol: 'DAI', network: null, fundingStatus: null } as const;
    const input = {
      sourceFunding: funding,
      rail: null,
      receiptUrl: 'https://receipts.example/1',
      paymentToken: null,
      paymentNetwork: 'BASE',
      updatedAt: '2026-04-01T00:00:00Z',
    };
    expect(platformAtStart().payments.add({ ...input, status: 'COMPLETED' })).toMatchObject(input);
    expect(platformAtStart().payments.add({ receiptUrl: null, status: 'COMPLETED' }).receiptUrl).toBe(null);
  });

  test('may have no quote', () => {
    const platform = platformAtStart();
    expect(platform.payments.add({ paymentQuoteId: null })).toMatchObject({
      paymentQuoteId: null,
      paymentQuote: null,
      sourceFunding: { type: 'BANK_ACCOUNT' },
      authorization: { quoteId: null },
    });
    expect(platform.quotes.all()).toEqual([]);
  });

  test('of the same customer have the same account', () => {
    const platform = platformAtStart();
    const { id: customerId } = platform.customers.add();
    const accounts = platform.payments
      .addMany(3, () => ({ customerId, paymentQuote: { fundingType: 'BANK_ACCOUNT' } }))
      .map(({ sourceFunding }) => sourceFunding);
    expect(accounts[1]).toEqual(accounts[0]);
    expect(accounts[2]).toEqual(accounts[0]);
  });

  test('do not change the usedAt of a used quote', () => {
    const platform = platformAtStart();
    const quote = platform.quotes.add({ usedAt: '2026-01-01T00:00:00Z' });
    platform.payments.add({ paymentQuoteId: quote.id });
    expect(platform.quotes.get(quote.id)?.usedAt).toBe('2026-01-01T00:00:00Z');
  });

  test('have equal content hashes for equal documents, and different identity hashes', () => {
    const platform = platformAtStart();
    const { id, customerId } = platform.documents.add({ content: 'same' });
    const { id: otherId } = platform.documents.add({ customerId, content: 'same' });
    const [first, second] = platform.payments.add({ documentIds: [id, otherId] }).authorization.documents ?? [];
    expect(first?.contentHash).toBe(second?.contentHash);
    expect(first?.identityHash).not.toBe(second?.identityHash);
  });

  test.each([
    [{ beneficiaryId: 'ben_nobody' }, 'beneficiaryId "ben_nobody" does not exist'],
    [{ paymentQuoteId: 'quo_nobody' }, 'paymentQuoteId "quo_nobody" does not exist'],
    [{ documentIds: ['doc_nobody'] }, 'documentIds[0] "doc_nobody" does not exist'],
    [
      { customerId: 'a', customer: {} },
      'customer has the fields of a new record, but customerId names an existing one. Pass only one of them.',
    ],
    [{ beneficiaryId: 'a', beneficiary: {} }, 'beneficiary has the fields of a new record'],
    [{ paymentQuoteId: 'a', paymentQuote: {} }, 'paymentQuote has the fields of a new record'],
    [{ customer: { orgId: 'org_1' } }, "customer.orgId is always this organization's id"],
    [{ status: 'DONE' }, 'status must be one of PENDING_REVIEW'],
    [{ sourceFunding: { type: 'CRYPTO' } }, 'sourceFunding.symbol is required'],
    [{ authorization: { version: 'one' } }, 'authorization.version must be an integer'],
  ])('reject %o', (input, message) => {
    const platform = platformAtStart();
    expect(() => platform.payments.add(input as never)).toThrow(`payments.add: ${message}`);
    expect(platform.payments.all()).toEqual([]);
  });

  test.each(['beneficiaryId', 'paymentQuoteId'] as const)('reject a %s of another customer', (field) => {
    const platform = platformAtStart();
    const { id: customerId } = platform.customers.add();
    const { id } = field === 'beneficiaryId' ? platform.beneficiaries.add() : platform.quotes.add();
    expect(() => platform.payments.add({ customerId, [field]: id })).toThrow(
      `payments.add: ${field} belongs to another customer`,
    );
  });
});

describe('documents and tickets', () => {
  test.each([
    [
      { content: 7 },
      'documents.add: content must be a string, a Uint8Array, or bytes such as { base64: "JVBERi0=" } (received 7)',
    ],
    [{ fileName: 'a\nb' }, 'documents.add: fileName must be a string of printable ASCII'],
    [{ contentType: 7 }, 'documents.add: contentType must be a string of printable ASCII'],
    [{ kind: 'receipt' }, 'documents.add: kind must be one of invoice, other'],
  ])('documents reject %o', (input, message) => {
    expect(() => platformAtStart().documents.add(input as never)).toThrow(message);
  });

  test.each([
    [{ attachments: [{ name: 'a' }] }, 'tickets.add: attachments: name is not a known field'],
    [{ attachments: [{ content: 7 }] }, 'tickets.add: attachments: content must be'],
    [{ replies: [{ actorEmail: 'nobody' }] }, 'tickets.add: replies: actorEmail must be an e-mail address'],
  ])('tickets reject %o', (input, message) => {
    const platform = platformAtStart();
    expect(() => platform.tickets.add(input as never)).toThrow(message);
    expect(platform.tickets.all()).toEqual([]);
  });

  test('a ticket has one attachment and no replies by default', () => {
    expect(platformAtStart().tickets.add()).toMatchObject({
      status: 'OPEN',
      attachments: [{ contentType: 'application/pdf' }],
      replies: [],
    });
  });
});

test('add leaves the state unchanged if it throws', () => {
  const platform = createMockPlatform();
  const before = JSON.stringify(platform.snapshot());
  for (const add of [
    () => platform.payments.add({ memo: 7 } as never),
    () => platform.persons.add({ screening: { readOnlyReason: 7 } } as never),
    () => platform.beneficiaries.add({ version: '1' } as never),
  ])
    expect(add).toThrow(MockPlatformError);
  expect(JSON.stringify(platform.snapshot())).toBe(before);
});
