import { journalKey, type Journal, type StoredIntent } from 'corridor-sdk';
import { expect } from 'vitest';

let number = 0;

/** An intent for a quote, unlike all others. */
export function intentFor(paymentQuoteId: string, request: Readonly<Record<string, unknown>> = {}): StoredIntent {
  number += 1;
  return { version: 1, id: `intent_${number}`, request: { paymentQuoteId, amount: '10.00', documentIds: ['doc_1'], ...request }, sentAt: '2026-03-01T09:00:00.000Z', offset: -1_500 };
}

/** What every journal holds to: a rule, and what shows that it does. Each is given a journal of its own, with nothing in it. */
export const contract: readonly (readonly [rule: string, shows: (journal: Journal) => Promise<void>])[] = [
  ['a quote of which nothing is noted can be claimed', async (journal) => {
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
  }],
  ['a quote that is claimed shows the record that stands, and keeps it', async (journal) => {
    const first = intentFor('quo_1');
    await journal.claim(first);
    expect(await journal.claim(intentFor('quo_1', { amount: '20.00' }))).toEqual({ intent: first });
    expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent: first });
  }],
  ['a caller that claims its own record again is shown it', async (journal) => {
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    expect(await journal.claim(intent)).toEqual({ intent });
  }],
  ['quotes do not stand in each other\'s way', async (journal) => {
    expect(await Promise.all(['quo_1', 'quo_2', 'quo_3'].map((quote) => journal.claim(intentFor(quote))))).toEqual([true, true, true]);
  }],
  ['of many that claim at once, one may send', async (journal) => {
    const intents = Array.from({ length: 30 }, () => intentFor('quo_1'));
    const claims = await Promise.all(intents.map((intent) => journal.claim(intent)));
    const [open] = await journal.open();
    expect(claims.filter((claim) => claim === true)).toHaveLength(1);
    expect(intents[claims.indexOf(true)]).toEqual(open);
    expect(claims.filter((claim) => claim !== true)).toEqual(Array.from({ length: 29 }, () => ({ intent: open })));
  }],
  ['a payment that was created stands, with its id', async (journal) => {
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    await journal.settle('quo_1', { outcome: 'created', paymentId: 'pay_1' });
    expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent, settlement: { outcome: 'created', paymentId: 'pay_1' } });
  }],
  ['a payment that was not created gives way, to one', async (journal) => {
    await journal.claim(intentFor('quo_1'));
    await journal.settle('quo_1', { outcome: 'not-created' });
    const intents = Array.from({ length: 10 }, () => intentFor('quo_1'));
    const claims = await Promise.all(intents.map((intent) => journal.claim(intent)));
    expect(claims.filter((claim) => claim === true)).toHaveLength(1);
    expect(await journal.open()).toEqual([intents[claims.indexOf(true)]]);
  }],
  ['a payment that was created stays so, whatever is noted later', async (journal) => {
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    await journal.settle('quo_1', { outcome: 'created', paymentId: 'pay_1' });
    await journal.settle('quo_1', { outcome: 'not-created' });
    await journal.settle('quo_1', { outcome: 'created', paymentId: 'pay_2' });
    expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent, settlement: { outcome: 'created', paymentId: 'pay_1' } });
  }],
  ['a payment that was taken for not created, and shows up, is created', async (journal) => {
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    await journal.settle('quo_1', { outcome: 'not-created' });
    await journal.settle('quo_1', { outcome: 'created', paymentId: 'pay_1' });
    expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent, settlement: { outcome: 'created', paymentId: 'pay_1' } });
  }],
  ['of a quote that is not known, nothing can be noted', async (journal) => {
    await journal.settle('quo_1', { outcome: 'created', paymentId: 'pay_1' });
    await journal.settle('quo_2', { outcome: 'not-created' });
    expect(await journal.open()).toEqual([]);
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
  }],
  ['what is open is listed, oldest first, and nothing else is', async (journal) => {
    const [first, second, third, fourth] = ['quo_4', 'quo_3', 'quo_2', 'quo_1'].map((quote) => intentFor(quote)) as [StoredIntent, StoredIntent, StoredIntent, StoredIntent];
    for (const intent of [first, second, third, fourth]) await journal.claim(intent);
    await journal.settle(journalKey(second), { outcome: 'created', paymentId: 'pay_1' });
    await journal.settle(journalKey(third), { outcome: 'not-created' });
    expect(await journal.open()).toEqual([first, fourth]);
  }],
  ['an intent comes back as it was, to the last character', async (journal) => {
    const quote = "quo'; drop table corridor_journal; -- $1 ?1 \"x\" é 🧾";
    const intent = intentFor(quote, { memo: 'a\u0000b\n"c"\\', purposeOfPayment: '🧾 \u2028', internalReference: null, nested: { list: [1, 1.5, true, null, {}] } });
    expect(await journal.claim(intent)).toBe(true);
    expect(await journal.open()).toEqual([intent]);
    await journal.settle(journalKey(intent), { outcome: 'created', paymentId: "pay'\"🧾" });
    expect(await journal.claim(intent)).toEqual({ intent, settlement: { outcome: 'created', paymentId: "pay'\"🧾" } });
  }],
];
