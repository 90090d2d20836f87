import type { Corridor, PaymentCreateIntent, PaymentCreateRequest } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { failureOf, FaultyPlatform } from '../support/faulty-platform.ts';
import { intentFor } from './intent-for.ts';
import { journalWith } from './stored-intents.ts';

const hanging = (): Promise<never> => new Promise(() => {});
const unsent = intentFor('quo_1', {}, { sent: false });

type Start = (
  payments: Corridor['payments'],
  signal: AbortSignal,
  payment: PaymentCreateRequest,
  intent: PaymentCreateIntent,
) => Promise<unknown>;

const createOnce: Start = (payments, signal, payment) =>
  payments.createOnce(payment, { idempotencyKey: 'order-1', signal });
const release: Start = (payments, signal) => payments.releaseIntent(unsent, { signal });

test.each<readonly [string, 'claim' | 'resolve' | 'listPending', Start]>([
  ['createOnce', 'claim', createOnce],
  ['reconcilePending', 'listPending', (payments, signal) => payments.reconcilePending({ signal })],
  ['releaseIntent', 'claim', release],
  ['releaseIntent', 'resolve', release],
])('%s ends at once when its signal aborts while journal.%s() never answers', async (_name, hangs, start) => {
  const faulty = new FaultyPlatform();
  const { payments } = faulty.client({ journal: journalWith(() => ({ [hangs]: hanging })) });
  const stop = new AbortController();
  const call = failureOf(start(payments, stop.signal, faulty.payable(), unsent));
  const ended = call.then(() => faulty.time.now());
  await faulty.pass(1_000);
  const aborted = faulty.time.now();
  stop.abort('enough');
  expect(await faulty.run(() => call)).toMatchObject({ code: 'aborted', cause: 'enough', outcome: 'not-sent' });
  expect((await ended) - aborted).toBe(0);
  expect(faulty.payments).toEqual([]);
});
