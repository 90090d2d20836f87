import { describe, expect, test } from 'vitest';
import { clientOf, platformAtStart, start } from '../fixture.js';

const crypto = { paymentQuote: { fundingType: 'CRYPTO', paymentToken: 'USDC', paymentNetwork: 'SOLANA' } } as const;

describe('update of a payment', () => {
  test.each([
    ['PENDING_REVIEW', 'COMPLETED', 'CONFIRMED'],
    ['PENDING_REVIEW', 'REJECTED', 'CANCELLED'],
    ['COMPLETED', 'PENDING_REVIEW', 'PENDING'],
    ['CANCELLED', 'PROCESSING', 'CONFIRMED'],
    ['APPROVED', 'CANCELLED', 'CONFIRMED'],
  ] as const)('from %s to %s makes its funding %s', (from, to, fundingStatus) => {
    const platform = platformAtStart();
    const { id } = platform.payments.add({ ...crypto, status: from });
    expect(platform.payments.update(id, { status: to }).sourceFunding).toMatchObject({ type: 'CRYPTO', fundingStatus });
  });

  test('keeps a funding that the test sets', () => {
    const platform = platformAtStart();
    const sourceFunding = { type: 'CRYPTO', symbol: 'USDC', network: 'SOLANA', fundingStatus: 'FAILED' } as const;
    const { id } = platform.payments.add({ sourceFunding });
    expect(platform.payments.update(id, { status: 'COMPLETED' }).sourceFunding).toEqual(sourceFunding);
    const pending = { ...sourceFunding, fundingStatus: 'PENDING' };
    expect(platform.payments.update(id, { status: 'RETURNED', sourceFunding: pending }).sourceFunding).toEqual(pending);
  });

  test('to RETURNED has a receipt only if the payment was completed', () => {
    const platform = platformAtStart();
    const [early, late] = platform.payments.addMany(2, () => ({ status: 'PROCESSING' }));
    platform.payments.update(late?.id ?? '', { status: 'COMPLETED' });
    const receiptOf = (id = '') => platform.payments.update(id, { status: 'RETURNED' }).receiptUrl;
    expect(receiptOf(early?.id)).toBeNull();
    expect(receiptOf(late?.id)).toContain('/receipts/');
    expect(platform.payments.update(early?.id ?? '', { status: 'COMPLETED' }).receiptUrl).toContain('/receipts/');
  });

  test.each([
    [{ amount: '99.00' }, 'the payment must be for 10.00 MXN, as quoted (received 99.00 MXN)'],
    [{ currencyCode: 'ZAR' }, 'the payment must be for 10.00 MXN, as quoted (received 10.00 ZAR)'],
    [{ paymentQuoteId: null, currencyCode: 'ZAR' }, "in MXN, the currency of the beneficiary's account (received ZAR)"],
  ])('rejects %j, which contradicts its quote or account', (partial, message) => {
    const platform = platformAtStart();
    const { id } = platform.payments.add({ amount: '10.00', currencyCode: 'MXN' });
    const before = platform.payments.get(id);
    expect(() => platform.payments.update(id, partial)).toThrow(message);
    expect(platform.payments.get(id)).toEqual(before);
    platform.configure({ amounts: 'free' });
    expect(platform.payments.update(id, partial)).toMatchObject(partial);
  });

  test('to another quote and beneficiary uses that quote, and keeps the fields that the input does not have', () => {
    const platform = platformAtStart();
    const before = platform.payments.add({ ...crypto, amount: '10.00', currencyCode: 'MXN' });
    const { id, customerId } = before;
    const quote = platform.quotes.add({ customerId, paymentAmount: '99.00', paymentCurrencyCode: 'ZAR' });
    const beneficiary = platform.beneficiaries.add({ customerId, currencyCode: 'ZAR' });
    const changed = platform.payments.update(id, {
      amount: '99.00',
      currencyCode: 'ZAR',
      paymentQuoteId: quote.id,
      beneficiaryId: beneficiary.id,
      rail: { method: 'EFT', countryCode: 'ZA' },
      authorization: { quoteId: quote.id, principal: '99.00' },
    });
    expect(changed).toMatchObject({
      rail: { method: 'EFT', countryCode: 'ZA' },
      sourceFunding: before.sourceFunding,
      paymentQuote: { id: quote.id, usedAt: changed.updatedAt },
      authorization: { ...before.authorization, quoteId: quote.id, principal: '99.00' },
    });
    expect(platform.quotes.all().filter(({ usedAt }) => usedAt === null)).toMatchObject([{ paymentAmount: '10.00' }]);
  });
});

