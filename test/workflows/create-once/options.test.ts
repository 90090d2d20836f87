import { MemoryJournal, type PaymentCreateIntent } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { failureOf, FaultyPlatform, intentOf } from '../../support/faulty-platform.ts';

describe('options', () => {
  test.each([
    { consistencyWindow: Number.NaN },
    { consistencyWindow: -1 },
    { consistencyWindow: '10s' },
    { onIntent: 'store' },
    { maxRetries: -1 },
    { deadlines: 1 },
    null,
  ])('%j are rejected before anything is claimed or sent', async (options) => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const call = faulty
      .client({ journal })
      .payments.createOnce(faulty.payable(), options as { readonly consistencyWindow: number });
    expect(await failureOf(call)).toMatchObject({
      outcome: 'not-sent',
      code: 'configuration',
    });
    expect(faulty.sent).toEqual([]);
    expect(await journal.listPending()).toEqual([]);
  });

  test.each([
    ['an order', 'the intent must be an object (received string)'],
    [{ paymentId: 'pay_1' }, 'the intent is damaged: version is required: it must be 1'],
    [{ version: 2 }, 'the intent has an unsupported version (received 2, expected 1)'],
  ])('reconcile rejects %j', async (intent, message) => {
    const error = await failureOf(new FaultyPlatform().client().payments.reconcile(intent as never));
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining(message) as unknown });
  });

  test('reconcile rejects an invalid consistencyWindow too', async () => {
    const faulty = new FaultyPlatform();
    const intent = intentOf(faulty.payable(), faulty.time.now());
    expect(await failureOf(faulty.client().payments.reconcile(intent, { consistencyWindow: -1 }))).toMatchObject({
      code: 'configuration',
    });
  });

  test('onIntent receives the intent before anything is sent, and its error is thrown', async () => {
    const faulty = new FaultyPlatform();
    const corridor = faulty.client();
    const payment = faulty.payable();
    const noted: PaymentCreateIntent[] = [];
    const disk = new Error('the disk is full');
    const rejected = corridor.payments.createOnce(payment, {
      onIntent(intent) {
        noted.push(intent);
        throw disk;
      },
    });
    await expect(faulty.run(() => rejected)).rejects.toBe(disk);
    expect(noted).toMatchObject([
      { version: 1, request: payment, createdAt: '2026-03-01T09:00:00.000Z', clockOffset: 0 },
    ]);
    // Databases such as DynamoDB reject fields that are undefined.
    expect(noted.flatMap((intent) => Object.values(intent))).not.toContain(undefined);
    expect(faulty.sent).toEqual([]);
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ created: true });
  });
});

describe('the stored intent is the request that is sent', () => {
  const changePage = ({ request }: PaymentCreateIntent): void =>
    void Object.assign(request, { amount: '999999.00', memo: '[redacted]' });
  const others = ({ request }: PaymentCreateIntent): void =>
    void (request['documentIds'] as string[]).push('doc_other');

  test.each([
    ['a field', changePage],
    ['a list in it', others],
  ])('an onIntent that changes %s fails, and nothing is sent', async (_name, onIntent) => {
    const faulty = new FaultyPlatform();
    await expect(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { onIntent }))).rejects.toThrow(
      TypeError,
    );
    expect(faulty.sent).toEqual([]);
  });
});

test('headers that change after the call are not sent', async () => {
  const faulty = new FaultyPlatform();
  const sent: (string | null)[] = [];
  const { fetch } = faulty.platform.clientOptions();
  const corridor = faulty.client({
    fetch: (input, init) => {
      sent.push(new Headers(init?.headers).get('x-account'));
      return fetch(input, init);
    },
    hooks: {},
  });
  const headers = { 'x-account': 'first' };
  const created = corridor.payments.createOnce(faulty.payable(), { headers });
  headers['x-account'] = 'second';
  await created;
  expect(sent).toEqual(['first']);
});
