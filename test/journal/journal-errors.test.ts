import { inspect } from 'node:util';
import { JournalError, type CorridorError, type JournalEntry, type PaymentCreateIntent } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { failureOf, FaultyPlatform } from '../support/faulty-platform.ts';
import { intentFor } from './intent-for.ts';
import { journalWith, noted } from './stored-intents.ts';

describe('a journal that does not respond', () => {
  const hanging = (): Promise<never> => new Promise(() => {});

  test('is not awaited after the total timeout, and nothing is sent', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith(() => ({ claim: hanging }));
    const error = await failureOf(
      faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable(), { totalTimeout: 7_000 })),
    );
    expect(error).toMatchObject({
      code: 'timeout',
      outcome: 'not-sent',
      message: expect.stringContaining('waiting for its journal') as unknown,
    });
    expect(faulty.sent).toEqual([]);
  });

  test('is not awaited after an abort, and a late claim is released', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith((inner) => ({
      claim: (intent) => faulty.time.wait(10_000).then(() => inner.claim(intent)),
    }));
    const controller = new AbortController();
    const payment = faulty.payable();
    const call = failureOf(faulty.client({ journal }).payments.createOnce(payment, { signal: controller.signal }));
    await faulty.pass(1_000);
    controller.abort();
    expect(await call).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    await faulty.pass(20_000);
    expect(await journal.listPending()).toEqual([]);
    expect(await journal.inner.claim(noted(faulty, payment))).toBe(true);
  });

  test('does not prevent returning a created payment', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith(() => ({ resolve: hanging }));
    const started = faulty.time.now();
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable()))).toMatchObject({
      created: true,
    });
    expect(faulty.time.now() - started).toBeLessThan(10_000);
  });

  test('delays a finished call only briefly after its signal aborts', async () => {
    const faulty = new FaultyPlatform();
    const controller = new AbortController();
    const call = faulty
      .client({ journal: journalWith(() => ({ resolve: hanging })) })
      .payments.createOnce(faulty.payable(), { signal: controller.signal });
    const ended = call.then(() => faulty.time.now());
    await faulty.pass(1_000);
    const stopped = faulty.time.now();
    controller.abort();
    expect((await faulty.run(() => ended)) - stopped).toBe(250);
    expect((await call).created).toBe(true);
  });

  test('does not delay reconcilePending once per entry', async () => {
    const faulty = new FaultyPlatform();
    const settled: string[] = [];
    const journal = journalWith(() => ({
      resolve: ({ request }) => (settled.push(String(request['paymentQuoteId'])), hanging()),
    }));
    const payments = [faulty.payable(), faulty.payable(), faulty.payable()];
    for (const payment of payments) {
      await journal.claim(noted(faulty, payment));
      faulty.add(payment);
    }
    const started = faulty.time.now();
    expect(await faulty.run(() => faulty.client({ journal }).payments.reconcilePending())).toHaveLength(3);
    expect(faulty.time.now() - started).toBe(5_000);
    expect(settled).toEqual(payments.map(({ paymentQuoteId }) => paymentQuoteId));
  });

  test('an onIntent that hangs is not awaited after the total timeout, and the quote is released', async () => {
    const faulty = new FaultyPlatform();
    const corridor = faulty.client();
    const payment = faulty.payable();
    expect(
      await failureOf(
        faulty.run(() => corridor.payments.createOnce(payment, { onIntent: hanging, totalTimeout: 5_000 })),
      ),
    ).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ created: true });
  });
});