describe('update of a quote that a payment uses', () => {
  test('rejects another price, unless amounts are free', () => {
    const platform = platformAtStart();
    const { id, amount, paymentQuoteId } = platform.payments.add();
    const update = () => platform.quotes.update(paymentQuoteId ?? '', { paymentAmount: '7.00' });
    expect(update).toThrow(`quotes.update: the payment ${id} needs ${paymentQuoteId}. Remove the payment first.`);
    expect(platform.quotes.update(paymentQuoteId ?? '', { paymentAmount: amount })).toMatchObject({
      paymentAmount: amount,
    });
    platform.configure({ amounts: 'free' });
    expect(update()).toMatchObject({ paymentAmount: '7.00' });
  });
});

test('update of a beneficiary keeps its bank unless the input has another one', () => {
  const platform = platformAtStart();
  const before = platform.beneficiaries.add({ currencyCode: 'MXN' });
  const changes = { currencyCode: 'NGN', bankName: 'My Bank', accountNumber: '4711' };
  expect(platform.beneficiaries.update(before.id, changes)).toEqual({ ...before, ...changes, version: 2 });
});

test('the customer of what a payment needs cannot change, unless owners do not matter', () => {
  const platform = platformAtStart();
  const { id, beneficiaryId, paymentQuoteId, documentIds } = platform.payments.add();
  const { id: customerId } = platform.customers.add();
  const updates = () => [
    () => platform.beneficiaries.update(beneficiaryId, { customerId }),
    () => platform.quotes.update(paymentQuoteId ?? '', { customerId }),
    () => platform.documents.update(documentIds[0] ?? '', { customerId }),
  ];
  for (const update of updates()) expect(update).toThrow(`.update: the payment ${id} needs`);
  expect(() => platform.payments.update(id, { customerId })).toThrow('belongs to another customer');
  platform.configure({ ownership: 'organization' });
  expect(updates().map((update) => update().customerId)).toEqual([customerId, customerId, customerId]);
});

