import { describe, expect, test } from 'vitest';
import { clientOf, platformAtStart, start } from '../fixture.ts';

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

  test('changes no other record', () => {
    const platform = platformAtStart();
    const before = platform.payments.add({ amount: '10.00', currencyCode: 'MXN' });
    const { paymentQuote, authorization } = before;
    const changes = { amount: '99.00', rail: { method: 'EFT', countryCode: 'ZA' } };
    const changed = platform.payments.update(before.id, { ...changes, authorization: { principal: '99.00' } });
    expect(changed).toEqual({ ...before, ...changes, authorization: { ...authorization, principal: '99.00' } });
    expect(platform.quotes.get(paymentQuote?.id ?? '')).toMatchObject({ paymentAmount: '10.00', usedAt: start });
  });

  test('has the history that the test sets', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    const history = [{ status: 'COMPLETED', at: '2026-03-01T09:30:00.000Z' }] as const;
    platform.payments.update(id, { status: 'COMPLETED', history });
    expect(platform.payments.history(id)).toEqual(history);
    expect(() => platform.payments.update(id, { history: [{ status: 'REJECTED', at: start }] })).toThrow(
      'payments.update: history must begin at createdAt or later, be in the order of time, and end with the status COMPLETED',
    );
  });
});

describe('update', () => {
  const { payments, beneficiaries, quotes, documents, persons, customers } = platformAtStart();
  const { id, beneficiaryId, paymentQuoteId, documentIds } = payments.add();
  const { id: customerId } = customers.add();
  const updates: readonly (readonly [field: string, update: () => unknown])[] = [
    ['beneficiaries.update: customerId', () => beneficiaries.update(beneficiaryId, { customerId })],
    ['quotes.update: customerId', () => quotes.update(paymentQuoteId ?? '', { customerId })],
    ['documents.update: customerId', () => documents.update(documentIds[0] ?? '', { customerId })],
    ['persons.update: customerId', () => persons.update(persons.add().id, { customerId })],
    ['payments.update: customerId', () => payments.update(id, { customerId })],
    ['payments.update: beneficiaryId', () => payments.update(id, { beneficiaryId })],
    ['payments.update: paymentQuoteId', () => payments.update(id, { paymentQuoteId: null })],
    ['payments.update: documentIds', () => payments.update(id, { documentIds: [] })],
    ['payments.update: createdAt', () => payments.update(id, { createdAt: start })],
  ];

  test.each(updates)('rejects %s, which cannot change', (field, update) => {
    expect(update).toThrow(`${field} cannot be changed. Remove the record and add another one.`);
  });
});

test('update of a beneficiary keeps its bank unless the input has another one', () => {
  const platform = platformAtStart();
  const before = platform.beneficiaries.add({ currencyCode: 'MXN' });
  const changes = { currencyCode: 'NGN', bankName: 'My Bank', accountNumber: '4711' };
  expect(platform.beneficiaries.update(before.id, changes)).toEqual({ ...before, ...changes, version: 2 });
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
