import type { Corridor, PaymentCreateParams } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { failureOf, FaultyPlatform, notProcessed } from '../../support/faulty-platform.ts';

type Call = (payments: Corridor['payments'], order: PaymentCreateParams) => PromiseLike<unknown>;

const totalTimeout = 1_501;

// Their requests have only a part of the time.
test.each<[string, Call]>([
  ['createOnce', (payments, order) => payments.createOnce(order, { totalTimeout })],
  [
    'find',
    (payments) => payments.find({ paymentQuoteId: 'quo_1', createdFrom: '2026-01-01T00:00Z' }, { totalTimeout }),
  ],
])('a timeout of %s names the totalTimeout that was passed', async (_name, call) => {
  const faulty = new FaultyPlatform().onCreate(notProcessed('hang'), notProcessed('hang'));
  faulty.changePage = () => new Promise(() => {});
  const { payments } = faulty.client();
  await failureOf(faulty.run(() => payments.createOnce(faulty.payable(), { totalTimeout })));
  const error = await failureOf(faulty.run(async () => call(payments, faulty.payable())));
  const messages = [error, error.cause].map((each) => (each instanceof Error ? each.message : '')).join(' ');
  expect(messages).toContain('totalTimeout of 1501 ms');
  expect(messages).not.toMatch(/totalTimeout of (?!1501 ms)/);
});
