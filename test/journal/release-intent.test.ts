import { MemoryJournal, releaseIntent, type Journal, type PaymentCreateIntent } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { failureOf } from '../simulation/failure.js';
import { intentFor } from './contract.ts';

test('an intent that is released frees its quote', async () => {
  const journal = new MemoryJournal();
  const intent = intentFor('quo_1');
  await journal.claim(intent);
  await releaseIntent(journal, intent);
  expect(await journal.listPending()).toEqual([]);
  expect(await journal.claim(intentFor('quo_1'))).toBe(true);
});

test.each([null, undefined, {}, { resolve: true }])('%j is rejected as a journal', async (journal) => {
  expect(await failureOf(releaseIntent(journal as unknown as Journal, intentFor('quo_1')))).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining('must have a function "resolve"') as unknown,
  });
});

test.each<[string, string, unknown]>([
  ['id', 'undefined', undefined],
  ['id', 'undefined', null],
  ['id', 'undefined', {}],
  ['id', 'string', { ...intentFor('quo_1'), id: '' }],
  ['id', 'number', { ...intentFor('quo_1'), id: 7 }],
  ['request.paymentQuoteId', 'undefined', { id: 'intent_1' }],
  ['request.paymentQuoteId', 'undefined', { id: 'intent_1', request: {} }],
  ['request.paymentQuoteId', 'string', intentFor('')],
])('an intent whose %s is of type %s releases nothing: %j', async (field, type, intent) => {
  const journal = new MemoryJournal();
  await journal.claim(intentFor('quo_1'));
  expect(await failureOf(releaseIntent(journal, intent as PaymentCreateIntent))).toMatchObject({
    code: 'configuration',
    message: expect.stringContaining(`${field} of the intent must be a non-empty string (received ${type})`) as unknown,
  });
  expect(await journal.listPending()).toHaveLength(1);
});