describe('an error of a journal, which can contain the payment', () => {
  const failed = async (fails: (intent: PaymentCreateIntent) => Promise<never>): Promise<readonly CorridorError[]> => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable({ memo: 'salary of Ms Smith' });
    const listPending = (): Promise<never> => fails(noted(faulty, payment));
    const { payments } = faulty.client({ journal: journalWith(() => ({ claim: fails, listPending })) });
    return [
      await failureOf(faulty.run(() => payments.createOnce(payment))),
      await failureOf(payments.reconcilePending()),
    ];
  };
  const query = (intent: PaymentCreateIntent): Error =>
    Object.assign(new Error(`insert failed: ${JSON.stringify(intent)}`), { code: '57P01', parameters: [intent] });

  test('is shown by its code only, however the error is printed', async () => {
    for (const error of await failed((intent) => Promise.reject(query(intent)))) {
      expect(error).toBeInstanceOf(JournalError);
      expect(error).toMatchObject({
        code: 'journal',
        outcome: 'not-sent',
        message: expect.stringContaining('57P01') as unknown,
      });
      const hidden = inspect(error, { showHidden: true, depth: null, getters: true });
      const printed = [inspect(error), hidden, JSON.stringify(error), String(error), error.stack];
      expect(printed.join('\n')).toContain('57P01');
      expect(printed.join('\n')).not.toContain('Ms Smith');
    }
  });

  test('is available by original()', async () => {
    const thrown: Error[] = [];
    const errors = await failed((intent) => {
      thrown.push(query(intent));
      return Promise.reject(thrown.at(-1) as Error);
    });
    expect(errors.map((error) => (error as JournalError).original())).toEqual(thrown.slice(1));
  });

  test('shows its name if it has no code, and neither if they are not identifiers', async () => {
    const [named] = await failed(() => Promise.reject(new RangeError('Ms Smith')));
    const [odd] = await failed((intent) =>
      Promise.reject(Object.assign(new Error('x'), { code: JSON.stringify(intent), name: 'of Ms Smith' })),
    );
    expect(named?.message).toContain('(RangeError)');
    expect(odd?.message).toContain('(object)');
  });
});

test.each<[unknown, string]>([
  ...[undefined, null, false, 'true', {}, { intent: null }, { intent: 'intent_1' }].map((given): [unknown, string] => [
    given,
    'journal.claim()',
  ]),
  [{ resolution: 'created' }, 'resolution'],
  [{ resolution: { outcome: 'open' } }, 'resolution'],
  [{ resolution: { outcome: 'created' } }, 'paymentId'],
  [{ intent: intentFor('quo_other') }, 'must have the quote or the key'],
])('a journal whose claim returns %j is rejected, and nothing is sent', async (given, word) => {
  const faulty = new FaultyPlatform();
  const claim = async (intent: PaymentCreateIntent): Promise<true> =>
    (word === 'resolution' || word === 'paymentId' ? { intent, ...(given as object) } : given) as true;
  const { payments } = faulty.client({ journal: journalWith(() => ({ claim })) });
  expect(await failureOf(faulty.run(() => payments.createOnce(faulty.payable())))).toMatchObject({
    code: 'journal',
    outcome: 'not-sent',
    endpoint: 'payments.create',
    message: expect.stringContaining(word) as unknown,
  });
  expect(faulty.sent).toEqual([]);
});

test.each([{ resolution: null }, { resolution: undefined }, { resolution: { outcome: 'not-created' } }])(
  'an entry of a journal with %j does not prevent finding the payment',
  async (resolved) => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    const { id } = faulty.add(payment);
    const journal = journalWith(() => ({
      claim: async () => ({ intent: noted(faulty, payment), ...resolved }) as JournalEntry,
    }));
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment))).toMatchObject({
      payment: { id },
      created: false,
      recovered: true,
    });
    expect(faulty.sent).toEqual([]);
  },
);

test('an entry whose fields are in another order, as those of a jsonb column, is of the same payment', async () => {
  const faulty = new FaultyPlatform();
  const payment = faulty.payable();
  const { id } = faulty.add(payment);
  const request = Object.fromEntries(Object.entries(payment).toReversed()) as unknown as typeof payment;
  const journal = journalWith(() => ({ claim: async () => ({ intent: { ...noted(faulty, payment), request } }) }));
  expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment))).toMatchObject({
    payment: { id },
    created: false,
  });
});