describe('removing a record', () => {
  test('ends its planned transitions, so that another one with its id keeps its status', () => {
    const platform = platformAtStart();
    for (const [id, customerId] of [
      ['pay_1', 'cus_1'],
      ['pay_2', 'cus_2'],
    ] as const) {
      platform.customers.add({ id: customerId });
      platform.payments.add({ id, customerId });
      platform.payments.scheduleTransitions(id, ['APPROVED'], { every: { hours: 1 } });
    }
    platform.payments.remove('pay_1');
    platform.customers.remove('cus_2');
    for (const id of ['pay_1', 'pay_2']) platform.payments.add({ id });
    platform.clock.advance({ hours: 2 });
    expect(platform.payments.all().map(({ status }) => status)).toEqual(['PENDING_REVIEW', 'PENDING_REVIEW']);
  });

  test('of a payment frees its quote for another one', async () => {
    const platform = platformAtStart();
    const order = platform.payments.createParams();
    const { payments } = clientOf(platform);
    const { id } = await payments.create(order);
    platform.payments.remove(id);
    expect(platform.quotes.get(order.paymentQuoteId)?.usedAt).toBeNull();
    await expect(payments.create(order)).resolves.toMatchObject({ paymentQuoteId: order.paymentQuoteId });
  });

  test('of a payment keeps its quote used if another payment has it', () => {
    const platform = platformAtStart({ quotes: 'reusable' });
    const quote = platform.quotes.add();
    const [first, second] = platform.payments.addMany(2, () => ({ paymentQuoteId: quote.id }));
    platform.payments.remove(first?.id ?? '');
    expect(platform.quotes.get(quote.id)?.usedAt).toBe(start);
    platform.payments.remove(second?.id ?? '');
    expect(platform.quotes.get(quote.id)?.usedAt).toBeNull();
  });

  test('of a payment without a quote frees none', () => {
    const platform = platformAtStart();
    const { paymentQuoteId } = platform.payments.add();
    platform.payments.remove(platform.payments.add({ paymentQuoteId: null }).id);
    expect(platform.quotes.get(paymentQuoteId ?? '')?.usedAt).toBe(start);
  });

  test('of a customer removes all that belongs to it, and frees the quotes of others', () => {
    const platform = platformAtStart({ ownership: 'organization' });
    const kept = platform.quotes.add({ paymentAmount: '10.00', paymentCurrencyCode: 'MXN' });
    const { id: customerId } = platform.customers.add();
    platform.payments.add({ customerId, paymentQuoteId: kept.id });
    platform.payments.add({ customerId });
    const { id: personId } = platform.persons.add({ customerId });
    platform.customers.remove(customerId);
    expect(platform.quotes.all()).toEqual([kept]);
    for (const kind of ['payments', 'beneficiaries', 'documents', 'persons'] as const)
      expect(platform[kind].all()).toEqual([]);
    expect(platform.customers.all().map(({ id }) => id)).toEqual([kept.customerId]);
    expect(platform.persons.add({ id: personId, runs: 0 }).runs).toEqual([]);
  });

  test('of a customer leaves the payments of other customers', () => {
    const platform = platformAtStart();
    const [gone, kept] = platform.payments.addMany(2);
    platform.customers.remove(gone?.customerId ?? '');
    expect(platform.payments.all()).toEqual([kept]);
  });

  test('is rejected for a customer if the payment of another one needs its quote', () => {
    const platform = platformAtStart({ ownership: 'organization' });
    const quote = platform.quotes.add();
    const { id: payer } = platform.customers.add();
    platform.payments.add({ customerId: payer, paymentQuoteId: quote.id });
    expect(() => platform.customers.remove(quote.customerId)).toThrow(`needs a record of ${quote.customerId}`);
  });

  test('is rejected for a customer if the payment of another one needs its beneficiary', () => {
    const platform = platformAtStart({ ownership: 'organization' });
    const { id: beneficiaryId, customerId } = platform.beneficiaries.add();
    const { id: payer } = platform.customers.add();
    const { id } = platform.payments.add({ customerId: payer, beneficiaryId });
    const before = platform.snapshot();
    expect(() => platform.customers.remove(customerId)).toThrow(`the payment ${id} needs a record of ${customerId}`);
    expect(platform.snapshot()).toEqual(before);
    platform.payments.remove(id);
    platform.customers.remove(customerId);
    expect(platform.beneficiaries.get(beneficiaryId)).toBeUndefined();
  });
});

test('update of a beneficiary rejects a currency that contradicts a payment', () => {
  const platform = platformAtStart();
  const { id, beneficiaryId } = platform.payments.add({ currencyCode: 'MXN' });
  expect(() => platform.beneficiaries.update(beneficiaryId, { currencyCode: 'USD' })).toThrow(
    `beneficiaries.update: the payment ${id} needs ${beneficiaryId}`,
  );
});

test('ids of matches and attachments never repeat', () => {
  const platform = platformAtStart();
  const { id } = platform.persons.add();
  const matchesOf = (openMatches: readonly { matchId?: string | undefined }[]) =>
    platform.persons.update(id, { screening: { openMatches } }).screening.openMatches.map(({ matchId }) => matchId);
  const [first] = matchesOf([{}]);
  expect(new Set(matchesOf([{ matchId: first }, {}])).size).toBe(2);

  const ticket = platform.tickets.add();
  const attachmentOf = () =>
    platform.tickets.update(ticket.id, { attachments: [{ fileName: 'a.pdf' }] }).attachments[0]?.id;
  expect(attachmentOf()).not.toBe(attachmentOf());
});
