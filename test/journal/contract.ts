import type { Journal, PaymentCreateIntent } from 'corridor-sdk';
import { expect } from 'vitest';

let number = 0;
const parties = {
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  currencyCode: 'USD',
  purposeOfPayment: 'Goods',
} as const;

/** Creates an intent for a quote, with a unique id. */
export function intentFor(paymentQuoteId: string, request: object = {}): PaymentCreateIntent {
  number += 1;
  return {
    version: 1,
    id: `intent_${number}`,
    request: { ...parties, paymentQuoteId, amount: '10.00', documentIds: ['doc_1'], ...request },
    createdAt: '2026-03-01T09:00:00.000Z',
    clockOffset: -1_500,
  };
}

/** The contract of every journal: a rule and its test, which receives a new, empty journal. */
export const contract: readonly (readonly [rule: string, shows: (journal: Journal) => Promise<void>])[] = [
  [
    'a quote without an entry can be claimed',
    async (journal) => {
      expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    },
  ],
  [
    'a claim for a claimed quote returns the existing entry, and keeps it',
    async (journal) => {
      const first = intentFor('quo_1');
      await journal.claim(first);
      expect(await journal.claim(intentFor('quo_1', { amount: '20.00' }))).toEqual({ intent: first });
      expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent: first });
    },
  ],
  [
    'a caller that claims its own entry again receives it',
    async (journal) => {
      const intent = intentFor('quo_1');
      await journal.claim(intent);
      expect(await journal.claim(intent)).toEqual({ intent });
    },
  ],
  [
    "quotes do not stand in each other's way",
    async (journal) => {
      expect(await Promise.all(['quo_1', 'quo_2', 'quo_3'].map((quote) => journal.claim(intentFor(quote))))).toEqual([
        true,
        true,
        true,
      ]);
    },
  ],
  [
    'of many that claim at once, one may send',
    async (journal) => {
      const intents = Array.from({ length: 30 }, () => intentFor('quo_1'));
      const claims = await Promise.all(intents.map((intent) => journal.claim(intent)));
      const [open] = await journal.listPending();
      expect(claims.filter((claim) => claim === true)).toHaveLength(1);
      expect(intents[claims.indexOf(true)]).toEqual(open);
      expect(claims.filter((claim) => claim !== true)).toEqual(Array.from({ length: 29 }, () => ({ intent: open })));
    },
  ],
  [
    'a created payment keeps its entry, with its id',
    async (journal) => {
      const intent = intentFor('quo_1');
      await journal.claim(intent);
      await journal.resolve(intent, { outcome: 'created', paymentId: 'pay_1' });
      expect(await journal.claim(intentFor('quo_1'))).toEqual({
        intent,
        resolution: { outcome: 'created', paymentId: 'pay_1' },
      });
    },
  ],
  [
    'an entry of a payment that was not created is replaced by one claim',
    async (journal) => {
      const first = intentFor('quo_1');
      await journal.claim(first);
      await journal.resolve(first, { outcome: 'not-created' });
      const intents = Array.from({ length: 10 }, () => intentFor('quo_1'));
      const claims = await Promise.all(intents.map((intent) => journal.claim(intent)));
      expect(claims.filter((claim) => claim === true)).toHaveLength(1);
      expect(await journal.listPending()).toEqual([intents[claims.indexOf(true)]]);
    },
  ],
  [
    'a created payment stays created, whatever is resolved later',
    async (journal) => {
      const intent = intentFor('quo_1');
      await journal.claim(intent);
      await journal.resolve(intent, { outcome: 'created', paymentId: 'pay_1' });
      await journal.resolve(intent, { outcome: 'not-created' });
      await journal.resolve(intent, { outcome: 'created', paymentId: 'pay_2' });
      await journal.resolve(intentFor('quo_1'), { outcome: 'created', paymentId: 'pay_3' });
      expect(await journal.claim(intentFor('quo_1'))).toEqual({
        intent,
        resolution: { outcome: 'created', paymentId: 'pay_1' },
      });
    },
  ],
  [
    'a payment that was taken for not created, and shows up, is created',
    async (journal) => {
      const intent = intentFor('quo_1');
      await journal.claim(intent);
      await journal.resolve(intent, { outcome: 'not-created' });
      await journal.resolve(intent, { outcome: 'created', paymentId: 'pay_1' });
      expect(await journal.claim(intentFor('quo_1'))).toEqual({
        intent,
        resolution: { outcome: 'created', paymentId: 'pay_1' },
      });
    },
  ],
  [
    'a late or repeated "not-created" does not release the quote while another intent has it',
    async (journal) => {
      const [first, second] = [intentFor('quo_1'), intentFor('quo_1')];
      await journal.claim(first);
      await journal.resolve(first, { outcome: 'not-created' });
      await journal.claim(second);
      await journal.resolve(first, { outcome: 'not-created' });
      expect(await journal.listPending()).toEqual([second]);
      expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent: second });
    },
  ],
  [
    'an intent that was not created cannot claim its quote again',
    async (journal) => {
      const intent = intentFor('quo_1');
      await journal.claim(intent);
      await journal.resolve(intent, { outcome: 'not-created' });
      expect(await journal.claim(intent)).toEqual({ intent, resolution: { outcome: 'not-created' } });
      expect(await journal.listPending()).toEqual([]);
      expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    },
  ],
  [
    'a payment of an earlier intent that shows up is the payment of the quote, even if another intent has claimed it',
    async (journal) => {
      for (const [quote, released] of [
        ['quo_1', true],
        ['quo_2', false],
      ] as const) {
        const [first, second] = [intentFor(quote, { amount: '10.00' }), intentFor(quote, { amount: '20.00' })];
        await journal.claim(first);
        await journal.resolve(first, { outcome: 'not-created' });
        await journal.claim(second);
        if (released) await journal.resolve(second, { outcome: 'not-created' });
        await journal.resolve(first, { outcome: 'created', paymentId: 'pay_1' });
        await journal.resolve(second, { outcome: 'not-created' });
        await journal.resolve(second, { outcome: 'created', paymentId: 'pay_2' });
        expect(await journal.claim(intentFor(quote))).toEqual({
          intent: first,
          resolution: { outcome: 'created', paymentId: 'pay_1' },
        });
      }
      expect(await journal.listPending()).toEqual([]);
    },
  ],
  [
    'an outcome of an intent does not change the intent',
    async (journal) => {
      for (const resolution of [{ outcome: 'created', paymentId: 'pay_1' }, { outcome: 'not-created' }] as const) {
        const intent = intentFor(`quo_${resolution.outcome}`);
        const changed = { ...intent, request: { ...intent.request, amount: '1.00' } };
        await journal.claim(intent);
        await journal.resolve(changed, resolution);
        expect(await journal.claim(intent)).toEqual({ intent, resolution });
      }
    },
  ],
  [
    'of a quote that is not known, nothing can be noted',
    async (journal) => {
      await journal.resolve(intentFor('quo_1'), { outcome: 'created', paymentId: 'pay_1' });
      await journal.resolve(intentFor('quo_2'), { outcome: 'not-created' });
      expect(await journal.listPending()).toEqual([]);
      expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    },
  ],
  [
    'what is open is listed, oldest first, and nothing else is',
    async (journal) => {
      const [first, second, third, fourth] = ['quo_4', 'quo_3', 'quo_2', 'quo_1'].map((quote) => intentFor(quote)) as [
        PaymentCreateIntent,
        PaymentCreateIntent,
        PaymentCreateIntent,
        PaymentCreateIntent,
      ];
      for (const intent of [first, second, third, fourth]) await journal.claim(intent);
      await journal.resolve(second, { outcome: 'created', paymentId: 'pay_1' });
      await journal.resolve(third, { outcome: 'not-created' });
      expect(await journal.listPending()).toEqual([first, fourth]);
    },
  ],
  [
    'an intent comes back as it was, to the last character',
    async (journal) => {
      const quote = 'quo\'; drop table corridor_journal; -- $1 ?1 "x" é 🧾';
      const intent = intentFor(quote, {
        memo: 'a\u0000b\n"c"\\',
        purposeOfPayment: '🧾 \u2028',
        internalReference: null,
        nested: { list: [1, 1.5, true, null, {}] },
      });
      expect(await journal.claim(intent)).toBe(true);
      expect(await journal.listPending()).toEqual([intent]);
      await journal.resolve(intent, { outcome: 'created', paymentId: 'pay\'"🧾' });
      expect(await journal.claim(intent)).toEqual({
        intent,
        resolution: { outcome: 'created', paymentId: 'pay\'"🧾' },
      });
    },
  ],
];
